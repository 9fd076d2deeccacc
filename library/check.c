/* The public interface: checking. See include/isolab.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "explain/words.h"
#include "library/library.h"

struct isolab_options {
    char checker[64], own[1024];
    double timeout;
    uint64_t memory, limit, threads, seed;
    bool all, count, no_session_order, certificate;
    atomic_int stop;
};

struct isolab_result {
    iso_env env;
    iso_pool pool;
    iso_result result;
    const iso_checker *checker;
    const isolab_history *history;
    iso_request request;
    int64_t ns;
    uint64_t peak;
    char **words; /* by anomaly */
    char *certificate;
};

isolab_options *isolab_options_new(void) {
    isolab_options *o = calloc(1, sizeof *o);
    if (o != NULL) {
        o->seed = 1;
    }
    return o;
}

void isolab_options_free(isolab_options *o) { free(o); }

/* These leave out as it was when the value is wrong. */
static bool to_count(const char *value, uint64_t most, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    bool good = *value >= '0' && *value <= '9' && *end == '\0' && errno == 0 && n <= most;
    *out = good ? n : *out;
    return good;
}

static bool to_seconds(const char *value, double *out) {
    char *end;
    double x = strtod(value, &end);
    bool good = end != value && *end == '\0' && x > 0 && x < 1e9;
    *out = good ? x : *out;
    return good;
}

static bool to_flag(const char *value, bool *out) {
    int said = iso_yes_or_no(value);
    *out = said >= 0 ? said == 1 : *out;
    return said >= 0;
}

static bool to_text(const char *value, char *out, size_t size) {
    bool good = strlen(value) < size;
    if (good) {
        strcpy(out, value);
    }
    return good;
}

static isolab_error error_of(int code, const char *message) {
    isolab_error e = {.code = code, .offset = ISOLAB_NO_OFFSET};
    snprintf(e.message, sizeof e.message, "%s", message);
    return e;
}

int isolab_options_set(isolab_options *o, const char *name, const char *value, isolab_error *error) {
    bool known = true, good = false;
    char why[256];
    if (strcmp(name, "checker") == 0) {
        good = (strcmp(value, "auto") == 0 || iso_checker_find(value) != NULL) &&
               to_text(value, o->checker, sizeof o->checker);
    } else if (strcmp(name, "timeout") == 0) {
        good = to_seconds(value, &o->timeout);
    } else if (strcmp(name, "memory") == 0) {
        good = to_count(value, UINT64_MAX, &o->memory);
    } else if (strcmp(name, "limit") == 0) {
        good = to_count(value, UINT64_MAX, &o->limit);
    } else if (strcmp(name, "threads") == 0) {
        good = to_count(value, 4096, &o->threads);
    } else if (strcmp(name, "seed") == 0) {
        good = to_count(value, UINT64_MAX, &o->seed);
    } else if (strcmp(name, "all") == 0) {
        good = to_flag(value, &o->all);
    } else if (strcmp(name, "count") == 0) {
        good = to_flag(value, &o->count);
    } else if (strcmp(name, "certificate") == 0) {
        good = to_flag(value, &o->certificate);
    } else if (strcmp(name, "no-session-order") == 0) {
        good = to_flag(value, &o->no_session_order);
    } else if (strcmp(name, "option") == 0) {
        if (iso_options_wrong(value, NULL, why, sizeof why) != NULL) {
            isolab_error e = error_of(ISOLAB_E_USAGE, why);
            iso_library_error(error, &e);
            return ISOLAB_E_USAGE;
        }
        good = to_text(value, o->own, sizeof o->own);
    } else {
        known = false;
    }
    if (!good && error != NULL) {
        *error = (isolab_error){.code = ISOLAB_E_USAGE, .offset = ISOLAB_NO_OFFSET};
        snprintf(error->message, sizeof error->message,
                 known ? "option %.100s cannot be \"%.100s\"" : "there is no option %.100s%.0s", name, value);
    }
    return good ? ISOLAB_OK : ISOLAB_E_USAGE;
}

void isolab_options_interrupt(isolab_options *o) { atomic_store(&o->stop, 1); }
void isolab_options_resume(isolab_options *o) { atomic_store(&o->stop, 0); }

void iso_library_limits(iso_limits *limits, const isolab_options *o) {
    limits->deadline = o != NULL && o->timeout > 0 ? iso_now() + (int64_t)(o->timeout * 1e9) + 1 : 0;
    limits->memory = o != NULL ? o->memory : 0;
    limits->stop = o != NULL ? &o->stop : NULL;
}

static void run(void *arg) {
    isolab_result *r = arg;
    iso_check(r->checker, r->history, &r->request, &r->result);
}

/* Words are made with the limits lifted: what was found is told. */
typedef struct lines {
    char *text;
    size_t used;
    size_t room;
    iso_pool *pool;
} lines;

static void add(lines *l, const char *before, const char *sentence, const char *after) {
    size_t more = strlen(before) + strlen(sentence) + strlen(after) + 1;
    if (l->used + more > l->room) {
        l->room = 2 * (l->used + more);
        l->text = iso_resize(l->pool, l->text, l->room, 1);
    }
    l->used += (size_t)snprintf(l->text + l->used, l->room - l->used, "%s%s%s", before, sentence, after);
}

static void add_step(void *arg, unsigned depth, const iso_edge *edge, const char *sentence) {
    (void)edge;
    add(arg, depth == 0 ? "- " : "  because ", sentence, ".\n");
}

static void tell(void *arg) {
    isolab_result *r = arg;
    char sentence[ISO_SENTENCE_SIZE];
    r->words = ISO_NEW(&r->pool, char *, r->result.n_anomalies);
    for (uint32_t i = 0; i < r->result.n_anomalies; i++) {
        const iso_anomaly *a = &r->result.anomalies[i];
        lines l = {NULL, 0, 0, &r->pool};
        add(&l, "", iso_word_anomaly(r->history, &r->result, a, sentence), "\n");
        iso_each_step(r->history, &r->result, a, add_step, &l);
        r->words[i] = l.text;
    }
    size_t size;
    r->certificate =
        r->request.certificate ? iso_certificate_text(&r->pool, r->history, &r->request, &r->result, &size) : NULL;
}

isolab_result *isolab_check(const isolab_history *h, const char *level_name, const isolab_options *options,
                            isolab_error *error) {
    static const isolab_options defaults = {.seed = 1};
    const isolab_options *o = options != NULL ? options : &defaults;
    const char *why = NULL;
    iso_level level = iso_level_find(level_name, &why);
    if (level == ISO_LEVELS) {
        isolab_error e = error_of(ISOLAB_E_USAGE, why != NULL ? why : "there is no such level");
        iso_library_error(error, &e);
        return NULL;
    }
    isolab_result *r = calloc(1, sizeof *r);
    if (r == NULL) {
        isolab_error e = error_of(ISOLAB_E_LIMIT, "out of memory");
        iso_library_error(error, &e);
        return NULL;
    }
    iso_env_init(&r->env);
    iso_pool_init(&r->pool, &r->env);
    iso_result_init(&r->result, &r->pool);
    r->history = h;
    r->request = (iso_request){.level = level,
                               .no_session_order = o->no_session_order,
                               .all = o->all,
                               .count = o->count,
                               .certificate = o->certificate,
                               .limit = o->all ? o->limit : 1,
                               .threads = (unsigned)o->threads,
                               .seed = o->seed,
                               .options = o->own[0] != '\0' ? o->own : NULL};
    bool automatic = o->checker[0] == '\0' || strcmp(o->checker, "auto") == 0;
    r->checker = automatic ? iso_checker_auto(h, &r->request) : iso_checker_find(o->checker);
    if (r->checker == NULL) {
        r->result.verdict = ISOLAB_UNKNOWN;
        iso_checker_nobody(h, &r->request, r->result.reason, sizeof r->result.reason);
        return r;
    }
    int64_t since = iso_now();
    iso_library_limits(r->env.limits, o);
    int code = iso_guard(&r->env, run, r);
    r->ns = iso_now() - since;
    r->peak = atomic_load(&r->env.limits->peak);
    iso_library_limits(r->env.limits, NULL);
    if (code == ISOLAB_OK) {
        code = iso_guard(&r->env, tell, r);
    }
    if (code != ISOLAB_OK) {
        iso_library_error(error, &r->env.error);
        isolab_result_free(r);
        return NULL;
    }
    return r;
}

isolab_verdict isolab_result_verdict(const isolab_result *r) { return r->result.verdict; }
const char *isolab_result_reason(const isolab_result *r) { return r->result.reason; }
const char *isolab_result_checker(const isolab_result *r) { return r->checker != NULL ? r->checker->name : NULL; }
const char *isolab_result_witnesses(const isolab_result *r) { return r->result.witnesses; }
double isolab_result_milliseconds(const isolab_result *r) { return (double)r->ns / 1e6; }
uint64_t isolab_result_peak_memory(const isolab_result *r) { return r->peak; }
size_t isolab_result_anomalies(const isolab_result *r) { return r->result.n_anomalies; }

static const iso_anomaly_info *info(const isolab_result *r, size_t anomaly) {
    static const iso_anomaly_info none = {.breaks = ISO_LEVELS};
    return anomaly < r->result.n_anomalies ? iso_anomaly_get(r->result.anomalies[anomaly].kind) : &none;
}

const char *isolab_anomaly_name(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->name; }
const char *isolab_anomaly_adya(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->adya; }
const char *isolab_anomaly_plume(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->plume; }
const char *isolab_anomaly_words(const isolab_result *r, size_t anomaly) {
    return anomaly < r->result.n_anomalies ? r->words[anomaly] : NULL;
}

const char *isolab_result_certificate(const isolab_result *r) { return r->certificate; }

void isolab_result_free(isolab_result *r) {
    if (r != NULL) {
        iso_pool_free(&r->pool);
        free(r);
    }
}
