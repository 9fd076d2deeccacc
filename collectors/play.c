/* Playing scripts. See play.h. */
#include "collectors/play.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/print.h"
#include "history/builder.h"

/* The longest wait for the last steps; after it their connections are cancelled. */
#define PATIENCE_NS (INT64_C(10) * 1000000000)
#define LOOK_NS INT64_C(20000000) /* time between two looks at the user's limits */

struct play;

/* A session: its thread does the steps mine[next .. given). */
typedef struct actor {
    struct play *play;
    iso_env env;
    iso_pool pool;
    iso_connection c;
    pthread_t thread;
    bool started, inside, leave, failed;
    uint32_t *mine; /* steps of this session, in order */
    uint32_t n, given, next;
} actor;

typedef struct play {
    iso_pool *pool;
    iso_database *db;
    const iso_script *script;
    uint32_t first_key;
    iso_played *out;
    int64_t wait;
    pthread_mutex_t lock;
    pthread_cond_t news;
    actor *actors;
    actor desk; /* sets up and reads at the end; it has no thread */
    int64_t setup_began, setup_ended, end_began, end_ended;
} play;

/* ---- one session ---- */

static iso_did call(actor *a, const iso_step *step, iso_played_step *p) {
    const iso_collector *k = a->c.db->collector;
    uint32_t key = a->play->first_key + step->key;
    switch (step->kind) {
    case ISO_STEP_BEGIN:
        return k->begin(&a->c);
    case ISO_STEP_READ:
        return a->c.db->lists ? k->read_list(&a->c, key, &p->cell) : k->read(&a->c, key, &p->cell);
    case ISO_STEP_WRITE:
        return k->write(&a->c, key, step->value);
    case ISO_STEP_APPEND:
        return k->append(&a->c, key, step->value);
    case ISO_STEP_COMMIT:
        return k->commit(&a->c);
    case ISO_STEP_ABORT:
        return k->abort(&a->c);
    }
    return ISO_FAILED;
}

static void do_step(actor *a, const iso_step *step, iso_played_step *p) {
    p->began = iso_now();
    if (step->kind != ISO_STEP_BEGIN && !a->inside) {
        p->end = ISO_PLAYED_SKIPPED;
        p->ended = p->began;
        return;
    }
    iso_did did = call(a, step, p);
    p->ended = iso_now();
    p->end = did == ISO_DONE ? ISO_PLAYED_DONE : did == ISO_REFUSED ? ISO_PLAYED_REFUSED : ISO_PLAYED_LOST;
    a->failed |= did == ISO_FAILED;
    a->inside = did == ISO_DONE && step->kind != ISO_STEP_COMMIT && step->kind != ISO_STEP_ABORT;
    if (did != ISO_DONE) {
        snprintf(p->why, sizeof p->why, "%.199s", a->c.why);
    }
}

/* Does the steps that are given, until it may leave. */
static void act(void *arg) {
    actor *a = arg;
    play *y = a->play;
    pthread_mutex_lock(&y->lock);
    for (;;) {
        while (a->next == a->given && !a->leave) {
            pthread_cond_wait(&y->news, &y->lock);
        }
        if (a->next == a->given) {
            break;
        }
        uint32_t step = a->mine[a->next];
        pthread_mutex_unlock(&y->lock);
        do_step(a, &y->script->steps[step], &y->out->steps[step]);
        pthread_mutex_lock(&y->lock);
        a->next++;
        pthread_cond_broadcast(&y->news);
    }
    pthread_mutex_unlock(&y->lock);
}

static void *run_actor(void *arg) {
    actor *a = arg;
    if (iso_guard(&a->env, act, a) != ISOLAB_OK) {
        pthread_mutex_lock(&a->play->lock);
        a->failed = true;
        a->next = a->given;
        pthread_cond_broadcast(&a->play->news);
        pthread_mutex_unlock(&a->play->lock);
    }
    return NULL;
}

/* ---- the order of the script ---- */

static bool is_over(const play *y) { return iso_over(y->pool->env->limits) != ISO_LIMIT_NONE; }

/* Waits for a limited time, and not beyond the user's limits, until a session has done its given steps. Returns whether
 * it has. */
static bool wait_for(play *y, const actor *a, int64_t ns) {
    for (int64_t now = iso_now(), end = now + ns; a->next < a->given && now < end && !is_over(y); now = iso_now()) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        int64_t at = (int64_t)until.tv_nsec + (end - now < LOOK_NS ? end - now : LOOK_NS);
        until.tv_sec += (time_t)(at / 1000000000);
        until.tv_nsec = (long)(at % 1000000000);
        pthread_cond_timedwait(&y->news, &y->lock, &until);
    }
    return a->next == a->given;
}

/* Gives the steps to the sessions in the order of the script, and waits for the last ones. A session that gets no
 * answer is cancelled, and its transaction is indeterminate. */
static void conduct(play *y) {
    const iso_script *s = y->script;
    pthread_mutex_lock(&y->lock);
    for (uint32_t i = 0; i < s->n && !is_over(y); i++) {
        actor *a = &y->actors[s->steps[i].session];
        bool late = a->next < a->given;
        a->given++;
        pthread_cond_broadcast(&y->news);
        y->out->steps[i].waited = late || !wait_for(y, a, y->wait);
    }
    for (uint32_t i = 0; i < s->n_sessions; i++) {
        actor *a = &y->actors[i];
        for (int tries = 0; tries < 3 && !wait_for(y, a, PATIENCE_NS); tries++) {
            if (y->db->collector->cancel != NULL) {
                y->db->collector->cancel(&a->c);
            }
        }
    }
    pthread_mutex_unlock(&y->lock);
}

static void connect_actor(play *y, actor *a, uint32_t session) {
    a->play = y;
    iso_env_fork(&a->env, y->pool->env);
    iso_pool_init(&a->pool, &a->env);
    a->c = (iso_connection){.db = y->db, .pool = &a->pool, .session = session};
    a->c.state = iso_zalloc(&a->pool, 1, y->db->collector->connection_size + 1);
    a->started = true;
    if (y->db->collector->connect(&a->c) != ISO_DONE) {
        iso_throw(y->pool->env, ISOLAB_E_IO, "%s: %s", y->db->collector->title, a->c.why);
    }
}

/* ---- the values before and after ---- */

static void need(play *y, iso_did did) {
    if (did != ISO_DONE) {
        iso_throw(y->pool->env, ISOLAB_E_IO, "%s: %s", y->db->collector->title, y->desk.c.why);
    }
}

static void set_up(play *y) {
    const iso_collector *k = y->db->collector;
    y->setup_began = iso_now();
    need(y, k->begin(&y->desk.c));
    for (uint32_t i = 0; i < y->script->n_keys; i++) {
        int64_t value = y->script->initial[i];
        uint32_t key = y->first_key + i;
        if (value != ISO_NO_VALUE) {
            need(y, y->db->lists ? k->append(&y->desk.c, key, value) : k->write(&y->desk.c, key, value));
        }
    }
    need(y, k->commit(&y->desk.c));
    y->setup_ended = iso_now();
}

static void read_left(play *y) {
    const iso_collector *k = y->db->collector;
    y->out->left = ISO_ZNEW(y->pool, iso_cell, y->script->n_keys);
    y->end_began = iso_now();
    need(y, k->begin(&y->desk.c));
    for (uint32_t i = 0; i < y->script->n_keys; i++) {
        uint32_t key = y->first_key + i;
        need(y, y->db->lists ? k->read_list(&y->desk.c, key, &y->out->left[i])
                             : k->read(&y->desk.c, key, &y->out->left[i]));
    }
    need(y, k->commit(&y->desk.c));
    y->end_ended = iso_now();
}

/* ---- the history ---- */

static void add_read(iso_pool *pool, iso_builder *b, uint32_t txn, uint32_t key, const iso_cell *cell, bool list) {
    if (!list) {
        iso_builder_op(b, txn, ISO_READ, key, cell->value == ISO_NO_VALUE ? iso_atom_nil() : iso_atom_int(cell->value));
        return;
    }
    iso_atom *elements = ISO_NEW(pool, iso_atom, cell->n);
    for (uint32_t i = 0; i < cell->n; i++) {
        elements[i] = iso_atom_int(cell->list[i]);
    }
    iso_builder_list_read(b, txn, key, elements, cell->n);
}

/* Adds the transactions of a session to the history: each from its begin to the step that ended it. */
static void add_session(play *y, iso_builder *b, const actor *a, const uint32_t *key) {
    const iso_script *s = y->script;
    uint32_t session =
        iso_builder_session(b, iso_builder_string(b, s->session[a->c.session], strlen(s->session[a->c.session])));
    uint32_t txn = 0;
    int64_t began = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const iso_step *step = &s->steps[a->mine[i]];
        const iso_played_step *p = &y->out->steps[a->mine[i]];
        if (step->kind == ISO_STEP_BEGIN) {
            txn = iso_builder_txn(b, session, iso_atom_nil(), ISO_ABORTED);
            began = p->began;
        }
        if (p->end == ISO_PLAYED_SKIPPED) {
            continue;
        }
        iso_builder_times(b, txn, began, p->ended);
        if (step->kind == ISO_STEP_READ && p->end == ISO_PLAYED_DONE) {
            add_read(y->pool, b, txn, key[step->key], &p->cell, y->db->lists);
        } else if (step->kind == ISO_STEP_WRITE || step->kind == ISO_STEP_APPEND) {
            iso_builder_op(b, txn, step->kind == ISO_STEP_WRITE ? ISO_WRITE : ISO_APPEND, key[step->key],
                           iso_atom_int(step->value));
        } else if (step->kind == ISO_STEP_COMMIT) {
            iso_builder_status(b, txn,
                               p->end == ISO_PLAYED_DONE      ? ISO_COMMITTED
                               : p->end == ISO_PLAYED_REFUSED ? ISO_ABORTED
                                                              : ISO_INDETERMINATE);
        }
    }
}

static isolab_history *history_of(play *y) {
    const iso_script *s = y->script;
    iso_builder *b = iso_builder_new(y->pool);
    uint32_t key[ISO_SCRIPT_KEYS];
    for (uint32_t k = 0; k < s->n_keys; k++) {
        key[k] = iso_builder_key(b, iso_builder_string(b, s->key[k], strlen(s->key[k])));
    }
    uint32_t setup =
        iso_builder_txn(b, iso_builder_session(b, iso_builder_string(b, "setup", 5)), iso_atom_nil(), ISO_COMMITTED);
    iso_builder_times(b, setup, y->setup_began, y->setup_ended);
    for (uint32_t k = 0; k < s->n_keys; k++) {
        if (s->initial[k] != ISO_NO_VALUE) {
            iso_builder_op(b, setup, y->db->lists ? ISO_APPEND : ISO_WRITE, key[k], iso_atom_int(s->initial[k]));
        }
    }
    for (uint32_t i = 0; i < s->n_sessions; i++) {
        add_session(y, b, &y->actors[i], key);
    }
    uint32_t end =
        iso_builder_txn(b, iso_builder_session(b, iso_builder_string(b, "end", 3)), iso_atom_nil(), ISO_COMMITTED);
    iso_builder_times(b, end, y->end_began, y->end_ended);
    for (uint32_t k = 0; k < s->n_keys; k++) {
        add_read(y->pool, b, end, key[k], &y->out->left[k], y->db->lists);
    }
    return iso_builder_finish(b);
}

/* ---- all of it ---- */

static void start(play *y) {
    const iso_script *s = y->script;
    connect_actor(y, &y->desk, s->n_sessions);
    set_up(y);
    for (uint32_t i = 0; i < s->n_sessions; i++) {
        y->actors[i].mine = ISO_NEW(y->pool, uint32_t, s->n);
        connect_actor(y, &y->actors[i], i);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        actor *a = &y->actors[s->steps[i].session];
        a->mine[a->n++] = i;
    }
}

/* Copies a list: a session's pool ends with it. */
static void keep_cell(play *y, iso_cell *cell) {
    int64_t *list = ISO_NEW(y->pool, int64_t, cell->n);
    if (cell->n > 0) {
        memcpy(list, cell->list, cell->n * sizeof *list);
    }
    cell->list = list;
}

static void play_script(void *arg) {
    play *y = arg;
    const iso_script *s = y->script;
    start(y);
    uint32_t begun = 0;
    while (begun < s->n_sessions && pthread_create(&y->actors[begun].thread, NULL, run_actor, &y->actors[begun]) == 0) {
        begun++;
    }
    if (begun == s->n_sessions) {
        conduct(y);
    }
    pthread_mutex_lock(&y->lock); /* also where a thread could not be made, and nothing was conducted */
    for (uint32_t i = 0; i < begun; i++) {
        y->actors[i].leave = true;
    }
    pthread_cond_broadcast(&y->news);
    pthread_mutex_unlock(&y->lock);
    for (uint32_t i = 0; i < begun; i++) {
        pthread_join(y->actors[i].thread, NULL);
    }
    iso_tick_slow(y->pool->env);
    for (uint32_t i = 0; i < s->n; i++) {
        keep_cell(y, &y->out->steps[i].cell);
        y->out->waited |= y->out->steps[i].waited;
        y->out->refused |= y->out->steps[i].end == ISO_PLAYED_REFUSED || y->out->steps[i].end == ISO_PLAYED_LOST;
    }
    for (uint32_t i = 0; i < s->n_sessions; i++) {
        if (y->actors[i].failed || begun < s->n_sessions) {
            iso_throw(y->pool->env, ISOLAB_E_IO, "%s: %s", y->db->collector->title,
                      begun < s->n_sessions ? "no thread for a session" : y->actors[i].c.why);
        }
        if (y->actors[i].inside) {
            y->db->collector->abort(&y->actors[i].c);
        }
    }
    read_left(y);
    for (uint32_t k = 0; k < s->n_keys; k++) {
        keep_cell(y, &y->out->left[k]);
    }
    y->out->history = history_of(y);
}

static void leave(play *y, actor *a) {
    if (a->started) {
        y->db->collector->disconnect(&a->c);
    }
}

void iso_play(iso_pool *pool, iso_database *db, const iso_script *script, uint32_t first_key, int64_t wait,
              iso_played *played) {
    play y = {.pool = pool, .db = db, .script = script, .first_key = first_key, .out = played, .wait = wait};
    pthread_mutex_init(&y.lock, NULL);
    pthread_cond_init(&y.news, NULL);
    *played = (iso_played){.steps = ISO_ZNEW(pool, iso_played_step, script->n)};
    y.actors = ISO_ZNEW(pool, actor, script->n_sessions);
    int code = iso_guard(pool->env, play_script, &y);
    for (uint32_t i = 0; i < script->n_sessions; i++) {
        leave(&y, &y.actors[i]);
    }
    leave(&y, &y.desk);
    for (uint32_t i = 0; i < script->n_sessions; i++) {
        if (y.actors[i].started) {
            iso_pool_free(&y.actors[i].pool);
        }
    }
    if (y.desk.started) {
        iso_pool_free(&y.desk.pool);
    }
    pthread_cond_destroy(&y.news);
    pthread_mutex_destroy(&y.lock);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
}

void iso_played_print(FILE *out, const iso_script *script, const iso_cell *cell) {
    if (!script->lists && cell->value == ISO_NO_VALUE) {
        iso_say(out, " = none");
    } else if (!script->lists) {
        iso_say(out, " = %lld", (long long)cell->value);
    }
    for (uint32_t i = 0; i < cell->n && script->lists; i++) {
        iso_say(out, "%s%lld", i == 0 ? " = [" : " ", (long long)cell->list[i]);
    }
    iso_say(out, "%s", !script->lists ? "" : cell->n > 0 ? "]" : " = []");
}
