/* The descriptor of polygraph. See polygraph.h. */
#include "checkers/polygraph/polygraph.h"

#include <string.h>

#include "checkers/anomaly.h"
#include "history/read_consistency.h"

typedef struct choices {
    const char *like;
} choices;

static const iso_option options[] = {
    {ISO_WORD("like", "auto", "auto tcc-mono cobra polysi viper",
              "the published checker: tcc-mono of cc, cobra of ser, polysi or viper of si"),
     ISO_TO(choices, like)},
    ISO_END};

static const struct {
    const char *name;
    iso_level level;
} published[] = {[PG_TCC_MONO] = {"tcc-mono", ISO_CC},
                 [PG_COBRA] = {"cobra", ISO_SER},
                 [PG_POLYSI] = {"polysi", ISO_SI},
                 [PG_VIPER] = {"viper", ISO_SI}};
#define N_PUBLISHED (sizeof published / sizeof *published)

/* Returns the first one of the level with the name, or with any name for auto; N_PUBLISHED: none. */
static unsigned find(const char *name, iso_level level) {
    bool any = strcmp(name, "auto") == 0;
    unsigned i = 0;
    while (i < N_PUBLISHED && (published[i].level != level || (!any && strcmp(published[i].name, name) != 0))) {
        i++;
    }
    return i;
}

static void offends(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    iso_result_anomaly(arg,
                       (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read_op, .other_op = other_op});
}

static bool satisfied(iso_pg *p) {
    int64_t since = iso_now();
    iso_pg_construct(p);
    iso_result_phase(p->result, "construct", since);
    if (p->torn) {
        return false;
    }
    since = iso_now();
    bool good = p->like == PG_COBRA || p->like == PG_POLYSI ? iso_pg_prune(p) : iso_pg_sort(p);
    if (good && p->like == PG_TCC_MONO) {
        iso_pg_reach(p);
    }
    iso_result_phase(p->result, "prune", since);
    iso_result_counter(p->result, "undecided constraints", p->n_undecided);
    return good && iso_pg_solve(p);
}

static void work(void *arg) {
    iso_pg *p = arg;
    if (satisfied(p)) {
        p->result->verdict = ISOLAB_SATISFIED;
    } else {
        iso_result_anomaly(p->result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
    }
}

static void run_polygraph(const iso_checker *self, const isolab_history *h, const iso_question *question,
                          iso_result *result) {
    if (iso_check_int(h, result->pool, offends, result) > 0) {
        return;
    }
    choices chosen;
    iso_options_read(result->pool, self->options, question->options, &chosen);
    unsigned like = find(chosen.like, question->level);
    if (like == N_PUBLISHED) {
        iso_result_reason(result, ISO_REASON_LEVEL, "%s does not check this level", chosen.like);
        return;
    }
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    iso_pg p = {.h = h,
                .result = result,
                .pool = &pool,
                .env = result->pool->env,
                .like = (iso_pg_like)like,
                .si = question->level == ISO_SI,
                .chains = like == PG_COBRA || like == PG_VIPER};
    iso_guard_pool(&pool, work, &p);
}

const iso_checker iso_checker_polygraph = {
    .name = "polygraph",
    .summary = "baselines in the manner of TCC-Mono (cc), Cobra (ser), PolySI and Viper (si)",
    .complexity = "exponential at worst; n^2 bits of memory",
    .paper = "plume.txt 5.5, veristrong.txt 4 and 7.2, and the papers that they compare with",
    .levels = ISO_LEVEL_BIT(ISO_CC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER),
    .options = options,
    .run = run_polygraph,
};
