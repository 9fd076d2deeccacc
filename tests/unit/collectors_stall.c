/* collectors/drive.h with a database in memory that stops answering in the middle of commits and cannot be
 * cancelled: the recording ends, is whole, and has the transactions that wait as indeterminate. And a database that
 * answers while the client rests is not taken for a stalled one. */
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "collectors/drive.h"
#include "formats/format.h"
#include "tests/tap.h"

enum { SESSIONS = 3, KEYS = 4, ANSWERS = 200 };

static iso_env env;
static iso_pool pool;

/* One transaction at a time holds the lock; its writes are in the store at once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t store[KEYS];
static int left; /* commits that are answered; negative: all of them */

static iso_did connect_session(iso_connection *c) { return (void)c, ISO_DONE; }
static void disconnect(iso_connection *c) { (void)c; }
static void nothing(iso_database *db) { (void)db; }

static iso_did begin(iso_connection *c) {
    (void)c;
    pthread_mutex_lock(&lock);
    return ISO_DONE;
}

static iso_did read_value(iso_connection *c, uint32_t key, iso_cell *cell) {
    (void)c;
    cell->value = store[key];
    return ISO_DONE;
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) {
    (void)c;
    store[key] = value;
    return ISO_DONE;
}

static iso_did commit(iso_connection *c) {
    (void)c;
    while (left == 0) {
        pause(); /* with the lock: all other sessions wait, too */
    }
    left--;
    pthread_mutex_unlock(&lock);
    return ISO_DONE;
}

static iso_did give_up(iso_connection *c) {
    (void)c;
    pthread_mutex_unlock(&lock);
    return ISO_DONE;
}

static const iso_offer levels[] = {{"only", "sser", "a lock"}, {NULL, NULL, NULL}};
static const iso_collector in_memory = {.name = "memory",
                                        .title = "Memory",
                                        .levels = levels,
                                        .open = nothing,
                                        .close = nothing,
                                        .connect = connect_session,
                                        .disconnect = disconnect,
                                        .begin = begin,
                                        .read = read_value,
                                        .write = write_value,
                                        .commit = commit,
                                        .abort = give_up};

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    (void)state;
    (void)session;
    iso_program_read(program, (uint32_t)iso_random_below(rng, KEYS));
    iso_program_write(program, (uint32_t)iso_random_below(rng, KEYS));
}

typedef struct recording {
    iso_database db;
    iso_driving driving;
} recording;

static void drive(void *arg) {
    recording *r = arg;
    iso_drive(&r->db, &r->driving);
}

static void record(void *arg) {
    recording *r = arg;
    iso_with_database(&r->db, drive, r);
}

/* Records in a process of its own, and returns its exit status. */
static int record_apart(const char *path, int answers, const char *pause_us) {
    pid_t pid = fork();
    if (pid == 0) {
        static iso_args args;
        const iso_option *const tables[ISO_ARG_TABLES] = {iso_drive_options};
        iso_args_init(&args, &pool, "memory", tables);
        iso_args_default(&args, "sessions", "3");
        iso_args_default(&args, "txns", answers < 0 ? "3" : "100000");
        iso_args_default(&args, "patience", "1");
        iso_args_default(&args, "pause", pause_us);
        static iso_workload workload = {.n_keys = KEYS, .next = next};
        static recording r;
        r.driving = (iso_driving){.workload = &workload, .args = &args, .output = path};
        left = answers;
        for (int k = 0; k < KEYS; k++) {
            store[k] = ISO_NO_VALUE;
        }
        iso_database_init(&r.db, &in_memory, &args, &workload);
        _exit(iso_guard(&env, record, &r));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void tests(void *arg) {
    const char *path = arg;
    cmp_ok(record_apart(path, ANSWERS, "0"), "==", ISOLAB_E_IO, "a database that does not answer ends the recording");
    glob_t all;
    ok(glob("isolab-*", 0, NULL, &all) == GLOB_NOMATCH, "its folder is removed");
    const isolab_history *h = iso_load(&pool, path, NULL);
    ok(h->torn == ISO_WHOLE, "which is whole");
    cmp_ok(h->n_committed, "==", ANSWERS, "every answered commit is in it");
    ok(h->n_indeterminate >= 1 && h->n_indeterminate <= SESSIONS && h->n_aborted == 0,
       "with the transactions that wait as indeterminate");
    uint32_t writes = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        writes += iso_is_write(h->op_kind[o]);
    }
    cmp_ok(writes, "==", ANSWERS + 1, "and the write of the one that was in its commit");
    cmp_ok(record_apart(path, -1, "1000000"), "==", ISOLAB_OK, "clients that rest do not stall");
    cmp_ok(iso_load(&pool, path, NULL)->n_committed, "==", 3, "and record everything");
}

int main(void) {
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    char *folder = iso_temporary_folder(&pool, "test", NULL), path[512];
    snprintf(path, sizeof path, "%s/h.jsonl", folder);
    ok(setenv("TMPDIR", folder, 1) == 0 && chdir(folder) == 0, "a folder");
    ok(iso_guard(&env, tests, path) == ISOLAB_OK, "nothing was thrown: %s", env.error.message);
    iso_remove_folder(folder);
    iso_pool_free(&pool);
    return done_testing();
}
