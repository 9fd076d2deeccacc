/* The table of checkers, and the door through which every one of them is run. See checker.h. */
#include "checkers/checker.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKER(name) extern const iso_checker iso_checker_##name;
#include "checkers/checkers.def"
#undef CHECKER

const iso_checker *const iso_checkers[] = {
#define CHECKER(name) &iso_checker_##name,
#include "checkers/checkers.def"
#undef CHECKER
    NULL};

const iso_checker *iso_checker_find(const char *name) {
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        if (strcmp(iso_checkers[i]->name, name) == 0) {
            return iso_checkers[i];
        }
    }
    return NULL;
}

/* What a request may ask besides the plain question, and a checker must be able to do then. */
static const struct {
    unsigned can;
    const char *option;
} extras[] = {{ISO_CAN_NO_SESSIONS, "no-session-order"},
              {ISO_CAN_PATTERNS, "patterns"},
              {ISO_CAN_COUNT, "count"},
              {ISO_CAN_FORMULA, "dimacs"}};

enum { EXTRAS = sizeof extras / sizeof *extras };

static unsigned needed(const iso_request *r) {
    return (r->no_session_order ? ISO_CAN_NO_SESSIONS : 0u) | (r->patterns != 0 ? ISO_CAN_PATTERNS : 0u) |
           (r->count ? ISO_CAN_COUNT : 0u) | (r->dimacs != NULL ? ISO_CAN_FORMULA : 0u);
}

static bool supports(const iso_checker *c, iso_level level) { return (c->levels & ISO_LEVEL_BIT(level)) != 0; }

const char *iso_request_wrong(const iso_request *request, const iso_checker *only, char *buffer, size_t size) {
    const char *level = iso_level_get(request->level)->name;
    if (request->no_session_order && request->level != ISO_SI && request->level != ISO_SER) {
        snprintf(buffer, size, "--no-session-order is for si and ser, not for %s", level);
        return buffer;
    }
    if (request->count && (request->level == ISO_INT || request->level == ISO_CI)) {
        snprintf(buffer, size, "--count: level %s has no commit orders to count", level);
        return buffer;
    }
    unsigned need = needed(request), lacks = 0;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        if ((only == NULL || only == c) && supports(c, request->level)) {
            if ((need & ~c->can) == 0) {
                return NULL;
            }
            lacks = only != NULL ? need & ~c->can : need;
        }
    }
    if (lacks == 0) { /* it does not know the level, as its answer will say */
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

const char *iso_checker_refuses(const iso_checker *c, const isolab_history *h, const iso_request *request, char *buffer,
                                size_t size) {
    if (!supports(c, request->level)) {
        snprintf(buffer, size, "checker %s does not support level %s", c->name, iso_level_get(request->level)->name);
        return buffer;
    }
    if (!h->unique && !(c->can & ISO_CAN_DUPLICATES)) {
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
        if (needed(request) & ~c->can & extras[i].can) {
            snprintf(buffer, size, "checker %s does not support --%s", c->name, extras[i].option);
            return buffer;
        }
    }
    if (request->count && (request->level == ISO_INT || request->level == ISO_CI)) {
        snprintf(buffer, size, "level %s has no commit orders to count", iso_level_get(request->level)->name);
        return buffer;
    }
    if (c->most_txns != 0 && h->n_txns - h->n_aborted > c->most_txns) {
        snprintf(buffer, size, "checker %s takes at most %u transactions, this history has %u", c->name, c->most_txns,
                 h->n_txns - h->n_aborted);
        return buffer;
    }
    return NULL;
}

const iso_checker *iso_checker_auto(const isolab_history *h, const iso_request *request) {
    char why[512];
    const iso_checker *preferred = NULL, *second = NULL;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        if (iso_checker_refuses(c, h, request, why, sizeof why) != NULL) {
            continue;
        }
        if (c->preferred & ISO_LEVEL_BIT(request->level)) {
            if (!request->all || (c->can & ISO_CAN_EVERY)) {
                return c;
            }
            preferred = preferred == NULL ? c : preferred;
        }
        second = second == NULL ? c : second;
    }
    return preferred != NULL ? preferred : second;
}

const char *iso_checker_nobody(const isolab_history *h, const iso_request *request, char *buffer, size_t size) {
    char room[512] = "", why[512];
    uint32_t most = 0;
    bool preferred = false;
    snprintf(buffer, size, "no checker supports level %s", iso_level_get(request->level)->name);
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        iso_checker c = *iso_checkers[i];
        if ((c.levels & ISO_LEVEL_BIT(request->level)) == 0) {
            continue;
        }
        if (!preferred) {
            iso_checker_refuses(&c, h, request, buffer, size);
            preferred = (c.preferred & ISO_LEVEL_BIT(request->level)) != 0;
        }
        c.most_txns = 0;
        if (iso_checkers[i]->most_txns > most && iso_checker_refuses(&c, h, request, why, sizeof why) == NULL) {
            most = iso_checkers[i]->most_txns;
            iso_checker_refuses(iso_checkers[i], h, request, room, sizeof room);
        }
    }
    size_t used = strlen(buffer);
    if (most > 0 && strcmp(buffer, room) != 0 && used < size) {
        snprintf(buffer + used, size - used, "; %s", room);
    }
    return buffer;
}

typedef struct run {
    const iso_checker *checker;
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;
} run;

static void run_guarded(void *arg) {
    run *r = arg;
    r->checker->run(r->h, r->request, r->result);
}

void iso_check(const iso_checker *checker, const isolab_history *h, const iso_request *request, iso_result *result) {
    if (iso_checker_refuses(checker, h, request, result->reason, sizeof result->reason) != NULL) {
        bool level = (checker->levels & ISO_LEVEL_BIT(request->level)) != 0;
        result->reason_code = level ? ISO_REASON_REFUSED : ISO_REASON_LEVEL;
        return;
    }
    iso_env *env = result->pool->env;
    run r = {checker, h, request, result};
    int code = iso_guard(env, run_guarded, &r);
    if (code == ISOLAB_E_LIMIT) { /* what was found is found; a violation stays one */
        result->verdict = result->verdict == ISOLAB_VIOLATED ? ISOLAB_VIOLATED : ISOLAB_UNKNOWN;
        iso_result_reason(result, iso_reason_of_limit(env->limit), "%s", env->error.message);
    } else if (code != ISOLAB_OK) {
        iso_rethrow(env);
    } else if (result->verdict == ISOLAB_UNKNOWN && result->reason[0] == '\0') {
        iso_throw(env, ISOLAB_E_INTERNAL, "checker %s ended without a verdict", checker->name);
    }
}

int iso_yes_or_no(const char *text) {
    return strcmp(text, "yes") == 0 || strcmp(text, "1") == 0  ? 1
           : strcmp(text, "no") == 0 || strcmp(text, "0") == 0 ? 0
                                                               : -1;
}

/* May the option have the value (n characters)? */
static bool allows(const iso_checker_option *option, const char *value, size_t n) {
    char text[32], *end = text;
    bool number = n > 0 && n < sizeof text && value[0] >= '0' && value[0] <= '9';
    snprintf(text, sizeof text, "%.*s", number ? (int)n : 0, value);
    unsigned long long x = strtoull(text, &end, 10);
    number = number && *end == '\0';
    if (strcmp(option->values, ISO_YES_NO) == 0 && number) {
        return iso_yes_or_no(text) >= 0;
    }
    for (const char *at = option->values; *at != '\0';) {
        size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, value, n) == 0) {
            return true;
        }
        unsigned long long low, high = ULLONG_MAX;
        bool range = memchr(at, '.', length) != NULL;
        if (number && range && sscanf(at, "%llu..%llu", &low, &high) >= 1 && low <= x && x <= high) {
            return true;
        }
        at += length + (at[length] != '\0');
    }
    return false;
}

const char *iso_options_wrong(const char *options, const iso_checker *only, char *buffer, size_t size) {
    for (const char *at = options; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ","), n = strcspn(at, "=,");
        const char *value = at + n + (at[n] == '=');
        const iso_checker_option *found = NULL;
        bool allowed = false;
        for (size_t i = 0; iso_checkers[i] != NULL; i++) {
            const iso_checker_option *o = only == NULL || only == iso_checkers[i] ? iso_checkers[i]->options : NULL;
            for (; o != NULL && o->name != NULL; o++) {
                if (strlen(o->name) == n && memcmp(o->name, at, n) == 0) {
                    found = o;
                    allowed |= allows(o, value, (size_t)(at + length - value));
                }
            }
        }
        if (found == NULL) {
            snprintf(buffer, size, "%s%s has %s option \"%.*s\"", only != NULL ? "checker " : "no checker",
                     only != NULL ? only->name : "", only != NULL ? "no" : "an", (int)n, at);
            return buffer;
        }
        if (!allowed) {
            snprintf(buffer, size, "%s takes %s, not \"%.*s\"", found->name, found->values, (int)(at + length - value),
                     value);
            return buffer;
        }
        at += length + (at[length] == ',');
    }
    return NULL;
}

const char *iso_option_value(const char *options, const char *name, char *buffer, size_t size) {
    size_t n = strlen(name);
    for (const char *at = options; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (strncmp(at, name, n) == 0 && (at[n] == '=' || n == length)) {
            size_t skip = n == length ? n : n + 1;
            snprintf(buffer, size, "%.*s", (int)(length - skip), at + skip);
            return buffer;
        }
        at += length + (at[length] == ',');
    }
    return NULL;
}

bool iso_option_flag(iso_env *env, const char *checker, const char *options, const char *name, bool usual) {
    char text[32];
    if (iso_option_value(options, name, text, sizeof text) == NULL) {
        return usual;
    }
    int said = iso_yes_or_no(text);
    if (said < 0) {
        iso_throw(env, ISOLAB_E_USAGE, "%s: option %s is yes or no, not \"%s\"", checker, name, text);
    }
    return said == 1;
}

uint64_t iso_option_number(iso_env *env, const char *checker, const char *options, const char *name, uint64_t usual,
                           uint64_t most) {
    char text[32];
    if (iso_option_value(options, name, text, sizeof text) == NULL) {
        return usual;
    }
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || n > most) {
        iso_throw(env, ISOLAB_E_USAGE, "%s: option %s takes a number up to %llu, not \"%s\"", checker, name,
                  (unsigned long long)most, text);
    }
    return n;
}
