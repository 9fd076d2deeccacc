/* See artifact.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/print.h"
#include "base/process.h"
#include "experiments/artifact/artifact.h"

typedef struct packing {
    const iso_artifact_parts *parts;
    iso_pool *pool;
    const char *stage; /* the folder that is packed */
    const char *name;  /* of the artifact: the folder's name in the tar file */
    iso_printer *manifest;
} packing;

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void run_program(iso_pool *pool, const char *const *words) {
    const char *found = iso_find_program(pool, words[0]);
    if (found == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO, "there is no program %s", words[0]);
    }
    const char *argv[64] = {found};
    for (size_t i = 1; i < 63 && words[i] != NULL; i++) {
        argv[i] = words[i];
    }
    iso_job job = {.argv = argv};
    iso_run_jobs(pool, &job, 1, 1);
    if (job.end != ISO_JOB_EXITED || job.code != 0) {
        job.err[strcspn(job.err, "\n")] = '\0';
        iso_throw(pool->env, ISOLAB_E_IO, "%s: %s", words[0], *job.err != '\0' ? job.err : "failed");
    }
}

static void copy(packing *p, const char *from, const char *to) {
    run_program(p->pool,
                (const char *const[]){"cp", "-RL", "--", from, iso_format_text(p->pool, "%s/%s", p->stage, to), NULL});
}

static void folder(packing *p, const char *name) {
    iso_make_folders(p->pool, iso_format_text(p->pool, "%s/%s", p->stage, name));
}

static bool there(const char *path) { return access(path, R_OK) == 0; }

/* Packs the histories that no command makes: each by its SHA-256, as verify-results finds it. A file of results may
 * name any file as a history: only one that still is the history is packed. */
static void pack_histories(packing *p, iso_results *results) {
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(
            iso_results_db(results),
            "SELECT DISTINCT source, sha256 FROM history WHERE source NOT LIKE 'generate %' AND source NOT"
            " LIKE 'reduce %'",
            -1, &s, NULL) != SQLITE_OK) {
        iso_results_throw(results);
    }
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *source = (const char *)sqlite3_column_text(s, 0), *sha = (const char *)sqlite3_column_text(s, 1);
        if (strlen(sha) != 64 || strspn(sha, "0123456789abcdef") != 64 || !there(source)) {
            continue;
        }
        const char *to = iso_format_text(p->pool, "histories/%s.given", sha);
        char hex[65];
        if (!there(iso_format_text(p->pool, "%s/%s", p->stage, to))) {
            iso_digest(p->pool->env, source, hex);
            if (strcmp(hex, sha) != 0) {
                iso_say(stderr, "isolab: %s: not packed: it is not the history that was measured\n", source);
                continue;
            }
            copy(p, source, to);
            const char *facts = iso_format_text(p->pool, "{\"sha256\":\"%s\"}", sha);
            iso_file_save(p->pool->env, iso_format_text(p->pool, "%s/histories/%s.json", p->stage, sha), facts,
                          strlen(facts));
        }
    }
    sqlite3_finalize(s);
}

/* Prints a time in the unit that a reader expects. */
static void print_time(iso_printer *out, double s) {
    if (s < 90) {
        iso_print(out, "%.0f s", s);
    } else if (s < 5400) {
        iso_print(out, "%.0f min", s / 60);
    } else if (s < 172800) {
        iso_print(out, "%.1f h", s / 3600);
    } else {
        iso_print(out, "%.1f days", s / 86400);
    }
}

/* A scale, its command, and the limit of a suite in seconds, which paper-artifacts/common.sh sets. */
typedef struct scale {
    const char *name, *command;
    double most;
} scale;

static void print_scale(packing *p, iso_printer *out, iso_results *results, const char *of, const scale *which) {
    DIR *suites = opendir(of);
    struct dirent *entry;
    iso_prediction sum = {0, 0, 0, 0};
    while (suites != NULL && (entry = readdir(suites)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".suite") == 0) {
            iso_prediction one = iso_artifact_predict(
                p->parts->lab, results, iso_format_text(p->pool, "%s/%s", of, entry->d_name), which->name);
            sum.seconds += fmin(one.seconds, which->most);
            sum.mebibytes = one.mebibytes > sum.mebibytes ? one.mebibytes : sum.mebibytes;
            sum.runs += one.runs;
            sum.guessed += one.guessed;
        }
    }
    if (suites != NULL) {
        closedir(suites);
    }
    iso_print(out, "| %s | %s | ", base_of(of), which->name);
    iso_print_code(out, which->command);
    iso_print(out, " | %zu | ", sum.runs);
    print_time(out, sum.seconds);
    iso_print(out, " | %.0f MiB | %zu |\n", sum.mebibytes, sum.guessed);
}

/* The commands of a minute for each artifact, to be pasted. */
static void print_commands(packing *p, iso_printer *out) {
    for (size_t i = 0; i < p->parts->n; i++) {
        const char *name = base_of(p->parts->folders[i]);
        iso_print(out, "    bin/isolab verify-results --generate --histories histories results/%s.sqlite\n", name);
        iso_print(out, "    bin/isolab claims --results results paper-artifacts/%s/claims.md\n", name);
    }
}

static void print_readme(packing *p, iso_printer *out, iso_results *const *results) {
    static const scale scales[] = {
        {"smoke", "make paper-smoke", 30}, {"paper", "make paper", 150}, {"full", "make paper-full", 86400}};
    iso_print_lines(
        &(iso_printer){.out = out->out},
        "# Artifact\n\n"
        "This folder has everything that the results rest on. It needs Debian 12 or a relative of it.\n\n"
        "## Kick the tires (one minute)\n\n"
        "    bin/isolab artifact check .          # the files are those of the manifest; what differs here\n");
    print_commands(p, out);
    iso_print_lines(
        &(iso_printer){.out = out->out},
        "\nThe first command compares this folder with MANIFEST.txt and this machine with MACHINE.txt. The second\n"
        "proves the verdicts again from their certificates, without running a checker. The third compares the\n"
        "packed results with what the paper claims.\n\n"
        "## Run it\n\n"
        "    cd source && tools/install-deps.sh build && make\n"
        "    make paper-smoke && make paper && make claims\n\n"
        "Each command may be stopped and goes on where it stopped. Times and memory were predicted on the machine of\n"
        "MACHINE.txt from the measured exponents, without published programs; a run without any measurement of its\n"
        "kind counts with its time limit (the last column), and a suite with at most 30 seconds, 150 seconds or a "
        "day,\n"
        "since the commands end it then; what is missing is measured when they are called again.\n");
    iso_print(out,
              "\n| artifact | scale | command | runs | time | memory | guessed |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < p->parts->n; i++) {
        for (size_t s = 0; s < 3; s++) {
            print_scale(p, out, results[i], p->parts->folders[i], &scales[s]);
        }
    }
    iso_print_lines(
        &(iso_printer){.out = out->out},
        "\n## What is where\n\n"
        "| path | what |\n|---|---|\n"
        "| results/NAME.sqlite | every run, and the certificate of each verdict; results/NAME: figures and tables |\n"
        "| paper-artifacts/NAME | suites, run.sh, claims.md |\n"
        "| histories | given ones, by SHA-256; the others are made by the commands in the results |\n"
        "| source, bin | isolab's source, and the programs that were measured |\n"
        "| MANIFEST.txt, MACHINE.txt | SHA-256 of every file; versions and machine |\n");
}

static void list(void *arg, const char *path, const char *relative) {
    packing *p = arg;
    char hex[65];
    iso_digest(p->pool->env, path, hex);
    iso_print(p->manifest, "%s  %s\n", hex, relative);
}

static void save_text(packing *p, const char *name, const char *text) {
    iso_file_save(p->pool->env, iso_format_text(p->pool, "%s/%s", p->stage, name), text, strlen(text));
}

static void pack_source(packing *p) {
    DIR *source = p->parts->source != NULL ? opendir(p->parts->source) : NULL;
    struct dirent *entry;
    folder(p, "source");
    while (source != NULL && (entry = readdir(source)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, ".git") != 0 &&
            strcmp(name, "build") != 0) {
            copy(p, iso_format_text(p->pool, "%s/%s", p->parts->source, name), "source/");
        }
    }
    if (source != NULL) {
        closedir(source);
    }
}

static void pack_artifact(packing *p, const char *of, iso_results *results) {
    const char *name = base_of(of);
    const char *common = iso_format_text(p->pool, "%s/../common.sh", of);
    copy(p, of, "paper-artifacts/");
    if (there(common)) {
        copy(p, common, "paper-artifacts/");
    }
    copy(p, iso_format_text(p->pool, "%s/%s.sqlite", p->parts->results, name), "results/");
    if (there(iso_format_text(p->pool, "%s/%s", p->parts->results, name))) {
        copy(p, iso_format_text(p->pool, "%s/%s", p->parts->results, name), "results/");
    }
    pack_histories(p, results);
}

typedef struct opened {
    packing p;
    iso_results **results;
    const char *output;
} opened;

static void pack(void *arg) {
    opened *o = arg;
    packing *p = &o->p;
    const iso_artifact_parts *parts = p->parts;
    static const char *const folders[] = {"paper-artifacts", "results", "histories", "bin"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        folder(p, folders[i]);
    }
    for (size_t i = 0; i < parts->n; i++) {
        const char *path = iso_format_text(p->pool, "%s/%s.sqlite", parts->results, base_of(parts->folders[i]));
        o->results[i] = iso_results_open(p->pool, path, ISO_RESULTS_READ);
        sqlite3_exec(iso_results_db(o->results[i]), "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
        pack_artifact(p, parts->folders[i], o->results[i]);
    }
    copy(p, parts->program, "bin/isolab");
    copy(p, parts->verifier, "bin/isolab-verify");
    pack_source(p);
    iso_file readme = {.out = NULL};
    iso_file_open(p->pool->env, &readme, iso_format_text(p->pool, "%s/README.md", p->stage));
    print_readme(p, &(iso_printer){.out = readme.out, .target = ISO_MARKDOWN}, o->results);
    iso_file_close(p->pool->env, &readme);
    save_text(p, ISO_MACHINE, iso_artifact_machine(p->pool, parts->program));
    iso_printer manifest = {.pool = p->pool};
    p->manifest = &manifest;
    iso_artifact_files(p->pool, p->stage, list, p);
    save_text(p, ISO_MANIFEST, iso_printed(&manifest));
    const char *up = iso_format_text(p->pool, "%s/..", p->stage),
               *packed = iso_format_text(p->pool, "%s.tar.gz", p->stage);
    run_program(p->pool, (const char *const[]){"tar", "--force-local", "-C", up, "--sort=name", "--owner=0",
                                               "--group=0", "--numeric-owner", "-czf", packed, "--", p->name, NULL});
    size_t n;
    const char *bytes = iso_file_content(p->pool, packed, &n);
    if (bytes == NULL) {
        iso_throw(p->pool->env, ISOLAB_E_IO, "cannot read the packed artifact: %s", strerror(errno));
    }
    iso_file_save(p->pool->env, o->output, bytes, n);
}

void iso_artifact_pack(const iso_artifact_parts *parts, const char *output) {
    iso_pool *pool = parts->pool;
    const char *temporary = iso_temporary_folder(pool, "pack", NULL);
    const char *name = base_of(output);
    name = iso_copy_text(pool, name, strcspn(name, "."));
    opened o = {
        .p = {.parts = parts, .pool = pool, .name = name, .stage = iso_format_text(pool, "%s/%s", temporary, name)},
        .results = ISO_ZNEW(pool, iso_results *, parts->n + 1),
        .output = iso_absolute_path(pool, output)};
    int code = iso_guard(pool->env, pack, &o);
    for (size_t i = 0; i < parts->n; i++) {
        iso_results_close(o.results[i]);
    }
    iso_remove_folder(temporary);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
}
