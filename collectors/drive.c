/* The driver of collectors. See drive.h. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/print.h"
#include "collectors/database.h"
#include "collectors/drive.h"
#include "collectors/recording.h"
#include "history/suspect.h"

const iso_option iso_drive_options[] = {
    {ISO_TEXT("level", NULL, "isolation level, by the database's own name: see `isolab list databases`"),
     .letter = 'l'},
    {ISO_COUNT("sessions", "8", 1, 4096, "clients, each with a thread and a connection")},
    {ISO_COUNT("txns", "10000", 0, 1e9, "transactions in all, retries not counted")},
    {ISO_SECONDS("seconds", NULL, "limit of the time of recording")},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "of the workload; the database and the threads stay as random as they are")},
    {ISO_COUNT("retries", "3", 0, 1e6, "attempts after the database refused a transaction, each a new transaction")},
    {ISO_REAL("aborts", "0", 0, 1, "share of transactions that their clients give up")},
    {ISO_COUNT("pause", "0", 0, 1e9, "microseconds that a client waits between two operations, on average")},
    {ISO_COUNT("lock-wait", "50", 0, 1e6, "milliseconds that a transaction waits for a lock before it is refused")},
    {ISO_COUNT("patience", "10", 0, 1e6,
               "seconds in which a lost connection must come back, and some session must get an answer")},
    {ISO_FLAG("spawn", "no", "start a private server for the run, on a loopback port and in a temporary folder")},
    {ISO_LIST(
        "faults", NULL,
        "harm the database while the clients run: drop (connections), kill, pause, isolate (servers of --spawn)")},
    {ISO_SECONDS("fault-every", "2", "time between two faults")},
    {ISO_FLAG("durable", "no", "a commit survives a crash; else it may be as fast as the database allows")},
    {ISO_TEXT(
         "folder", NULL,
         "make the folder of the database or its server in this one; embedded databases then use files, not memory"),
     .of = ISO_OF_OUTPUTS},
    ISO_END};

/* ---- one session ---- */

struct run;

typedef struct session {
    struct run *run;
    iso_env env;
    iso_pool pool;
    iso_connection c;
    pthread_t thread;
    pthread_mutex_t lock; /* of the connection: held while it is made or ended, so that no thread cancels it then */
    bool started, connected;
    iso_rng rng;
    iso_program program;
    iso_cell *cell; /* by operation: what was read, or the value that was written */
    uint32_t cell_room;
    uint64_t left;  /* programs to begin */
    uint64_t fresh; /* new values taken so far */
    uint64_t txns;  /* recorded so far */
    iso_line line;
    /* What the main thread looks at while the session waits. */
    atomic_bool asks;              /* it is inside a call of the collector */
    atomic_uint_least64_t steps;   /* calls that have returned */
    atomic_int_least64_t start;    /* of the transaction that is not recorded yet; 0: there is none */
    atomic_uint_least32_t n_asked; /* operations of it that were begun */
    atomic_bool over;
} session;

typedef struct run {
    iso_database *db;
    iso_driving *d;
    iso_recording recording;
    session *session;
    uint32_t n;
    uint64_t retries, pause, patience;
    double aborts;
    bool harms;              /* --faults is given */
    int64_t deadline;        /* 0: none */
    int64_t longest;         /* ns without any answer, limit */
    int64_t looked, stalled; /* when this was last looked at; ns without any answer so far */
    uint64_t steps;          /* calls of all sessions that had returned then */
    pthread_mutex_t lock;    /* of the workload and of the first error */
    atomic_bool stop;
    atomic_bool abandoned; /* the recording ends although sessions wait: they must not go on */
    atomic_bool lossy;     /* the line of some transaction is missing */
    isolab_error error;    /* the first one; code ISOLAB_OK: none */
} run;

/* Ends the run, because of an error unless there was one before. */
static void stop_with(run *r, const isolab_error *error) {
    pthread_mutex_lock(&r->lock);
    if (r->error.code == ISOLAB_OK) {
        r->error = *error;
    }
    pthread_mutex_unlock(&r->lock);
    atomic_store(&r->stop, true);
}

static _Noreturn void fail(session *s) {
    const iso_database *db = s->c.db;
    iso_throw(&s->env, ISOLAB_E_IO, "%s at %s: %s", db->collector->title, db->level->name, s->c.why);
}

static bool ends(const session *s) {
    const run *r = s->run;
    return atomic_load_explicit(&r->stop, memory_order_relaxed) || iso_over(s->env.limits) != ISO_LIMIT_NONE ||
           (r->deadline != 0 && iso_now() > r->deadline);
}

static void rest(uint64_t microseconds) {
    struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    nanosleep(&time, NULL);
}

/* Every call of the collector that may wait goes through here, so that the main thread sees whether any of them
 * returns. */
#define CALL(s, call) (atomic_store_explicit(&(s)->asks, true, memory_order_release), answered(s, call))

static iso_did answered(session *s, iso_did did) {
    atomic_store_explicit(&s->steps, atomic_load_explicit(&s->steps, memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_store_explicit(&s->asks, false, memory_order_release);
    while (atomic_load_explicit(&s->run->abandoned, memory_order_relaxed)) {
        rest(1000000); /* until the program ends */
    }
    return did;
}

static void disconnect(session *s) {
    pthread_mutex_lock(&s->lock);
    if (s->connected) {
        s->c.db->collector->disconnect(&s->c);
    }
    s->connected = false;
    pthread_mutex_unlock(&s->lock);
}

/* Connects, again and again while the database does not answer. Returns false if the run ends first. */
static bool connected(session *s) {
    int64_t until = iso_now() + (int64_t)s->run->patience * 1000000000;
    while (!ends(s)) {
        pthread_mutex_lock(&s->lock);
        s->connected = true; /* what a connect() without success has made is to be freed */
        iso_did did = CALL(s, s->c.db->collector->connect(&s->c));
        pthread_mutex_unlock(&s->lock);
        if (did == ISO_DONE) {
            return true;
        }
        disconnect(s);
        if (did == ISO_FAILED || iso_now() > until) {
            fail(s);
        }
        rest(50000);
    }
    return false;
}

static void take_program(void *arg) {
    session *s = arg;
    const iso_workload *w = s->run->d->workload;
    s->program.n = 0;
    w->next(w->state, s->c.session, &s->rng, &s->program);
}

/* Takes the next program of the workload, which all sessions share. */
static void next_program(session *s) {
    pthread_mutex_lock(&s->run->lock);
    int code = iso_guard(&s->env, take_program, s);
    pthread_mutex_unlock(&s->run->lock);
    if (code != ISOLAB_OK) {
        iso_rethrow(&s->env);
    }
    if (s->program.n > s->cell_room) {
        s->cell = iso_resize(&s->pool, s->cell, s->program.room, sizeof *s->cell);
        memset(s->cell + s->cell_room, 0, (s->program.room - s->cell_room) * sizeof *s->cell);
        s->cell_room = s->program.room;
    }
    s->c.only_reads = true;
    for (uint32_t i = 0; i < s->program.n; i++) {
        s->c.only_reads &= !iso_is_write(s->program.op[i].kind);
    }
    s->left--;
}

static void put_cell(iso_line *l, const iso_intent *op, const iso_cell *cell) {
    if (op->kind != ISO_LIST_READ) {
        if (cell->value == ISO_NO_VALUE) {
            iso_line_text(l, "null");
        } else {
            iso_line_number(l, cell->value);
        }
        return;
    }
    for (uint32_t i = 0; i < cell->n; i++) {
        iso_line_text(l, i == 0 ? "[" : ",");
        iso_line_number(l, cell->list[i]);
    }
    iso_line_text(l, cell->n == 0 ? "[]" : "]");
}

static void put_op(iso_line *l, const iso_intent *op, const iso_cell *cell) {
    switch ((iso_op_kind)op->kind) {
    case ISO_READ:
        iso_line_text(l, "[\"r\",");
        break;
    case ISO_WRITE:
        iso_line_text(l, "[\"w\",");
        break;
    case ISO_APPEND:
        iso_line_text(l, "[\"append\",");
        break;
    case ISO_LIST_READ:
        iso_line_text(l, "[\"rl\",");
        break;
    }
    iso_line_number(l, op->key);
    iso_line_text(l, ",");
    put_cell(l, op, cell);
    iso_line_text(l, "]");
}

/* Makes the line of a transaction with its first n operations, except the reads if they are unread. */
static void put_line(session *s, iso_line *l, iso_status status, uint32_t n, bool unread) {
    l->n = 0;
    iso_line_text(l, "{\"session\":");
    iso_line_number(l, s->c.session);
    iso_line_text(l, ",\"id\":");
    iso_line_number(l, (int64_t)(s->txns++ * s->run->n + s->c.session));
    iso_line_text(l, ",\"status\":\"");
    iso_line_text(l, status == ISO_COMMITTED ? "committed" : status == ISO_ABORTED ? "aborted" : "indeterminate");
    iso_line_text(l, "\",\"start\":");
    iso_line_number(l, atomic_load(&s->start));
    iso_line_text(l, ",\"end\":");
    iso_line_number(l, iso_now());
    iso_line_text(l, ",\"ops\":");
    bool first = true;
    iso_line_text(l, "[");
    for (uint32_t i = 0; i < n; i++) {
        if (unread && !iso_is_write(s->program.op[i].kind)) {
            continue;
        }
        if (!first) {
            iso_line_text(l, ",");
        }
        put_op(l, &s->program.op[i], &s->cell[i]);
        first = false;
    }
    iso_line_text(l, "]}\n");
}

/* Records a transaction with its first n operations. */
static void record(session *s, iso_status status, uint32_t n) {
    iso_tally *tally = &s->run->d->tally;
    atomic_fetch_add(status == ISO_COMMITTED ? &tally->committed
                     : status == ISO_ABORTED ? &tally->aborted
                                             : &tally->indeterminate,
                     1);
    if (s->run->d->output != NULL) {
        put_line(s, &s->line, status, n, s->c.db->collector->late && status != ISO_COMMITTED);
    }
    if (s->run->d->output != NULL && !iso_recording_add(&s->run->recording, s->line.text, s->line.n)) {
        iso_throw_file(&s->env, ISOLAB_E_IO, s->run->d->output, "%s", strerror(s->run->recording.error));
    }
    atomic_store(&s->start, 0);
}

static iso_did perform(session *s, uint32_t i) {
    const iso_collector *k = s->c.db->collector;
    const iso_intent *op = &s->program.op[i];
    iso_cell *cell = &s->cell[i];
    const run *r = s->run;
    if (!iso_is_write(op->kind)) {
        cell->value = ISO_NO_VALUE;
        cell->n = 0;
        return CALL(s, op->kind == ISO_READ ? k->read(&s->c, op->key, cell) : k->read_list(&s->c, op->key, cell));
    }
    cell->value =
        op->value != ISO_FRESH ? op->value : r->d->workload->reserved + 1 + (int64_t)(s->fresh++ * r->n + s->c.session);
    atomic_store_explicit(&s->n_asked, i + 1, memory_order_release);
    return CALL(s,
                op->kind == ISO_WRITE ? k->write(&s->c, op->key, cell->value) : k->append(&s->c, op->key, cell->value));
}

/* Runs the program as one transaction and records it. */
static iso_did attempt(session *s) {
    const iso_collector *k = s->c.db->collector;
    const run *r = s->run;
    bool gives_up = r->aborts > 0 && iso_random_unit(&s->rng) < r->aborts;
    uint32_t at = 0;
    atomic_store(&s->n_asked, 0);
    atomic_store(&s->start, iso_now());
    iso_did did = CALL(s, k->begin(&s->c));
    for (; did == ISO_DONE && at < s->program.n; at++) {
        did = perform(s, at);
        if (did != ISO_DONE) {
            at += iso_is_write(s->program.op[at].kind); /* a write that was refused, too: no read may return it */
            break;
        }
        if (r->pause > 0) {
            rest(iso_random_below(&s->rng, 2 * r->pause));
        }
    }
    if (did == ISO_DONE && gives_up) {
        did = CALL(s, k->abort(&s->c));
        record(s, ISO_ABORTED, at);
    } else if (did == ISO_DONE) {
        did = CALL(s, k->commit(&s->c));
        record(s, did == ISO_DONE ? ISO_COMMITTED : did == ISO_REFUSED ? ISO_ABORTED : ISO_INDETERMINATE, at);
    } else {
        record(s, ISO_ABORTED, at);
    }
    atomic_fetch_add(&r->d->tally.refused, did == ISO_REFUSED);
    if (did == ISO_FAILED) {
        fail(s);
    }
    return did;
}

static void run_session(void *arg) {
    session *s = arg;
    unsigned lost = 0;
    bool on = connected(s), answered = false;
    while (on && s->left > 0 && !ends(s)) {
        next_program(s);
        iso_did did = attempt(s);
        for (uint64_t i = 0; did == ISO_REFUSED && i < s->run->retries && !ends(s); i++) {
            rest(iso_random_below(&s->rng, (uint64_t)32 << (i < 8 ? i : 8))); /* let the other one finish */
            did = attempt(s);
        }
        answered |= did != ISO_LOST;
        if (did == ISO_LOST && !answered && (++lost == 3 || s->left == 0)) {
            fail(s); /* it never worked */
        }
        if (did == ISO_LOST) {
            disconnect(s);
            on = connected(s);
            atomic_fetch_add(&s->run->d->tally.reconnected, 1);
        }
    }
}

static void *session_thread(void *arg) {
    session *s = arg;
    int code = iso_guard(&s->env, run_session, s);
    if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
        stop_with(s->run, &s->env.error);
    } else if (code == ISOLAB_E_LIMIT && s->env.limit == ISO_LIMIT_MEMORY) {
        stop_with(s->run, &s->env.error);
    }
    if (atomic_load(&s->start) != 0) { /* an error came between its begin and its line */
        atomic_store(&s->run->lossy, true);
    }
    disconnect(s);
    atomic_store(&s->over, true);
    return NULL;
}

/* ---- all of them ---- */

/* Throws why there is no thread: the system counts its stack as memory of the process, but reports no lack of it. */
static _Noreturn void refuse_thread(iso_env *env, uint32_t i, int why) {
    enum { STACK = 8 << 20 };
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "memory limit reached (the stack of session %u): take fewer --sessions",
                        i);
    }
    munmap(stack, STACK);
    iso_throw(env, ISOLAB_E_IO, "the system gives no thread for session %u: %s", i, strerror(why));
}

static void start_session(run *r, uint32_t i, uint64_t txns) {
    session *s = &r->session[i];
    const iso_collector *k = r->db->collector;
    s->run = r;
    pthread_mutex_init(&s->lock, NULL);
    iso_env_fork(&s->env, r->db->pool->env);
    iso_pool_init(&s->pool, &s->env);
    s->program.pool = s->line.pool = &s->pool;
    s->c = (iso_connection){.db = r->db, .pool = &s->pool, .session = i};
    s->c.state = iso_zalloc(r->db->pool, 1, k->connection_size + 1);
    s->left = txns / r->n + (i < txns % r->n);
    s->rng.state = iso_mix(iso_arg_count(r->d->args, "seed") * 0x10001 + i);
    int why = pthread_create(&s->thread, NULL, session_thread, s);
    s->started = why == 0;
    if (why != 0) {
        refuse_thread(r->db->pool->env, i, why);
    }
}

static bool all_over(const run *r) {
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->session[i].started && !atomic_load(&r->session[i].over)) {
            return false;
        }
    }
    return true;
}

/* Ends calls that wait for the database. */
static void cancel(run *r) {
    for (uint32_t i = 0; r->db->collector->cancel != NULL && i < r->n; i++) {
        session *s = &r->session[i];
        if (s->started && pthread_mutex_trylock(&s->lock) == 0) {
            if (s->connected) {
                r->db->collector->cancel(&s->c);
            }
            pthread_mutex_unlock(&s->lock);
        }
    }
}

static void tell(const run *r, int64_t begun) {
    const iso_tally *t = &r->d->tally;
    uint64_t committed = atomic_load(&t->committed), refused = atomic_load(&t->refused),
             aborted = atomic_load(&t->aborted), unknown = atomic_load(&t->indeterminate);
    double seconds = 1e-9 * (double)(iso_now() - begun) + 1e-9;
    static char phase[160];
    snprintf(phase, sizeof phase,
             "%s at %s: %.0f transactions a second, %" PRIu64 " committed, %" PRIu64 " refused, %" PRIu64 " unknown",
             r->db->collector->title, r->db->level->name, (double)(committed + aborted + unknown) / seconds, committed,
             refused, unknown);
    iso_progress(r->db->pool->env, phase, 0, 0);
}

/* The first line: where the history comes from, and that an end mark will follow (formats/jsonl.c). Members that the
 * format does not know are skipped by its readers. */
static void put_header(run *r) {
    const iso_database *db = r->db;
    iso_line l = {.pool = db->pool};
    iso_printer about = {.pool = db->pool};
    iso_line_text(&l, r->d->workload->repeats ? "{\"isolab\":1,\"recording\":\"begun\""
                                              : "{\"isolab\":1,\"recording\":\"unique\"");
    iso_line_text(&l, ",\"initial_transaction\":false,\"database\":");
    iso_line_string(&l, db->collector->title);
    iso_line_text(&l, ",\"version\":");
    iso_line_string(&l, db->version);
    iso_line_text(&l, ",\"level\":");
    iso_line_string(&l, db->level->name);
    iso_line_text(&l, ",\"about\":");
    iso_print(&about, "durable %s%s%s%s%s%s", db->durable ? "yes" : "no",
              db->on_disk && !db->durable ? "; folder given" : "", r->harms ? "; faults " : "",
              r->harms ? iso_arg_text(r->d->args, "faults") : "", iso_forgets(db) ? "; " : "",
              iso_forgets(db) ? ISO_ABOUT_FORGETS : "");
    iso_line_string(&l, iso_printed(&about));
    iso_line_text(&l, "}\n");
    iso_recording_add(&r->recording, l.text, l.n);
    iso_free(db->pool, l.text);
}

/* The last line, unless the file misses another one. */
static void put_end_mark(run *r) {
    static const char mark[] = "{\"recording\":\"ended\"}\n";
    if (!atomic_load(&r->lossy)) {
        iso_recording_add(&r->recording, mark, sizeof mark - 1);
    }
}

/* Ends the program, since the database does not answer: a thread that waits in a library cannot be ended, and to close
 * the database could take for ever, too. The transactions of sessions that wait are recorded as indeterminate. */
static _Noreturn void abandon(run *r) {
    uint64_t n = atomic_load(&r->d->tally.indeterminate);
    atomic_store(&r->abandoned, true);
    rest(100000); /* other sessions record what has ended */
    for (uint32_t i = 0; i < r->n; i++) {
        session *s = &r->session[i];
        if (s->started && atomic_load(&s->asks) && atomic_load(&s->start) != 0) {
            iso_line l = {.pool = r->db->pool};
            put_line(s, &l, ISO_INDETERMINATE, atomic_load(&s->n_asked), true);
            iso_recording_add(&r->recording, l.text, l.n);
            n++;
        }
    }
    put_end_mark(r);
    iso_recording_close(&r->recording);
    iso_say(stderr,
            "\nisolab: %s at %s does not answer a session any more (--patience %" PRIu64
            "); what was recorded is kept, "
            "with %" PRIu64 " indeterminate transaction%s\n",
            r->db->collector->title, r->db->level->name, r->patience, n, n == 1 ? "" : "s");
    iso_remove_folder(r->db->home);
    _Exit(ISOLAB_E_IO);
}

/* Adds up the time in which no call returns although all sessions wait for one, as far as this thread ran, too: a
 * stopped process is not a stalled database. Returns whether it is longer than patience allows. */
static bool is_stalled(run *r) {
    enum { ROUND = 50000000 };
    uint64_t steps = 0;
    int64_t now = iso_now(), passed = now - r->looked < ROUND ? now - r->looked : ROUND;
    bool wait = true;
    for (uint32_t i = 0; i < r->n; i++) {
        const session *s = &r->session[i];
        steps += atomic_load_explicit(&s->steps, memory_order_relaxed);
        wait &= atomic_load(&s->over) || atomic_load_explicit(&s->asks, memory_order_acquire);
    }
    r->stalled = wait && steps == r->steps ? r->stalled + passed : 0;
    r->looked = now;
    r->steps = steps;
    return r->stalled > r->longest;
}

/* ---- faults ---- */

/* Drops the connections of about half of the sessions. */
static void drop(run *r, uint64_t which) {
    for (uint32_t i = 0; r->db->collector->cancel != NULL && i < r->n; i++) {
        session *s = &r->session[i];
        if ((i + which) % 2 == 0 && pthread_mutex_trylock(&s->lock) == 0) {
            if (s->connected) {
                r->db->collector->cancel(&s->c);
            }
            pthread_mutex_unlock(&s->lock);
        }
    }
}

/* Does the next fault of the list, and notes it in the history. */
static void do_fault(run *r, uint64_t number) {
    const char *all = iso_arg_text(r->d->args, "faults"), *at = all;
    uint64_t n = 1;
    for (const char *p = all; *p != '\0'; p++) {
        n += *p == ',';
    }
    for (uint64_t i = number % n; i > 0; i--) {
        at = strchr(at, ',') + 1;
    }
    char what[32];
    snprintf(what, sizeof what, "%.*s", (int)strcspn(at, ","), at);
    iso_line l = {.pool = r->db->pool};
    uint64_t which = iso_mix(number);
    iso_line_text(&l, "{\"note\":");
    iso_line_string(&l, what);
    iso_line_text(&l, ",\"start\":");
    iso_line_number(&l, iso_now());
    if (strcmp(what, "drop") == 0) {
        drop(r, which);
    } else {
        iso_database_fault(r->db, what, which);
    }
    iso_line_text(&l, ",\"end\":");
    iso_line_number(&l, iso_now());
    iso_line_text(&l, "}\n");
    iso_recording_add(&r->recording, l.text, l.n);
    iso_free(r->db->pool, l.text);
}

static void work(void *arg) {
    run *r = arg;
    int64_t every = 0, next = 0;
    uint64_t faults = 0;
    uint64_t txns = iso_arg_count(r->d->args, "txns");
    iso_recording_open(r->db->pool->env, &r->recording, r->d->output);
    put_header(r);
    sigset_t all, before; /* signals are for the main thread */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int64_t begun = iso_now(), ended = 0;
    r->looked = begun;
    if (r->harms) {
        iso_seconds_of(iso_arg_text(r->d->args, "fault-every"), &every);
        next = begun + every;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        start_session(r, i, txns);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (uint64_t round = 0; !all_over(r); round++) {
        rest(round < 20 ? 1000 : 20000);
        iso_recording_flush(&r->recording);
        tell(r, begun);
        if (ends(&r->session[0])) {
            cancel(r);
            ended = ended != 0 ? ended : iso_now();
            bool stalled = r->stalled > r->longest;
            if (iso_now() - ended > (int64_t)((stalled ? 0 : r->patience) + 5) * 1000000000) {
                abandon(r);
            }
        } else if (is_stalled(r)) {
            atomic_store(&r->stop, true);
        } else if (r->harms && iso_now() > next) {
            do_fault(r, faults++);
            next = iso_now() + every;
        }
    }
    if (r->stalled > r->longest) {
        abandon(r);
    }
    r->d->elapsed = iso_now() - begun;
}

void iso_drive(iso_database *db, iso_driving *d) {
    iso_env *env = db->pool->env;
    run r = {.db = db, .d = d, .recording = {.file = -1}};
    r.n = (uint32_t)iso_arg_count(d->args, "sessions");
    r.retries = iso_arg_count(d->args, "retries");
    r.pause = iso_arg_count(d->args, "pause");
    r.patience = iso_arg_count(d->args, "patience");
    r.aborts = iso_arg_real(d->args, "aborts");
    r.harms = iso_arg_given(d->args, "faults");
    uint64_t waits = iso_arg_count(d->args, "lock-wait") +
                     (iso_args_find(d->args, "answer-wait") != NULL ? iso_arg_count(d->args, "answer-wait") : 0);
    r.longest = (int64_t)(r.patience > 0 ? r.patience : 1) * 1000000000 + (int64_t)waits * 1000000;
    int64_t seconds = 0;
    if (iso_arg_given(d->args, "seconds") && iso_seconds_of(iso_arg_text(d->args, "seconds"), &seconds)) {
        r.deadline = iso_now() + seconds;
    }
    r.session = ISO_ZNEW(db->pool, session, r.n);
    pthread_mutex_init(&r.lock, NULL);
    memset(&d->tally, 0, sizeof d->tally);
    int code = iso_guard(env, work, &r);
    atomic_store(&r.stop, code != ISOLAB_OK || atomic_load(&r.stop));
    for (uint32_t i = 0; i < r.n; i++) {
        if (r.session[i].started) {
            pthread_join(r.session[i].thread, NULL);
        }
        if (r.session[i].run != NULL) {
            iso_pool_free(&r.session[i].pool);
            pthread_mutex_destroy(&r.session[i].lock);
        }
    }
    pthread_mutex_destroy(&r.lock);
    put_end_mark(&r);
    int error = iso_recording_close(&r.recording);
    d->interrupted = iso_over(env->limits) != ISO_LIMIT_NONE;
    if (code != ISOLAB_OK) {
        iso_rethrow(env);
    }
    if (r.error.code != ISOLAB_OK) {
        env->error = r.error;
        iso_rethrow(env);
    }
    if (error != 0) {
        iso_throw_file(env, ISOLAB_E_IO, d->output, "%s", strerror(error));
    }
}
