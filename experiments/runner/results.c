/* See results.h. */
#include "experiments/runner/results.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "checkers/result.h"
#include "experiments/runner/results_check.h"

struct iso_results {
    iso_pool *pool;
    const char *path;
    sqlite3 *db;
    sqlite3_stmt *has, *add;
    iso_results_use use;
    bool any_machine;
};

static const char *const states[ISO_RUN_STATES] = {"ok",    "wrong",       "timeout", "out of memory",
                                                   "crash", "unsupported", "refused", "not installed"};

const char *iso_run_state_name(iso_run_state state) { return states[state]; }

/* `application_id` of SQLite: identifies a file of results. */
#define APPLICATION 0x49534f4c
static const char schema[] =
    "PRAGMA application_id = 1230196556;"
    "CREATE TABLE IF NOT EXISTS environment (id INTEGER PRIMARY KEY, label TEXT, commit_id TEXT, program TEXT,"
    " version TEXT, compiler TEXT, flags TEXT, host TEXT, kernel TEXT, cpu TEXT, governor TEXT, cores INTEGER,"
    " memory INTEGER, first_used TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"
    " UNIQUE (label, program, host, kernel, cpu));"
    "CREATE TABLE IF NOT EXISTS history (id INTEGER PRIMARY KEY, name TEXT, family TEXT, source TEXT, parameters TEXT,"
    " sha256 TEXT, bytes INTEGER, sessions INTEGER, transactions INTEGER, operations INTEGER, keys INTEGER,"
    " UNIQUE (name, source, sha256));"
    "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, environment INTEGER REFERENCES environment,"
    " history INTEGER REFERENCES history, key TEXT, suite TEXT, level TEXT, checker TEXT, command TEXT,"
    " repetition INTEGER, state TEXT, verdict TEXT, expected TEXT, reason TEXT, exit_status INTEGER, signal INTEGER,"
    " wall_ms REAL, user_ms REAL, system_ms REAL, peak_kib INTEGER, counted_peak INTEGER, phases TEXT, counters TEXT,"
    " load REAL, ended TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),"
    " UNIQUE (environment, key, repetition));"
    "CREATE TABLE IF NOT EXISTS certificate (id INTEGER PRIMARY KEY, environment INTEGER REFERENCES environment,"
    " history INTEGER REFERENCES history, level TEXT, verdict TEXT, checker TEXT, reason TEXT, sha256 TEXT,"
    " bytes INTEGER, data BLOB, UNIQUE (environment, history, level, verdict, checker));"
    "CREATE TABLE IF NOT EXISTS planned (environment INTEGER REFERENCES environment, suite TEXT, history TEXT,"
    " family TEXT, level TEXT, checker TEXT, repeat INTEGER, UNIQUE (environment, suite, history, level, checker));";

bool iso_run_state_find(const char *name, iso_run_state *state) {
    for (unsigned i = 0; i < ISO_RUN_STATES; i++) {
        if (strcmp(states[i], name) == 0) {
            *state = (iso_run_state)i;
            return true;
        }
    }
    return false;
}

void iso_results_throw(iso_results *r) { iso_results_failed(r->pool, r->db, r->path); }

static void execute(iso_results *r, const char *sql) {
    if (sqlite3_exec(r->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        iso_results_throw(r);
    }
}

static sqlite3_stmt *prepare(iso_results *r, const char *sql) {
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) != SQLITE_OK) {
        iso_results_throw(r);
    }
    return s;
}

static int64_t pragma(iso_results *r, const char *sql) {
    sqlite3_stmt *s = prepare(r, sql);
    int64_t n = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    if (sqlite3_finalize(s) != SQLITE_OK) {
        iso_results_throw(r);
    }
    return n;
}

static void open_tables(void *arg) {
    iso_results *r = arg;
    sqlite3_busy_timeout(r->db, 20000);
    iso_results_harden(r->db, r->pool->env->limits);
    int64_t application = pragma(r, "PRAGMA application_id"), tables = pragma(r, "SELECT count(*) FROM sqlite_schema");
    if (application != APPLICATION && tables != 0) {
        iso_throw_file(r->pool->env, ISOLAB_E_INPUT, r->path, "expected a file of results, found another database");
    }
    if (tables != 0) {
        iso_results_check(r->pool, r->db, "main", r->path);
    }
    if (r->use != ISO_RESULTS_READ) {
        execute(r, r->use == ISO_RESULTS_SHARED ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
        execute(r, "PRAGMA synchronous = FULL; BEGIN IMMEDIATE;");
        execute(r, schema);
        execute(r, "COMMIT");
        r->has =
            prepare(r, "SELECT state, wall_ms, verdict FROM run WHERE environment = ? AND key = ? AND repetition = ?");
        r->add = prepare(r, "INSERT OR IGNORE INTO run (environment, history, key, suite, level, checker, command,"
                            " repetition, state, verdict, expected, reason, exit_status, signal, wall_ms, user_ms,"
                            " system_ms, peak_kib, counted_peak, phases, counters, load)"
                            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    } else if (tables == 0) {
        iso_throw_file(r->pool->env, ISOLAB_E_INPUT, r->path, "there are no results in it");
    }
}

iso_results *iso_results_open(iso_pool *pool, const char *path, iso_results_use use) {
    iso_results *r = ISO_ZNEW(pool, iso_results, 1);
    r->pool = pool;
    r->path = path;
    r->use = use;
    /* A reader opens the file for writing if possible, so that it can roll back the unfinished transaction of a killed
     * writer. */
    int how = SQLITE_OPEN_READWRITE | (use != ISO_RESULTS_READ ? SQLITE_OPEN_CREATE : 0);
    int code = sqlite3_open_v2(path, &r->db, how, NULL);
    if (code == SQLITE_OK) {
        code = iso_guard(pool->env, open_tables, r);
        if (code == ISOLAB_OK) {
            return r;
        }
        iso_results_close(r);
        iso_rethrow(pool->env);
    }
    sqlite3_close(r->db);
    iso_throw_file(pool->env, ISOLAB_E_IO, path, "%s",
                   access(path, F_OK) != 0 ? strerror(errno) : sqlite3_errstr(code));
}

void iso_results_close(iso_results *r) {
    if (r != NULL && r->db != NULL) {
        sqlite3_finalize(r->has);
        sqlite3_finalize(r->add);
        sqlite3_close(r->db);
        r->db = NULL;
    }
}

sqlite3 *iso_results_db(iso_results *r) { return r->db; }

static void bind(sqlite3_stmt *s, int at, const char *text) {
    int n = text != NULL ? (int)strnlen(text, ISO_LONGEST_TEXT) : 0;
    sqlite3_bind_text(s, at, text, n, SQLITE_STATIC);
}

/* Steps a statement that returns no row or one number, and finalizes it. */
static int64_t step(iso_results *r, sqlite3_stmt *s) {
    int code = sqlite3_step(s);
    int64_t n = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    if (sqlite3_finalize(s) != SQLITE_OK || (code != SQLITE_ROW && code != SQLITE_DONE)) {
        iso_results_throw(r);
    }
    return n;
}

int64_t iso_results_environment(iso_results *r, const iso_environment *e, const char *label) {
    sqlite3_stmt *s = prepare(r, "INSERT OR IGNORE INTO environment (label, program, host, kernel, cpu, commit_id,"
                                 " version, compiler, flags, governor, cores, memory)"
                                 " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
    const char *text[] = {label,     e->program, e->host,     e->kernel, e->cpu,
                          e->commit, e->version, e->compiler, e->flags,  e->governor};
    for (int i = 0; i < 10; i++) {
        bind(s, i + 1, text[i]);
    }
    sqlite3_bind_int64(s, 11, e->cores);
    sqlite3_bind_int64(s, 12, (int64_t)e->memory);
    step(r, s);
    s = prepare(r,
                "SELECT id FROM environment WHERE label = ? AND program = ? AND host = ? AND kernel = ? AND cpu = ?");
    for (int i = 0; i < 5; i++) {
        bind(s, i + 1, text[i]);
    }
    return step(r, s);
}

int64_t iso_results_history(iso_results *r, const iso_instance *i) {
    sqlite3_stmt *s = prepare(r, "INSERT OR IGNORE INTO history (name, source, sha256, family, parameters, bytes,"
                                 " sessions, transactions, operations, keys) VALUES (?,?,?,?,?,?,?,?,?,?)");
    const char *text[] = {i->name, i->source, i->sha256, i->family, i->parameters};
    const uint64_t number[] = {i->bytes, i->sessions, i->transactions, i->operations, i->keys};
    for (int k = 0; k < 5; k++) {
        bind(s, k + 1, text[k]);
        sqlite3_bind_int64(s, k + 6, (int64_t)number[k]);
    }
    step(r, s);
    s = prepare(r, "SELECT id FROM history WHERE name = ? AND source = ? AND sha256 = ?");
    for (int k = 0; k < 3; k++) {
        bind(s, k + 1, text[k]);
    }
    return step(r, s);
}

void iso_results_any_machine(iso_results *r, const char *label, const char *program) {
    sqlite3_finalize(r->has);
    r->has = NULL;
    r->has = prepare(r, "SELECT state, wall_ms, verdict FROM run WHERE environment IN (SELECT id FROM environment WHERE"
                        " label = ?4 AND program = ?5) AND key = ?2 AND repetition = ?3 LIMIT 1");
    bind(r->has, 4, label);
    bind(r->has, 5, program);
    r->any_machine = true;
}

const char *iso_verdict_word(const char *found) {
    for (unsigned v = 0; found != NULL && v <= ISOLAB_UNKNOWN; v++) {
        if (strcmp(iso_verdict_text((isolab_verdict)v), found) == 0) {
            return iso_verdict_text((isolab_verdict)v);
        }
    }
    return NULL;
}

bool iso_results_has(iso_results *r, int64_t environment, const char *key, unsigned repetition, iso_run *run) {
    if (!r->any_machine) {
        sqlite3_bind_int64(r->has, 1, environment);
    }
    bind(r->has, 2, key);
    sqlite3_bind_int64(r->has, 3, repetition);
    int code = sqlite3_step(r->has);
    bool found = code == SQLITE_ROW;
    run->state = ISO_RUN_OK;
    if (found) {
        iso_run_state_find((const char *)sqlite3_column_text(r->has, 0), &run->state);
        run->wall_ms = sqlite3_column_double(r->has, 1);
        run->verdict = iso_verdict_word((const char *)sqlite3_column_text(r->has, 2));
    }
    if (sqlite3_reset(r->has) != SQLITE_OK) {
        iso_results_throw(r);
    }
    return found;
}

void iso_results_forget(iso_results *r, const char *reason) {
    sqlite3_stmt *s = prepare(r, "DELETE FROM run WHERE verdict IS NULL AND reason = ?");
    bind(s, 1, reason);
    step(r, s);
}

void iso_results_add(iso_results *r, int64_t environment, int64_t history, const char *key, const iso_run *run) {
    sqlite3_stmt *s = r->add;
    int at = 1;
    sqlite3_bind_int64(s, at++, environment);
    sqlite3_bind_int64(s, at++, history);
    bind(s, at++, key);
    bind(s, at++, run->suite);
    bind(s, at++, run->level);
    bind(s, at++, run->checker);
    bind(s, at++, run->command);
    sqlite3_bind_int64(s, at++, run->repetition);
    bind(s, at++, iso_run_state_name(run->state));
    bind(s, at++, run->verdict);
    bind(s, at++, run->expected);
    bind(s, at++, run->reason);
    sqlite3_bind_int(s, at++, run->exit_status);
    sqlite3_bind_int(s, at++, run->signal);
    sqlite3_bind_double(s, at++, run->wall_ms);
    sqlite3_bind_double(s, at++, run->user_ms);
    sqlite3_bind_double(s, at++, run->system_ms);
    sqlite3_bind_int64(s, at++, run->peak_kib);
    sqlite3_bind_int64(s, at++, (int64_t)run->counted_peak);
    bind(s, at++, run->phases);
    bind(s, at++, run->counters);
    sqlite3_bind_double(s, at++, run->load);
    sqlite3_step(s); /* sqlite3_reset() reports the error */
    if (sqlite3_reset(s) != SQLITE_OK) {
        iso_results_throw(r);
    }
}

static void add_plan(iso_results *r, int64_t environment, const char *suite, const iso_planned *p) {
    sqlite3_stmt *s = prepare(r, "INSERT OR IGNORE INTO planned (suite, history, family, level, checker, environment,"
                                 " repeat) VALUES (?,?,?,?,?,?,?)");
    const char *text[] = {suite, p->history, p->family, p->level, p->checker};
    for (int i = 0; i < 5; i++) {
        bind(s, i + 1, text[i]);
    }
    sqlite3_bind_int64(s, 6, environment);
    sqlite3_bind_int64(s, 7, p->repeat);
    step(r, s);
}

void iso_results_plan(iso_results *r, int64_t environment, const char *suite, const iso_planned *planned, size_t n) {
    execute(r, "BEGIN IMMEDIATE"); /* closing the file rolls back what an error left */
    sqlite3_stmt *s = prepare(r, "DELETE FROM planned WHERE suite = ?1 AND environment IN (SELECT o.id FROM environment"
                                 " o JOIN environment e ON o.label = e.label AND o.program = e.program WHERE"
                                 " e.id = ?2)");
    bind(s, 1, suite);
    sqlite3_bind_int64(s, 2, environment);
    step(r, s);
    for (size_t i = 0; i < n; i++) {
        add_plan(r, environment, suite, &planned[i]);
    }
    execute(r, "COMMIT");
}

void iso_results_leave_out(iso_results *r, int64_t environment, const char *suite, const char *history) {
    sqlite3_stmt *s =
        prepare(r, "UPDATE planned SET repeat = 0 WHERE suite = ?1 AND history = ?2 AND environment = ?3");
    bind(s, 1, suite);
    bind(s, 2, history);
    sqlite3_bind_int64(s, 3, environment);
    step(r, s);
}

bool iso_results_has_certificate(iso_results *r, const iso_certificate_row *c) {
    sqlite3_stmt *s = prepare(r, "SELECT 1 FROM certificate WHERE history = ?1 AND level = ?2 AND verdict = ?3 AND"
                                 " (data IS NOT NULL OR (environment = ?4 AND checker = ?5))");
    sqlite3_bind_int64(s, 1, c->history);
    bind(s, 2, c->level);
    bind(s, 3, c->verdict);
    sqlite3_bind_int64(s, 4, c->environment);
    bind(s, 5, c->checker);
    return step(r, s) == 1;
}

void iso_results_add_certificate(iso_results *r, const iso_certificate_row *c) {
    sqlite3_stmt *s = prepare(r, "INSERT OR IGNORE INTO certificate (level, verdict, checker, reason, sha256,"
                                 " environment, history, bytes, data) VALUES (?,?,?,?,?,?,?,?,?)");
    const char *text[] = {c->level, c->verdict, c->checker, c->reason, c->sha256};
    for (int i = 0; i < 5; i++) {
        bind(s, i + 1, text[i]);
    }
    sqlite3_bind_int64(s, 6, c->environment);
    sqlite3_bind_int64(s, 7, c->history);
    sqlite3_bind_int64(s, 8, (int64_t)c->bytes);
    if (c->data != NULL) {
        sqlite3_bind_blob64(s, 9, c->data, c->size, SQLITE_STATIC);
    }
    step(r, s);
}

/* Certificates of the part, unless there is one of the verdict. */
static const char merge_certificates[] =
    "INSERT OR IGNORE INTO main.certificate (environment, history, level, verdict, checker, reason, sha256, bytes, "
    "data)"
    " SELECT e.id, h.id, c.level, c.verdict, c.checker, c.reason, c.sha256, c.bytes, c.data FROM part.certificate c"
    " JOIN part.environment pe ON pe.id = c.environment JOIN main.environment e ON e.label = pe.label AND"
    " e.program = pe.program AND e.host = pe.host AND e.kernel = pe.kernel AND e.cpu = pe.cpu"
    " JOIN part.history ph ON ph.id = c.history JOIN main.history h ON h.name = ph.name AND h.source = ph.source AND"
    " h.sha256 = ph.sha256"
    " WHERE NOT EXISTS (SELECT 1 FROM main.certificate o WHERE o.history = h.id AND o.level = c.level AND"
    " o.verdict = c.verdict AND o.data IS NOT NULL) ORDER BY c.id;";

/* Rows of the part keep their order, and get the numbers of their environment and history in this file. */
static const char merge[] =
    "BEGIN IMMEDIATE;"
    "INSERT OR IGNORE INTO main.environment (label, commit_id, program, version, compiler, flags, host, kernel, cpu,"
    " governor, cores, memory, first_used) SELECT label, commit_id, program, version, compiler, flags, host, kernel,"
    " cpu, governor, cores, memory, first_used FROM part.environment ORDER BY id;"
    "INSERT OR IGNORE INTO main.history (name, source, sha256, family, parameters, bytes, sessions, transactions,"
    " operations, keys) SELECT name, source, sha256, family, parameters, bytes, sessions, transactions, operations,"
    " keys FROM part.history ORDER BY id;"
    "INSERT OR IGNORE INTO main.run (environment, history, key, suite, level, checker, command, repetition, state,"
    " verdict, expected, reason, exit_status, signal, wall_ms, user_ms, system_ms, peak_kib, counted_peak, phases,"
    " counters, load, ended) SELECT e.id, h.id, r.key, r.suite, r.level, r.checker, r.command, r.repetition, r.state,"
    " r.verdict, r.expected, r.reason, r.exit_status, r.signal, r.wall_ms, r.user_ms, r.system_ms, r.peak_kib,"
    " r.counted_peak, r.phases, r.counters, r.load, r.ended FROM part.run r"
    " JOIN part.environment pe ON pe.id = r.environment JOIN main.environment e ON e.label = pe.label AND"
    " e.program = pe.program AND e.host = pe.host AND e.kernel = pe.kernel AND e.cpu = pe.cpu"
    " JOIN part.history ph ON ph.id = r.history JOIN main.history h ON h.name = ph.name AND h.source = ph.source AND"
    " h.sha256 = ph.sha256"
    " WHERE NOT EXISTS (SELECT 1 FROM main.run o WHERE o.environment IN (SELECT id FROM main.environment m WHERE"
    " m.label = pe.label AND m.program = pe.program) AND o.key = r.key AND o.repetition = r.repetition)"
    " AND NOT EXISTS (SELECT 1 FROM part.run o WHERE o.environment IN (SELECT id FROM part.environment m WHERE"
    " m.label = pe.label AND m.program = pe.program) AND o.key = r.key AND o.repetition = r.repetition AND o.id < r.id)"
    " ORDER BY r.id;";

/* What the part planned. A history that could not be made there (repeat 0) is not missing here. */
static const char merge_plan[] =
    "INSERT INTO main.planned (environment, suite, history, family, level, checker, repeat)"
    " SELECT e.id, p.suite, p.history, p.family, p.level, p.checker, p.repeat FROM part.planned p"
    " JOIN part.environment pe ON pe.id = p.environment JOIN main.environment e ON e.label = pe.label AND"
    " e.program = pe.program AND e.host = pe.host AND e.kernel = pe.kernel AND e.cpu = pe.cpu WHERE true"
    " ON CONFLICT (environment, suite, history, level, checker) DO UPDATE SET repeat = min(repeat, excluded.repeat);";

typedef struct merging {
    iso_results *results;
    const char *part;
    uint64_t added;
} merging;

/* Returns whether the part has a table; an older isolab wrote it without. */
static bool part_has(iso_results *r, const char *table) {
    sqlite3_stmt *s = prepare(r, "SELECT count(*) FROM part.sqlite_schema WHERE name = ?");
    bind(s, 1, table);
    return step(r, s) > 0;
}

static void merge_part(void *arg) {
    merging *m = arg;
    iso_results *r = m->results;
    if (access(m->part, R_OK) != 0) { /* ATTACH would create it */
        iso_throw_file(r->pool->env, ISOLAB_E_IO, m->part, "%s", strerror(errno));
    }
    sqlite3_stmt *s = prepare(r, "ATTACH ? AS part");
    bind(s, 1, m->part);
    step(r, s);
    int64_t application = pragma(r, "PRAGMA part.application_id");
    int64_t tables = pragma(r, "SELECT count(*) FROM part.sqlite_schema");
    if (application != APPLICATION && tables != 0) {
        iso_throw_file(r->pool->env, ISOLAB_E_INPUT, m->part, "expected a file of results, found another database");
    }
    if (tables != 0) { /* otherwise its task was killed before it began */
        iso_results_check(r->pool, r->db, "part", m->part);
        execute(r, merge);
        m->added = (uint64_t)sqlite3_changes64(r->db);
        if (part_has(r, "certificate")) {
            execute(r, merge_certificates);
        }
        if (part_has(r, "planned")) {
            execute(r, merge_plan);
        }
        execute(r, "COMMIT");
    }
}

int iso_results_merge(iso_results *r, const char *part, uint64_t *added) {
    merging m = {r, part, 0};
    const char *path = r->path;
    r->path = iso_format_text(r->pool, "%s, taking over %s", path, part);
    int code = iso_guard(r->pool->env, merge_part, &m);
    r->path = path;
    if (!sqlite3_get_autocommit(r->db)) {
        sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_exec(r->db, "DETACH part", NULL, NULL, NULL);
    *added = m.added;
    return code;
}
