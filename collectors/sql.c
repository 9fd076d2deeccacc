/* Statements of SQL. See sql.h. */
#include "collectors/sql.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/print.h"

#define TABLE "isolab_replay" /* no table of a user has this name */

const iso_sql_level *iso_sql_at(const iso_database *db) {
    const iso_sql_level *l = db->collector->sql->levels;
    while (!iso_at_level(db, l->name)) {
        l++;
    }
    return l;
}

const char *iso_sql_fill(char to[ISO_SQL_ROOM], const char *statement, const char *table, const char *key,
                         const char *value) {
    size_t n = 0;
    for (const char *at = statement; *at != '\0' && n < ISO_SQL_ROOM - 1; at++) {
        const char *part = *at != '$' ? NULL : at[1] == 'T' ? table : at[1] == 'K' ? key : at[1] == 'V' ? value : NULL;
        if (part == NULL) {
            to[n++] = *at;
            continue;
        }
        n += (size_t)snprintf(to + n, ISO_SQL_ROOM - n, "%s", part);
        at++;
    }
    to[n < ISO_SQL_ROOM ? n : ISO_SQL_ROOM - 1] = '\0';
    return to;
}

const char *iso_sql_unshown(const iso_database *db) {
    return db->collector->sql == NULL ? "it has no SQL" : iso_sql_at(db)->unshown;
}

typedef struct printing {
    FILE *out;
    const iso_database *db;
    const iso_sql *sql;
    const iso_script *s;
    const iso_played *p;
} printing;

/* Prints a text into a comment: what a client or a terminal could take for a command becomes a `?`. */
static void put_words(FILE *out, const char *text) {
    for (const char *c = text; *c != '\0'; c++) {
        iso_say(out, "%c", isalnum((unsigned char)*c) || strchr(" _-./,:'\"=()[]", *c) != NULL ? *c : '?');
    }
}

/* Prints a statement with the key and the value in their places; the comment that follows ends the line. */
static void put_statement(const printing *t, const char *statement, uint32_t key, int64_t value) {
    char k[16], v[24], sql[ISO_SQL_ROOM];
    snprintf(k, sizeof k, "%" PRIu32, key);
    snprintf(v, sizeof v, "%" PRId64, value);
    iso_say(t->out, "%s;", iso_sql_fill(sql, statement, TABLE, k, v));
}

static void put_line(const printing *t, const char *statement) {
    put_statement(t, statement, 0, 0);
    iso_say(t->out, "\n");
}

static void put_cell(const printing *t, uint32_t key, const iso_cell *cell) {
    iso_say(t->out, "%s", t->s->key[key]);
    iso_played_print(t->out, t->s, cell);
    iso_say(t->out, "\n");
}

static void put_head(const printing *t, const char *verdict) {
    iso_say(t->out, "-- ");
    put_words(t->out, t->s->name);
    if (t->s->summary != NULL) {
        iso_say(t->out, ": ");
        put_words(t->out, t->s->summary);
    }
    iso_say(t->out,
            "\n-- %s %s at %s: %s\n-- The comments number the statements in the order in which they were sent, and say "
            "what was answered.\n-- Each session is a connection of its own: split this text into its files by\n"
            "--     awk '/^-- file /{f=$3} f!=\"\"{print > f}' THIS\n--     %ssetup.sql; for s in ",
            t->db->collector->title, t->db->version, t->db->level->name, verdict, t->sql->client);
    for (uint32_t i = 0; i < t->s->n_sessions; i++) {
        iso_say(t->out, "%s%u", i == 0 ? "" : " ", i + 1);
    }
    iso_say(t->out, "; do %ss$s.sql & done; wait; %send.sql\n", t->sql->client, t->sql->client);
}

static void put_setup(const printing *t) {
    const iso_sql_level *level = iso_sql_at(t->db);
    iso_say(t->out, "-- file setup.sql\n");
    if (level->once != NULL) {
        put_line(t, level->once);
    }
    put_line(t, "DROP TABLE IF EXISTS $T");
    put_line(t, t->sql->create[t->s->lists]);
    for (uint32_t k = 0; k < t->s->n_keys; k++) {
        if (t->sql->row != NULL) {
            put_statement(t, t->sql->row, k, 0);
            iso_say(t->out, " -- %s\n", t->s->key[k]);
        }
        if (t->s->initial[k] != ISO_NO_VALUE) {
            put_statement(t, t->sql->change[t->s->lists], k, t->s->initial[k]);
            iso_say(t->out, " -- %s\n", t->s->key[k]);
        }
    }
}

static const char *statement_of(const printing *t, const iso_step *step) {
    switch (step->kind) {
    case ISO_STEP_BEGIN:
        return iso_sql_at(t->db)->begin;
    case ISO_STEP_READ:
        return t->sql->read;
    case ISO_STEP_WRITE:
    case ISO_STEP_APPEND:
        return t->sql->change[t->s->lists];
    case ISO_STEP_COMMIT:
        return "COMMIT";
    case ISO_STEP_ABORT:
        break;
    }
    return "ROLLBACK";
}

/* Prints a step, and before it how long its client waits after the end of the session's last step. */
static void put_step(const printing *t, uint32_t i, int64_t since) {
    const iso_step *step = &t->s->steps[i];
    const iso_played_step *r = &t->p->steps[i];
    unsigned pauses = 0;
    for (uint32_t j = 0; j <= i; j++) {
        pauses += t->p->steps[j].end != ISO_PLAYED_SKIPPED && t->p->steps[j].began > since;
    }
    iso_say(t->out, "%s%.1f\n", t->sql->pause, 0.5 * pauses);
    put_statement(t, statement_of(t, step), step->key, step->value);
    iso_say(t->out, " -- %u: %s", i + 1, r->waited ? "waits; then " : "");
    if (r->end != ISO_PLAYED_DONE) {
        iso_say(t->out, "%s: ", r->end == ISO_PLAYED_REFUSED ? "refused" : "lost");
        put_words(t->out, r->why);
        iso_say(t->out, "\n");
        put_line(t, "ROLLBACK");
    } else if (step->kind == ISO_STEP_READ) {
        put_cell(t, step->key, &r->cell);
    } else {
        iso_say(t->out, "%s\n",
                step->kind == ISO_STEP_WRITE || step->kind == ISO_STEP_APPEND ? t->s->key[step->key] : "done");
    }
}

static void put_session(const printing *t, uint32_t session) {
    const iso_sql_level *level = iso_sql_at(t->db);
    int64_t since = INT64_MIN;
    iso_say(t->out, "-- file s%u.sql: session %s", session + 1, t->s->session[session]);
    if (t->sql->nodes > 1) {
        iso_say(t->out, ", on node %u of %u", session % t->sql->nodes + 1, t->sql->nodes);
    }
    iso_say(t->out, "\n");
    for (int i = 0; i < ISO_SQL_SETTINGS && level->settings[i] != NULL; i++) {
        put_line(t, level->settings[i]);
    }
    for (uint32_t i = 0; i < t->s->n; i++) {
        if (t->s->steps[i].session == session && t->p->steps[i].end != ISO_PLAYED_SKIPPED) {
            put_step(t, i, since);
            since = t->p->steps[i].ended;
        }
    }
}

void iso_sql_print(FILE *out, const iso_database *db, const iso_script *s, const iso_played *p, const char *verdict) {
    printing t = {out, db, db->collector->sql, s, p};
    put_head(&t, verdict);
    put_setup(&t);
    for (uint32_t i = 0; i < s->n_sessions; i++) {
        put_session(&t, i);
    }
    iso_say(out, "-- file end.sql\n");
    for (uint32_t k = 0; k < s->n_keys; k++) {
        put_statement(&t, t.sql->read, k, 0);
        iso_say(out, " -- ");
        put_cell(&t, k, &p->left[k]);
    }
    put_line(&t, "DROP TABLE $T");
}
