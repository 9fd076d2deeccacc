/* The parts of a clausal proof (certificates/proof.h), shared by the files that make it.
 *
 * Every line is kept with its clause, as the verifier would derive it, so that the needed lines can be selected before
 * any line is written. */
#ifndef ISOLAB_CERTIFICATES_PROOF_LINES_H
#define ISOLAB_CERTIFICATES_PROOF_LINES_H

#include "base/index.h"
#include "certificates/proof.h"
#include "history/possible.h"

enum {
    BEFORE,
    TOOK,
    IN,
    SO,
    RT,
    WR,
    WW,
    RW,
    CHOICE,
    ONE,
    PART,
    LIST,
    CYCLE,
    LEMMA,
    GIVEN,
    /* kinds that are not cases */ AXIOM,
    STATE,
    SHOWN,
    CUT,
    DIFFER,
    TORN,
    /* a kind that is not written */ CLAIM
};
#define ALWAYS INT32_MAX /* a literal that is always true */

/* An atom with its number, or a rule that was added. */
typedef struct entry {
    uint32_t kind, a, b, c; /* kind + 1; 0: free slot */
    int number;
} entry;

typedef struct line {
    uint32_t kind, a, b, c; /* CHOICE: a is the read, and b is 1 if it can take no write; CYCLE: its points [a, b);
                             * AXIOM, STATE, CUT: its words [a, b), in the array of points */
} line;

/* Words of a line that are not numbers. */
#define WORD_SO (ISO_ID_MAX + 1u)
#define WORD_WR (ISO_ID_MAX + 2u)
#define WORD_CO (ISO_ID_MAX + 3u)
#define WORD_WW (ISO_ID_MAX + 4u)
#define WORD_WITHOUT (ISO_ID_MAX + 5u)

struct iso_proof {
    iso_pool *pool;
    const isolab_history *h;
    bool two, si, commits; /* two: two points a transaction; si: si, not pc; commits: a proof of commits, for any
                            * level */
    iso_level level;
    iso_index index; /* of entries */
    entry *entries;
    uint32_t entries_room;
    entry *atoms; /* by the atom's number minus 1 */
    uint32_t n_atoms, atoms_room;
    line *lines;
    uint32_t n_lines, lines_room;
    uint32_t *first, first_room; /* by line: where its clause begins */
    int *literals;
    uint32_t n_literals, literals_room;
    uint8_t *kind;
    uint32_t kind_room;
    uint32_t *points, n_points, points_room, circle; /* circle: where the current cycle begins */
    int *collected;                                  /* literals of a clause to be added */
    uint32_t collected_room;
    uint8_t *needed; /* by line; set by iso_proof_give() */
    char *text;
    size_t size, room;
};

/* For proofs of commits. An axiom edge of a case has as its premise the number of its line, and no premises.
 * axiom_edge adds the steps of an axiom to the result and returns its edge; harm says how weak the levels are that a
 * case breaks (least: only strong ones; 3: no axiom); name names it. */
iso_edge iso_proof_axiom_edge(const iso_proof *p, const line *l, iso_result *result);
unsigned iso_proof_commits_harm(const iso_proof *p, const iso_edge *edges, uint32_t n);
iso_anomaly_kind iso_proof_commits_name(const iso_edge *edges, uint32_t n, unsigned harm);

/* Fills in `needed`. */
void iso_proof_need(iso_proof *p);

/* Returns the writes that a read may have got its value from, at the level of the proof (history/possible.h). */
static inline uint32_t iso_proof_next(const iso_proof *p, uint32_t read, uint32_t *at) {
    return iso_next_possible(p->h, !iso_level_has(p->level, ISO_RULE_INT), read, at);
}

#endif
