/* The public interface: checking. See include/isolab.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "checkers/ladder.h"
#include "explain/words.h"
#include "history/initial.h"
#include "library/library.h"

struct isolab_options {
    char checker[64], own[1024], initial[1024];
    double timeout;
    uint64_t memory, limit, threads;
    bool all, count, no_session_order, certificate, require_evidence, has_initial;
    iso_initial_rule rule;
    atomic_int stop;
};

/* What is known of one level, in words. */
struct isolab_result {
    const iso_answer *answer;
    isolab_levels *owner;
    char **words; /* by anomaly */
    char *certificate;
    const char *evidence; /* NULL: none was counted */
};

/* One question, or those of a ladder. */
struct isolab_levels {
    iso_env env;
    iso_pool pool;
    iso_asking ask;
    iso_ladder ladder;
    bool climbs; /* else one level alone is asked about */
    iso_level level;
    char *rests_on;
    isolab_result result[ISO_LEVELS]; /* without a ladder: one */
};

isolab_options *isolab_options_new(void) { return calloc(1, sizeof(isolab_options)); }

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
    } else if (strcmp(name, "all") == 0) {
        good = to_flag(value, &o->all);
    } else if (strcmp(name, "count") == 0) {
        good = to_flag(value, &o->count);
    } else if (strcmp(name, "certificate") == 0) {
        good = to_flag(value, &o->certificate);
    } else if (strcmp(name, "require-evidence") == 0) {
        good = to_flag(value, &o->require_evidence);
    } else if (strcmp(name, "no-session-order") == 0) {
        good = to_flag(value, &o->no_session_order);
    } else if (strcmp(name, "option") == 0) {
        if (iso_options_wrong(value, NULL, why, sizeof why) != NULL) {
            isolab_error e = error_of(ISOLAB_E_USAGE, why);
            iso_library_error(error, &e);
            return ISOLAB_E_USAGE;
        }
        good = to_text(value, o->own, sizeof o->own);
    } else if (strcmp(name, "initial") == 0) {
        good = to_text(value, o->initial, sizeof o->initial);
        o->has_initial |= good;
    } else if (strcmp(name, "initial-transaction") == 0) {
        good = iso_initial_rule_of(value, &o->rule);
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

iso_reading iso_library_reading(const isolab_options *o) {
    return o != NULL ? (iso_reading){o->has_initial ? o->initial : NULL, o->rule}
                     : (iso_reading){NULL, ISO_INITIAL_AUTO};
}

void iso_library_limits(iso_limits *limits, const isolab_options *o) {
    limits->deadline = o != NULL && o->timeout > 0 ? iso_now() + (int64_t)(o->timeout * 1e9) + 1 : 0;
    limits->memory = o != NULL ? o->memory : 0;
    limits->stop = o != NULL ? &o->stop : NULL;
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

static void tell_result(isolab_result *r) {
    const isolab_levels *all = r->owner;
    const isolab_history *h = all->ask.h;
    const iso_result *result = &r->answer->result;
    iso_pool *pool = all->ask.pool;
    char sentence[ISO_SENTENCE_SIZE];
    r->words = ISO_NEW(pool, char *, result->n_anomalies);
    for (uint32_t i = 0; i < result->n_anomalies; i++) {
        const iso_anomaly *a = &result->anomalies[i];
        lines l = {NULL, 0, 0, pool};
        add(&l, "", iso_word_anomaly(h, result, a, sentence), "\n");
        iso_each_step(h, result, a, add_step, &l);
        r->words[i] = l.text;
    }
    iso_request request = all->ask.request;
    request.level = r->answer->level;
    size_t size;
    bool certify = request.certificate && r->answer->checker != NULL;
    r->evidence = r->answer->weight != ISO_UNWEIGHED ? iso_evidence_of(r->answer->level) : NULL;
    r->certificate = certify ? iso_certificate_text(pool, h, &request, result, &size) : NULL;
}

static void tell(void *arg) {
    enum { SIZE = 512 };
    isolab_levels *all = arg;
    if (all->ask.weighed) {
        all->rests_on = ISO_NEW(&all->pool, char, SIZE);
        iso_evidence_text(&all->ask.evidence, all->rests_on, SIZE);
    }
    for (int l = 0; l < (all->climbs ? ISO_LEVELS : 1); l++) {
        tell_result(&all->result[l]);
    }
}

static void ask(void *arg) {
    isolab_levels *all = arg;
    if (!all->climbs) {
        all->result[0].answer = iso_ask(&all->ask, all->level);
        return;
    }
    all->ladder = iso_ladder_climb(&all->ask, ISO_ALL_LEVELS);
    for (int l = 0; l < ISO_LEVELS; l++) {
        all->result[l].answer = all->ladder.rung[l];
    }
}

/* Would an option be ignored? */
static bool is_wrong(const isolab_options *o, const iso_request *request, const iso_checker *checker, char *why,
                     size_t size) {
    if (!o->all && o->limit != 0) {
        snprintf(why, size, "option limit needs the option all");
    } else if (request->level == ISO_LEVELS && (o->no_session_order || o->count)) {
        snprintf(why, size, "option %s needs a level", o->count ? "count" : "no-session-order");
    } else {
        return request->level != ISO_LEVELS && iso_request_wrong(request, checker, why, size) != NULL;
    }
    return true;
}

/* Asks about one level; ISO_LEVELS: about all of them. */
static isolab_levels *ask_about(const isolab_history *h, iso_level level, const isolab_options *options,
                                isolab_error *error) {
    static const isolab_options defaults = {.timeout = 0};
    const isolab_options *o = options != NULL ? options : &defaults;
    bool automatic = o->checker[0] == '\0' || strcmp(o->checker, "auto") == 0;
    const iso_checker *checker = automatic ? NULL : iso_checker_find(o->checker);
    const iso_request request = {.level = level,
                                 .no_session_order = o->no_session_order,
                                 .all = o->all,
                                 .count = o->count,
                                 .certificate = o->certificate,
                                 .limit = o->all ? o->limit : 1,
                                 .threads = (unsigned)o->threads,
                                 .options = o->own[0] != '\0' ? o->own : NULL};
    char why[256];
    if (is_wrong(o, &request, checker, why, sizeof why)) {
        isolab_error e = error_of(ISOLAB_E_USAGE, why);
        iso_library_error(error, &e);
        return NULL;
    }
    isolab_levels *all = calloc(1, sizeof *all);
    if (all == NULL) {
        isolab_error e = error_of(ISOLAB_E_LIMIT, "out of memory");
        iso_library_error(error, &e);
        return NULL;
    }
    iso_env_init(&all->env);
    iso_pool_init(&all->pool, &all->env);
    all->climbs = level == ISO_LEVELS;
    all->level = level;
    iso_asking_init(&all->ask, &all->pool, h, &request);
    all->ask.whom = automatic ? ISO_WHOM_AUTO : ISO_WHOM_ONE;
    all->ask.weigh = true;
    all->ask.demand = o->require_evidence;
    all->ask.checker = checker;
    for (int l = 0; l < ISO_LEVELS; l++) {
        all->result[l].owner = all;
    }
    iso_library_limits(all->env.limits, o);
    int code = iso_guard(&all->env, ask, all);
    iso_library_limits(all->env.limits, NULL);
    if (code == ISOLAB_OK) {
        code = iso_guard(&all->env, tell, all);
    }
    if (code != ISOLAB_OK) {
        iso_library_error(error, &all->env.error);
        isolab_levels_free(all);
        return NULL;
    }
    return all;
}

isolab_result *isolab_check(const isolab_history *h, const char *level_name, const isolab_options *options,
                            isolab_error *error) {
    const char *why = NULL;
    iso_level level = iso_level_find(level_name, &why);
    if (level == ISO_LEVELS) {
        isolab_error e = error_of(ISOLAB_E_USAGE, why != NULL ? why : "there is no such level");
        iso_library_error(error, &e);
        return NULL;
    }
    isolab_levels *all = ask_about(h, level, options, error);
    return all != NULL ? &all->result[0] : NULL;
}

isolab_levels *isolab_ladder(const isolab_history *h, const isolab_options *options, isolab_error *error) {
    return ask_about(h, ISO_LEVELS, options, error);
}

const isolab_result *isolab_levels_result(const isolab_levels *all, size_t number) {
    return number < ISO_LEVELS ? &all->result[ISO_LEVELS - 1 - number] : NULL;
}

/* The number-th of a set of levels, the strongest first. */
static const char *nth(iso_levels levels, size_t number) {
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if ((levels & ISO_LEVEL_BIT(l)) && number-- == 0) {
            return iso_level_get((iso_level)l)->name;
        }
    }
    return NULL;
}

const char *isolab_levels_strongest(const isolab_levels *all, size_t number) {
    return nth(all->ladder.strongest, number);
}
const char *isolab_levels_unknown(const isolab_levels *all, size_t number) { return nth(all->ladder.unknown, number); }
const char *isolab_levels_broken_first(const isolab_levels *all, size_t number) {
    return nth(all->ladder.broken_first, number);
}
isolab_verdict isolab_levels_verdict(const isolab_levels *all) { return all->ladder.verdict; }

void isolab_levels_free(isolab_levels *all) {
    if (all != NULL) {
        iso_pool_free(&all->pool);
        free(all);
    }
}

static const iso_result *result_of(const isolab_result *r) { return &r->answer->result; }

const char *isolab_result_level(const isolab_result *r) { return iso_level_get(r->answer->level)->name; }
isolab_verdict isolab_result_verdict(const isolab_result *r) { return result_of(r)->verdict; }
const char *isolab_result_reason(const isolab_result *r) { return result_of(r)->reason; }
const char *isolab_result_reason_code(const isolab_result *r) { return iso_reason_name(result_of(r)->reason_code); }
const char *isolab_result_checker(const isolab_result *r) {
    return r->answer->checker != NULL ? r->answer->checker->name : NULL;
}
const char *isolab_result_follows_from(const isolab_result *r) {
    return r->answer->implied_by != ISO_LEVELS ? iso_level_get(r->answer->implied_by)->name : NULL;
}
uint64_t isolab_result_evidence(const isolab_result *r) {
    return r->answer->weight != ISO_UNWEIGHED ? r->answer->cases : ISOLAB_NO_EVIDENCE_COUNT;
}
int isolab_result_evidence_is_exact(const isolab_result *r) { return r->answer->weight == ISO_EXACTLY; }
const char *isolab_result_evidence_words(const isolab_result *r) { return r->evidence; }
const char *isolab_result_rests_on(const isolab_result *r) { return r->owner->rests_on; }

int isolab_result_is_first_only(const isolab_result *r) { return r->answer->first_only; }

int isolab_result_was_asked(const isolab_result *r) { return r->answer->not_asked == ISO_ASKED; }
const char *isolab_result_witnesses(const isolab_result *r) { return result_of(r)->witnesses; }
double isolab_result_milliseconds(const isolab_result *r) { return (double)r->answer->ns / 1e6; }
uint64_t isolab_result_peak_memory(const isolab_result *r) { return r->answer->peak; }
size_t isolab_result_anomalies(const isolab_result *r) { return result_of(r)->n_anomalies; }

static const iso_anomaly_info *info(const isolab_result *r, size_t anomaly) {
    static const iso_anomaly_info none = {.breaks = ISO_LEVELS};
    return anomaly < result_of(r)->n_anomalies ? iso_anomaly_get(result_of(r)->anomalies[anomaly].kind) : &none;
}

const char *isolab_anomaly_name(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->name; }
const char *isolab_anomaly_adya(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->adya; }
const char *isolab_anomaly_plume(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->plume; }
const char *isolab_anomaly_words(const isolab_result *r, size_t anomaly) {
    return anomaly < result_of(r)->n_anomalies ? r->words[anomaly] : NULL;
}

const char *isolab_result_certificate(const isolab_result *r) { return r->certificate; }

void isolab_result_free(isolab_result *r) {
    if (r != NULL) {
        isolab_levels_free(r->owner);
    }
}
