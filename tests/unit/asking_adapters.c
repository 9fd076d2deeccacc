/* Tests experiments/asking/adapters.h. Adapters of published checkers, and the running of programs, by stand-ins that
 * print what the published tools are documented to print, and by ones that misbehave in every way. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "checkers/checker.h"
#include "experiments/asking/adapters.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/seed.h"
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
    iso_tool_state state;
    isolab_verdict verdict;
    const char *anomalies;
} said[] = {
    {"awdit", "echo Consistent.", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"awdit", "echo 'Inconsistent.'", ISO_TOOL_OK, ISOLAB_VIOLATED, ""},
    {"awdit", "echo 'cannot parse' >&2; exit 1", ISO_TOOL_REFUSED, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo \"thread 'main' panicked\" >&2; exit 101", ISO_TOOL_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "exit 134", ISO_TOOL_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo Consistent.; exit 101", ISO_TOOL_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo 'memory allocation of 99 bytes failed' >&2; kill -ABRT $$", ISO_TOOL_MEMORY, ISOLAB_UNKNOWN, ""},
    {"plume", "echo ACCEPT", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"plume", "echo 'REJECT [FracturedReadCO(TAP-k), CyclicCO(TAP-g)]'", ISO_TOOL_OK, ISOLAB_VIOLATED,
     "FracturedReadCO(TAP-k), CyclicCO(TAP-g)"},
    {"plume", "echo 'Exception: OutOfMemoryError' >&2; exit 1", ISO_TOOL_MEMORY, ISOLAB_UNKNOWN, ""},
    {"veristrong", "echo 'accept: true'", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"veristrong", "echo 'accept: false'", ISO_TOOL_OK, ISOLAB_VIOLATED, ""},
    {"polysi", "echo '[[[[ ACCEPT ]]]]' >&2", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"polysi", "echo '[[[[ REJECT ]]]]' >&2; exit 255", ISO_TOOL_OK, ISOLAB_VIOLATED, ""},
    {"dbcop", "echo 'history.json: PASS'", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"dbcop", "echo 'history.json: FAIL (Invalid(Prefix))'; exit 1", ISO_TOOL_OK, ISOLAB_VIOLATED, "Invalid(Prefix)"},
    {"dbcop", "echo 'other.json: PASS'", ISO_TOOL_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"elle-cli", "echo \"$FILE true\"", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"elle-cli", "echo \"$FILE false\"; exit 1", ISO_TOOL_OK, ISOLAB_VIOLATED, ""},
    {"elle-cli", "echo \"$FILE :unknown\"", ISO_TOOL_OK, ISOLAB_UNKNOWN, ""},
    {"elle-cli", "echo; exit 255", ISO_TOOL_CRASH, ISOLAB_UNKNOWN, ""},
    {"plume", "echo 'Construction: 1ms'; echo '{}'; echo '[]'", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"plume", "echo '{CyclicCO=2}'; echo '[CyclicCO, ThinAirRead]'", ISO_TOOL_OK, ISOLAB_VIOLATED,
     "CyclicCO, ThinAirRead"},
    {"viper", "echo \"$FILE: True\"", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"viper", "echo \"$FILE: False\"", ISO_TOOL_OK, ISOLAB_VIOLATED, ""},
    {"viper", "echo other: True", ISO_TOOL_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"cobra", "echo '[[[[ ACCEPT ]]]]' >&2", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
    {"awdit", ":", ISO_TOOL_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"awdit", "echo Consistent.; echo Inconsistent.", ISO_TOOL_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"awdit", "head -c 3000000 /dev/zero", ISO_TOOL_UNPARSABLE, ISOLAB_UNKNOWN, ""},
    {"awdit", "kill -SEGV $$", ISO_TOOL_CRASH, ISOLAB_UNKNOWN, ""},
    {"awdit", "kill -KILL $$", ISO_TOOL_MEMORY, ISOLAB_UNKNOWN, ""},
    {"awdit", "sleep 100 & sleep 100", ISO_TOOL_TIMEOUT, ISOLAB_UNKNOWN, ""},
    {"awdit", "sleep 100 & echo Consistent.", ISO_TOOL_OK, ISOLAB_SATISFIED, ""},
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
        iso_adapter_judge(&pool, iso_adapters_find(&adapters, said[i].adapter), NULL, &jobs[i], file, &j);
        ok(j.state == said[i].state && j.verdict == said[i].verdict && strcmp(j.anomalies, said[i].anomalies) == 0,
           "%s: %.60s: %s", said[i].adapter, said[i].script, iso_tool_state_text[said[i].state]);
        if (j.state != said[i].state || j.verdict != said[i].verdict) {
            diag("%s %d %s: %s", iso_tool_state_text[j.state], j.verdict, j.anomalies, j.reason);
        }
        ok((j.state == ISO_TOOL_OK && j.verdict != ISOLAB_UNKNOWN) == (j.reason[0] == '\0'),
           "a reason where one is due");
    }
}

/* --- recorded answers: tests/referee/answers/NAME/LEVEL-HISTORY.txt, of a real run --- */

#define ANSWERS "tests/referee/answers"

static const char *text_of(const char *path) {
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        bail_out("cannot read %s", path);
    }
    char *text = iso_zalloc(&pool, 65536, 1);
    size_t n = fread(text, 1, 65535, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

/* The text of `field: text` in a recorded answer. */
static const char *field_of(const char *answer, const char *field) {
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\n%s: ", field);
    const char *at = strstr(answer, wanted);
    if (at == NULL) {
        bail_out("a recorded answer has no %s", field);
    }
    at += strlen(wanted);
    size_t n = strcspn(at, "\n");
    char *text = iso_zalloc(&pool, n + 1, 1);
    memcpy(text, at, n);
    return text;
}

/* The text with what stands for the history's path, its folder and its last part replaced. */
static const char *as_printed(const char *from, const char *to, const char *file) {
    const char *names[] = {"{file}", "{folder}", "{name}"}, *texts[] = {file, folder, strrchr(file, '/') + 1};
    char *text = iso_zalloc(&pool, 2 * (size_t)(to - from) + 4096, 1), *at = text;
    while (from < to) {
        int known = 0;
        while (known < 3 && strncmp(from, names[known], strlen(names[known])) != 0) {
            known++;
        }
        at += known < 3 ? sprintf(at, "%s", texts[known]) : sprintf(at, "%c", *from);
        from += known < 3 ? strlen(names[known]) : 1;
    }
    return text;
}

/* A stand-in says what the tool said, and ends as it did. */
static iso_job replay(const char *answer, const char *file) {
    static const char out_mark[] = "--- standard output\n", err_mark[] = "--- standard error\n";
    const char *out = strstr(answer, out_mark), *err = strstr(answer, err_mark);
    if (out == NULL || err == NULL) {
        bail_out("a recorded answer has no outputs");
    }
    put_file("answer.out", as_printed(out + strlen(out_mark), err, file), false);
    put_file("answer.err", as_printed(err + strlen(err_mark), answer + strlen(answer), file), false);
    char script[400];
    int status = atoi(field_of(answer, "status"));
    snprintf(script, sizeof script, "#!/bin/sh\ncat answer.out; cat answer.err >&2\n%s %d%s\n",
             status > 128 && status < 160 ? "kill -" : "exit", status > 128 && status < 160 ? status - 128 : status,
             status > 128 && status < 160 ? " $$" : "");
    const char **argv = ISO_ZNEW(&pool, const char *, 2);
    argv[0] = put_file("standin", script, true);
    iso_job job = {.argv = argv, .timeout = 20000000000, .folder = folder};
    iso_run_jobs(&pool, &job, 1, 1);
    return job;
}

static unsigned replay_folder(const iso_adapters *adapters, const char *name) {
    char path[600];
    unsigned n = 0;
    snprintf(path, sizeof path, ANSWERS "/%s", name);
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, ANSWERS "/%s/%.200s", name, e->d_name);
        const char *answer = text_of(path);
        const iso_adapter *adapter = iso_adapters_find(adapters, field_of(answer, "adapter"));
        const char *file = path_of(*adapter->file != '\0' ? adapter->file : "h7.json"),
                   *means = field_of(answer, "means");
        iso_job job = replay(answer, file);
        iso_judgement j;
        iso_adapter_judge(&pool, adapter, NULL, &job, file, &j);
        const char *heard = j.state != ISO_TOOL_OK          ? iso_tool_state_text[j.state]
                            : j.verdict == ISOLAB_SATISFIED ? "satisfied"
                            : j.verdict == ISOLAB_VIOLATED  ? "violated"
                                                            : "unknown";
        is(heard, means, "%s", path);
        n++;
    }
    if (d != NULL) {
        closedir(d);
    }
    return n;
}

/* The stages that real tools printed, in their units; none where a tool prints no times. */
static void test_phases(void) {
    static const struct {
        const char *answer, *name;
        double ms;
    } times[] = {{"plume/ra-good", "Construction", 23},  {"plume/ra-good", "Traversal", 24},
                 {"awdit/rc-good", "Done parsing", 0},   {"viper/si-good", "e2e", 20},
                 {"cobra/ser-good", "construct", 18},    {"cobra/ser-good", "Overall runtime", 74},
                 {"polysi/si-good", "SI_VERIFY_INT", 5}, {"dbcop/rc-good", NULL, 0}};
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char path[200];
        snprintf(path, sizeof path, ANSWERS "/%s.txt", times[i].answer);
        const char *answer = text_of(path);
        iso_job job = replay(answer, path_of("h7.json"));
        iso_adapter_phase *list;
        size_t n = iso_adapter_phases(&pool, iso_adapters_find(&adapters, field_of(answer, "adapter")), &job, &list),
               at = 0;
        while (at < n && times[i].name != NULL && strcmp(list[at].name, times[i].name) != 0) {
            at++;
        }
        ok(times[i].name == NULL ? n == 0 : at < n && fabs(list[at].ms - times[i].ms) < 1e-6, "%s: the time of %s",
           times[i].answer, times[i].name != NULL ? times[i].name : "nothing");
    }
}

/* What each tool printed when it was run, in November 2026. */
static void test_answers(void) {
    static const char *const tools[] = {"awdit", "plume", "veristrong", "dbcop",   "dbcop-2019", "polysi",
                                        "viper", "cobra", "elle-cli",   "chronos", "mtc",        "porcupine"};
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        cmp_ok(replay_folder(&adapters, tools[i]), ">=", 5, "%s: recorded answers", tools[i]);
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
    is(argv[4], "edn", "the tool gets the format");
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
    ok(jobs[2].end == ISO_JOB_NOT_STARTED && strstr(jobs[2].why, "nothing") != NULL, "a missing program is reported");
    ok(iso_find_program(&pool, "sh") != NULL, "sh is on the PATH");
    ok(iso_find_program(&pool, "no such program") == NULL, "a program that does not exist is not found");
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
        like(env.error.message, bad[i].error, "the error of a wrong adapter is reported");
        cmp_ok(env.error.line, "==", bad[i].line, "with its line");
    }
    iso_adapters_init(&adapters, &pool);
    attempt a = {&adapters, put_file("good",
                                     "# mine\n[mine]\nlike = plume\nprogram = ./mine\nlevels = ser=S\n"
                                     "satisfied = ^yes$\r\n[awdit]\nprogram = /opt/awdit\n",
                                     false)};
    cmp_ok(iso_guard(&env, read_file, &a), "==", ISOLAB_OK, "a good file of adapters");
    const iso_adapter *mine = iso_adapters_find(&adapters, "mine"), *awdit = iso_adapters_find(&adapters, "awdit");
    ok(mine != NULL && strcmp(mine->initial, "own") == 0 && strcmp(mine->satisfied, "^yes$") == 0,
       "the adapter of the file has the file's initial values and its pattern for satisfied");
    ok(strcmp(awdit->program, "/opt/awdit") == 0 && strcmp(awdit->formats, "plume test cobra") == 0,
       "a published tool keeps what the file does not change");
    iso_adapters_place(&adapters, "plume=/a b/plume,cobra=c");
    is(iso_adapters_find(&adapters, "plume")->program, "/a b/plume", "--adapter places a program");
    is(iso_adapters_find(&adapters, "cobra")->program, "c", "several of them");
}

/* What is written out must not change any verdict: by brute, on both sides. */
static void test_histories(void) {
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    enum { TOOLS = 4 };
    iso_adapter tools[TOOLS] = {*iso_adapters_find(&adapters, "awdit"), *iso_adapters_find(&adapters, "plume"),
                                *iso_adapters_find(&adapters, "veristrong"), *iso_adapters_find(&adapters, "plume")};
    tools[3].cannot = "aborted empty-sessions";
    const iso_checker *brute = iso_checker_find("brute");
    uint64_t rounds = iso_agree_rounds(150, 1500, 20000), seed = seed_or(1), compared = 0, wrong = 0, anchored = 0;
    iso_small_shape shape = {
        .txns = 5, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true};
    iso_pool scratch;
    iso_pool_init(&scratch, &env);
    for (uint64_t i = 0; i < rounds; i++) {
        isolab_history *h = iso_random_small(&scratch, seed + i, &shape);
        for (int tool = 0; tool < TOOLS; tool++) {
            tools[tool].sessions = i % 3 == 0 ? "no" : "yes";
            const iso_format *format = iso_adapter_format(&tools[tool]);
            isolab_history *told = iso_adapter_history(&scratch, &tools[tool], h, 0);
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
            for (int level = 0; level < iso_n_levels; level++) {
                for (int without = 0; without < 2; without++) {
                    iso_question q = {.level = (iso_level)level, .no_session_order = without == 1};
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
    ok(wrong == 0 && compared > 0 && anchored > rounds / 4,
       "histories have the same verdicts in the forms that tools get");
    diag("%llu verdicts compared, first seed %llu", (unsigned long long)compared, (unsigned long long)seed);
}

/* A pack satisfies a level exactly if every member does: by brute, on both sides, after it was written and read
 * again. */
static void test_packs(void) {
    enum { MEMBERS = 3 };
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    const iso_adapter *tools[] = {iso_adapters_find(&adapters, "awdit"), iso_adapters_find(&adapters, "cobra")};
    const iso_checker *brute = iso_checker_find("brute");
    uint64_t rounds = iso_agree_rounds(150, 1000, 20000), seed = seed_or(1), compared = 0, wrong = 0, satisfied = 0;
    iso_small_shape shape = {.txns = 2, .ops = 3, .keys = 2, .sessions = 2, .aborted = true, .wild = true};
    iso_pool scratch;
    iso_pool_init(&scratch, &env);
    for (uint64_t i = 0; i < rounds; i++) {
        const iso_adapter *tool = tools[i % 2];
        const iso_format *format = iso_adapter_format(tool);
        const isolab_history *told[MEMBERS];
        size_t n = 2 + i % 3 / 2;
        uint32_t n_txns = 0, n_keys = 0;
        shape.lists = i % 4 == 3; /* in memory alone: these formats have no lists */
        for (size_t m = 0; m < n; m++) {
            const isolab_history *h = iso_random_small(&scratch, (seed + i) * MEMBERS + m, &shape);
            told[m] = iso_adapter_history(&scratch, tool, h, 0);
            n_txns += told[m]->n_txns;
            n_keys += told[m]->n_keys;
        }
        isolab_history *pack = iso_adapter_pack(&scratch, told, n);
        wrong += pack->n_txns != n_txns || pack->n_keys != n_keys;
        if (!pack->has_lists && pack->n_ops > 0) {
            char *bytes = NULL;
            size_t size;
            iso_sink sink = {.pool = &scratch, .path = "-", .out = open_memstream(&bytes, &size)};
            iso_format_find("isolab")->write(pack, &sink);
            fclose(sink.out);
            pack = iso_load_bytes(&scratch, bytes, size, iso_format_find("isolab"));
            free(bytes);
            iso_losses losses;
            iso_survey(pack, format, &losses);
            wrong += losses.count[ISO_LOSS_DUPLICATES] + losses.count[ISO_LOSS_STRINGS];
        }
        for (int level = 0; level < iso_n_levels; level++) {
            iso_question q = {.level = (iso_level)level, .no_session_order = i % 5 == 0 && level == ISO_SER};
            isolab_verdict all = ISOLAB_SATISFIED;
            iso_result result;
            for (size_t m = 0; m < n; m++) {
                iso_result_init(&result, &scratch);
                iso_check(brute, told[m], &q, &result);
                all = result.verdict == ISOLAB_SATISFIED ? all : result.verdict;
            }
            iso_result_init(&result, &scratch);
            iso_check(brute, pack, &q, &result);
            compared++;
            satisfied += all == ISOLAB_SATISFIED;
            if (result.verdict != all && wrong++ == 0) {
                diag("seed %llu, %s", (unsigned long long)(seed + i), iso_level_get(q.level)->name);
                iso_agree_print(&env, pack);
            }
        }
        iso_pool_free(&scratch);
    }
    ok(wrong == 0 && satisfied > compared / 20 && compared - satisfied > compared / 20,
       "a pack satisfies a level exactly if its members do");
    diag("%llu packs compared, %llu of them satisfied", (unsigned long long)compared, (unsigned long long)satisfied);
    isolab_history timed = {.txn_start = (int64_t[]){1}}, plain = {.txn_start = NULL};
    ok(!iso_adapter_packs(tools[0], &timed, ISO_SSER) && iso_adapter_packs(tools[0], &timed, ISO_SER) &&
           iso_adapter_packs(tools[0], &plain, ISO_SSER),
       "where real time counts, histories with times are asked about alone");
    ok(!iso_adapter_packs(iso_adapters_find(&adapters, "chronos"), &plain, ISO_SI), "and with other tools");
}

/* The smallest history with a trait has this trait, and no other history of the table has it. */
static void test_traits(void) {
    static const char *const has[ISO_TRAITS] = {"session A\nt1 commit: r x nil\n",
                                                "session A\nt1 commit: r x 1, w x 2\nt2 abort: w x 1\n",
                                                "session A\nt1 commit: r x 1, w x 2\nsession B\nt2 abort: w x 1\n",
                                                "session A\nt1 commit @1..2: r x 1, w x 2\n",
                                                "session A\nt1 commit: r x 1, w x 2, r x 2\n",
                                                "session A\nt1 commit: w x 1\nt2 commit: r x 1, r x 1\n",
                                                "session A\nt1 commit: r x 1\n",
                                                "session A\nt1 commit: w x 2\n",
                                                "session A\nt1 commit: w x 2\n",
                                                "session A\nt1 commit: rl x [], w y 1\n",
                                                "session A\nt1 commit @1..2: w x 1, w x 2\n"};
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    iso_adapter a = *iso_adapters_find(&adapters, "awdit");
    a.lists = "yes";
    for (int t = 0; t < ISO_TRAITS; t++) {
        isolab_history *h = iso_load_bytes(&pool, has[t], strlen(has[t]), iso_format_find("isolab"));
        a.initial = t == ISO_TRAIT_INITIAL ? "own" : "first";
        a.cannot = t == ISO_TRAIT_INITIAL ? "" : iso_trait_word[t];
        char why[256];
        uint32_t bit = ISO_TRAIT_BIT(t);
        cmp_ok(iso_adapter_traits(&a, h), "==", bit, "%s", iso_trait_text[t]);
        bool refused = iso_adapter_refuses(&a, h, ISO_RC, 0, why, sizeof why) != NULL;
        ok(refused != ((bit & ISO_TRAITS_TOLD_OTHERWISE) != 0), "is told otherwise, or not at all");
        ok(!refused || strstr(why, iso_trait_text[t]) != NULL, "with this reason");
        ok(iso_adapter_refuses(&a, h, ISO_RC, bit, why, sizeof why) == NULL, "unless it is offered as it is");
        cmp_ok(iso_adapter_offers(&a),
               "==", t == ISO_TRAIT_MIXED || t == ISO_TRAIT_UNTIMED || t == ISO_TRAIT_CALLS ? 0 : bit,
               "which it is once");
        a.initial = "first";
        a.cannot = "";
        cmp_ok(iso_adapter_traits(&a, h), "==", 0, "a tool that takes it has no limit");
    }
}

/* A history without committed transactions becomes empty for tools that get no session without a committed
 * transaction. */
static void test_nothing_left(void) {
    static const char text[] = "session A\nt1 abort: w x 1\n";
    iso_adapters adapters;
    iso_adapters_init(&adapters, &pool);
    isolab_history *h = iso_load_bytes(&pool, text, strlen(text), iso_format_find("isolab"));
    char why[256];
    const iso_adapter *a = iso_adapters_find(&adapters, "veristrong");
    ok(iso_adapter_refuses(a, h, ISO_SER, 0, why, sizeof why) != NULL, "%s", why);
    ok(iso_adapter_refuses(a, h, ISO_SER, ISO_TRAIT_BIT(ISO_TRAIT_EMPTY_SESSIONS), why, sizeof why) == NULL,
       "unless it is offered as it is");
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
    ok(iso_adapter_refuses(iso_adapters_find(&adapters, "awdit"), h, ISO_RC, 0, why, sizeof why) != NULL, "%s", why);
    ok(iso_adapter_refuses(iso_adapters_find(&adapters, "elle-cli"), h, ISO_SER, 0, why, sizeof why) == NULL,
       "elle-cli takes lists");
    ok(iso_adapter_refuses(iso_adapters_find(&adapters, "elle-cli"), h, ISO_CC, 0, why, sizeof why) != NULL, "%s", why);
    ok(iso_adapters_find(&adapters, "isolab-brute") != NULL, "isolab's own checkers are adapters too");
}

static void all(void *arg) {
    (void)arg;
    test_outputs();
    test_answers();
    test_phases();
    test_commands();
    test_limits();
    test_file();
    test_takes();
    test_traits();
    test_nothing_left();
    test_histories();
    test_packs();
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
