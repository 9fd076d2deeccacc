/* Tests experiments/referee/adapters.h. Adapters of foreign checkers, and the running of programs, by stand-ins that print what the published tools are
 * documented to print, and by ones that misbehave in every way. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "checkers/checker.h"
#include "experiments/referee/adapters.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;
static char folder[] = "/tmp/isolab-adapters-XXXXXX";

static const char *path_of(const char *name) {
    char *path = iso_alloc(&pool, strlen(folder) + strlen(name) + 2, 1);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static const char *put_file(const char *name, const char *text, bool program) {
    const char *path = path_of(name);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    chmod(path, program ? 0755 : 0644);
    return path;
}

/* What a tool of the table prints, and what it means. file stands for the history. */
static const struct {
    const char *adapter, *script;
    iso_state state;
    isolab_verdict verdict;
    const char *anomalies;
} said[] = {
    {"awdit", "echo Consistent.", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"awdit", "echo 'Inconsistent.'", ISO_STATE_OK, ISOLAB_VIOLATED, ""},
    {"awdit", "echo 'cannot parse' >&2; exit 1", ISO_STATE_REFUSED, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo \"thread 'main' panicked\" >&2; exit 101", ISO_STATE_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "exit 134", ISO_STATE_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo Consistent.; exit 101", ISO_STATE_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo 'memory allocation of 99 bytes failed' >&2; kill -ABRT $$", ISO_STATE_MEMORY, ISOLAB_UNKNOWN, ""},
    {"plume", "echo ACCEPT", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"plume", "echo 'REJECT [FracturedReadCO(TAP-k), CyclicCO(TAP-g)]'", ISO_STATE_OK, ISOLAB_VIOLATED,
     "FracturedReadCO(TAP-k), CyclicCO(TAP-g)"},
    {"plume", "echo 'Exception: OutOfMemoryError' >&2; exit 1", ISO_STATE_MEMORY, ISOLAB_UNKNOWN, ""},
    {"veristrong", "echo 'accept: true'", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"veristrong", "echo 'accept: false'", ISO_STATE_OK, ISOLAB_VIOLATED, ""},
    {"polysi", "echo '[[[[ ACCEPT ]]]]' >&2", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"polysi", "echo '[[[[ REJECT ]]]]' >&2; exit 255", ISO_STATE_OK, ISOLAB_VIOLATED, ""},
    {"dbcop", "echo 'history.json: PASS'", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"dbcop", "echo 'history.json: FAIL (Invalid(Prefix))'; exit 1", ISO_STATE_OK, ISOLAB_VIOLATED, "Invalid(Prefix)"},
    {"dbcop", "echo 'other.json: PASS'", ISO_STATE_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"elle-cli", "echo \"$FILE true\"", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"elle-cli", "echo \"$FILE false\"; exit 1", ISO_STATE_OK, ISOLAB_VIOLATED, ""},
    {"elle-cli", "echo \"$FILE :unknown\"", ISO_STATE_OK, ISOLAB_UNKNOWN, ""},
    {"elle-cli", "echo; exit 255", ISO_STATE_CRASH, ISOLAB_UNKNOWN, ""},
    {"plume", "echo 'Construction: 1ms'; echo '{}'; echo '[]'", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"plume", "echo '{CyclicCO=2}'; echo '[CyclicCO, ThinAirRead]'", ISO_STATE_OK, ISOLAB_VIOLATED,
     "CyclicCO, ThinAirRead"},
    {"viper", "echo run7: True", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"viper", "echo run7: False", ISO_STATE_OK, ISOLAB_VIOLATED, ""},
    {"viper", "echo reject", ISO_STATE_OK, ISOLAB_VIOLATED, ""},
    {"cobra", "echo '[[[[ ACCEPT ]]]]' >&2", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
    {"awdit", ":", ISO_STATE_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo Consistent.; echo Inconsistent.", ISO_STATE_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"awdit", "head -c 3000000 /dev/zero", ISO_STATE_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"awdit", "kill -SEGV $$", ISO_STATE_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "kill -KILL $$", ISO_STATE_MEMORY, ISOLAB_UNKNOWN, ""},
    {"awdit", "sleep 100 & sleep 100", ISO_STATE_TIMEOUT, ISOLAB_UNKNOWN, ""},
    {"awdit", "sleep 100 & echo Consistent.", ISO_STATE_OK, ISOLAB_SATISFIED, ""},
};

static void test_outputs(void) {
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    const char *file = path_of("history.json");
    size_t n = sizeof said / sizeof *said;
    iso_job *jobs = ISO_ZNEW(&pool, iso_job, n);
    for (size_t i = 0; i < n; i++) {
        char name[32], text[512];
        snprintf(name, sizeof name, "tool%zu", i);
        snprintf(text, sizeof text, "#!/bin/sh\nFILE=%s\n%s\n", file, said[i].script);
        const char **argv = ISO_ZNEW(&pool, const char *, 2);
        argv[0] = put_file(name, text, true);
        jobs[i] = (iso_job){.argv = argv, .timeout = 1500000000, .folder = folder};
    }
    int64_t since = iso_now();
    iso_run_jobs(&pool, jobs, n, 4);
    cmp_ok(iso_now() - since, "<", 60000000000, "hanging programs are ended, with all that they started");
    for (size_t i = 0; i < n; i++) {
        iso_judgement j;
        iso_adapter_judge(&pool, iso_adapters_find(&adapters, said[i].adapter), &jobs[i], file, &j);
        ok(j.state == said[i].state && j.verdict == said[i].verdict && strcmp(j.anomalies, said[i].anomalies) == 0,
           "%s: %.60s: %s", said[i].adapter, said[i].script, iso_state_text[said[i].state]);
        if (j.state != said[i].state || j.verdict != said[i].verdict) {
            diag("%s %d %s: %s", iso_state_text[j.state], j.verdict, j.anomalies, j.reason);
        }
        ok((j.state == ISO_STATE_OK && j.verdict != ISOLAB_UNKNOWN) == (j.reason[0] == '\0'),
           "a reason where one is due");
    }
}

static void test_commands(void) {
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    const iso_adapter *a = iso_adapters_find(&adapters, "awdit");
    const char *const files[] = {"/tmp/x; rm -rf {level} $HOME'", "/tmp/second"};
    const char *const *argv =
        iso_adapter_command(&pool, a, "/bin/awdit", ISO_RC, iso_format_find("plume"), false, files, 1);
    static const char *const expected[] = {"/bin/awdit", "check", "-i", "read-committed", "-f", "plume", "-s", "1024"};
    for (size_t i = 0; i < 8; i++) {
        is(argv[i], expected[i], "word %zu of awdit's command", i);
    }
    is(argv[8], files[0], "a file's name stays one word, braces included");
    ok(argv[9] == NULL, "and is the last one");
    argv = iso_adapter_command(&pool, iso_adapters_find(&adapters, "elle-cli"), "e", ISO_SER, iso_format_find("elle"),
                               true, files, 2);
    is(argv[2], "list-append", "lists are lists");
    is(argv[4], "edn", "the tool is told the format");
    is(argv[7], files[0], "a batch: the first file");
    is(argv[8], files[1], "and the second one");
    is(iso_adapter_level(&pool, iso_adapters_find(&adapters, "plume"), ISO_CC), "TCC", "Plume's word for cc");
    ok(iso_adapter_level(&pool, iso_adapters_find(&adapters, "plume"), ISO_RC) == NULL,
       "what Plume calls RC is rc-plume and not rc");
    const char *const *set = iso_adapter_environment(&pool, iso_adapters_find(&adapters, "plume"), (uint64_t)1 << 30);
    is(set[0], "JAVA_TOOL_OPTIONS=-Xmx1024m", "Java's memory is limited in its own way");
    is(iso_shell_word(&pool, "it's"), "'it'\\''s'", "words for people's shells are quoted");
}

static void test_limits(void) {
    const char *hog = put_file("hog", "#!/usr/bin/perl\nmy $x = 'a' x 400_000_000; print length($x), \"\\n\";\n", true);
    const char *argv[] = {hog, NULL}, *missing[] = {path_of("nothing"), NULL};
    iso_job jobs[3] = {{.argv = argv, .memory = (uint64_t)100 << 20}, {.argv = argv}, {.argv = missing}};
    iso_run_jobs(&pool, jobs, 3, 2);
    ok(jobs[0].end != ISO_JOB_EXITED || jobs[0].code != 0, "a limit of address space is kept");
    ok(jobs[1].end == ISO_JOB_EXITED && jobs[1].code == 0 && jobs[1].peak > 300000000, "peak memory is measured");
    ok(jobs[2].end == ISO_JOB_NOT_STARTED && strstr(jobs[2].why, "nothing") != NULL, "a missing program is told");
    ok(iso_find_program(&pool, "sh") != NULL, "sh is on the PATH");
    ok(iso_find_program(&pool, "no such program") == NULL, "what is not there is not found");
}

typedef struct attempt {
    iso_adapters *adapters;
    const char *path;
} attempt;

static void read_file(void *arg) {
    attempt *a = arg;
    iso_adapters_read(a->adapters, a->path);
}

static void test_file(void) {
    static const struct {
        const char *text, *error;
        unsigned line;
    } bad[] = {{"x = y\n", "expected \\[NAME\\]", 1},
               {"[a]\nhello\n", "expected \\[NAME\\] or", 2},
               {"[a]\ncolour = red\n", "no field \"colour\"", 2},
               {"[a]\nlike = nosuch\n", "no adapter \"nosuch\"", 2},
               {"[a]\nlike = awdit\nlists = perhaps\n", "one of: yes no only", 3},
               {"[a]\nlike = awdit\nsatisfied = (\n", "no regular expression", 3},
               {"[a]\nlike = awdit\nlevels = rc=a zz\n", "no level \"zz\"", 3},
               {"[a]\nprogram = x\n", "needs a program and levels", 2},
               {"[a]\nlike = awdit\nformats = word\n", "reads no format", 3}};
    iso_adapters adapters;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        iso_adapters_init(&adapters, &pool);
        attempt a = {&adapters, put_file("bad", bad[i].text, false)};
        cmp_ok(iso_guard(&env, read_file, &a), "==", ISOLAB_E_INPUT, "a bad file of adapters");
        like(env.error.message, bad[i].error, "is told");
        cmp_ok(env.error.line, "==", bad[i].line, "with its line");
    }
    iso_adapters_init(&adapters, &pool);
    attempt a = {&adapters, put_file("good",
                                     "# mine\n[mine]\nlike = plume\nprogram = ./mine\nlevels = ser=S\n"
                                     "satisfied = ^yes$\r\n[awdit]\nprogram = /opt/awdit\n",
                                     false)};
    cmp_ok(iso_guard(&env, read_file, &a), "==", ISOLAB_OK, "a good file of adapters");
    const iso_adapter *mine = iso_adapters_find(&adapters, "mine"), *awdit = iso_adapters_find(&adapters, "awdit");
    ok(mine != NULL && strcmp(mine->initial, "written") == 0 && strcmp(mine->satisfied, "^yes$") == 0, "is believed");
    ok(strcmp(awdit->program, "/opt/awdit") == 0 && strcmp(awdit->formats, "test plume cobra") == 0,
       "a published tool keeps what the file does not change");
    iso_adapters_place(&adapters, "plume=/a b/plume,cobra=c");
    is(iso_adapters_find(&adapters, "plume")->program, "/a b/plume", "--adapter");
    is(iso_adapters_find(&adapters, "cobra")->program, "c", "several of them");
}

/* What is written out must not change any verdict: by brute, on both sides. */
static void test_histories(void) {
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    iso_adapter tools[2] = {*iso_adapters_find(&adapters, "awdit"), *iso_adapters_find(&adapters, "plume")};
    const iso_checker *brute = iso_checker_find("brute");
    uint64_t rounds = iso_agree_rounds(150, 1500, 20000), seed = iso_agree_seed(1), compared = 0, wrong = 0,
             anchored = 0;
    iso_small_shape shape = {
        .txns = 5, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true};
    iso_pool scratch;
    iso_pool_init(&scratch, &env);
    for (uint64_t i = 0; i < rounds; i++) {
        isolab_history *h = iso_random_small(&scratch, seed + i, &shape);
        for (int tool = 0; tool < 2; tool++) {
            tools[tool].sessions = i % 3 == 0 ? "no" : "yes";
            const iso_format *format = iso_adapter_format(&tools[tool]);
            isolab_history *told = iso_adapter_history(&scratch, &tools[tool], h);
            iso_losses losses;
            iso_survey(told, format, &losses);
            anchored += told->n_keys > h->n_keys;
            wrong +=
                losses.count[ISO_LOSS_INITIAL] + losses.count[ISO_LOSS_STRINGS] + losses.count[ISO_LOSS_DUPLICATES];
            char *bytes = NULL;
            size_t size;
            iso_sink sink = {.pool = &scratch, .path = "-", .out = open_memstream(&bytes, &size)};
            format->write(told, &sink);
            fclose(sink.out);
            isolab_history *back = told->n_ops == 0 ? told : iso_load_bytes(&scratch, bytes, size, format);
            free(bytes);
            for (int level = 0; level < ISO_LEVELS; level++) {
                for (int without = 0; without < 2; without++) {
                    iso_request q = {.level = (iso_level)level, .no_session_order = without == 1};
                    if ((without == 1) != (i % 3 == 0 && (level == ISO_SI || level == ISO_SER)) || level == ISO_SSER) {
                        continue;
                    }
                    iso_result one, other;
                    iso_result_init(&one, &scratch);
                    iso_result_init(&other, &scratch);
                    iso_check(brute, h, &q, &one);
                    iso_check(brute, back, &q, &other);
                    compared++;
                    if (one.verdict != other.verdict && wrong++ == 0) {
                        diag("seed %llu, %s, %s", (unsigned long long)(seed + i), tools[tool].name,
                             iso_level_get(q.level)->name);
                        iso_agree_print(&env, h);
                        iso_agree_print(&env, back);
                    }
                }
            }
        }
        iso_pool_free(&scratch);
    }
    ok(wrong == 0 && compared > 0 && anchored > rounds / 4, "histories as tools are told them have the same verdicts");
    diag("%llu verdicts compared, first seed %llu", (unsigned long long)compared, (unsigned long long)seed);
}

static void test_takes(void) {
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    char why[256];
    iso_small_shape lists = {.txns = 5, .ops = 3, .keys = 2, .sessions = 2, .lists = true};
    isolab_history *h = NULL;
    for (uint64_t seed = 1; h == NULL || !h->has_lists; seed++) {
        h = iso_random_small(&pool, seed, &lists);
    }
    ok(iso_adapter_refuses(iso_adapters_find(&adapters, "awdit"), h, ISO_RC, why, sizeof why) != NULL, "%s", why);
    ok(iso_adapter_refuses(iso_adapters_find(&adapters, "elle-cli"), h, ISO_SER, why, sizeof why) == NULL,
       "elle-cli takes lists");
    ok(iso_adapter_refuses(iso_adapters_find(&adapters, "elle-cli"), h, ISO_CC, why, sizeof why) != NULL, "%s", why);
    ok(iso_adapters_find(&adapters, "isolab-brute") != NULL, "isolab's own checkers are adapters too");
}

static void all(void *arg) {
    (void)arg;
    test_outputs();
    test_commands();
    test_limits();
    test_file();
    test_takes();
    test_histories();
}

int main(void) {
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    if (mkdtemp(folder) == NULL) {
        bail_out("no temporary folder");
    }
    if (iso_guard(&env, all, NULL) != ISOLAB_OK) {
        fail("thrown: %s", env.error.message);
    }
    iso_pool_free(&pool);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) {
        diag("%s stays", folder);
    }
    return done_testing();
}
