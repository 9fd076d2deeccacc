/* Writes BenchExec's result XML. See benchexec.h. */
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "experiments/runner/benchexec.h"

typedef struct writing {
    iso_pool *pool;
    iso_results *results;
    const char *folder;
    sqlite3_stmt *s;
    iso_file file;
    iso_printer out;
    const char *suite, *checker; /* of the open file; NULL: none is open */
    int64_t repetition;
    size_t files;
} writing;

/* Columns of the query. */
enum {
    SUITE,
    CHECKER,
    REPETITION,
    HISTORY,
    LEVEL,
    STATE,
    VERDICT,
    EXPECTED,
    REASON,
    EXIT,
    SIGNAL,
    WALL,
    USER,
    SYSTEM,
    PEAK,
    PHASES,
    ENDED,
    SOURCE,
    SHA256,
    FAMILY,
    SESSIONS,
    TRANSACTIONS,
    OPERATIONS,
    KEYS,
    BYTES,
    VERSION,
    HOST,
    KERNEL,
    CPU,
    CORES,
    MEMORY
};
static const char query[] =
    "SELECT r.suite, r.checker, r.repetition, h.name, r.level, r.state, r.verdict, r.expected, r.reason, r.exit_status,"
    " r.signal, r.wall_ms, r.user_ms, r.system_ms, r.peak_kib, r.phases, r.ended, h.source, h.sha256, h.family, "
    "h.sessions,"
    " h.transactions, h.operations, h.keys, h.bytes, e.version, e.host, e.kernel, e.cpu, e.cores, e.memory"
    " FROM run r JOIN history h ON h.id = r.history JOIN environment e ON e.id = r.environment WHERE r.environment IN"
    " (SELECT o.id FROM environment o JOIN environment n ON o.label = n.label AND o.program = n.program WHERE n.id = ?)"
    " ORDER BY r.suite, r.checker, r.repetition, h.id, r.level";

static const char *text(writing *w, int at) {
    const char *t = (const char *)sqlite3_column_text(w->s, at);
    return t != NULL ? t : "";
}

/* Returns a word for a name of a file: other characters become `_`. */
static const char *file_word(iso_pool *pool, const char *name) {
    char *word = iso_copy_text(pool, name, strlen(name) < 60 ? strlen(name) : 60);
    for (char *c = word; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) || *c == '-' ? *c : '_';
    }
    return word;
}

static void begin_file(writing *w) {
    static const char *const columns[] = {"status", "cputime", "walltime", "memory", "transactions", "operations"};
    const char *path =
        iso_format_text(w->pool, "%s/%s.%s.%lld.results.xml", w->folder, file_word(w->pool, text(w, SUITE)),
                        file_word(w->pool, text(w, CHECKER)), (long long)sqlite3_column_int64(w->s, REPETITION));
    w->suite = iso_format_text(w->pool, "%s", text(w, SUITE));
    w->checker = iso_format_text(w->pool, "%s", text(w, CHECKER));
    w->repetition = sqlite3_column_int64(w->s, REPETITION);
    iso_file_open(w->pool->env, &w->file, path);
    w->out = (iso_printer){.out = w->file.out, .target = ISO_HTML};
    iso_print(&w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<!DOCTYPE result PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.18//EN' "
                       "'https://www.sosy-lab.org/benchexec/result-3.18.dtd'>\n");
    iso_print(&w->out,
              "<result benchmarkname=\"%s\" date=\"%s\" starttime=\"%s\" tool=\"%s\" toolmodule=\"isolab\" "
              "version=\"%s\" generator=\"isolab %s\">\n  <columns>\n",
              w->suite, text(w, ENDED), text(w, ENDED), w->checker, text(w, VERSION), ISOLAB_VERSION);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        iso_print(&w->out, "    <column title=\"%s\"/>\n", columns[i]);
    }
    iso_print(&w->out,
              "  </columns>\n  <systeminfo hostname=\"%s\">\n    <os name=\"%s\"/>\n    <cpu cores=\"%lld\" "
              "model=\"%s\"/>\n    <ram size=\"%lldB\"/>\n    <environment/>\n  </systeminfo>\n",
              text(w, HOST), text(w, KERNEL), (long long)sqlite3_column_int64(w->s, CORES), text(w, CPU),
              (long long)sqlite3_column_int64(w->s, MEMORY));
}

static void end_file(writing *w) {
    if (w->suite != NULL) {
        iso_print(&w->out, "</result>\n");
        iso_file_close(w->pool->env, &w->file);
        w->suite = NULL;
        w->files++;
    }
}

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static const char *word_of(const char *verdict) {
    return is(verdict, "satisfied") ? "true" : is(verdict, "violated") ? "false" : NULL;
}

static const char *status_of(writing *w) {
    const char *state = text(w, STATE), *verdict = word_of(text(w, VERDICT));
    return verdict != NULL              ? verdict
           : is(state, "timeout")       ? "TIMEOUT"
           : is(state, "out of memory") ? "OUT OF MEMORY"
           : is(state, "crash")         ? "ERROR"
                                        : "unknown";
}

static const char *category_of(writing *w) {
    const char *state = text(w, STATE);
    bool verdict = word_of(text(w, VERDICT)) != NULL;
    return is(state, "wrong") ? "wrong"
           : verdict          ? *text(w, EXPECTED) != '\0' ? "correct" : "missing"
           : is(state, "crash") || is(state, "timeout") || is(state, "out of memory") ? "error"
                                                                                      : "unknown";
}

static void column(writing *w, const char *title, const char *value, bool hidden) {
    iso_print(&w->out, "    <column title=\"%s\" value=\"%s\"", title, value);
    iso_print_markup(&w->out, hidden ? ISO_MARKUP(" hidden=\"true\"/>\n") : ISO_MARKUP("/>\n"));
}

static const char *number(writing *w, int at) {
    return iso_format_text(w->pool, "%lld", (long long)sqlite3_column_int64(w->s, at));
}

static const char *seconds(writing *w, double ms) { return iso_format_text(w->pool, "%.9fs", ms / 1e3); }

static void write_phases(writing *w) {
    json_t *phases = json_loads(text(w, PHASES), 0, NULL), *value;
    const char *name;
    json_object_foreach(phases, name, value) { column(w, name, seconds(w, json_number_value(value)), false); }
    json_decref(phases);
}

static void write_run(writing *w) {
    const char *expected = word_of(text(w, EXPECTED));
    iso_print(&w->out, "  <run name=\"%s\" files=\"[%s]\" properties=\"%s\"", text(w, HISTORY), text(w, SOURCE),
              text(w, LEVEL));
    if (expected != NULL) {
        iso_print(&w->out, " expectedVerdict=\"%s\"", expected);
    }
    iso_print(&w->out, ">\n");
    column(w, "status", status_of(w), false);
    column(w, "category", category_of(w), true);
    column(w, "cputime", seconds(w, sqlite3_column_double(w->s, USER) + sqlite3_column_double(w->s, SYSTEM)), false);
    column(w, "walltime", seconds(w, sqlite3_column_double(w->s, WALL)), false);
    column(w, "memory", iso_format_text(w->pool, "%lldB", (long long)sqlite3_column_int64(w->s, PEAK) * 1024), false);
    write_phases(w);
    static const struct {
        const char *title;
        int at;
    } sizes[] = {{"sessions", SESSIONS},
                 {"transactions", TRANSACTIONS},
                 {"operations", OPERATIONS},
                 {"keys", KEYS},
                 {"bytes", BYTES}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        column(w, sizes[i].title, number(w, sizes[i].at), sizes[i].at != TRANSACTIONS && sizes[i].at != OPERATIONS);
    }
    column(w, "repetition", number(w, REPETITION), true);
    column(w, "sha256", text(w, SHA256), true);
    column(w, "family", text(w, FAMILY), true);
    column(w, "state", text(w, STATE), true);
    if (*text(w, REASON) != '\0') {
        column(w, "reason", text(w, REASON), true);
    }
    if (sqlite3_column_int(w->s, EXIT) >= 0) {
        column(w, "returnvalue", number(w, EXIT), true);
    }
    if (sqlite3_column_int(w->s, SIGNAL) > 0) {
        column(w, "exitsignal", number(w, SIGNAL), true);
    }
    iso_print(&w->out, "  </run>\n");
}

static void write_all(void *arg) {
    writing *w = arg;
    int code;
    while ((code = sqlite3_step(w->s)) == SQLITE_ROW) {
        iso_tick(w->pool->env);
        if (w->suite == NULL || !is(w->suite, text(w, SUITE)) || !is(w->checker, text(w, CHECKER)) ||
            w->repetition != sqlite3_column_int64(w->s, REPETITION)) {
            end_file(w);
            begin_file(w);
        }
        write_run(w);
    }
    if (code != SQLITE_DONE) {
        iso_results_throw(w->results);
    }
    end_file(w);
}

size_t iso_benchexec_write(iso_pool *pool, iso_results *results, int64_t environment, const char *folder) {
    writing w = {.pool = pool, .results = results, .folder = folder};
    if (sqlite3_prepare_v2(iso_results_db(results), query, -1, &w.s, NULL) != SQLITE_OK) {
        iso_results_throw(results);
    }
    sqlite3_bind_int64(w.s, 1, environment);
    int code = iso_guard(pool->env, write_all, &w);
    sqlite3_finalize(w.s);
    iso_file_drop(&w.file);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    return w.files;
}
