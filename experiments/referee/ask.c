/* Asking the parties. See referee.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/referee/referee.h"

/* Operations: about histories up to this size a persistent program answers at once or not at all, so a short limit
 * suffices. */
#define SMALL_OPS 200

static const iso_checker party_auto = {
    .name = "auto", .levels = ISO_ALL_LEVELS, .can = ISO_CAN_DUPLICATES | ISO_CAN_LISTS};

/* Returns the checker that a party asks about a history, which `auto` chooses for each history. NULL: no checker can
 * answer. */
static const iso_checker *checker_for(const iso_party *p, const isolab_history *h, const iso_question *question) {
    return p->checker == &party_auto ? iso_checker_auto(h, question) : p->checker;
}

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
        p.checker = strcmp(name, "auto") == 0 ? &party_auto : iso_checker_find(name);
        if (p.checker == NULL) {
            iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: there is no checker \"%s\" (a published one is ext:%s)",
                      name, name);
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

const char *iso_referee_question_text(const iso_referee_question *asked, char buffer[64]) {
    snprintf(buffer, 64, "%s%s", iso_level_get(asked->level)->name,
             asked->no_session_order ? " without session order" : "");
    return buffer;
}

static const char sign_of_state[ISO_TOOL_STATES] = {'?', 'T', 'M', 'C', '-', 'R', 'G', 'C'};

/* Sets an answer and its sign. */
static void say(iso_said *said, iso_tool_state state, isolab_verdict verdict, const char *reason) {
    said->judgement.state = state;
    said->judgement.verdict = verdict;
    if (reason != said->judgement.reason) {
        snprintf(said->judgement.reason, sizeof said->judgement.reason, "%.239s", reason);
    }
    said->sign = state != ISO_TOOL_OK          ? sign_of_state[state]
                 : verdict == ISOLAB_SATISFIED ? 'S'
                 : verdict == ISOLAB_VIOLATED  ? 'V'
                                               : '?';
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

/* Asks a checker of isolab, with the time limit of one run. */
static void ask_here(iso_referee *r, iso_pool *scratch, const iso_party *p, const isolab_history *h,
                     const iso_referee_question *asked, iso_said *said) {
    iso_question question = {.level = asked->level, .no_session_order = asked->no_session_order};
    char why[240] = "no checker takes it";
    const iso_checker *c = checker_for(p, h, &question);
    if (c == NULL || iso_checker_refuses(c, h, &question, why, sizeof why) != NULL) {
        say(said, ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, why);
        return;
    }
    int64_t own = r->run_timeout > 0 ? iso_now() + r->run_timeout : 0, deadline = iso_sooner(r->env, own);
    iso_result result;
    iso_result_init(&result, scratch);
    if (iso_guard_until(r->env, deadline, check, &(checking){c, h, &question, &result}) != ISOLAB_OK) {
        iso_rethrow(r->env);
    }
    bool late = result.verdict == ISOLAB_UNKNOWN && own != 0 && deadline == own && iso_now() >= own;
    say(said, late ? ISO_TOOL_TIMEOUT : ISO_TOOL_OK, result.verdict, result.reason);
}

static void make_folder(iso_referee *r, const char *path) {
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        iso_throw(r->env, ISOLAB_E_IO, "cannot make the folder %s: %s", path, strerror(errno));
    }
}

/* A history that a party is asked about. */
typedef struct telling {
    size_t number;    /* index among the histories of the question */
    const char *file; /* its path */
    bool lists;       /* it has lists */
    bool packs;       /* it may be in a pack: isolab's checkers call it satisfied */
} telling;

/* A start of a program, with n histories, all with lists or all without. */
typedef struct batch {
    telling *first;
    size_t n;
    /* NULL: each history has a file of its own. Otherwise one file holds them, a pack, or a part of a pack that is
     * asked again; *pack is the size of the whole pack, and 0 after a member alone explained the answer about it. */
    size_t *pack;
} batch;

/* A question to a published party about many histories. */
typedef struct questions {
    iso_referee *r;
    iso_pool *scratch;
    unsigned party;
    const iso_referee_question *asked;
    const isolab_history *const *h;
    iso_said *said;
} questions;

/* Returns the history in the form that the party gets, or a pack of n histories. */
static isolab_history *told(const questions *q, const telling *t, size_t n) {
    const iso_party *p = &q->r->party[q->party];
    const isolab_history **all = ISO_NEW(q->scratch, const isolab_history *, n);
    for (size_t i = 0; i < n; i++) {
        all[i] = iso_adapter_history(q->scratch, p->adapter, q->h[t[i].number], p->plain);
    }
    return n == 1 ? (isolab_history *)(uintptr_t)all[0] : iso_adapter_pack(q->scratch, all, n);
}

/* Returns the path of a history's file, and makes its folders: DIR/p<party>/b<batch>/h<number><extension>, or
 * DIR/p<party>/b<batch>/h<number>/<name> if the tool requires a name. Each batch has its own folder, since some tools
 * read all files of a folder. */
static const char *file_of(const questions *q, size_t folder, const telling *t) {
    iso_referee *r = q->r;
    iso_party *p = &r->party[q->party];
    char path[4096];
    const char *wanted = p->adapter->file;
    size_t used = (size_t)snprintf(path, sizeof path, "%s/p%u", iso_referee_folder(r), q->party);
    if (!p->has_folder) {
        make_folder(r, path);
    }
    used += (size_t)snprintf(path + used, sizeof path - used, "/b%zu", folder);
    if (!p->has_folder) {
        make_folder(r, path);
    }
    p->has_folder = *p->adapter->serve != '\0'; /* a persistent program has one folder, which stays */
    used += (size_t)snprintf(path + used, sizeof path - used, "/h%zu", t->number);
    if (*wanted != '\0') {
        make_folder(r, path);
        snprintf(path + used, sizeof path - used, "/%s", wanted);
    } else {
        size_t n = strcspn(p->format->extensions, " ");
        snprintf(path + used, sizeof path - used, "%.*s", (int)n, p->format->extensions);
    }
    return iso_copy_text(q->scratch, path, strlen(path));
}

/* Writes the file of a history, or of a pack of n histories, and returns its path. */
static const char *write_history(const questions *q, size_t folder, const telling *t, size_t n) {
    const iso_format *format = q->r->party[q->party].format;
    const char *path = file_of(q, folder, t);
    if (format->flags & ISO_FORMAT_FOLDER) {
        iso_remove_folder(path); /* files of an earlier session must not stay */
    }
    iso_save(q->scratch, told(q, t, n), path, format);
    return path;
}

/* Reads the answer about a history from a job. asked: the history whose name the file has, the first one of a pack. */
static void hear(const questions *q, const telling *t, const telling *asked, const iso_job *job) {
    iso_said *answer = &q->said[t->number * q->r->n_parties + q->party];
    iso_party *p = &q->r->party[q->party];
    p->reader = p->reader != NULL ? p->reader : iso_adapter_reader_new(q->r->pool, p->adapter);
    iso_adapter_judge(q->scratch, p->adapter, p->reader, job, asked->file, &answer->judgement);
    say(answer, answer->judgement.state, answer->judgement.verdict, answer->judgement.reason);
}

/* Returns a job with the limits of one answer. */
static iso_job job_of(const questions *q, iso_pool *pool, const char *const *argv) {
    iso_referee *r = q->r;
    const iso_adapter *adapter = r->party[q->party].adapter;
    bool by_address = iso_adapter_is(adapter->limit, "address");
    return (iso_job){.argv = argv,
                     .environment = iso_adapter_environment(pool, adapter, r->run_memory),
                     .folder = iso_referee_folder(r),
                     .timeout = r->run_timeout,
                     .memory = by_address ? r->run_memory : 0,
                     .resident = by_address ? 0 : r->run_memory};
}

/* Runs all batches, several at once. */
static void run_batches(const questions *q, const batch *all, size_t n_batches) {
    iso_referee *r = q->r;
    const iso_party *p = &r->party[q->party];
    iso_job *jobs = ISO_ZNEW(q->scratch, iso_job, n_batches);
    for (size_t i = 0; i < n_batches; i++) {
        size_t n_files = all[i].pack != NULL ? 1 : all[i].n;
        const char **files = ISO_NEW(q->scratch, const char *, n_files);
        for (size_t k = 0; k < n_files; k++) {
            telling *t = &all[i].first[k];
            files[k] = t->file = write_history(q, i, t, all[i].n / n_files);
        }
        jobs[i] = job_of(q, q->scratch,
                         iso_adapter_command(q->scratch, p->adapter, p->program, q->asked->level, p->format,
                                             all[i].first->lists, files, n_files));
    }
    iso_run_jobs(q->scratch, jobs, n_batches, r->at_once);
    for (size_t i = 0; i < n_batches; i++) {
        for (size_t k = 0; k < all[i].n; k++) {
            hear(q, &all[i].first[k], &all[i].first[all[i].pack != NULL ? 0 : k], &jobs[i]);
        }
    }
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/p%u", iso_referee_folder(r), q->party);
    iso_remove_folder(folder); /* the next batches must not find these files */
}

/* Returns whether a history of a batch has no answer. Only the verdict `satisfied` about a pack answers about each
 * member. */
static bool is_unanswered(const questions *q, const batch *b, const telling *t) {
    return strchr(b->pack != NULL ? "S" : "SV?", q->said[t->number * q->r->n_parties + q->party].sign) == NULL;
}

/* Divides the histories without an answer of each batch into two halves, which are asked again. So a history at which
 * the program crashes does not prevent answers about the other ones, and costs only some starts. Returns the number of
 * halves. */
static size_t halve(const questions *q, batch *all, size_t n_batches, batch *halves) {
    size_t n = 0;
    for (size_t i = 0; i < n_batches; i++) {
        size_t unanswered = 0;
        for (size_t k = 0; all[i].n > 1 && k < all[i].n; k++) {
            if (is_unanswered(q, &all[i], &all[i].first[k])) {
                telling t = all[i].first[k];
                all[i].first[k] = all[i].first[unanswered];
                all[i].first[unanswered++] = t;
            }
        }
        size_t half = (unanswered + 1) / 2;
        if (half > 0) {
            halves[n++] = (batch){all[i].first, half, all[i].pack};
        }
        if (unanswered > half) {
            halves[n++] = (batch){all[i].first + half, unanswered - half, all[i].pack};
        }
    }
    return n;
}

/* Divides n histories into batches, and returns the number of batches. A tool that takes one file at a time gets packs
 * of histories that are known to be satisfied: the answer about a pack with a violated member says nothing about the
 * other members. */
static size_t divide(const questions *q, telling *t, size_t n, batch *all) {
    const iso_party *p = &q->r->party[q->party];
    size_t most = iso_adapter_batch(p->adapter), n_batches = 0, limit = p->pack_most[q->asked->level];
    for (size_t i = 0, length; i < n; i += length) {
        size_t alike = 1;
        while (i + alike < n && t[i + alike].lists == t[i].lists && t[i + alike].packs == t[i].packs) {
            alike++;
        }
        bool packs = most == 1 && t[i].packs;
        size_t share = ((packs ? alike : n) + q->r->at_once - 1) / q->r->at_once; /* share of one processor */
        length = packs && limit > 0 && share > limit ? limit : share;
        length = length > alike ? alike : length;
        length = packs || length < most ? length : most;
        size_t *pack = packs && length > 1 ? ISO_NEW(q->scratch, size_t, 1) : NULL;
        if (pack != NULL) {
            *pack = length;
        }
        all[n_batches++] = (batch){t + i, length, pack};
    }
    return n_batches;
}

/* Counts the histories that were answered in packs, and finds the packs whose answer a member alone explains. If no
 * member explains it, the pack was too large for the tool or shows a mistake that no member shows: then packs become
 * smaller. */
static void look_at_packs(const questions *q, const batch *all, size_t n_batches) {
    iso_party *p = &q->r->party[q->party];
    for (size_t i = 0; i < n_batches; i++) {
        bool unanswered = all[i].pack != NULL && is_unanswered(q, &all[i], all[i].first);
        if (all[i].pack != NULL && all[i].n == 1 && unanswered) {
            *all[i].pack = 0; /* a member explains it */
        } else if (all[i].pack != NULL && all[i].n > 1 && !unanswered) {
            p->packed += all[i].n;
        }
    }
}

/* Asks by starting the program: as few starts as the tool allows, several at once. */
static void start_and_ask(const questions *q, telling *t, size_t n) {
    batch *all = ISO_NEW(q->scratch, batch, 2 * n + 1), *halves = ISO_NEW(q->scratch, batch, 2 * n + 1);
    size_t n_batches = divide(q, t, n, all);
    size_t **doubted = ISO_NEW(q->scratch, size_t *, n + 1), n_doubted = 0;
    for (size_t round = 0; n_batches > 0; round++) {
        run_batches(q, all, n_batches);
        look_at_packs(q, all, n_batches);
        for (size_t i = 0; round == 0 && i < n_batches; i++) {
            if (all[i].pack != NULL && is_unanswered(q, &all[i], all[i].first)) {
                doubted[n_doubted++] = all[i].pack;
            }
        }
        n_batches = halve(q, all, n_batches, halves);
        memcpy(all, halves, n_batches * sizeof *all);
    }
    iso_party *p = &q->r->party[q->party];
    for (size_t i = 0; i < n_doubted; i++) {
        p->unlike += *doubted[i] > 0;
        p->pack_most[q->asked->level] = *doubted[i] > 0 ? (*doubted[i] + 1) / 2 : p->pack_most[q->asked->level];
    }
}

/* Writes the file of a history for a persistent program. An existing file is overwritten, which is faster than removing
 * it. */
static void rewrite(iso_referee *r, const char *path, const char *text, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t done = 0;
    for (ssize_t n = 1; fd >= 0 && done < size && n > 0; done += n > 0 ? (size_t)n : 0) {
        n = write(fd, text + done, size - done);
    }
    int why = errno;
    if (fd < 0 || close(fd) != 0 || done < size) {
        iso_throw(r->env, ISOLAB_E_IO, "cannot write %s: %s", path, strerror(why));
    }
}

/* Returns the question of a persistent program about a history, and writes the history's file if it is needed. */
static iso_served_question question_about(const questions *q, telling *t) {
    const iso_party *p = &q->r->party[q->party];
    iso_served_question question;
    bool folder = (p->format->flags & ISO_FORMAT_FOLDER) != 0;
    size_t size = 0;
    char *text = folder ? NULL : iso_save_text(q->scratch, told(q, t, 1), p->format, &size);
    t->file = iso_adapter_is(p->adapter->told, "text") ? "history" : file_of(q, 0, t);
    if (folder) {
        iso_remove_folder(t->file); /* files of an earlier session must not stay */
        iso_save(q->scratch, told(q, t, 1), t->file, p->format);
    } else if (!iso_adapter_is(p->adapter->told, "text")) {
        rewrite(q->r, t->file, text, size);
    }
    question.bytes = iso_adapter_question(q->scratch, p->adapter, t->file, text, size, &question.size);
    return question;
}

/* Asks a persistent program. */
static void ask_served(const questions *q, telling *t, size_t n) {
    iso_referee *r = q->r;
    iso_party *p = &r->party[q->party];
    for (size_t first = 0, end; first < n; first = end) {
        bool lists = t[first].lists;
        for (end = first; end < n && t[end].lists == lists; end++) {
        }
        iso_served **s = &p->served[q->asked->level][lists];
        if (*s == NULL) {
            iso_job like = job_of(
                q, r->pool, iso_adapter_serve(r->pool, p->adapter, p->program, q->asked->level, p->format, lists));
            *s = iso_served_new(r->pool, &like, r->at_once);
        }
        iso_served_question *list = ISO_NEW(q->scratch, iso_served_question, end - first);
        for (size_t i = first; i < end; i++) {
            list[i - first] = question_about(q, &t[i]);
        }
        bool small = true;
        for (size_t i = first; i < end; i++) {
            small &= q->h[t[i].number]->n_ops <= SMALL_OPS;
        }
        iso_job *jobs = ISO_ZNEW(q->scratch, iso_job, end - first);
        iso_served_ask(*s, q->scratch, list, end - first, (int)strtol(p->adapter->statuses, NULL, 10),
                       small ? r->small_timeout : 0, jobs);
        for (size_t i = first; i < end; i++) {
            hear(q, &t[i], &t[i], &jobs[i - first]);
        }
    }
}

static int by_model(const void *a, const void *b) {
    const telling *one = a, *other = b;
    return one->lists != other->lists   ? one->lists - other->lists
           : one->packs != other->packs ? one->packs - other->packs
                                        : (one->number > other->number) - (one->number < other->number);
}

/* Returns whether checkers of isolab, which answer first, call the history satisfied. */
static bool is_satisfied(const iso_referee *r, const iso_said *said) {
    bool satisfied = false, violated = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        satisfied |= r->party[i].checker != NULL && said[i].sign == 'S';
        violated |= r->party[i].checker != NULL && said[i].sign == 'V';
    }
    return satisfied && !violated;
}

/* Asks a published party about n histories. */
static void ask_there(iso_referee *r, iso_pool *scratch, unsigned party, const isolab_history *const *h, size_t n,
                      const iso_referee_question *asked, iso_said *said) {
    const iso_adapter *adapter = r->party[party].adapter;
    questions q = {.r = r, .scratch = scratch, .party = party, .asked = asked, .h = h, .said = said};
    telling *t = ISO_ZNEW(scratch, telling, n + 1);
    size_t n_told = 0;
    for (size_t i = 0; i < n; i++) {
        char why[240];
        bool order = iso_adapter_is(adapter->sessions, "no") == asked->no_session_order ||
                     (asked->level != ISO_SI && asked->level != ISO_SER);
        const char *refusal =
            order ? iso_adapter_refuses(adapter, h[i], asked->level, r->party[party].plain, why, sizeof why)
                  : "session order counts otherwise";
        if (refusal != NULL || h[i]->n_ops == 0) {
            say(&said[i * r->n_parties + party], ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN,
                refusal != NULL ? refusal : "nothing to tell");
        } else {
            t[n_told++] = (telling){.number = i,
                                    .lists = h[i]->has_lists,
                                    .packs = iso_adapter_packs(adapter, h[i], asked->level) &&
                                             is_satisfied(r, &said[i * r->n_parties])};
        }
    }
    qsort(t, n_told, sizeof *t, by_model);
    (*adapter->serve != '\0' ? ask_served : start_and_ask)(&q, t, n_told);
}

void iso_referee_count(iso_referee *r, unsigned party, const iso_said *said) {
    iso_party *p = &r->party[party];
    p->asked += said->judgement.state != ISO_TOOL_UNSUPPORTED;
    p->states[said->judgement.state]++;
    p->satisfied += said->sign == 'S';
    p->violated += said->sign == 'V';
    p->unknown += said->sign == '?';
}

/* Takes the answer from a table of recorded verdicts, which are about levels with session order. */
static void look_up(const iso_party *p, const iso_origin *origin, const iso_referee_question *asked, iso_said *said) {
    const iso_record *record =
        origin != NULL && !asked->no_session_order ? iso_recorded(p, origin, asked->level) : NULL;
    char where[240];
    if (record == NULL) {
        say(said, ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, "nothing is recorded");
        return;
    }
    snprintf(where, sizeof where, "%.200s, line %" PRIu64, p->table, record->line);
    say(said, record->state, record->verdict, where);
}

void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, const iso_origin *origins,
                     size_t n, const iso_referee_question *asked, uint32_t parties, iso_said *said) {
    for (unsigned i = 0; i < r->n_parties; i++) {
        if ((parties >> i & 1) == 0) {
            for (size_t k = 0; k < n; k++) {
                say(&said[k * r->n_parties + i], ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, "not asked");
            }
        } else if (r->party[i].checker != NULL) {
            for (size_t k = 0; k < n; k++) {
                iso_said *answer = &said[k * r->n_parties + i];
                answer->judgement.anomalies[0] = '\0';
                ask_here(r, scratch, &r->party[i], h[k], asked, answer);
            }
        } else if (r->party[i].table != NULL) {
            for (size_t k = 0; k < n; k++) {
                iso_said *answer = &said[k * r->n_parties + i];
                answer->judgement.anomalies[0] = '\0';
                look_up(&r->party[i], origins != NULL ? &origins[k] : NULL, asked, answer);
            }
        }
    }
    for (unsigned i = 0; i < r->n_parties; i++) { /* the answers of isolab's checkers decide which are packed */
        if ((parties >> i & 1) != 0 && r->party[i].adapter != NULL) {
            ask_there(r, scratch, i, h, n, asked, said);
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
        counts &= !(sign == 'V' && p->adapter != NULL && iso_adapter_is(p->adapter->trust, "satisfied"));
        signs[i] = counts ? sign : '-';
        satisfied |= counts && sign == 'S';
        violated |= counts && sign == 'V';
        broken |= counts && (sign == 'C' || sign == 'G');
    }
    signs[r->n_parties] = '\0';
    return (satisfied && violated) || broken;
}
