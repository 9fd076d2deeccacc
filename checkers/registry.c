/* The table of checkers, and the function that runs a checker. See checker.h. */
#include "checkers/checker.h"

#include "base/registry.h"

#include <stdio.h>
#include <string.h>

#include "checkers/guarantee.h"

#define CHECKER(name) extern const iso_checker iso_checker_##name;
#include "checkers/checkers.def"
#undef CHECKER

const iso_checker *const iso_checkers[] = {
#define CHECKER(name) &iso_checker_##name,
#include "checkers/checkers.def"
#undef CHECKER
    NULL};

ISO_FIND_BY_NAME(iso_checker_find, iso_checker, iso_checkers)

/* The features that a question may need beyond the plain question, and the ability that a checker needs for each. */
static const struct {
    unsigned can;
    const char *option;
} extras[] = {{ISO_CAN_NO_SESSIONS, "no-session-order"},
              {ISO_CAN_PATTERNS, "patterns"},
              {ISO_CAN_COUNT, "count"},
              {ISO_CAN_FORMULA, "dimacs"}};

enum { EXTRAS = sizeof extras / sizeof *extras };

static unsigned needed(const iso_question *r) {
    return (r->no_session_order ? ISO_CAN_NO_SESSIONS : 0u) | (r->patterns != 0 ? ISO_CAN_PATTERNS : 0u) |
           (r->count ? ISO_CAN_COUNT : 0u) | (r->dimacs != NULL ? ISO_CAN_FORMULA : 0u);
}

bool iso_checker_takes(const iso_checker *c, iso_level level) {
    return (c->levels & ISO_LEVEL_BIT(level)) != 0 || (c->rules != 0 && (iso_level_get(level)->rules & ~c->rules) == 0);
}

iso_levels iso_checker_levels(const iso_checker *c) {
    iso_levels levels = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        levels |= iso_checker_takes(c, l) ? ISO_LEVEL_BIT(l) : 0;
    }
    return levels;
}

const char *iso_question_wrong(const iso_question *question, const iso_checker *only, char *buffer, size_t size) {
    const char *level = iso_level_get(question->level)->name;
    if (question->no_session_order && question->level != ISO_SI && question->level != ISO_SER) {
        snprintf(buffer, size, "--no-session-order is for si and ser, not for %s", level);
        return buffer;
    }
    if (question->count && !iso_level_has(question->level, ISO_RULE_ORDER)) {
        snprintf(buffer, size, "--count: level %s has no commit orders to count", level);
        return buffer;
    }
    unsigned need = needed(question), lacks = 0;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        if ((only == NULL || only == c) && iso_checker_takes(c, question->level)) {
            if ((need & ~c->can) == 0) {
                return NULL;
            }
            lacks = only != NULL ? need & ~c->can : need;
        }
    }
    if (lacks == 0) { /* the checker does not support the level, as the caller will say */
        return NULL;
    }
    size_t used =
        (size_t)snprintf(buffer, size, only != NULL ? "checker %s does not support" : "no checker of level %s supports",
                         only != NULL ? only->name : level);
    for (int i = 0; i < EXTRAS && used < size; i++) {
        used += (lacks & extras[i].can) ? (size_t)snprintf(buffer + used, size - used, " --%s", extras[i].option) : 0;
    }
    return buffer;
}

/* An operation that returned some value except one. There is one. */
static uint32_t first_negation(const isolab_history *h) {
    uint32_t o = 0;
    while (!iso_op_is_negation(h, o)) {
        o++;
    }
    return o;
}

const char *iso_checker_refuses(const iso_checker *c, const isolab_history *h, const iso_question *question,
                                char *buffer, size_t size) {
    if (!iso_checker_takes(c, question->level)) {
        snprintf(buffer, size, "checker %s does not support level %s", c->name, iso_level_get(question->level)->name);
        return buffer;
    }
    if (h->version_not != NULL && !(c->can & ISO_CAN_NEGATIONS)) {
        char op[256];
        snprintf(buffer, size, "checker %s needs to know what each read returned, unlike `%s`", c->name,
                 iso_op_text(h, first_negation(h), op, sizeof op));
        return buffer;
    }
    if (!h->unique && h->twin_b != ISO_NONE && !(c->can & ISO_CAN_DUPLICATES)) {
        char op[256], a[ISO_NAME_SIZE], b[ISO_NAME_SIZE];
        uint32_t first = h->twin_a == ISO_INIT ? ISO_INIT : h->op_txn[h->twin_a];
        snprintf(buffer, size, "checker %s needs unique values, but `%s` is written by both %s and %s", c->name,
                 iso_op_text(h, h->twin_b, op, sizeof op), iso_txn_text(h, first, a),
                 iso_txn_text(h, h->op_txn[h->twin_b], b));
        return buffer;
    }
    if (h->has_lists && !(c->can & ISO_CAN_LISTS)) {
        snprintf(buffer, size, "checker %s does not support lists", c->name);
        return buffer;
    }
    for (uint32_t v = 0; h->has_lists && !h->unique && !(c->can & ISO_CAN_TWIN_ELEMENTS) && v < h->n_versions; v++) {
        if (h->key_is_list[h->version_key[v]] && h->version_writer[v] == ISO_MANY) {
            uint32_t n, first = iso_writers(h, v, &n)[0];
            char op[256];
            snprintf(buffer, size, "checker %s needs lists whose elements do not repeat, unlike `%s`", c->name,
                     iso_op_text(h, first, op, sizeof op));
            return buffer;
        }
    }
    for (int i = 0; i < EXTRAS; i++) {
        if (needed(question) & ~c->can & extras[i].can) {
            snprintf(buffer, size, "checker %s does not support --%s", c->name, extras[i].option);
            return buffer;
        }
    }
    if (question->count && !iso_level_has(question->level, ISO_RULE_ORDER)) {
        snprintf(buffer, size, "level %s has no commit orders to count", iso_level_get(question->level)->name);
        return buffer;
    }
    if (c->most_txns != 0 && h->n_txns - h->n_aborted > c->most_txns) {
        snprintf(buffer, size, "checker %s takes at most %u transactions, this history has %u", c->name, c->most_txns,
                 h->n_txns - h->n_aborted);
        return buffer;
    }
    return c->refuses != NULL ? c->refuses(c, h, question, buffer, size) : NULL;
}

const iso_checker *iso_checker_auto(const isolab_history *h, const iso_question *question) {
    char why[512];
    const iso_checker *preferred = NULL, *second = NULL;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        bool is_better = second == NULL || (c->preferred & ISO_LEVEL_BIT(question->level)) != 0;
        if (!iso_checker_takes(c, question->level) || !is_better || (c->can & ISO_CAN_ONLY_SATISFY) ||
            iso_checker_refuses(c, h, question, why, sizeof why) != NULL) {
            continue;
        }
        if (c->preferred & ISO_LEVEL_BIT(question->level)) {
            if (!question->all || (c->can & ISO_CAN_EVERY)) {
                return c;
            }
            preferred = preferred == NULL ? c : preferred;
        }
        second = second == NULL ? c : second;
    }
    return preferred != NULL ? preferred : second;
}

const iso_checker *iso_checker_helper(const isolab_history *h, const iso_question *question) {
    char why[512];
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        if ((iso_checkers[i]->can & ISO_CAN_ONLY_SATISFY) &&
            iso_checker_refuses(iso_checkers[i], h, question, why, sizeof why) == NULL) {
            return iso_checkers[i];
        }
    }
    return NULL;
}

const char *iso_why_no_checker(const isolab_history *h, const iso_question *question, char *buffer, size_t size) {
    char room[512] = "", why[512];
    uint32_t most = 0;
    bool preferred = false;
    snprintf(buffer, size, "no checker supports level %s", iso_level_get(question->level)->name);
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        iso_checker c = *iso_checkers[i];
        if (!iso_checker_takes(&c, question->level)) {
            continue;
        }
        if (!preferred) {
            iso_checker_refuses(&c, h, question, buffer, size);
            preferred = (c.preferred & ISO_LEVEL_BIT(question->level)) != 0;
        }
        c.most_txns = 0;
        if (iso_checkers[i]->most_txns > most && iso_checker_refuses(&c, h, question, why, sizeof why) == NULL) {
            most = iso_checkers[i]->most_txns;
            iso_checker_refuses(iso_checkers[i], h, question, room, sizeof room);
        }
    }
    size_t used = strlen(buffer);
    if (most > 0 && strcmp(buffer, room) != 0 && used < size) {
        snprintf(buffer + used, size - used, "; %s", room);
    }
    return buffer;
}

typedef struct checker_run {
    const iso_checker *checker;
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
} checker_run;

static void run_checker(void *arg) {
    checker_run *r = arg;
    r->checker->run(r->checker, r->h, r->question, r->result);
}

static void hand_over(void *arg, const iso_result *result) {
    checker_run *r = arg;
    iso_guarantee_names(r->h, r->result, r->question->level);
    r->question->taker(r->question->taker_arg, result);
}

void iso_check(const iso_checker *checker, const isolab_history *h, const iso_question *question, iso_result *result) {
    result->level = question->level;
    if (iso_checker_refuses(checker, h, question, result->reason, sizeof result->reason) == NULL) {
        iso_check_taken(checker, h, question, result);
    } else {
        result->reason_code = iso_checker_takes(checker, question->level) ? ISO_REASON_REFUSED : ISO_REASON_LEVEL;
    }
}

void iso_check_taken(const iso_checker *checker, const isolab_history *h, const iso_question *question,
                     iso_result *result) {
    result->level = question->level;
    iso_env *env = result->pool->env;
    checker_run r = {checker, h, question, result};
    if (question->taker != NULL && question->all && (checker->can & ISO_CAN_ALL)) {
        result->taker = hand_over;
        result->taker_arg = &r;
    }
    int code = iso_guard(env, run_checker, &r);
    if (result->running.name != NULL) {
        iso_result_phase(result, result->running.name, result->running.ns);
        result->running.name = NULL;
    }
    if (code == ISOLAB_E_LIMIT) { /* anomalies that were found stay; a violation stays a violation */
        result->verdict = result->verdict == ISOLAB_VIOLATED ? ISOLAB_VIOLATED : ISOLAB_UNKNOWN;
        iso_result_reason(result, iso_reason_of_limit(env->limit), "%s", env->error.message);
    } else if (code != ISOLAB_OK) {
        iso_rethrow(env);
    } else if (result->verdict == ISOLAB_UNKNOWN && result->reason[0] == '\0') {
        iso_throw(env, ISOLAB_E_INTERNAL, "checker %s ended without a verdict", checker->name);
    }
    result->taker = NULL;
    iso_guarantee_names(h, result, question->level);
}

const char *iso_options_wrong(const char *options, const iso_checker *only, char *buffer, size_t size) {
    iso_pair pair;
    while (iso_pair_next(&options, &pair)) {
        char value[64], why[512];
        bool found = false, allowed = false;
        snprintf(value, sizeof value, "%.*s", (int)pair.value_size, pair.value);
        for (size_t i = 0; iso_checkers[i] != NULL; i++) {
            const iso_option *table = only == NULL || only == iso_checkers[i] ? iso_checkers[i]->options : NULL;
            const iso_option *o = iso_option_find(table, pair.name, pair.name_size);
            found |= o != NULL;
            allowed |= o != NULL && iso_option_set(o, value, NULL, why, sizeof why);
        }
        if (!found) {
            snprintf(buffer, size, "%.*s: %s%s has %s", (int)pair.name_size, pair.name,
                     only != NULL ? "checker " : "no checker", only != NULL ? only->name : "",
                     only != NULL ? "no such option" : "such an option");
            return buffer;
        }
        if (!allowed) {
            snprintf(buffer, size, "%.*s: %s", (int)pair.name_size, pair.name, why);
            return buffer;
        }
    }
    return NULL;
}
