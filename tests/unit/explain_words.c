/* Tests explain/words.h. Anomalies in words: one sentence for every kind of edge and of offending read. */
#include "explain/story.h"

#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "tests/guarded.h"

static const char text[] = "session A\n"
                           "t1 commit @1..2: w x 1, w y 1, append l 1\n"
                           "t2 commit @3..4: r x 1, w x 2\n"
                           "session B\n"
                           "7 commit @5..6: r y nil, r x 2, rl l [1], w 9 9\n"
                           "t4 abort: w y 5\n";
/* Operations: t1 0..2, t2 3..4, 7 5..8, t4 9. Transactions t1 t2 7 t4 are 0 1 2 3. Keys x y l 9. */

static void edge(const isolab_history *h, iso_edge e, const char *expected) {
    char sentence[ISO_SENTENCE_SIZE];
    is(iso_word_edge(h, &e, sentence), expected, "%s", expected);
}

static void edges(const isolab_history *h) {
    const uint32_t x = h->op_key[0], y = h->op_key[1], none = ISO_NONE;
    edge(h, (iso_edge){0, 1, ISO_EDGE_SO, none, none, none, none, 0, 0}, "t1 comes before t2 in session A");
    edge(h, (iso_edge){ISO_INIT, 2, ISO_EDGE_SO, none, none, none, none, 0, 0},
         "the initial transaction comes before every other one, so before transaction 7");
    edge(h, (iso_edge){0, 1, ISO_EDGE_WR, x, 0, 3, none, 0, 0}, "t1 comes before t2, which reads x = 1 from it");
    edge(h, (iso_edge){1, 2, ISO_EDGE_RT, none, none, none, none, 0, 0},
         "t2 had ended 1 ns before transaction 7 began (at 4, and 5)");
    edge(h, (iso_edge){0, ISO_INIT, ISO_EDGE_AXIOM, y, 1, none, 5, 0, 0},
         "transaction 7 saw the state before t1's write: t1 comes before transaction 7 and writes y = 1, and yet "
         "transaction 7 reads y = nil");
    edge(h, (iso_edge){2, 0, ISO_EDGE_RW, y, 5, 1, none, 0, 0},
         "transaction 7 reads y = nil (the initial value), which t1 overwrites with 1");
    edge(h, (iso_edge){0, 1, ISO_EDGE_WW, x, 0, 4, none, 0, 0},
         "t1, which writes x = 1, comes before t2, which writes x = 2");
    edge(
        h, (iso_edge){0, 1, ISO_EDGE_LIST, h->op_key[2], 2, none, 7, 0, 0},
        "t1 comes before t2: transaction 7 reads l = [1], which has the elements that t1 appended and not those of t2");
}

static void read_anomaly(const isolab_history *h, iso_result *r, iso_anomaly_kind kind, uint32_t op, uint32_t other,
                         const char *expected) {
    char sentence[ISO_SENTENCE_SIZE];
    iso_anomaly a = {.kind = (uint8_t)kind, .op = op, .other_op = other};
    is(iso_word_anomaly(h, r, &a, sentence), expected, "%s", expected);
}

static void reads(const isolab_history *h, iso_result *r) {
    read_anomaly(h, r, ISO_A_THIN_AIR, 3, ISO_NONE, "t2 (session A) read x = 1, but no transaction wrote that value.");
    read_anomaly(h, r, ISO_A_ABORTED_READ, 3, 9,
                 "t2 (session A) read x = 1, which t4 (session B) wrote, and t4 did not commit.");
    read_anomaly(h, r, ISO_A_FUTURE_READ, 3, 4, "t2 (session A) read x = 1, and wrote that value itself only later.");
    read_anomaly(h, r, ISO_A_NOT_MY_OWN_WRITE, 3, 4,
                 "t2 (session A) read x = 1, though before that it wrote x = 2 itself.");
    read_anomaly(h, r, ISO_A_NOT_MY_LAST_WRITE, 3, 4,
                 "t2 (session A) read x = 1, an earlier write of its own, although it wrote x = 2 in between.");
    read_anomaly(h, r, ISO_A_INTERMEDIATE_READ, 3, 1,
                 "t2 (session A) read x = 1, an intermediate value of t1 (session A), which later wrote y = 1.");
    read_anomaly(h, r, ISO_A_NO_ORDER, ISO_NONE, ISO_NONE,
                 "The search names no transactions: `isolab shrink` finds the few of them that matter.");
}

typedef struct steps {
    char text[600];
    size_t used;
    uint32_t told;
} steps;

static void note(void *arg, const iso_word_step *step) {
    steps *s = arg;
    s->told++;
    if (s->used >= sizeof s->text) {
        return;
    }
    s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "%s:%u ", step->number, step->edge->kind);
}

static void cycle(const isolab_history *h, iso_result *r) {
    const uint32_t none = ISO_NONE;
    char sentence[ISO_SENTENCE_SIZE];
    uint32_t so = iso_result_edge(r, (iso_edge){0, 1, ISO_EDGE_SO, none, none, none, none, 0, 0});
    iso_result_edge(r, (iso_edge){1, 2, ISO_EDGE_WR, h->op_key[0], 4, 6, none, 0, 0});
    uint32_t back = iso_result_edge(r, (iso_edge){2, 0, ISO_EDGE_AXIOM, h->op_key[0], 8, 0, 3, so, 2});
    /* The cycle: so and wr of the premises again, then the inferred edge. */
    uint32_t first = iso_result_edge(r, r->edges[so]);
    iso_result_edge(r, r->edges[so + 1]);
    iso_result_edge(r, r->edges[back]);
    iso_anomaly a = {.kind = ISO_A_CO_CONFLICT_CM, .op = none, .other_op = none, .cycle = first, .n_cycle = 3};
    is(iso_word_cycle(h, r, &a, sentence), "These form a cycle: t1, t2, transaction 7, then t1 again.",
       "a cycle names its transactions");
    steps s = {"", 0, 0};
    iso_each_step(h, r, &a, note, &s);
    is(s.text, "1:0 2:1 3:3 3.1:0 3.2:1 ", "steps in order, premises after and below what they carry");
    uint32_t txns[8];
    cmp_ok(iso_anomaly_txns(h, r, &a, txns, 8), "==", 3, "the anomaly has three transactions");
    ok(txns[0] == 0 && txns[1] == 1 && txns[2] == 2, "in the order of the cycle");
    cmp_ok(iso_anomaly_txns(h, r, &a, txns, 1), "==", 3, "counted also where there is no room");
}

/* Premises as deep as the result: no recursion may depend on it. */
static void deep(const isolab_history *h, iso_pool *pool) {
    enum { DEPTH = 200000 };
    iso_result r;
    iso_result_init(&r, pool);
    for (uint32_t i = 0; i < DEPTH; i++) {
        iso_result_edge(&r, (iso_edge){0, 1, ISO_EDGE_WW, 0, 0, 4, ISO_NONE, i == 0 ? 0 : i - 1, i == 0 ? 0 : 1});
    }
    iso_anomaly a = {.kind = ISO_A_G0, .op = ISO_NONE, .other_op = ISO_NONE, .cycle = DEPTH - 1, .n_cycle = 1};
    steps s = {"", 0, 0};
    iso_each_step(h, &r, &a, note, &s);
    cmp_ok(s.told, "==", DEPTH, "a justification %d levels deep is written", DEPTH);
}

static void run(void *arg) {
    iso_pool *pool = arg;
    isolab_history *h = iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
    iso_result r;
    iso_result_init(&r, pool);
    edges(h);
    reads(h, &r);
    cycle(h, &r);
    deep(h, pool);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
