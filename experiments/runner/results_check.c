/* See results_check.h. */
#include "experiments/runner/results_check.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/runner/results.h"

/* The content of a column. */
typedef enum {
    NAME,       /* text of at most ISO_LONGEST_NAME bytes */
    TEXT,       /* longer text */
    COUNT,      /* a whole number up to most */
    NUMBER,     /* up to `most`, and not negative */
    OR_NONE,    /* the same, or -1 */
    NUMBERS,    /* JSON: an object of numbers */
    PARAMETERS, /* JSON: an object of texts and numbers */
    STATE,
    VERDICT,
    BYTES, /* a blob of at most `most` bytes; only its length is read */
} kind;

typedef struct column {
    const char *name;
    kind kind;
    bool may_miss; /* NULL is allowed */
    double most;
} column;

static const column of_environment[] = {{"id", COUNT, false, 9e15},
                                        {"label", NAME, false, 0},
                                        {"commit_id", NAME, false, 0},
                                        {"program", NAME, false, 0},
                                        {"version", NAME, false, 0},
                                        {"compiler", TEXT, false, 0},
                                        {"flags", TEXT, false, 0},
                                        {"host", NAME, false, 0},
                                        {"kernel", NAME, false, 0},
                                        {"cpu", NAME, false, 0},
                                        {"governor", NAME, false, 0},
                                        {"cores", COUNT, false, 1e6},
                                        {"memory", COUNT, false, ISO_MOST_COUNT},
                                        {"first_used", NAME, true, 0},
                                        {NULL, NAME, false, 0}};
static const column of_history[] = {{"id", COUNT, false, 9e15},
                                    {"name", NAME, false, 0},
                                    {"family", NAME, false, 0},
                                    {"source", TEXT, false, 0},
                                    {"parameters", PARAMETERS, false, 1e20},
                                    {"sha256", NAME, false, 0},
                                    {"bytes", COUNT, false, ISO_MOST_COUNT},
                                    {"sessions", COUNT, false, 1e10},
                                    {"transactions", COUNT, false, 1e10},
                                    {"operations", COUNT, false, 1e10},
                                    {"keys", COUNT, false, 1e10},
                                    {NULL, NAME, false, 0}};
static const column of_run[] = {{"id", COUNT, false, 9e15},
                                {"environment", COUNT, false, 9e15},
                                {"history", COUNT, false, 9e15},
                                {"key", NAME, false, 0},
                                {"suite", NAME, false, 0},
                                {"level", NAME, false, 0},
                                {"checker", NAME, false, 0},
                                {"command", TEXT, true, 0},
                                {"repetition", COUNT, false, 1e6},
                                {"state", STATE, false, 0},
                                {"verdict", VERDICT, true, 0},
                                {"expected", VERDICT, true, 0},
                                {"reason", TEXT, true, 0},
                                {"exit_status", OR_NONE, false, 255},
                                {"signal", COUNT, false, 255},
                                {"wall_ms", NUMBER, false, ISO_MOST_MS},
                                {"user_ms", NUMBER, false, ISO_MOST_MS},
                                {"system_ms", NUMBER, false, ISO_MOST_MS},
                                {"peak_kib", COUNT, false, 1e15},
                                {"counted_peak", COUNT, false, ISO_MOST_COUNT},
                                {"phases", NUMBERS, true, ISO_MOST_MS},
                                {"counters", NUMBERS, true, ISO_MOST_COUNT},
                                {"load", OR_NONE, false, 1e9},
                                {"ended", NAME, true, 0},
                                {NULL, NAME, false, 0}};

static const column of_certificate[] = {{"id", COUNT, false, 9e15},
                                        {"environment", COUNT, false, 9e15},
                                        {"history", COUNT, false, 9e15},
                                        {"level", NAME, false, 0},
                                        {"verdict", VERDICT, false, 0},
                                        {"checker", NAME, false, 0},
                                        {"reason", TEXT, true, 0},
                                        {"sha256", NAME, true, 0},
                                        {"bytes", COUNT, false, ISO_MOST_COUNT},
                                        {"data", BYTES, true, ISO_LONGEST_CERTIFICATE},
                                        {NULL, NAME, false, 0}};

static const column of_planned[] = {{"environment", COUNT, false, 9e15}, {"suite", NAME, false, 0},
                                    {"history", NAME, false, 0},         {"family", NAME, false, 0},
                                    {"level", NAME, false, 0},           {"checker", NAME, false, 0},
                                    {"repeat", COUNT, false, 1e6},       {NULL, NAME, false, 0}};

static const struct {
    const char *name;
    const column *columns;
    bool may_miss; /* files that an older isolab wrote do not have the table */
} tables[] = {{"environment", of_environment, false},
              {"history", of_history, false},
              {"run", of_run, false},
              {"certificate", of_certificate, true},
              {"planned", of_planned, true}};

typedef struct check {
    iso_pool *pool;
    sqlite3 *db;
    sqlite3_stmt *s;
    const char *database, *path, *table;
} check;

/* ---- SQLite ---- */

static int over(void *limits) { return iso_over(limits) != ISO_LIMIT_NONE; }

void iso_results_harden(sqlite3 *db, iso_limits *limits) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
    sqlite3_progress_handler(db, 10000, over, limits);
}

_Noreturn void iso_results_failed(iso_pool *pool, sqlite3 *db, const char *path) {
    int code = sqlite3_errcode(db) & 0xff;
    bool system = code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN || code == SQLITE_BUSY ||
                  code == SQLITE_LOCKED || code == SQLITE_READONLY || code == SQLITE_PERM || code == SQLITE_PROTOCOL;
    if (code == SQLITE_INTERRUPT) {
        iso_tick_slow(pool->env);
    }
    if (code == SQLITE_NOMEM) {
        iso_throw_limit(pool->env, ISO_LIMIT_MEMORY, "out of memory (SQLite)");
    }
    iso_throw_file(pool->env, system ? ISOLAB_E_IO : ISOLAB_E_INPUT, path, "%s", sqlite3_errmsg(db));
}

static void prepare(check *c, const char *sql) {
    sqlite3_finalize(c->s);
    c->s = NULL;
    if (sqlite3_prepare_v2(c->db, sql, -1, &c->s, NULL) != SQLITE_OK) {
        iso_results_failed(c->pool, c->db, c->path);
    }
}

static bool next_row(check *c) {
    int code = sqlite3_step(c->s);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        iso_results_failed(c->pool, c->db, c->path);
    }
    return code == SQLITE_ROW;
}

/* ---- the checks ---- */

static bool exists(check *c) {
    prepare(c, iso_format_text(c->pool, "SELECT 1 FROM %s.sqlite_schema WHERE name = '%s' COLLATE NOCASE", c->database,
                               c->table));
    return next_row(c);
}

/* Checks that a table is an ordinary one. A view, or a virtual table of a module, could run code. */
static void check_table(check *c) {
    prepare(c, iso_format_text(
                   c->pool,
                   "SELECT type = 'table' AND sql NOT LIKE 'create virtual%%' FROM %s.sqlite_schema WHERE name = "
                   "'%s' COLLATE NOCASE",
                   c->database, c->table));
    if (!next_row(c) || sqlite3_column_int(c->s, 0) == 0) {
        iso_throw_file(c->pool->env, ISOLAB_E_INPUT, c->path, "expected a file of results, found no table %s",
                       c->table);
    }
}

/* Checks that a column exists and is not computed. */
static void check_column(check *c, const char *name) {
    prepare(c, iso_format_text(c->pool, "SELECT 1 FROM pragma_table_xinfo('%s', '%s') WHERE name = '%s' AND hidden = 0",
                               c->table, c->database, name));
    if (!next_row(c)) {
        iso_throw_file(c->pool->env, ISOLAB_E_INPUT, c->path,
                       "expected a file of results, found no column %s of table %s", name, c->table);
    }
}

static const char *found(check *c, int at) {
    switch (sqlite3_column_type(c->s, at)) {
    case SQLITE_NULL:
        return "nothing";
    case SQLITE_BLOB:
        return iso_format_text(c->pool, "%d bytes", sqlite3_column_bytes(c->s, at));
    case SQLITE_FLOAT:
        return iso_format_text(c->pool, "%g", sqlite3_column_double(c->s, at));
    case SQLITE_INTEGER:
        return iso_format_text(c->pool, "%" PRId64, (int64_t)sqlite3_column_int64(c->s, at));
    default: {
        int n = sqlite3_column_bytes(c->s, at);
        return n > 60 ? iso_format_text(c->pool, "a text of %d bytes", n)
                      : iso_format_text(c->pool, "\"%s\"", (const char *)sqlite3_column_text(c->s, at));
    }
    }
}

static bool is_text(check *c, int at, int longest) {
    if (sqlite3_column_type(c->s, at) != SQLITE_TEXT) {
        return false;
    }
    const char *text = (const char *)sqlite3_column_text(c->s, at);
    int n = sqlite3_column_bytes(c->s, at);
    return text != NULL && n <= longest && strlen(text) == (size_t)n;
}

static bool is_object(check *c, int at, const column *col) {
    if (!is_text(c, at, ISO_LONGEST_TEXT)) {
        return false;
    }
    json_t *object = json_loads((const char *)sqlite3_column_text(c->s, at), 0, NULL), *value;
    const char *name;
    bool good = json_is_object(object);
    json_object_foreach(object, name, value) {
        double number = json_number_value(value), least = col->kind == PARAMETERS ? -col->most : 0;
        good &= json_is_number(value) ? number >= least && number <= col->most
                                      : col->kind == PARAMETERS && json_is_string(value);
        good &= strlen(name) <= ISO_LONGEST_NAME;
    }
    json_decref(object);
    return good;
}

/* Returns what is expected and missing; NULL: nothing is missing. */
static const char *missing(check *c, const column *col, int at) {
    int type = sqlite3_column_type(c->s, at);
    double number = sqlite3_column_double(c->s, at);
    iso_run_state state;
    if (type == SQLITE_NULL && col->may_miss) {
        return NULL;
    }
    switch (col->kind) {
    case NAME:
        return is_text(c, at, ISO_LONGEST_NAME) ? NULL : "a text of at most 1000 bytes";
    case TEXT:
        return is_text(c, at, ISO_LONGEST_TEXT) ? NULL : "a text of at most a million bytes";
    case COUNT:
        return type == SQLITE_INTEGER && number >= 0 && number <= col->most
                   ? NULL
                   : iso_format_text(c->pool, "a whole number from 0 to %g", col->most);
    case NUMBER:
    case OR_NONE: {
        bool right = (number >= 0 && number <= col->most) || (col->kind == OR_NONE && fabs(number + 1) <= 0);
        return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && right
                   ? NULL
                   : iso_format_text(c->pool, "a number from 0 to %g", col->most);
    }
    case NUMBERS:
        return is_object(c, at, col) ? NULL : "a JSON object of numbers";
    case PARAMETERS:
        return is_object(c, at, col) ? NULL : "a JSON object of texts and numbers";
    case STATE:
        return is_text(c, at, ISO_LONGEST_NAME) &&
                       iso_run_state_find((const char *)sqlite3_column_text(c->s, at), &state)
                   ? NULL
                   : "a state of docs/suites.md";
    case BYTES:
        return type == SQLITE_INTEGER && number >= 0 && number <= col->most ? NULL : "at most 64 MiB of bytes";
    case VERDICT:
        return is_text(c, at, ISO_LONGEST_NAME) &&
                       (strcmp((const char *)sqlite3_column_text(c->s, at), "satisfied") == 0 ||
                        strcmp((const char *)sqlite3_column_text(c->s, at), "violated") == 0)
                   ? NULL
                   : "satisfied or violated";
    }
    return "nothing of the kind";
}

static void check_rows(check *c, const column *columns) {
    const char *sql = "SELECT";
    int n = 0;
    for (; columns[n].name != NULL; n++) {
        check_column(c, columns[n].name);
        const char *form = columns[n].kind == BYTES ? "%s%s CASE typeof(\"%s\") WHEN 'blob' THEN length(\"%s\")"
                                                      " WHEN 'null' THEN NULL ELSE -1 END"
                                                    : "%s%s \"%s\"";
        sql = iso_format_text(c->pool, form, sql, n > 0 ? "," : "", columns[n].name, columns[n].name);
    }
    prepare(c, iso_format_text(c->pool, "%s FROM %s.%s", sql, c->database, c->table));
    for (uint64_t row = 1; next_row(c); row++) {
        for (int at = 0; at < n; at++) {
            const char *expected = missing(c, &columns[at], at);
            if (expected != NULL) {
                iso_throw_file(c->pool->env, ISOLAB_E_INPUT, c->path,
                               "row %" PRIu64 " of table %s: %s: expected %s, found %s", row, c->table,
                               columns[at].name, expected, found(c, at));
            }
        }
    }
}

/* Checks that every row of the table has an environment and a history. */
static void check_references(check *c) {
    static const char *const to[] = {"environment", "history"};
    for (int i = 0; i < 2; i++) {
        prepare(c, iso_format_text(c->pool, "SELECT id FROM %s.%s WHERE %s NOT IN (SELECT id FROM %s.%s) LIMIT 1",
                                   c->database, c->table, to[i], c->database, to[i]));
        if (next_row(c)) {
            iso_throw_file(c->pool->env, ISOLAB_E_INPUT, c->path, "%s %" PRId64 " is of no %s that is in the file",
                           c->table, (int64_t)sqlite3_column_int64(c->s, 0), to[i]);
        }
    }
}

static void check_all(void *arg) {
    check *c = arg;
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        c->table = tables[i].name;
        if (tables[i].may_miss && !exists(c)) {
            continue;
        }
        check_table(c);
        check_rows(c, tables[i].columns);
        if (tables[i].columns == of_run || tables[i].columns == of_certificate) {
            check_references(c);
        }
    }
}

void iso_results_check(iso_pool *pool, sqlite3 *db, const char *database, const char *path) {
    iso_pool own;
    iso_pool_init(&own, pool->env);
    check c = {.pool = &own, .db = db, .database = database, .path = path};
    int code = iso_guard(pool->env, check_all, &c);
    sqlite3_finalize(c.s);
    iso_pool_free(&own);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
}
