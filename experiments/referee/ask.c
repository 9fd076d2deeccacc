/* Asking the parties. See referee.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "experiments/referee/referee.h"

void iso_referee_party(iso_referee *r, const iso_adapters *adapters, const char *name) {
    if (r->n_parties == ISO_PARTIES) {
        iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: more than %d", ISO_PARTIES);
    }
    for (unsigned i = 0; i < r->n_parties; i++) {
        if (strcmp(r->party[i].name, name) == 0) {
            iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: %s is named twice", name);
        }
    }
    iso_party p = {.name = name};
    if (strncmp(name, "ext:", 4) != 0) {
        p.checker = iso_checker_find(name);
        if (p.checker == NULL) {
            iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: there is no checker \"%s\" (a foreign one is ext:%s)", name,
                      name);
        }
        r->party[r->n_parties++] = p;
        return;
    }
    p.adapter = iso_adapters_find(adapters, name + 4);
    if (p.adapter == NULL) {
        iso_throw(r->env, ISOLAB_E_USAGE,
                  "--checkers: there is no adapter \"%s\": describe it in a file for --adapters", name + 4);
    }
    p.program = iso_adapter_program(r->pool, p.adapter);
    if (p.program == NULL) {
        iso_throw(r->env, ISOLAB_E_USAGE, "%s: there is no program %s: say where with --adapter %s=PATH", name,
                  p.adapter->program, p.adapter->name);
    }
    p.format = iso_adapter_format(p.adapter);
    r->party[r->n_parties++] = p;
    r->n_foreign++;
}

const char *iso_query_text(const iso_query *ask, char buffer[64]) {
    snprintf(buffer, 64, "%s%s", iso_level_get(ask->level)->name,
             ask->no_session_order ? " without session order" : "");
    return buffer;
}

/* Programs that a killed run started may still be writing there: then the folder is not empty when it should go. */
static bool make_anew(const char *path) {
    iso_remove_folder(path);
    for (int tries = 0; mkdir(path, 0700) != 0; tries++) {
        if (errno != EEXIST || tries == 100) {
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        iso_remove_folder(path);
    }
    return true;
}

/* In the folder of reports, so that the next run there removes what a killed one left. */
const char *iso_referee_folder(iso_referee *r) {
    if (r->temporary == NULL) {
        char *whole = realpath(r->out, NULL); /* programs run in another folder */
        size_t room = (whole != NULL ? strlen(whole) : 0) + 8;
        char *path = iso_alloc(r->pool, room, 1);
        snprintf(path, room, "%s/.work", whole != NULL ? whole : "");
        bool good = whole != NULL;
        free(whole);
        if (!good || !make_anew(path)) {
            iso_throw(r->env, ISOLAB_E_IO, "cannot make the folder %s: %s", path, strerror(errno));
        }
        r->temporary = path;
    }
    return r->temporary;
}

static void say(iso_said *said, iso_state state, isolab_verdict verdict, const char *reason) {
    static const char signs[ISO_STATES] = {'?', 'T', 'M', 'C', '-', 'R', 'G', 'C'};
    said->judgement.state = state;
    said->judgement.verdict = verdict;
    if (reason != said->judgement.reason) {
        snprintf(said->judgement.reason, sizeof said->judgement.reason, "%.239s", reason);
    }
    said->sign = state != ISO_STATE_OK         ? signs[state]
                 : verdict == ISOLAB_SATISFIED ? 'S'
                 : verdict == ISOLAB_VIOLATED  ? 'V'
                                               : '?';
}

/* A checker of ours, with the time limit of one run. */
static void ask_here(iso_referee *r, iso_pool *scratch, const iso_checker *c, const isolab_history *h,
                     const iso_query *ask, iso_said *said) {
    iso_request request = {.level = ask->level, .no_session_order = ask->no_session_order};
    char why[240];
    if (iso_checker_refuses(c, h, &request, why, sizeof why) != NULL) {
        say(said, ISO_STATE_UNSUPPORTED, ISOLAB_UNKNOWN, why);
        return;
    }
    iso_limits *limits = r->env->limits;
    int64_t deadline = limits->deadline, own = iso_now() + r->run_timeout;
    bool shortened = r->run_timeout > 0 && (deadline == 0 || own < deadline);
    limits->deadline = shortened ? own : deadline;
    iso_result result;
    iso_result_init(&result, scratch);
    iso_check(c, h, &request, &result);
    limits->deadline = deadline;
    bool late = result.verdict == ISOLAB_UNKNOWN && shortened && iso_now() >= own;
    say(said, late ? ISO_STATE_TIMEOUT : ISO_STATE_OK, result.verdict, result.reason);
}

static void make_folder(iso_referee *r, const char *path) {
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        iso_throw(r->env, ISOLAB_E_IO, "cannot make the folder %s: %s", path, strerror(errno));
    }
}

/* The files of a batch: DIR/p<party>/h<number><extension>, or a folder each where the tool wants a name. */
static const char *write_history(iso_referee *r, iso_pool *scratch, unsigned party, size_t number,
                                 const isolab_history *h) {
    const iso_party *p = &r->party[party];
    char path[4096];
    const char *wanted = p->adapter->file;
    size_t used = (size_t)snprintf(path, sizeof path, "%s/p%u", iso_referee_folder(r), party);
    make_folder(r, path);
    used += (size_t)snprintf(path + used, sizeof path - used, "/h%zu", number);
    if (*wanted != '\0') {
        make_folder(r, path);
        snprintf(path + used, sizeof path - used, "/%s", wanted);
    } else {
        size_t n = strcspn(p->format->extensions, " ");
        snprintf(path + used, sizeof path - used, "%.*s", (int)n, p->format->extensions);
    }
    if (p->format->flags & ISO_FORMAT_FOLDER) {
        iso_remove_folder(path); /* files of a session that is no more must not stay */
    }
    iso_save(scratch, iso_adapter_history(scratch, p->adapter, h), path, p->format);
    char *kept = iso_alloc(scratch, strlen(path) + 1, 1);
    memcpy(kept, path, strlen(path) + 1);
    return kept;
}

typedef struct batch {
    size_t n;
    size_t *number; /* of the histories */
    const char **file;
} batch;

static void run_batches(iso_referee *r, iso_pool *scratch, unsigned party, const iso_query *ask, bool lists,
                        const batch *all, size_t n_batches, iso_said *said) {
    const iso_party *p = &r->party[party];
    bool by_address = iso_adapter_is(p->adapter->limit, "address");
    iso_job *jobs = ISO_ZNEW(scratch, iso_job, n_batches);
    for (size_t i = 0; i < n_batches; i++) {
        jobs[i] = (iso_job){.argv = iso_adapter_command(scratch, p->adapter, p->program, ask->level, p->format, lists,
                                                        all[i].file, all[i].n),
                            .environment = iso_adapter_environment(scratch, p->adapter, r->run_memory),
                            .folder = iso_referee_folder(r),
                            .timeout = r->run_timeout,
                            .memory = by_address ? r->run_memory : 0,
                            .resident = by_address ? 0 : r->run_memory};
    }
    iso_run_jobs(scratch, jobs, n_batches, r->at_once);
    for (size_t i = 0; i < n_batches; i++) {
        for (size_t k = 0; k < all[i].n; k++) {
            iso_said *answer = &said[all[i].number[k] * r->n_parties + party];
            iso_adapter_judge(scratch, p->adapter, &jobs[i], all[i].file[k], &answer->judgement);
            say(answer, answer->judgement.state, answer->judgement.verdict, answer->judgement.reason);
        }
    }
}

/* One foreign party on all histories: as few starts as it allows, several at once. What a start with several
 * histories leaves open is asked again one by one, so that one bad history does not hide the others. */
static void ask_there(iso_referee *r, iso_pool *scratch, unsigned party, const isolab_history *const *h, size_t n,
                      const iso_query *ask, iso_said *said) {
    const iso_party *p = &r->party[party];
    batch *all = ISO_ZNEW(scratch, batch, n + 1);
    size_t n_batches = 0, most = iso_adapter_batch(p->adapter), of_lists[2] = {SIZE_MAX, SIZE_MAX};
    bool *lists = ISO_ZNEW(scratch, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        iso_said *answer = &said[i * r->n_parties + party];
        char why[240];
        bool order = iso_adapter_is(p->adapter->sessions, "no") == ask->no_session_order ||
                     (ask->level != ISO_SI && ask->level != ISO_SER);
        const char *refusal = order ? iso_adapter_refuses(p->adapter, h[i], ask->level, why, sizeof why)
                                    : "session order counts otherwise";
        if (refusal != NULL || h[i]->n_ops == 0) {
            say(answer, ISO_STATE_UNSUPPORTED, ISOLAB_UNKNOWN, refusal != NULL ? refusal : "nothing to tell");
            continue;
        }
        size_t *open = &of_lists[h[i]->has_lists];
        if (most == 1 || *open == SIZE_MAX) {
            *open = n_batches;
            lists[n_batches] = h[i]->has_lists;
            all[n_batches].number = ISO_NEW(scratch, size_t, most == 1 ? 1 : n);
            all[n_batches++].file = ISO_NEW(scratch, const char *, most == 1 ? 1 : n);
        }
        batch *b = &all[*open];
        b->file[b->n] = write_history(r, scratch, party, i, h[i]);
        b->number[b->n++] = i;
    }
    for (size_t first = 0, end; first < n_batches; first = end) { /* runs of the same model */
        for (end = first; end < n_batches && lists[end] == lists[first]; end++) {
        }
        run_batches(r, scratch, party, ask, lists[first], all + first, end - first, said);
    }
    for (size_t i = 0; i < n_batches; i++) {
        for (size_t k = 0; all[i].n > 1 && k < all[i].n; k++) {
            if (strchr("SV?", said[all[i].number[k] * r->n_parties + party].sign) == NULL) {
                const isolab_history *one = h[all[i].number[k]];
                size_t number = 0; /* alone in its folder */
                char folder[4096];
                snprintf(folder, sizeof folder, "%s/p%u", iso_referee_folder(r), party);
                iso_remove_folder(folder);
                const char *file = write_history(r, scratch, party, number, one);
                batch alone = {1, &all[i].number[k], &file};
                run_batches(r, scratch, party, ask, one->has_lists, &alone, 1, said);
            }
        }
    }
    if (most > 1 && n_batches > 0) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s/p%u", iso_referee_folder(r), party);
        iso_remove_folder(folder); /* the next batch must not find these files */
    }
}

void iso_referee_count(iso_referee *r, unsigned party, const iso_said *said) {
    iso_party *p = &r->party[party];
    p->asked += said->judgement.state != ISO_STATE_UNSUPPORTED;
    p->states[said->judgement.state]++;
    p->satisfied += said->sign == 'S';
    p->violated += said->sign == 'V';
    p->unknown += said->sign == '?';
}

void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, size_t n, const iso_query *ask,
                     uint32_t parties, iso_said *said) {
    for (unsigned i = 0; i < r->n_parties; i++) {
        if ((parties >> i & 1) == 0) {
            for (size_t k = 0; k < n; k++) {
                say(&said[k * r->n_parties + i], ISO_STATE_UNSUPPORTED, ISOLAB_UNKNOWN, "not asked");
            }
        } else if (r->party[i].checker != NULL) {
            for (size_t k = 0; k < n; k++) {
                iso_said *answer = &said[k * r->n_parties + i];
                answer->judgement.anomalies[0] = '\0';
                ask_here(r, scratch, r->party[i].checker, h[k], ask, answer);
            }
        } else {
            ask_there(r, scratch, i, h, n, ask, said);
        }
    }
}

bool iso_referee_disagree(const iso_referee *r, const iso_said *said, char signs[ISO_PARTIES + 1]) {
    bool satisfied = false, violated = false, broken = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        char sign = said[i].sign;
        bool counts = strchr("SVCG", sign) != NULL;
        counts &= !(sign == 'S' && p->adapter != NULL && iso_adapter_is(p->adapter->trust, "violated"));
        signs[i] = counts ? sign : '-';
        satisfied |= counts && sign == 'S';
        violated |= counts && sign == 'V';
        broken |= counts && (sign == 'C' || sign == 'G');
    }
    signs[r->n_parties] = '\0';
    return (satisfied && violated) || broken;
}
