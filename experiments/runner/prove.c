/* See prove.h. */
#include "experiments/runner/prove.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "experiments/runner/results_check.h"

bool iso_prove_can(const iso_suite_question *q) { return q->foreign == NULL; }

/* Returns the job of the question with `--certificate PATH`. */
static iso_job job_of(iso_pool *pool, const iso_suite_question *q, const char *path) {
    iso_job job = iso_door_job(pool, q);
    size_t n = 0;
    while (job.argv[n] != NULL) {
        n++;
    }
    const char **argv = ISO_ZNEW(pool, const char *, n + 3);
    argv[0] = job.argv[0];
    argv[1] = job.argv[1];
    argv[2] = "--certificate";
    argv[3] = path;
    memcpy(argv + 4, job.argv + 2, (n - 2) * sizeof *argv);
    job.argv = argv;
    return job;
}

/* Reads and compresses the file. Returns why there is no certificate; NULL: there is one. */
static const char *take(iso_pool *pool, const char *path, iso_certificate_row *row) {
    size_t size;
    errno = 0;
    const char *text = iso_file_content(pool, path, &size);
    if (text == NULL || size == 0) {
        return "the checker gave no certificate for this verdict";
    }
    size_t most = ZSTD_compressBound(size);
    void *data = iso_alloc(pool, most, 1);
    size_t n = ZSTD_compress(data, most, text, size, 3);
    if (ZSTD_isError(n)) {
        return ZSTD_getErrorName(n);
    }
    if (n > ISO_LONGEST_CERTIFICATE) {
        return iso_format_text(pool, "the certificate is too large to be stored: %zu bytes", n);
    }
    iso_sha256 sha;
    char hex[65];
    iso_sha256_init(&sha);
    iso_sha256_add(&sha, data, n);
    iso_sha256_hex(&sha, hex);
    row->sha256 = iso_format_text(pool, "%s", hex);
    row->data = data;
    row->size = n;
    row->bytes = size;
    return NULL;
}

typedef struct proving {
    iso_pool *pool;
    const iso_suite_question *q;
    const char *path;
    iso_certificate_row *row;
} proving;

static void ask(void *arg) {
    proving *p = arg;
    iso_run run = {.state = ISO_RUN_OK};
    iso_job job = job_of(p->pool, p->q, p->path);
    iso_run_jobs(p->pool, &job, 1, 1);
    iso_door_judge(p->pool, p->q, &job, &run);
    if (run.verdict == NULL) {
        p->row->reason = iso_format_text(p->pool, "with a certificate: %s%s%s", iso_run_state_name(run.state),
                                         run.reason != NULL ? ", " : "", run.reason != NULL ? run.reason : "");
    } else if (strcmp(run.verdict, p->row->verdict) != 0) {
        p->row->reason = iso_format_text(p->pool, "with a certificate, the verdict is %s", run.verdict);
    } else {
        p->row->reason = take(p->pool, p->path, p->row);
    }
}

void iso_prove(iso_pool *pool, iso_results *results, const iso_suite_question *q, int64_t environment, int64_t history,
               const char *verdict) {
    iso_certificate_row row = {.environment = environment,
                               .history = history,
                               .level = q->level,
                               .verdict = verdict,
                               .checker = q->contender->label};
    if (iso_results_has_certificate(results, &row)) {
        return;
    }
    const char *path = iso_half_name(pool, iso_format_text(pool, "%s/certificate", q->lab->work));
    proving p = {pool, q, path, &row};
    int code = iso_guard(pool->env, ask, &p);
    unlink(path);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    iso_results_add_certificate(results, &row);
}
