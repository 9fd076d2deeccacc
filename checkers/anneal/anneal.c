/* The plan of `anneal`, and which histories it takes. See anneal.h. */
#include "checkers/anneal/anneal.h"

#include <stdio.h>
#include <string.h>

/* Least number of operations for each version. Other histories are left to other checkers, which are faster there. */
#define FEW_VALUES 4

/* Limit of the average transactions of a session: with longer sessions, frugal attempts mostly end soon, without any
 * ready transaction. */
#define LONG_SESSIONS 4

/* Stage `frugal`: least number of operations for each version; it does not hold for this number of transactions, of
 * which all attempts take a few hundredths of a second. */
#define LEAST_SHARE 64
#define FEW_TXNS 4096

/* Limit of operations of a transaction: some operations search their whole transaction. */
#define LONGEST 512

typedef struct stage {
    const char *name;
    bool (*wants)(const iso_annealing *s);
    bool (*run)(iso_annealing *s);
} stage;

static bool has_short_sessions(const iso_annealing *s) {
    return !s->sessions || s->h->n_txns / LONG_SESSIONS <= s->h->n_sessions;
}

/* With fewer operations for each version and more transactions, thrifty attempts find more. */
static bool wants_frugal(const iso_annealing *s) {
    const isolab_history *h = s->h;
    return has_short_sessions(s) &&
           (h->n_txns <= FEW_TXNS || h->n_ops / LEAST_SHARE >= h->n_versions || s->question->options != NULL);
}

static bool run_frugal(iso_annealing *s) { return iso_anneal_frugal(s, (iso_frugal_budget){64, 256, false}); }

static bool run_thrifty(iso_annealing *s) { return iso_anneal_frugal(s, (iso_frugal_budget){2, 1024, true}); }

static bool always(const iso_annealing *s) {
    (void)s;
    return true;
}

static bool run_serial(iso_annealing *s) { return iso_anneal_cool(s, 1); }

static bool has_parts(const iso_annealing *s) { return s->level != ISO_SER; }

static bool run_parts(iso_annealing *s) { return iso_anneal_cool(s, 2); }

static const stage plan[] = {{"frugal", wants_frugal, run_frugal},
                             {"thrifty", has_short_sessions, run_thrifty},
                             {"beam", always, iso_anneal_beam},
                             {"serial", always, run_serial},
                             {"parts", has_parts, run_parts}};

typedef struct anneal_options {
    const char *only;
} anneal_options;

static const iso_option options[] = {
    {ISO_WORD("only", "all", "all frugal thrifty beam serial parts", "the only stage that may find an order"),
     ISO_TO(anneal_options, only)},
    ISO_END};

static const char *refuses(const iso_checker *self, const isolab_history *h, const iso_question *question, char *buffer,
                           size_t size) {
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t ops = h->txn_op[t + 1] - h->txn_op[t];
        longest = ops > longest ? ops : longest;
    }
    bool optional = h->n_indeterminate > 0 && memchr(h->txn_counts, ISO_OPTIONAL, h->n_txns) != NULL;
    const char *why = h->unique                                                     ? "repeated values"
                      : longest > LONGEST                                           ? "short transactions"
                      : optional                                                    ? "known outcomes"
                      : h->n_ops / FEW_VALUES < h->n_versions && !question->options ? "few values"
                                                                                    : NULL;
    if (why == NULL) {
        return NULL;
    }
    snprintf(buffer, size, "checker %s needs %s", self->name, why);
    return buffer;
}

static void find_order(void *arg) {
    iso_annealing *s = arg;
    anneal_options o;
    iso_options_read(s->pool, options, s->question->options, &o);
    for (size_t i = 0; i < sizeof plan / sizeof *plan && s->result->verdict == ISOLAB_UNKNOWN; i++) {
        bool asked = strcmp(o.only, "all") == 0 || strcmp(o.only, plan[i].name) == 0;
        if (!asked || !plan[i].wants(s)) {
            continue;
        }
        s->result->running = (iso_phase){plan[i].name, iso_now()};
        s->result->verdict = plan[i].run(s) ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN;
        iso_result_phase(s->result, plan[i].name, s->result->running.ns);
        s->result->running.name = NULL;
    }
    if (s->result->verdict == ISOLAB_UNKNOWN) {
        iso_result_reason(s->result, ISO_REASON_EFFORT, "no order was found, which proves nothing");
    }
}

static void run_anneal(const iso_checker *self, const isolab_history *h, const iso_question *question,
                       iso_result *result) {
    (void)self;
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    iso_annealing s = {.h = h,
                       .question = question,
                       .level = question->level,
                       .sessions = !question->no_session_order,
                       .result = result,
                       .pool = &pool};
    iso_guard_pool(&pool, find_order, &s);
}

#define LEVELS (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER))

const iso_checker iso_checker_anneal = {
    .name = "anneal",
    .summary = "few values: executions, then random moves, until no read is stale; satisfied or nothing",
    .complexity = "a limit of moves for each transaction",
    .paper = "docs/anneal.md",
    .levels = LEVELS,
    .can = ISO_CAN_DUPLICATES | ISO_CAN_NO_SESSIONS | ISO_CAN_ONLY_SATISFY,
    .options = options,
    .refuses = refuses,
    .run = run_anneal,
};
