/* See verify_results.h. */
#define _GNU_SOURCE
#include "experiments/runner/verify_results.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/process.h"
#include "base/sha256.h"

/* A file of the folder of histories, by what its facts say (instance.c). */
typedef struct kept {
    const char *sha256, *path;
} kept;

typedef struct verifying {
    const iso_verify_settings *settings;
    iso_pool *pool;
    iso_verified *v;
    kept *kept;
    size_t n_kept, room_kept;
    const char *folder; /* of temporary files */
    sqlite3_stmt *s;
} verifying;

static void note(verifying *w, const char *text) {
    if (w->v->notes < ISO_VERIFY_NOTES) {
        w->v->note[w->v->notes] = text;
    }
    w->v->notes++;
}

static void prepare(verifying *w, const char *sql) {
    sqlite3_finalize(w->s);
    w->s = NULL;
    if (sqlite3_prepare_v2(iso_results_db(w->settings->results), sql, -1, &w->s, NULL) != SQLITE_OK) {
        iso_results_throw(w->settings->results);
    }
}

static bool next_row(verifying *w) {
    int code = sqlite3_step(w->s);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        iso_results_throw(w->settings->results);
    }
    return code == SQLITE_ROW;
}

static const char *text_at(verifying *w, int at) {
    const char *text = (const char *)sqlite3_column_text(w->s, at);
    return text != NULL ? iso_format_text(w->pool, "%s", text) : "";
}

/* ---- histories ---- */

/* Learns which histories the folder has: beside KEY.json, which has the SHA-256, there is KEY.FORMAT. */
static void read_folder(verifying *w) {
    DIR *folder = opendir(w->settings->histories);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".json") == 0) {
            continue;
        }
        const char *facts =
            iso_format_text(w->pool, "%s/%.*s.json", w->settings->histories, (int)(dot - entry->d_name), entry->d_name);
        json_t *json = iso_instance_facts(w->pool, facts);
        const char *sha = json_string_value(json_object_get(json, "sha256"));
        if (sha != NULL) {
            ISO_GROW(w->pool, w->kept, w->n_kept, w->room_kept);
            w->kept[w->n_kept++] = (kept){iso_format_text(w->pool, "%s", sha),
                                          iso_format_text(w->pool, "%s/%s", w->settings->histories, entry->d_name)};
        }
        json_decref(json);
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

/* Returns whether the path is a file or folder with these bytes. */
static bool holds(verifying *w, const char *path, const char *sha256) {
    struct stat st;
    char hex[65];
    if (stat(path, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
        return false;
    }
    iso_digest(w->pool->env, path, hex);
    return strcmp(hex, sha256) == 0;
}

/* Makes a history again by its command: `generate ...` or `reduce ...`. Returns its path; NULL: it cannot be made, or
 * has other bytes. */
static const char *make_again(verifying *w, const char *source, const char *sha256) {
    const char *words[128] = {w->settings->generator};
    size_t n = 1;
    char *text = iso_copy_text(w->pool, source, strlen(source)), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL && n < 100; word = strtok_r(NULL, " ", &rest)) {
        words[n++] = word;
    }
    bool known = n > 1 && (strcmp(words[1], "generate") == 0 || strcmp(words[1], "reduce") == 0);
    if (w->settings->generator == NULL || !known || w->settings->refuse(w->settings->refuse_arg, words + 1) != NULL) {
        return NULL;
    }
    const char *path = iso_format_text(w->pool, "%s/%.64s", w->folder, sha256);
    bool format = strstr(source, " --to ") != NULL;
    words[n++] = format ? "-o" : "--to";
    words[n++] = format ? path : "ilb";
    if (!format) {
        words[n++] = "-o";
        words[n++] = path;
    }
    iso_job job = {.argv = words, .timeout = (int64_t)(w->settings->timeout * 1e9)};
    iso_run_jobs(w->pool, &job, 1, 1);
    return job.end == ISO_JOB_EXITED && job.code == 0 && holds(w, path, sha256) ? path : NULL;
}

static const char *find_history(verifying *w, const char *sha256, const char *source) {
    for (size_t i = 0; i < strlen(sha256); i++) {
        if (strchr("0123456789abcdef", sha256[i]) == NULL) {
            return NULL; /* it also becomes a name of a file */
        }
    }
    for (size_t i = 0; i < w->n_kept; i++) {
        if (strcmp(w->kept[i].sha256, sha256) == 0 && holds(w, w->kept[i].path, sha256)) {
            return w->kept[i].path;
        }
    }
    return source[0] == '/' && holds(w, source, sha256) ? source : make_again(w, source, sha256);
}

/* ---- certificates ---- */

/* One certificate of the batch. */
typedef struct item {
    const char *name, *level, *verdict, *path; /* path: of the certificate */
    const char *history;                       /* path; NULL: not found */
    int64_t id, of;                            /* rows: of the certificate and its history */
    iso_job job;
} item;

enum { BATCH = 32 };

/* Writes the stored bytes to a file. Returns false if they are not those of the row's SHA-256. */
static bool unpack(verifying *w, item *i, const void *data, size_t size, const char *sha256) {
    iso_sha256 sha;
    char hex[65];
    iso_sha256_init(&sha);
    iso_sha256_add(&sha, data, size);
    iso_sha256_hex(&sha, hex);
    if (strcmp(hex, sha256) != 0) {
        return false;
    }
    i->path = iso_format_text(w->pool, "%s/certificate-%lld", w->folder, (long long)i->id);
    iso_file_save(w->pool->env, i->path, data, size);
    return true;
}

/* Records the result of a certificate in the table `proved` of the connection. */
static void record(verifying *w, const item *i) {
    sqlite3_stmt *s = NULL;
    sqlite3 *db = iso_results_db(w->settings->results);
    if (sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO temp.proved VALUES (?, ?, ?)", -1, &s, NULL) != SQLITE_OK) {
        iso_results_throw(w->settings->results);
    }
    sqlite3_bind_int64(s, 1, i->of);
    sqlite3_bind_text(s, 2, i->level, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, i->verdict, -1, SQLITE_STATIC);
    sqlite3_step(s);
    if (sqlite3_finalize(s) != SQLITE_OK) {
        iso_results_throw(w->settings->results);
    }
}

static void refuse(verifying *w, const item *i, const char *why) {
    w->v->refused++;
    note(w, iso_format_text(w->pool, "refused: %s %s %s: %s", i->name, i->level, i->verdict, why));
}

static void unknown(verifying *w, const item *i, const char *why) {
    w->v->unknown++;
    note(w, iso_format_text(w->pool, "not verified: %s %s %s: %s", i->name, i->level, i->verdict, why));
}

static void judge(verifying *w, item *i) {
    iso_job *j = &i->job;
    j->out[strcspn(j->out, "\n")] = '\0';
    j->err[strcspn(j->err, "\n")] = '\0';
    if (j->end == ISO_JOB_EXITED && j->code == 0 && strcmp(j->out, "valid") == 0) {
        w->v->valid++;
        record(w, i);
    } else if (j->end == ISO_JOB_EXITED && (j->code == 1 || j->code == ISOLAB_E_INPUT)) {
        const char *said = *j->out != '\0' ? j->out : strrchr(j->err, ':') != NULL ? strrchr(j->err, ':') + 1 : j->err;
        refuse(w, i, strncmp(said, "refused: ", 9) == 0 ? said + 9 : said);
    } else {
        unknown(w, i,
                j->end == ISO_JOB_TIMED_OUT || (j->end == ISO_JOB_EXITED && j->code == 2)
                    ? "the time or the memory was not enough"
                : j->end == ISO_JOB_NOT_STARTED ? j->why
                                                : j->err);
    }
}

static void run_batch(verifying *w, item *items, size_t n) {
    iso_job jobs[BATCH];
    uint64_t share = iso_machine_memory() / 8 * 7 / w->settings->at_once;
    const char *memory = iso_format_text(w->pool, "%" PRIu64, share);
    const char *timeout = iso_format_text(w->pool, "%.9g", w->settings->timeout);
    for (size_t i = 0; i < n; i++) {
        const char **argv = ISO_ZNEW(w->pool, const char *, 13);
        const char *const words[] = {w->settings->verifier, "--level",    items[i].level, "--verdict", items[i].verdict,
                                     "--timeout",           timeout,      "--memory",     memory,      "--",
                                     items[i].history,      items[i].path};
        memcpy(argv, words, sizeof words);
        jobs[i] = (iso_job){.argv = argv, .timeout = (int64_t)((w->settings->timeout + 2) * 1e9)};
    }
    iso_run_jobs(w->pool, jobs, n, w->settings->at_once);
    for (size_t i = 0; i < n; i++) {
        items[i].job = jobs[i];
        judge(w, &items[i]);
        unlink(items[i].path);
    }
}

/* Reads a row into the batch. Returns whether isolab-verify has to be asked. */
static bool take(verifying *w, item *i, item *before) {
    *i = (item){.id = sqlite3_column_int64(w->s, 0),
                .of = sqlite3_column_int64(w->s, 1),
                .level = text_at(w, 2),
                .verdict = text_at(w, 3),
                .name = text_at(w, 4)};
    w->v->certificates++;
    i->history =
        before->of == i->of && before->name != NULL ? before->history : find_history(w, text_at(w, 6), text_at(w, 5));
    *before = *i;
    if (!unpack(w, i, sqlite3_column_blob(w->s, 8), (size_t)sqlite3_column_bytes(w->s, 8), text_at(w, 7))) {
        refuse(w, i, "its bytes are not those of its SHA-256");
        return false;
    }
    if (i->history == NULL) {
        unlink(i->path);
        unknown(w, i, "its history was not found: name its folder by --histories, or try --generate");
        return false;
    }
    return true;
}

static void verify_all(verifying *w) {
    sqlite3_stmt *rows = NULL;
    item items[BATCH], before = {.of = -1};
    size_t n = 0, total = 0;
    prepare(w, "SELECT count(*) FROM certificate WHERE data IS NOT NULL");
    total = next_row(w) ? (size_t)sqlite3_column_int64(w->s, 0) : 0;
    prepare(w,
            "SELECT c.id, c.history, c.level, c.verdict, h.name, h.source, h.sha256, c.sha256, c.data FROM certificate"
            " c JOIN history h ON h.id = c.history WHERE c.data IS NOT NULL ORDER BY c.history, c.id");
    while (next_row(w)) {
        iso_progress(w->pool->env, "certificates", w->v->certificates, total);
        n += take(w, &items[n], &before);
        if (n == BATCH) {
            rows = w->s;
            run_batch(w, items, n);
            w->s = rows;
            n = 0;
        }
    }
    run_batch(w, items, n);
    iso_progress(w->pool->env, NULL, 0, 0);
}

/* ---- cells ---- */

static void count_cells(verifying *w) {
    iso_verified *v = w->v;
    size_t room = 0;
    prepare(
        w,
        "SELECT suite, count(*), sum(p), sum(NOT p AND q) FROM (SELECT DISTINCT r.suite AS suite, r.history, r.level,"
        " r.checker, r.verdict, EXISTS (SELECT 1 FROM temp.proved t WHERE t.history = r.history AND t.level ="
        " r.level AND t.verdict = r.verdict) AS p, EXISTS (SELECT 1 FROM temp.proved t WHERE t.history ="
        " r.history AND t.level = r.level AND t.verdict <> r.verdict) AS q FROM run r WHERE r.verdict IS NOT"
        " NULL) GROUP BY suite ORDER BY suite");
    iso_verified_suite all = {.name = "all"};
    while (next_row(w)) {
        iso_verified_suite s = {.name = text_at(w, 0),
                                .cells = (size_t)sqlite3_column_int64(w->s, 1),
                                .proved = (size_t)sqlite3_column_int64(w->s, 2),
                                .refuted = (size_t)sqlite3_column_int64(w->s, 3)};
        s.none = s.cells - s.proved - s.refuted;
        all.cells += s.cells;
        all.proved += s.proved;
        all.refuted += s.refuted;
        all.none += s.none;
        ISO_GROW(w->pool, v->suites, v->n, room);
        v->suites[v->n++] = s;
    }
    ISO_GROW(w->pool, v->suites, v->n, room);
    v->suites[v->n] = all;
    prepare(w, "SELECT DISTINCT h.name, r.level, r.checker, r.verdict FROM run r JOIN temp.proved t ON t.history ="
               " r.history AND t.level = r.level AND t.verdict <> r.verdict JOIN history h ON h.id = r.history WHERE"
               " r.verdict IS NOT NULL ORDER BY r.id");
    while (next_row(w)) {
        note(w, iso_format_text(w->pool, "refuted: %s %s %s said %s", text_at(w, 0), text_at(w, 1), text_at(w, 2),
                                text_at(w, 3)));
    }
    prepare(w, "SELECT 1 FROM temp.proved GROUP BY history, level HAVING count(*) > 1");
    v->contradiction = next_row(w);
}

static void work(void *arg) {
    verifying *w = arg;
    read_folder(w);
    sqlite3 *db = iso_results_db(w->settings->results);
    const char *sql = "CREATE TEMP TABLE proved (history INTEGER, level TEXT, verdict TEXT, UNIQUE (history, level,"
                      " verdict))";
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        iso_results_throw(w->settings->results);
    }
    prepare(w, "SELECT 1 FROM main.sqlite_schema WHERE name = 'certificate' COLLATE NOCASE");
    if (next_row(w)) {
        verify_all(w);
    }
    count_cells(w);
}

void iso_verify_results(const iso_verify_settings *settings, iso_verified *verified) {
    const char *folder = iso_temporary_folder(settings->pool, "verify", NULL);
    *verified = (iso_verified){.n = 0};
    verifying w = {.settings = settings, .pool = settings->pool, .v = verified, .folder = folder};
    int code = iso_guard(settings->pool->env, work, &w);
    sqlite3_finalize(w.s);
    iso_remove_folder(folder);
    if (code != ISOLAB_OK) {
        iso_rethrow(settings->pool->env);
    }
}
