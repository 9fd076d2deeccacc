/* Opening databases. See database.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "collectors/database.h"
#include "collectors/server.h"

enum { FEW_SESSIONS = 32 }; /* of a caller that has no option for it */

/* Refuses faults that the database cannot have. */
static void check_faults(const iso_database *db, const iso_args *args) {
    char word[32];
    const char *all = iso_arg_given(args, "faults") ? iso_arg_text(args, "faults") : "";
    if (*all == '\0' && iso_arg_given(args, "fault-every")) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--fault-every needs --faults");
    }
    for (const char *at = all; *at != '\0'; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        int n = snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        bool known = strcmp(word, "drop") == 0
                         ? db->collector->cancel != NULL
                         : db->collector->faults != NULL && iso_is_among(db->collector->faults, word, (size_t)n);
        if (!known) {
            iso_throw(args->pool->env, ISOLAB_E_USAGE, "--faults: %s cannot have \"%s\"; it has: drop %s",
                      db->collector->title, word, db->collector->faults == NULL ? "" : db->collector->faults);
        }
        if (strcmp(word, "drop") != 0 && !iso_arg_is(args, "spawn", "yes")) {
            iso_throw(args->pool->env, ISOLAB_E_USAGE, "--faults: \"%s\" is for a server of isolab's own: add --spawn",
                      word);
        }
    }
}

void iso_database_init(iso_database *db, const iso_collector *collector, iso_args *args, const iso_workload *workload) {
    const char *level = iso_arg_given(args, "level") ? iso_arg_text(args, "level") : collector->levels[0].name;
    *db = (iso_database){.collector = collector, .args = args, .pool = args->pool};
    db->level = iso_offer_find(collector, level);
    if (db->level == NULL) {
        char names[256] = "";
        size_t n = 0;
        for (const iso_offer *o = collector->levels; o->name != NULL && n < sizeof names; o++) {
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n == 0 ? "" : ", ", o->name);
        }
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "%s has no level \"%s\"; it has %s", collector->title, level, names);
    }
    if (collector->needs != NULL && !iso_arg_given(args, collector->needs)) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "%s needs --%s: %s", collector->title, collector->needs,
                  iso_args_find(args, collector->needs)->help);
    }
    db->n_keys = workload->n_keys;
    db->lists = workload->lists;
    if (db->lists && !collector->lists) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "%s has no lists", collector->title);
    }
    db->n_sessions = iso_args_find(args, "sessions") != NULL ? iso_arg_count(args, "sessions") : FEW_SESSIONS;
    db->durable = iso_arg_is(args, "durable", "yes");
    db->place = iso_arg_given(args, "folder") ? iso_arg_text(args, "folder") : NULL;
    db->on_disk = db->durable || db->place != NULL;
    if (iso_arg_is(args, "spawn", "yes") && collector->open != NULL && collector->spawn == NULL) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "%s has no server, so there is nothing to --spawn",
                  collector->title);
    }
    if (iso_args_find(args, "faults") != NULL) {
        check_faults(db, args);
    }
}

typedef struct opening {
    iso_database *db;
    void (*fn)(void *);
    void *arg;
} opening;

static void open_and_run(void *arg) {
    const opening *o = arg;
    o->db->collector->open(o->db);
    o->fn(o->arg);
}

void iso_with_open(iso_database *db, void (*fn)(void *), void *arg) {
    opening o = {db, fn, arg};
    const char *outer = db->folder;
    uint64_t one = iso_mix(iso_mix((uint64_t)iso_now()) + (uint64_t)getpid());
    snprintf(db->table, sizeof db->table, "isolab_%012" PRIx64, one >> 16);
    db->folder = iso_temporary_folder(db->pool, "open", outer);
    int code = iso_guard(db->pool->env, open_and_run, &o);
    db->collector->close(db);
    iso_remove_folder(db->folder);
    db->folder = outer;
    if (code != ISOLAB_OK) {
        iso_rethrow(db->pool->env);
    }
}

static void start_and_run(void *arg) {
    const opening *o = arg;
    iso_database *db = o->db;
    char why[256];
    if (iso_collector_missing(db->collector, why) != NULL) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "%s is not available here: %s", db->collector->title, why);
    }
    if (iso_arg_is(db->args, "spawn", "yes")) {
        iso_progress(db->pool->env, "starting a server", 0, 0);
        db->collector->spawn(db);
    }
    o->fn(o->arg);
}

void iso_with_server(iso_database *db, void (*fn)(void *), void *arg) {
    db->folder = db->home = iso_temporary_folder(db->pool, "collect", db->place);
    db->state = iso_zalloc(db->pool, 1, db->collector->database_size + 1);
    opening o = {db, fn, arg};
    int code = iso_guard(db->pool->env, start_and_run, &o);
    iso_server_end(db->server);
    db->server = NULL;
    iso_remove_folder(db->folder);
    if (code != ISOLAB_OK) {
        iso_rethrow(db->pool->env);
    }
}

static void open_within(void *arg) {
    const opening *o = arg;
    iso_with_open(o->db, o->fn, o->arg);
}

void iso_with_database(iso_database *db, void (*fn)(void *), void *arg) {
    iso_with_server(db, open_within, &(opening){db, fn, arg});
}

bool iso_forgets(const iso_database *db) {
    return db->collector->forgets && !db->durable && iso_args_find(db->args, "faults") != NULL &&
           iso_arg_given(db->args, "faults") && strstr(iso_arg_text(db->args, "faults"), "kill") != NULL;
}

void iso_database_fault(iso_database *db, const char *fault, uint64_t which) {
    const iso_collector *k = db->collector;
    if (k->fault != NULL) {
        k->fault(db, fault, which);
    } else {
        iso_server_fault(db->server, 0, fault, k->answers, db, k->title);
    }
}
