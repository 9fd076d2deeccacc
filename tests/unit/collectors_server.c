/* collectors/server.h: programs and folders of private servers end with the process that started them, however it
 * ends. */
#include "collectors/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

/* Programs that keep running: the first ends at SIGTERM, the second ignores it. */
static const char *const patient[] = {"/bin/sleep", "1000", NULL};
static const char *const stubborn[] = {"/bin/sh", "-c", "trap '' TERM; touch deaf; while :; do sleep 1; done", NULL};

static bool exists(const char *path) {
    struct stat s;
    return stat(path, &s) == 0;
}

static bool is_there(void *path) { return exists(path); }

/* Waits until a path is gone, for ten seconds at most. */
static bool goes(const char *path) {
    for (int i = 0; i < 500 && exists(path); i++) {
        usleep(20000);
    }
    return !exists(path);
}

/* Returns how many processes have a word among their arguments. */
static unsigned processes_with(const char *word) {
    const char *argv[] = {"/usr/bin/pgrep", "-fc", "--", word, NULL};
    iso_job job = {.argv = argv};
    iso_run_jobs(&pool, &job, 1, 1);
    return (unsigned)strtoul(job.out, NULL, 10);
}

static void test_end(void) {
    iso_server *s = iso_server_new(&pool, "test", NULL, NULL);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", iso_server_folder(s));
    ok(exists(folder), "a server has a folder");
    unsigned a = iso_server_port(s), b = iso_server_port(s);
    ok(a > 1024 && b > 1024 && a != b, "ports %u and %u differ", a, b);
    iso_server_run(s, (const char *[]){"/bin/sh", "-c", "echo 1 >made", NULL});
    ok(exists(iso_server_path(s, "made")), "a program runs in the folder");
    char word[64];
    snprintf(word, sizeof word, "%ld.25", (long)getpid() + 100000);
    const char *argv[] = {"/bin/sleep", word, NULL};
    unsigned first = iso_server_start(s, argv, SIGTERM);
    iso_server_start(s, patient, SIGTERM);
    cmp_ok(processes_with(word), "==", 1, "a program stays");
    iso_server_signal(s, first, SIGKILL);
    iso_server_again(s, first);
    cmp_ok(processes_with(word), "==", 1, "it was killed and started again");
    iso_server_end(s);
    ok(!exists(folder), "in the end the folder is gone");
    cmp_ok(processes_with(word), "==", 0, "and so is the program");
    iso_server_end(s);
    iso_server_end(NULL);
    ok(1, "a second end does nothing");
}

typedef struct attempt {
    const char *const *argv;
    bool stays;
} attempt;

static bool never(void *arg) {
    (void)arg;
    return false;
}

static void try(void *arg) {
    const attempt *a = arg;
    iso_server *s = iso_server_new(&pool, "test", NULL, NULL);
    if (a->stays) {
        iso_server_await(s, iso_server_start(s, a->argv, SIGTERM), never, NULL, "the database");
    } else {
        iso_server_run(s, a->argv);
    }
}

static void test_failures(void) {
    attempt fails = {.argv = (const char *[]){"/bin/sh", "-c", "echo first; echo no such thing; exit 3", NULL}};
    cmp_ok(iso_guard(&env, try, &fails), "==", ISOLAB_E_IO, "a program that fails");
    like(env.error.message, "/bin/sh failed: no such thing", "and its last words");
    fails.stays = true;
    cmp_ok(iso_guard(&env, try, &fails), "==", ISOLAB_E_IO, "a server that ends at once");
    like(env.error.message, "the database ended at its start: no such thing", "and its last words");
    attempt absent = {.argv = (const char *[]){"/nonexistent/program", NULL}};
    cmp_ok(iso_guard(&env, try, &absent), "==", ISOLAB_E_IO, "a program that does not exist");
    like(env.error.message, "No such file", "with the reason");
}

/* A process that starts a server dies without any chance to tidy up. */
static void test_crash(void) {
    int ends[2];
    char folder[512] = "";
    if (pipe(ends) != 0) {
        bail_out("no pipe");
    }
    pid_t child = fork();
    if (child == 0) {
        iso_server *s = iso_server_new(&pool, "test", NULL, NULL);
        unsigned it = iso_server_start(s, stubborn, SIGTERM);
        iso_server_await(s, it, is_there, (void *)(uintptr_t)iso_server_path(s, "deaf"), "it");
        ssize_t written = write(ends[1], iso_server_folder(s), strlen(iso_server_folder(s)));
        kill(getpid(), written > 0 ? SIGKILL : SIGTERM);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], folder, sizeof folder - 1);
    waitpid(child, NULL, 0);
    ok(n > 0, "a process started a server that ignores SIGTERM in %s, and was killed", folder);
    ok(goes(folder), "its folder is gone");
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    test_end();
    test_failures();
    test_crash();
    iso_pool_free(&pool);
    return done_testing();
}
