/* The public interface: checking. See include/isolab.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "checkers/ladder.h"
#include "explain/story.h"
#include "history/initial.h"
#include "library/library.h"

struct isolab_options {
    bool truncated;
    const char *checker, *own, *initial, *initial_transaction; /* copies, or defaults; NULL: none */
    int64_t timeout;                                           /* ns; 0 = none */
    uint64_t memory, limit, threads;
    bool all, count, no_session_order, certificate, require_evidence;
    isolab_each *each;
    void *each_arg;
    atomic_int stop;
};

static const iso_option table[] = {
    {ISO_TEXT("checker", NULL, "auto, or the name of a checker"), .of = ISO_OF_CHECKERS, .words = "auto",
     ISO_TO(isolab_options, checker)},
    {ISO_SECONDS("timeout", NULL, "seconds"), ISO_TO(isolab_options, timeout)},
    {ISO_SIZE("memory", NULL, 0, "bytes; 0: no limit"), ISO_TO(isolab_options, memory)},
    {ISO_COUNT("limit", NULL, 0, ISO_ANY, "most anomalies; 0: no limit"), ISO_TO(isolab_options, limit)},
    {ISO_COUNT("threads", NULL, 0, 4096, "threads, where the checker can"), ISO_TO(isolab_options, threads)},
    {ISO_FLAG("all", NULL, "find all anomalies"), ISO_TO(isolab_options, all)},
    {ISO_FLAG("count", NULL, "count the commit orders"), ISO_TO(isolab_options, count)},
    {ISO_FLAG("certificate", NULL, "make a proof"), ISO_TO(isolab_options, certificate)},
    {ISO_FLAG("require-evidence", NULL, "what could not have been violated is unknown"),
     ISO_TO(isolab_options, require_evidence)},
    {ISO_FLAG("no-session-order", NULL, "si and ser without session order"), ISO_TO(isolab_options, no_session_order)},
    {ISO_TEXT("option", NULL, "options of the checker itself"), ISO_TO(isolab_options, own)},
    {ISO_TEXT("initial", NULL, "a value that means initial, or unwritten"), ISO_TO(isolab_options, initial)},
    {ISO_FLAG("truncated", NULL, "the input is cut off"), ISO_TO(isolab_options, truncated)},
    {ISO_WORD("initial-transaction", NULL, "auto no yes", "is the first transaction the initial one?"),
     ISO_TO(isolab_options, initial_transaction)},
    ISO_END};

/* The answer about one level, in words. */
struct isolab_result {
    const iso_answer *answer;
    isolab_levels *owner;
    char **words;     /* by anomaly */
    iso_shape *shape; /* by anomaly */
    char *certificate;
    const char *evidence; /* NULL: not counted */
};

/* The answer about one level, or the answers of a ladder. */
struct isolab_levels {
    iso_env env;
    iso_pool pool;
    iso_asker asker;
    iso_ladder ladder;
    bool climbs; /* asks about all levels; otherwise about one level */
    iso_level level;
    isolab_each *each; /* called for each anomaly when it is found; NULL: the result keeps the anomalies */
    void *each_arg;
    char *rests_on;
    isolab_result result[ISO_MOST_LEVELS]; /* without a ladder: one result */
};

void isolab_options_each(isolab_options *o, isolab_each *each, void *arg) {
    o->each = each;
    o->each_arg = arg;
}

isolab_options *isolab_options_new(void) { return calloc(1, sizeof(isolab_options)); }

static char **text_of(isolab_options *o, const iso_option *row) {
    return row->kind == ISO_IS_TEXT ? (char **)((char *)o + row->offset) : NULL;
}

void isolab_options_free(isolab_options *o) {
    for (const iso_option *row = table; o != NULL && row->name != NULL; row++) {
        free(text_of(o, row) != NULL ? *text_of(o, row) : NULL);
    }
    free(o);
}

static isolab_error error_of(int code, const char *message) {
    isolab_error e = {.code = code, .offset = ISOLAB_NO_OFFSET};
    snprintf(e.message, sizeof e.message, "%s", message);
    return e;
}

/* Returns why a value is refused for a reason that its row does not express; NULL: it is not refused. */
static const char *refused(const iso_option *row, const char *value, char *why, size_t size) {
    if (row->of == ISO_OF_CHECKERS && strcmp(value, "auto") != 0 && iso_checker_find(value) == NULL) {
        snprintf(why, size, "option %s: there is no checker \"%s\"", row->name, value);
        return why;
    }
    char wrong[256];
    if (strcmp(row->name, "option") == 0 && iso_options_wrong(value, NULL, wrong, sizeof wrong) != NULL) {
        snprintf(why, size, "option %s", wrong);
        return why;
    }
    if (!iso_option_set(row, value, NULL, wrong, sizeof wrong)) {
        snprintf(why, size, "option %s: %s", row->name, wrong);
        return why;
    }
    return NULL;
}

static int refuse(isolab_error *error, int code, const char *why) {
    isolab_error e = error_of(code, why);
    iso_library_error(error, &e);
    return code;
}

int isolab_options_set(isolab_options *o, const char *name, const char *value, isolab_error *error) {
    const iso_option *row = iso_option_find(table, name, strlen(name));
    char why[512];
    if (row == NULL) {
        snprintf(why, sizeof why, "there is no option %s", name);
        return refuse(error, ISOLAB_E_USAGE, why);
    }
    if (refused(row, value, why, sizeof why) != NULL) {
        return refuse(error, ISOLAB_E_USAGE, why);
    }
    char **text = text_of(o, row), *copy = text != NULL ? strdup(value) : NULL;
    if (text != NULL && copy == NULL) {
        return refuse(error, ISOLAB_E_LIMIT, "out of memory");
    }
    if (text != NULL) {
        free(*text);
    }
    iso_option_set(row, copy != NULL ? copy : value, o, why, sizeof why);
    return ISOLAB_OK;
}

void isolab_options_interrupt(isolab_options *o) { atomic_store(&o->stop, 1); }
void isolab_options_resume(isolab_options *o) { atomic_store(&o->stop, 0); }

iso_reading iso_library_reading(const isolab_options *o) {
    iso_reading reading = {.initial = o != NULL ? o->initial : NULL,
                           .truncated = o != NULL && o->truncated,
                           .threads = o != NULL ? (unsigned)o->threads : 1};
    if (o != NULL && o->initial_transaction != NULL) {
        iso_initial_rule_of(o->initial_transaction, &reading.rule);
    }
    return reading;
}

void iso_library_limits(iso_limits *limits, const isolab_options *o) {
    limits->deadline = o != NULL && o->timeout > 0 ? iso_now() + o->timeout : 0;
    limits->memory = o != NULL ? o->memory : 0;
    limits->stop = o != NULL ? &o->stop : NULL;
}

/* Words are made without limits, so that all found anomalies are described. */
typedef struct lines {
    char *text;
    size_t used;
    size_t room;
    iso_pool *pool;
} lines;

static void add_line(lines *l, const char *before, const char *sentence, const char *after) {
    size_t more = strlen(before) + strlen(sentence) + strlen(after) + 1;
    if (l->used + more > l->room) {
        l->room = 2 * (l->used + more);
        l->text = iso_resize(l->pool, l->text, l->room, 1);
    }
    l->used += (size_t)snprintf(l->text + l->used, l->room - l->used, "%s%s%s", before, sentence, after);
}

static void add_step(void *arg, const iso_word_step *step) {
    add_line(arg, step->depth == 0 ? "" : "  ", step->number, step->depth == 0 ? ". " : " because ");
    add_line(arg, "", step->sentence, ".\n");
}

static void tell_anomalies(isolab_result *r, iso_pool *pool) {
    const isolab_history *h = r->owner->asker.h;
    const iso_result *result = &r->answer->result;
    char sentence[ISO_SENTENCE_SIZE];
    r->words = ISO_NEW(pool, char *, result->n_anomalies);
    r->shape = ISO_NEW(pool, iso_shape, result->n_anomalies);
    for (uint32_t i = 0; i < result->n_anomalies; i++) {
        const iso_anomaly *a = &result->anomalies[i];
        lines l = {NULL, 0, 0, pool};
        add_line(&l, "", iso_word_anomaly(h, result, a, sentence), "\n");
        iso_each_step(h, result, a, add_step, &l);
        r->words[i] = l.text;
        r->shape[i] = iso_library_shape(pool, h, result, a);
    }
}

/* Calls `each` for the only anomaly of a result, with a pool that is freed afterwards. */
static void give(void *arg, const iso_result *result) {
    isolab_levels *all = arg;
    iso_pool pool;
    iso_answer answer = {.level = all->level, .result = *result};
    isolab_result one = {.answer = &answer, .owner = all};
    iso_pool_init(&pool, &all->env);
    tell_anomalies(&one, &pool);
    all->each(all->each_arg, &one);
    iso_pool_free(&pool);
}

static void tell_result(isolab_result *r) {
    const isolab_levels *all = r->owner;
    const isolab_history *h = all->asker.h;
    const iso_result *result = &r->answer->result;
    iso_pool *pool = all->asker.pool;
    tell_anomalies(r, pool);
    iso_question question = all->asker.question;
    question.level = r->answer->level;
    size_t size;
    bool certify = question.certificate && r->answer->checker != NULL;
    r->evidence = r->answer->weight != ISO_UNWEIGHED ? iso_evidence_of(r->answer->level) : NULL;
    r->certificate = certify ? iso_certificate_text(pool, h, &question, result, &size) : NULL;
}

static void tell(void *arg) {
    enum { SIZE = 512 };
    isolab_levels *all = arg;
    if (all->asker.weighed) {
        all->rests_on = ISO_NEW(&all->pool, char, SIZE);
        iso_evidence_text(&all->asker.evidence, all->rests_on, SIZE);
    }
    for (int l = 0; l < (all->climbs ? iso_n_levels : 1); l++) {
        tell_result(&all->result[l]);
    }
}

static void ask(void *arg) {
    isolab_levels *all = arg;
    if (!all->climbs) {
        all->result[0].answer = iso_ask(&all->asker, all->level);
        return;
    }
    all->ladder = iso_ladder_climb(&all->asker, ISO_ALL_LEVELS);
    for (int l = 0; l < iso_n_levels; l++) {
        all->result[l].answer = all->ladder.rung[l];
    }
}

/* Returns whether an option would be ignored. */
static bool is_wrong(const isolab_options *o, const iso_question *question, const iso_checker *checker, char *why,
                     size_t size) {
    if (!o->all && o->limit != 0) {
        snprintf(why, size, "option limit needs the option all");
    } else if (o->each != NULL && (!o->all || o->certificate || question->level == ISO_NO_LEVEL)) {
        snprintf(why, size, "isolab_options_each() needs the option all, a level, and no certificate");
    } else if (question->level == ISO_NO_LEVEL && (o->no_session_order || o->count)) {
        snprintf(why, size, "option %s needs a level", o->count ? "count" : "no-session-order");
    } else {
        return question->level != ISO_NO_LEVEL && iso_question_wrong(question, checker, why, size) != NULL;
    }
    return true;
}

/* Asks about one level; ISO_NO_LEVEL: about all levels. */
static isolab_levels *ask_about(const isolab_history *h, iso_level level, const isolab_options *options,
                                isolab_error *error) {
    static const isolab_options defaults = {.timeout = 0};
    const isolab_options *o = options != NULL ? options : &defaults;
    bool automatic = o->checker == NULL || strcmp(o->checker, "auto") == 0;
    const iso_checker *checker = automatic ? NULL : iso_checker_find(o->checker);
    const iso_question question = {.level = level,
                                   .no_session_order = o->no_session_order,
                                   .all = o->all,
                                   .count = o->count,
                                   .certificate = o->certificate,
                                   .limit = o->all ? o->limit : 1,
                                   .threads = (unsigned)o->threads,
                                   .options = o->own};
    char why[256];
    if (is_wrong(o, &question, checker, why, sizeof why)) {
        refuse(error, ISOLAB_E_USAGE, why);
        return NULL;
    }
    isolab_levels *all = calloc(1, sizeof *all);
    if (all == NULL) {
        refuse(error, ISOLAB_E_LIMIT, "out of memory");
        return NULL;
    }
    iso_env_init(&all->env);
    iso_pool_init(&all->pool, &all->env);
    all->climbs = level == ISO_NO_LEVEL;
    all->level = level;
    all->each = o->each;
    all->each_arg = o->each_arg;
    iso_asker_init(&all->asker, &all->pool, h, &question);
    if (all->each != NULL) {
        all->asker.question.taker = give;
        all->asker.question.taker_arg = all;
    }
    all->asker.whom = automatic ? ISO_WHOM_AUTO : ISO_WHOM_ONE;
    all->asker.weigh = true;
    all->asker.demand = o->require_evidence;
    all->asker.checker = checker;
    for (int l = 0; l < iso_n_levels; l++) {
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
    if (level == ISO_NO_LEVEL) {
        refuse(error, ISOLAB_E_USAGE, why != NULL ? why : "there is no such level");
        return NULL;
    }
    isolab_levels *all = ask_about(h, level, options, error);
    return all != NULL ? &all->result[0] : NULL;
}

isolab_levels *isolab_ladder(const isolab_history *h, const isolab_options *options, isolab_error *error) {
    return ask_about(h, ISO_NO_LEVEL, options, error);
}

const isolab_result *isolab_levels_result(const isolab_levels *all, size_t number) {
    return number < (size_t)iso_n_levels ? &all->result[(size_t)iso_n_levels - 1 - number] : NULL;
}

/* Returns the name of level number `number` of a set, the strongest first. */
static const char *nth(iso_levels levels, size_t number) {
    for (int l = iso_n_levels - 1; l >= 0; l--) {
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
    return r->answer->implied_by != ISO_NO_LEVEL ? iso_level_get(r->answer->implied_by)->name : NULL;
}
uint64_t isolab_result_evidence(const isolab_result *r) {
    return r->answer->weight != ISO_UNWEIGHED ? r->answer->cases : ISOLAB_NO_EVIDENCE_COUNT;
}
int isolab_result_evidence_is_exact(const isolab_result *r) { return r->answer->weight == ISO_EXACTLY; }
const char *isolab_result_evidence_words(const isolab_result *r) { return r->evidence; }
const char *isolab_result_rests_on(const isolab_result *r) { return r->owner->rests_on; }

int isolab_result_is_first_only(const isolab_result *r) { return r->answer->first_only; }
const char *isolab_result_rest(const isolab_result *r) { return iso_rest_name(r->answer->rest); }

int isolab_result_was_asked(const isolab_result *r) { return r->answer->not_asked == ISO_ASKED; }
const char *isolab_result_witnesses(const isolab_result *r) { return result_of(r)->witnesses; }
double isolab_result_milliseconds(const isolab_result *r) { return (double)r->answer->ns / 1e6; }
uint64_t isolab_result_peak_memory(const isolab_result *r) { return r->answer->peak; }
uint64_t isolab_result_told(const isolab_result *r) { return result_of(r)->taken; }
size_t isolab_result_anomalies(const isolab_result *r) { return result_of(r)->n_anomalies; }

static const iso_anomaly_info *info(const isolab_result *r, size_t anomaly) {
    static const iso_anomaly_info none = {.breaks = ISO_NO_LEVEL};
    return anomaly < result_of(r)->n_anomalies ? iso_anomaly_get(result_of(r)->anomalies[anomaly].kind) : &none;
}

const char *isolab_anomaly_name(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->name; }
const char *isolab_anomaly_adya(const isolab_result *r, size_t anomaly) { return info(r, anomaly)->adya; }
const char *isolab_anomaly_plume(const isolab_result *r, size_t anomaly) {
    return anomaly < result_of(r)->n_anomalies ? iso_anomaly_plume(&result_of(r)->anomalies[anomaly]) : NULL;
}
const char *isolab_anomaly_words(const isolab_result *r, size_t anomaly) {
    return anomaly < result_of(r)->n_anomalies ? r->words[anomaly] : NULL;
}

static const iso_shape *shape(const isolab_result *r, size_t anomaly) {
    static const iso_shape none = {.n_txns = 0};
    return anomaly < result_of(r)->n_anomalies ? &r->shape[anomaly] : &none;
}

size_t isolab_anomaly_transactions(const isolab_result *r, size_t anomaly) { return shape(r, anomaly)->n_txns; }
const isolab_txn *isolab_anomaly_transaction(const isolab_result *r, size_t anomaly, size_t number) {
    return number < shape(r, anomaly)->n_txns ? &shape(r, anomaly)->txn[number] : NULL;
}
size_t isolab_anomaly_edges(const isolab_result *r, size_t anomaly) { return shape(r, anomaly)->n_edges; }
const isolab_edge *isolab_anomaly_edge(const isolab_result *r, size_t anomaly, size_t number) {
    return number < shape(r, anomaly)->n_edges ? &shape(r, anomaly)->edge[number] : NULL;
}

const char *isolab_result_certificate(const isolab_result *r) { return r->certificate; }

void isolab_result_free(isolab_result *r) {
    if (r != NULL) {
        isolab_levels_free(r->owner);
    }
}
