/* What a clausal proof is made of (certificates/proof.h), for the files that make it.
 *
 * Every line is kept with its clause, as the verifier would make it, so that the lines which are needed can be told
 * from the others before any is written. */
#ifndef ISOLAB_CERTIFICATES_PROOF_LINES_H
#define ISOLAB_CERTIFICATES_PROOF_LINES_H

#include "certificates/proof.h"

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
    /* not of cases: */ AXIOM,
    STATE,
    SHOWN,
    CUT,
    DIFFER,
    TORN,
    /* not written: */ CLAIM
};
#define ALWAYS INT32_MAX /* a literal that is true */

/* What was said: an atom with its number, or a rule. */
typedef struct entry {
    uint32_t kind, a, b, c; /* kind plus 1; 0: free */
    int number;
} entry;

typedef struct line {
    uint32_t kind, a, b, c; /* CHOICE: a, and b is 1 where nothing could be taken; CYCLE: its points [a, b);
                               AXIOM, STATE, CUT: its words [a, b), among the points */
} line;

/* Words of a line that are no numbers. */
#define WORD_SO (ISO_ID_MAX + 1u)
#define WORD_WR (ISO_ID_MAX + 2u)
#define WORD_CO (ISO_ID_MAX + 3u)
#define WORD_WW (ISO_ID_MAX + 4u)
#define WORD_WITHOUT (ISO_ID_MAX + 5u)

struct iso_proof {
    iso_pool *pool;
    const isolab_history *h;
    bool two, si, commits; /* two points a transaction; of si, not pc; the order is that of commits at any level */
    iso_level level;
    entry *entries; /* open addressing */
    uint64_t mask, n_entries;
    entry *atoms; /* by number, minus 1 */
    uint32_t n_atoms, atoms_room;
    line *lines;
    uint32_t n_lines, lines_room;
    uint32_t *first, first_room; /* by line: its clause */
    int *literals;
    uint32_t n_literals, literals_room;
    uint8_t *kind;
    uint32_t kind_room;
    uint32_t *points, n_points, points_room, circle; /* circle: where the current one begins */
    int *collected;                                  /* literals of a clause to be */
    uint32_t collected_room;
    uint8_t *needed; /* by line, after iso_proof_give() */
    char *text;
    size_t size, room;
};

/* What a literal of a rule says, as an edge; of an axiom without its premises. */
iso_edge iso_proof_edge(const iso_proof *p, const line *l, int literal);
/* Of a proof of commits: adds the anomaly. False: it has no case that is a cycle. */
bool iso_proof_commits_anomaly(iso_proof *p, iso_result *result);

/* Fills needed. */
void iso_proof_need(iso_proof *p);

/* The writes that a read may have got its value from (a list: its last element that the reader did not append) by INT,
 * which ci does not ask for, one after the other, from at = 0; ISO_NONE: no more. */
uint32_t iso_proof_next(const iso_proof *p, uint32_t read, uint32_t *at);

#endif
