/* A checker of isolab as a party, and what all parties share. See party.h. */
#include <string.h>

#include "experiments/asking/party.h"
#include "experiments/asking/recorded.h"

/* The checker that `auto` chooses for each history. */
static const iso_checker by_history = {
    .name = "auto", .levels = ISO_ALL_LEVELS, .can = ISO_CAN_DUPLICATES | ISO_CAN_LISTS};

bool iso_party_answers(iso_pool *pool, const iso_party *p, iso_level level) {
    return p->checker != NULL   ? iso_checker_takes(p->checker, level)
           : p->records != NULL ? iso_records_have(p->records, level)
                                : iso_adapter_level(pool, iso_party_adapter(p), level) != NULL;
}

char iso_sign(const iso_judgement *answer) {
    static const char of_state[ISO_TOOL_STATES] = {'?', 'T', 'M', 'C', '-', 'R', 'G', 'C'};
    return answer->state != ISO_TOOL_OK          ? of_state[answer->state]
           : answer->verdict == ISOLAB_SATISFIED ? 'S'
           : answer->verdict == ISOLAB_VIOLATED  ? 'V'
                                                 : '?';
}

void iso_set_answer(iso_judgement *answer, iso_tool_state state, isolab_verdict verdict, const char *reason) {
    answer->state = state;
    answer->verdict = verdict;
    answer->anomalies[0] = '\0';
    snprintf(answer->reason, sizeof answer->reason, "%.239s", reason);
}

typedef struct checking {
    const iso_checker *checker;
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
} checking;

static void check(void *arg) {
    const checking *c = arg;
    iso_check(c->checker, c->h, c->question, c->result);
}

/* Asks about one history, with the time limit of one answer. */
static void ask_about(const iso_party *p, const iso_party_question *q, const isolab_history *h, iso_judgement *answer) {
    iso_env *env = q->pool->env;
    iso_question question = {.level = q->level, .no_session_order = q->no_session_order};
    char why[240] = "no checker takes it";
    const iso_checker *c = p->checker == &by_history ? iso_checker_auto(h, &question) : p->checker;
    if (c == NULL || iso_checker_refuses(c, h, &question, why, sizeof why) != NULL) {
        iso_set_answer(answer, ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, why);
        return;
    }
    int64_t own = q->timeout > 0 ? iso_now() + q->timeout : 0, deadline = iso_sooner(env, own);
    iso_result result;
    iso_result_init(&result, q->pool);
    if (iso_guard_until(env, deadline, check, &(checking){c, h, &question, &result}) != ISOLAB_OK) {
        iso_rethrow(env);
    }
    bool late = result.verdict == ISOLAB_UNKNOWN && own != 0 && deadline == own && iso_now() >= own;
    iso_set_answer(answer, late ? ISO_TOOL_TIMEOUT : ISO_TOOL_OK, result.verdict, result.reason);
}

static void ask_own(iso_party *self, const iso_party_question *q, iso_judgement *answers) {
    for (size_t i = 0; i < q->n; i++) {
        ask_about(self, q, q->h[i], &answers[i * q->stride]);
    }
}

static void close_nothing(iso_party *self) { (void)self; }

iso_party iso_party_own(const char *name) {
    const iso_checker *c = strcmp(name, "auto") == 0 ? &by_history : iso_checker_find(name);
    return (iso_party){.name = name, .checker = c, .ask = c != NULL ? ask_own : NULL, .close = close_nothing};
}
