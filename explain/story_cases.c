/* A cycle that is one case of several, and a search without a cycle, as a person would tell them. See telling.h.
 *
 * Where values repeat, a clausal proof refutes every choice of writers and every order of writes. So nothing of a case
 * is told as a fact: which writers a value may be from, and what follows if it is from these. */
#include <inttypes.h>

#include "explain/telling.h"
#include "history/possible.h"

enum { WRITERS_SHOWN = 3, READS_SHOWN = 2, ASSUMPTIONS_SHOWN = 4, NAMES_SHOWN = 5 };

/* Says the possible writers of a read: `the initial transaction, t1 or 3 others`. Returns their number. */
static uint32_t say_writers(iso_story *s, uint32_t read) {
    uint32_t at = 0, n = 0, known[WRITERS_SHOWN];
    for (uint32_t w; (w = iso_next_possible(s->h, !iso_level_has(s->a->level, ISO_RULE_INT), read, &at)) != ISO_NONE;
         n++) {
        if (n < WRITERS_SHOWN) {
            known[n] = w == ISO_INIT ? ISO_INIT : s->h->op_txn[w];
        }
    }
    uint32_t shown = n <= WRITERS_SHOWN ? n : WRITERS_SHOWN - 1;
    for (uint32_t i = 0; i < shown; i++) {
        iso_tell(s, "%s", i == 0 ? "" : i + 1 == n ? " or " : ", ");
        iso_tell_txn(s, known[i]);
    }
    if (n > shown) {
        iso_tell(s, " or %" PRIu32 " others", n - shown);
    }
    return n;
}

/* Returns the ambiguous read whose writer an edge assumes; ISO_NONE: none. */
static uint32_t ambiguous_read(const isolab_history *h, const iso_edge *e) {
    bool some = (iso_edge_assumes(h, e) & ISO_ASSUMES_WRITER) != 0;
    return !some ? ISO_NONE : e->kind == ISO_EDGE_WR ? e->op_to : e->kind == ISO_EDGE_RW ? e->op_from : e->reader_op;
}

/* Says from which writers the ambiguous reads of the case may be. */
static void say_ambiguity(iso_story *s, const uint8_t *standing) {
    uint32_t told[READS_SHOWN], n = 0;
    for (uint32_t i = 0; i < s->a->first + s->a->n && n < READS_SHOWN; i++) {
        uint32_t read = standing[i] == ISO_ASSUMED ? ambiguous_read(s->h, &s->a->edges[i]) : ISO_NONE;
        if (read == ISO_NONE || (n > 0 && told[0] == read)) {
            continue;
        }
        told[n++] = read;
        iso_tell_txn(s, s->h->op_txn[read]);
        iso_tell(s, " ");
        iso_tell_did(s, read);
        iso_tell(s, ", which may be from ");
        say_writers(s, read);
        iso_tell(s, ". ");
    }
    iso_tell(s, n > 0 ? "Whichever it was, no commit order is possible."
                      : "No commit order is possible, whatever is assumed.");
}

/* Says ` If this, and that, then t1 and t2 form a cycle.` */
static void say_case(iso_story *s, iso_span cycle, const uint8_t *standing) {
    char text[ISO_SENTENCE_SIZE];
    uint32_t n = 0;
    for (uint32_t i = 0; i < cycle.first + cycle.n; i++) {
        if (standing[i] == ISO_ASSUMED && n++ < ASSUMPTIONS_SHOWN) {
            iso_tell(s, "%s %s", n == 1 ? " If" : ", and", iso_word_assumption(s->h, &s->a->edges[i], text));
        }
    }
    if (n > ASSUMPTIONS_SHOWN) {
        iso_tell(s, ", and so on (%" PRIu32 " assumptions)", n);
    }
    iso_tell(s, ", then ");
    for (uint32_t i = 0; i < 2 && cycle.n == 2; i++) {
        if (s->a->edges[cycle.first + i].to == ISO_INIT) {
            iso_tell_txn(s, s->a->edges[cycle.first + i].from);
            iso_tell(s, " would have to come before the initial transaction.");
            return;
        }
    }
    for (uint32_t i = 0; i < cycle.n && i < NAMES_SHOWN; i++) {
        iso_tell(s, "%s", i == 0 ? "" : i + 1 == cycle.n ? " and " : ", ");
        iso_tell_txn(s, s->a->edges[cycle.first + i].from);
    }
    if (cycle.n > NAMES_SHOWN) {
        iso_tell(s, " and %" PRIu32 " more", cycle.n - NAMES_SHOWN);
    }
    iso_tell(s, " form a cycle.");
}

void iso_tell_cases(iso_story *s, const uint8_t *standing) {
    const iso_chain *a = s->a;
    uint32_t told = 1;
    say_ambiguity(s, standing);
    say_case(s, (iso_span){a->first, a->n}, standing);
    for (uint32_t i = 0; i < a->n_other; i++) {
        bool cases = false;
        uint8_t *other = a->other[i].n > 0 ? iso_chain_standing(s->h, a, a->other[i], &cases) : NULL;
        if (cases) {
            say_case(s, a->other[i], other);
            told++;
        }
        iso_free(a->pool, other);
    }
    uint32_t more = a->n_cases > told ? a->n_cases - told : 0;
    if (more > 0) {
        iso_tell(s, " %" PRIu32 " more case%s in the same way.", more, more == 1 ? " fails" : "s fail");
    } else if (a->n_cases == 0) {
        iso_tell(s, " Every other case fails, too.");
    }
}

void iso_tell_search(iso_story *s) {
    const iso_chain *a = s->a;
    if (a->n_named == 0) {
        iso_tell(s, "The search names no transactions: `isolab shrink` finds the few of them that matter.");
        return;
    }
    iso_tell(s, "The refutation needs %s", a->n_reads == 1 ? "this read: " : "these reads: ");
    for (uint32_t i = 0; i < a->n_named; i++) {
        uint32_t read = a->reads[i];
        iso_tell(s, "%s", i == 0 ? "" : "; ");
        iso_tell_txn(s, s->h->op_txn[read]);
        iso_tell(s, " ");
        iso_tell_did(s, read);
        iso_tell(s, ", from ");
        if (say_writers(s, read) == 0) {
            iso_tell(s, "no transaction");
        }
    }
    if (a->n_reads > a->n_named) {
        iso_tell(s, "; and %" PRIu32 " more", a->n_reads - a->n_named);
    }
    iso_tell(s, ".");
}
