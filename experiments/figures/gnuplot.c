/* See gnuplot.h. */
#include "experiments/figures/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/runner/lab.h"
#include "experiments/runner/process.h"

static const struct {
    const char *extension, *terminal;
    double scale; /* of inches */
} terminals[] = {
    {"svg", "svg enhanced dynamic background rgb 'white' font 'Helvetica,Arial,sans-serif,11'", 100},
    {"pdf", "pdfcairo enhanced font 'Helvetica,9'", 1},
    {"png", "pngcairo enhanced font 'Helvetica,9' fontscale 2.4 linewidth 2.4 pointscale 2.4", 240},
};

static int terminal_of(const char *extension) {
    for (unsigned i = 0; i < sizeof terminals / sizeof terminals[0]; i++) {
        if (strcmp(terminals[i].extension, extension) == 0) {
            return (int)i;
        }
    }
    return -1;
}

bool iso_gnuplot_draws(const char *extension) { return terminal_of(extension) >= 0; }

/* The content of a file of at most 64 KiB, or NULL. */
static const char *content(iso_pool *pool, const char *path) {
    char *text = iso_zalloc(pool, (1 << 16) + 1, 1);
    FILE *in = fopen(path, "re");
    if (in == NULL) {
        return NULL;
    }
    size_t n = fread(text, 1, 1 << 16, in);
    fclose(in);
    text[n] = '\0';
    return text;
}

static const char *template(iso_pool *pool, const char *name) {
    const char *set = getenv("ISOLAB_PLOTS"), *program = iso_own_program(pool), *slash = strrchr(program, '/');
    int folder = (int)(slash - program);
    const char *const places[] = {
        set != NULL ? iso_lab_text(pool, "%s/%s.gp", set, name) : "/nowhere",
        iso_lab_text(pool, "%.*s/../plots/%s.gp", folder, program, name),
        iso_lab_text(pool, "%.*s/../../plots/%s.gp", folder, program, name),
        iso_lab_text(pool, "%.*s/../share/isolab/plots/%s.gp", folder, program, name),
    };
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *text = content(pool, places[i]);
        if (text != NULL) {
            return text;
        }
    }
    iso_throw(pool->env, ISOLAB_E_IO,
              "cannot find the template %s.gp: set ISOLAB_PLOTS to the folder plots/ of isolab", name);
}

const char *iso_gnuplot_script(iso_pool *pool, const char *kind, const iso_figure *f, const char *extension,
                               const char *path) {
    int t = terminal_of(extension);
    double scale = terminals[t].scale;
    const char *quoted = "";
    for (const char *c = path; *c != '\0'; c++) { /* in single quotes */
        quoted = *c == '\'' ? iso_lab_text(pool, "%s''", quoted) : iso_lab_text(pool, "%s%c", quoted, *c);
    }
    const char *where = *path != '\0' ? iso_lab_text(pool, "set output '%s'\n", quoted) : "";
    return iso_lab_text(
        pool,
        "# isolab plot %s\nset encoding utf8\nset terminal %s size %.9g%s,%.9g%s\n%s%s$DATA << END\n%sEND\n"
        "%s\n%s\nset output\n",
        kind, terminals[t].terminal, f->width * scale, t == 1 ? "in" : "", f->height * scale,
        t == 1 ? "in" : "", where, f->settings, f->data, template(pool, "style"), template(pool, kind));
}

void iso_gnuplot_run(iso_pool *pool, const char *script, const char *path) {
    const char *program = iso_find_program(pool, "gnuplot");
    if (program == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO, "gnuplot is not installed: run `tools/install-deps.sh bench`, or "
                                          "`apt-get install gnuplot-nox`");
    }
    char name[] = "/tmp/isolab-plot-XXXXXX";
    int fd = mkstemp(name);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = out != NULL && fputs(script, out) >= 0;
    written = out != NULL && fclose(out) == 0 && written;
    iso_job job = {.argv = (const char *const[]){program, name, NULL}, .timeout = 120000000000};
    if (written) {
        iso_run_jobs(pool, &job, 1, 1);
    }
    unlink(name);
    if (!written) {
        iso_throw(pool->env, ISOLAB_E_IO, "cannot write %s: %s", name, strerror(errno));
    }
    struct stat st;
    bool good = job.end == ISO_JOB_EXITED && job.code == 0 && stat(path, &st) == 0 && st.st_size > 0;
    if (!good) {
        iso_throw(pool->env, ISOLAB_E_IO, "gnuplot failed: %.300s", job.err[0] != '\0' ? job.err : path);
    }
    if (job.err[0] != '\0') {
        fprintf(stderr, "%s", job.err);
    }
}
