/* A published checker as a party. See tool.h. */
#define _GNU_SOURCE
#include "experiments/asking/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Operations: about histories up to this size a persistent program answers at once or not at all, so a short limit
 * suffices. */
#define SMALL_OPS 200

iso_tool iso_tool_of(iso_pool *pool, const iso_adapter *adapter) {
    return (iso_tool){.adapter = adapter,
                      .format = iso_adapter_format(adapter),
                      .path = iso_adapter_program(pool, adapter),
                      .pool = pool};
}

const char *iso_tool_file(iso_pool *pool, const iso_tool *p, const char *folder, const char *stem) {
    const char *extensions = p->format->extensions;
    return *p->adapter->file != '\0'
               ? iso_format_text(pool, "%s/%s", folder, p->adapter->file)
               : iso_format_text(pool, "%s/%s%.*s", folder, stem, (int)strcspn(extensions, " "), extensions);
}

const char *const *iso_tool_argv(iso_pool *pool, const iso_tool *p, iso_level level, bool lists,
                                 const char *const *files, size_t n) {
    return iso_tool_stays(p) ? iso_adapter_serve(pool, p->adapter, p->path, level, p->format, lists)
                             : iso_adapter_command(pool, p->adapter, p->path, level, p->format, lists, files, n);
}

iso_job iso_tool_job(iso_pool *pool, const iso_tool *p, const char *const *argv, uint64_t memory) {
    bool by_address = iso_adapter_is(p->adapter->limit, "address");
    return (iso_job){.argv = argv,
                     .environment = iso_adapter_environment(pool, p->adapter, memory),
                     .memory = by_address ? memory : 0,
                     .resident = by_address ? 0 : memory};
}

/* A history that a program is asked about. */
typedef struct given {
    size_t number;    /* index among the histories of the question */
    const char *file; /* its path */
    bool lists;       /* it has lists */
    bool packs;       /* it may be in a pack: it is known to be satisfied */
} given;

/* A question to a program, and where its answers belong. */
typedef struct asking {
    iso_tool *tool;
    const iso_party_question *q;
    iso_judgement *answers;
} asking;

/* Returns the answer about a history. */
static iso_judgement *answer_about(const asking *a, const given *h) { return &a->answers[h->number * a->q->stride]; }

/* Returns the history in the form that the program reads, or a pack of n histories. */
static isolab_history *form_of(const asking *a, const given *h, size_t n) {
    const isolab_history **all = ISO_NEW(a->q->pool, const isolab_history *, n);
    for (size_t i = 0; i < n; i++) {
        all[i] = iso_adapter_history(a->q->pool, a->tool->adapter, a->q->h[h[i].number], a->tool->plain);
    }
    return n == 1 ? (isolab_history *)(uintptr_t)all[0] : iso_adapter_pack(a->q->pool, all, n);
}

/* Returns the path of a history's file, and makes its folders: FOLDER/p<party>/b<batch>/h<number><extension>, or
 * FOLDER/p<party>/b<batch>/h<number>/<name> if the tool requires a name. Each batch has its own folder, since some
 * tools read all files of a folder. A persistent program has one folder, which stays. */
static const char *place_of(const asking *a, size_t batch, const given *h) {
    iso_tool *p = a->tool;
    iso_pool *pool = a->q->pool;
    const char *folder = iso_format_text(pool, "%s/p%u/b%zu", a->q->folder, p->number, batch);
    const char *stem = iso_format_text(pool, "h%zu", h->number);
    if (*p->adapter->file != '\0') {
        folder = iso_format_text(pool, "%s/%s", folder, stem);
    }
    if (!p->has_folder || *p->adapter->file != '\0') {
        iso_make_folders(pool, folder);
    }
    p->has_folder = iso_tool_stays(p);
    return iso_tool_file(pool, p, folder, stem);
}

/* Reads the answer about a history from a job. named: the history whose name the file has, the first one of a pack. */
static void read_answer(const asking *a, const given *h, const given *named, const iso_job *job) {
    iso_tool *p = a->tool;
    p->reader = p->reader != NULL ? p->reader : iso_adapter_reader_new(p->pool, p->adapter);
    iso_adapter_judge(a->q->pool, p->adapter, p->reader, job, named->file, answer_about(a, h));
    if (a->q->job != NULL) {
        *a->q->job = *job;
    }
}

/* --- a program that stays --- */

/* Writes the file of a history for a persistent program. An existing file is overwritten, which is faster than removing
 * it. */
static void rewrite(iso_env *env, const char *path, const char *text, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t done = 0;
    for (ssize_t n = 1; fd >= 0 && done < size && n > 0; done += n > 0 ? (size_t)n : 0) {
        n = write(fd, text + done, size - done);
    }
    int why = errno;
    if (fd < 0 || close(fd) != 0 || done < size) {
        iso_throw(env, ISOLAB_E_IO, "cannot write %s: %s", path, strerror(why));
    }
}

/* Returns the question of a persistent program about a history, and writes the history's file if it is needed. */
static iso_served_question question_about(const asking *a, given *h) {
    const iso_tool *p = a->tool;
    iso_pool *pool = a->q->pool;
    iso_served_question question;
    bool folder = (p->format->flags & ISO_FORMAT_FOLDER) != 0, by_text = iso_adapter_is(p->adapter->told, "text");
    size_t size = 0;
    isolab_history *form = form_of(a, h, 1);
    char *text = folder ? NULL : iso_save_text(pool, form, p->format, &size);
    h->file = by_text ? "history" : place_of(a, 0, h);
    if (folder) {
        iso_remove_folder(h->file); /* files of an earlier session must not stay */
        iso_save(pool, form, h->file, p->format);
    } else if (!by_text) {
        rewrite(pool->env, h->file, text, size);
    }
    question.bytes = iso_adapter_question(pool, p->adapter, h->file, text, size, &question.size);
    return question;
}

/* Asks a persistent program about histories that all have lists, or all have none. */
static void ask_alike(const asking *a, given *h, size_t n) {
    iso_tool *p = a->tool;
    const iso_party_question *q = a->q;
    iso_served **s = &p->served[q->level][h->lists];
    if (*s == NULL) {
        iso_job like = iso_tool_job(p->pool, p, iso_tool_argv(p->pool, p, q->level, h->lists, NULL, 0), q->memory);
        like.folder = q->folder;
        like.timeout = q->timeout;
        *s = iso_served_new(p->pool, &like, q->at_once);
    }
    iso_served_question *list = ISO_NEW(q->pool, iso_served_question, n);
    iso_job *jobs = ISO_ZNEW(q->pool, iso_job, n);
    bool small = true;
    for (size_t i = 0; i < n; i++) {
        list[i] = question_about(a, &h[i]);
        small &= q->h[h[i].number]->n_ops <= SMALL_OPS;
    }
    iso_served_ask(*s, q->pool, list, n, (int)strtol(p->adapter->statuses, NULL, 10), small ? q->small_timeout : 0,
                   jobs);
    for (size_t i = 0; i < n; i++) {
        read_answer(a, &h[i], &h[i], &jobs[i]);
    }
}

static void ask_served(const asking *a, given *h, size_t n) {
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && h[end].lists == h[first].lists; end++) {
        }
        ask_alike(a, h + first, end - first);
    }
}

/* --- a program that is started for its files --- */

/* A start of a program, with n histories, all with lists or all without. */
typedef struct batch {
    given *first;
    size_t n;
    /* NULL: each history has a file of its own. Otherwise one file holds them, a pack, or a part of a pack that is
     * asked again; *pack is the size of the whole pack, and 0 after a member alone explained the answer about it. */
    size_t *pack;
} batch;

/* Writes the file of a history, or of a pack of n histories, and returns its path. */
static const char *write_history(const asking *a, size_t folder, const given *t, size_t n) {
    const iso_format *format = a->tool->format;
    const char *path = place_of(a, folder, t);
    if (format->flags & ISO_FORMAT_FOLDER) {
        iso_remove_folder(path); /* files of an earlier session must not stay */
    }
    iso_save(a->q->pool, form_of(a, t, n), path, format);
    return path;
}

/* Runs all batches, several at once. */
static void run_batches(const asking *a, const batch *all, size_t n_batches) {
    const iso_tool *p = a->tool;
    iso_job *jobs = ISO_ZNEW(a->q->pool, iso_job, n_batches);
    for (size_t i = 0; i < n_batches; i++) {
        size_t n_files = all[i].pack != NULL ? 1 : all[i].n;
        const char **files = ISO_NEW(a->q->pool, const char *, n_files);
        for (size_t k = 0; k < n_files; k++) {
            given *t = &all[i].first[k];
            files[k] = t->file = write_history(a, i, t, all[i].n / n_files);
        }
        jobs[i] =
            iso_tool_job(a->q->pool, p, iso_tool_argv(a->q->pool, p, a->q->level, all[i].first->lists, files, n_files),
                         a->q->memory);
        jobs[i].folder = a->q->folder;
        jobs[i].timeout = a->q->timeout;
    }
    iso_run_jobs(a->q->pool, jobs, n_batches, a->q->at_once);
    for (size_t i = 0; i < n_batches; i++) {
        for (size_t k = 0; k < all[i].n; k++) {
            read_answer(a, &all[i].first[k], &all[i].first[all[i].pack != NULL ? 0 : k], &jobs[i]);
        }
    }
    iso_remove_folder(iso_format_text(a->q->pool, "%s/p%u", a->q->folder,
                                      p->number)); /* the next batches must not find these files */
}

/* Returns whether a history of a batch has no answer. Only the verdict `satisfied` about a pack answers about each
 * member. */
static bool is_unanswered(const asking *a, const batch *b, const given *t) {
    return strchr(b->pack != NULL ? "S" : "SV?", iso_sign(answer_about(a, t))) == NULL;
}

/* Divides the histories without an answer of each batch into two halves, which are asked again. So a history at which
 * the program crashes does not prevent answers about the other ones, and costs only some starts. Returns the number of
 * halves. */
static size_t halve(const asking *a, batch *all, size_t n_batches, batch *halves) {
    size_t n = 0;
    for (size_t i = 0; i < n_batches; i++) {
        size_t unanswered = 0;
        for (size_t k = 0; all[i].n > 1 && k < all[i].n; k++) {
            if (is_unanswered(a, &all[i], &all[i].first[k])) {
                given t = all[i].first[k];
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
static size_t divide(const asking *a, given *t, size_t n, batch *all) {
    const iso_tool *p = a->tool;
    size_t most = iso_adapter_batch(p->adapter), n_batches = 0, limit = p->pack_most[a->q->level];
    for (size_t i = 0, length; i < n; i += length) {
        size_t alike = 1;
        while (i + alike < n && t[i + alike].lists == t[i].lists && t[i + alike].packs == t[i].packs) {
            alike++;
        }
        bool packs = most == 1 && t[i].packs;
        size_t share = ((packs ? alike : n) + a->q->at_once - 1) / a->q->at_once; /* share of one processor */
        length = packs && limit > 0 && share > limit ? limit : share;
        length = length > alike ? alike : length;
        length = packs || length < most ? length : most;
        size_t *pack = packs && length > 1 ? ISO_NEW(a->q->pool, size_t, 1) : NULL;
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
static void look_at_packs(const asking *a, const batch *all, size_t n_batches) {
    iso_tool *p = a->tool;
    for (size_t i = 0; i < n_batches; i++) {
        bool unanswered = all[i].pack != NULL && is_unanswered(a, &all[i], all[i].first);
        if (all[i].pack != NULL && all[i].n == 1 && unanswered) {
            *all[i].pack = 0; /* a member explains it */
        } else if (all[i].pack != NULL && all[i].n > 1 && !unanswered) {
            p->packed += all[i].n;
        }
    }
}

/* Asks by starting the program: as few starts as the tool allows, several at once. */
static void ask_started(const asking *a, given *t, size_t n) {
    batch *all = ISO_NEW(a->q->pool, batch, 2 * n + 1), *halves = ISO_NEW(a->q->pool, batch, 2 * n + 1);
    size_t n_batches = divide(a, t, n, all);
    size_t **doubted = ISO_NEW(a->q->pool, size_t *, n + 1), n_doubted = 0;
    for (size_t round = 0; n_batches > 0; round++) {
        run_batches(a, all, n_batches);
        look_at_packs(a, all, n_batches);
        for (size_t i = 0; round == 0 && i < n_batches; i++) {
            if (all[i].pack != NULL && is_unanswered(a, &all[i], all[i].first)) {
                doubted[n_doubted++] = all[i].pack;
            }
        }
        n_batches = halve(a, all, n_batches, halves);
        memcpy(all, halves, n_batches * sizeof *all);
    }
    iso_tool *p = a->tool;
    for (size_t i = 0; i < n_doubted; i++) {
        p->unlike += *doubted[i] > 0;
        p->pack_most[a->q->level] = *doubted[i] > 0 ? (*doubted[i] + 1) / 2 : p->pack_most[a->q->level];
    }
}

/* --- the party --- */

static int by_model(const void *a, const void *b) {
    const given *one = a, *other = b;
    return one->lists != other->lists   ? one->lists - other->lists
           : one->packs != other->packs ? one->packs - other->packs
                                        : (one->number > other->number) - (one->number < other->number);
}

static void ask_tool(iso_party *self, const iso_party_question *q, iso_judgement *answers) {
    iso_tool *p = self->tool;
    const iso_adapter *adapter = p->adapter;
    asking a = {.tool = p, .q = q, .answers = answers};
    given *all = ISO_ZNEW(q->pool, given, q->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < q->n; i++) {
        char why[240];
        bool order = iso_adapter_is(adapter->sessions, "no") == q->no_session_order ||
                     (q->level != ISO_SI && q->level != ISO_SER);
        const char *refusal = !order ? "session order counts otherwise"
                                     : iso_adapter_refuses(adapter, q->h[i], q->level, p->plain, why, sizeof why);
        if (refusal == NULL && q->skip_empty && q->h[i]->n_ops == 0) {
            refusal = "nothing to tell";
        }
        if (refusal != NULL) {
            iso_set_answer(&answers[i * q->stride], ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, refusal);
        } else {
            all[n++] = (given){.number = i,
                               .lists = q->h[i]->has_lists,
                               .packs = iso_adapter_packs(adapter, q->h[i], q->level) && q->satisfied != NULL &&
                                        q->satisfied[i]};
        }
    }
    qsort(all, n, sizeof *all, by_model);
    (iso_tool_stays(p) ? ask_served : ask_started)(&a, all, n);
}

static void close_tool(iso_party *self) {
    iso_tool *p = self->tool;
    iso_adapter_reader_end(p->reader);
    for (int level = 0; level < iso_n_levels; level++) {
        iso_served_end(p->served[level][0]);
        iso_served_end(p->served[level][1]);
    }
}

iso_party iso_party_tool(iso_pool *pool, const iso_adapters *adapters, const char *word, unsigned number,
                         const char *option) {
    const char *name = iso_adapter_name(word);
    const iso_adapter *adapter = iso_adapters_find(adapters, name);
    if (adapter == NULL) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "%sthere is no adapter \"%s\": describe it in a file for --adapters",
                  option, name);
    }
    iso_tool *p = ISO_NEW(pool, iso_tool, 1);
    *p = iso_tool_of(pool, adapter);
    p->number = number;
    if (p->path == NULL) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "%s: there is no program %s%s%s%s", word, adapter->program,
                  *option != '\0' ? ": say where with --adapter " : "", *option != '\0' ? adapter->name : "",
                  *option != '\0' ? "=PATH" : "");
    }
    return (iso_party){.name = word, .tool = p, .ask = ask_tool, .close = close_tool};
}

const iso_adapter *iso_party_adapter(const iso_party *p) { return p->tool != NULL ? p->tool->adapter : NULL; }
