/* See painter.h. */
#include "base/painter.h"

#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "base/process.h"

/* Returns the last line that the program printed, which describes the error. */
static const char *complaint(iso_pool *pool, const char *text) {
    const char *last = "it drew nothing";
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        last = strspn(text, " \t^") < n ? iso_copy_text(pool, text, n) : last;
        text += n + (text[n] == '\n');
    }
    return last;
}

typedef struct painting {
    iso_pool *pool;
    const iso_painter *by;
    const char *folder, *text;
    size_t n;
    const char *picture;
    size_t size;
} painting;

static const char *file_in(painting *p, const char *name) {
    iso_printer path = {.pool = p->pool};
    iso_print(&path, "%s/%s", p->folder, name);
    return iso_printed(&path);
}

static void paint(void *arg) {
    enum { ARGUMENTS = sizeof((iso_painter *)0)->arguments / sizeof(char *) };
    painting *p = arg;
    iso_pool *pool = p->pool;
    const char *argv[ARGUMENTS + 2] = {iso_find_program(pool, p->by->program)};
    if (argv[0] == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO,
                  "%s is not installed: run `tools/install-deps.sh pictures`, or `apt-get install %s`", p->by->program,
                  p->by->package);
    }
    for (int i = 0; i < ARGUMENTS; i++) {
        argv[i + 1] = p->by->arguments[i];
    }
    argv[0] = iso_absolute_path(pool, argv[0]);
    iso_file_save(pool->env, file_in(p, ISO_TO_PAINT), p->text, p->n);
    iso_job job = {.argv = argv,
                   .environment = (const char *const[]){"LC_ALL=C.UTF-8", NULL}, /* the text is UTF-8 everywhere */
                   .folder = p->folder,
                   .timeout = 120000000000};
    iso_run_jobs(pool, &job, 1, 1);
    p->picture = iso_file_content(pool, file_in(p, ISO_PAINTED), &p->size);
    if (job.end != ISO_JOB_EXITED || job.code != 0 || p->picture == NULL || p->size == 0) {
        iso_throw(pool->env, ISOLAB_E_IO, "%s failed: %.300s", p->by->program, complaint(pool, job.err));
    }
    iso_print_lines(&(iso_printer){.out = stderr}, job.err);
}

const char *iso_paint(iso_pool *pool, const iso_painter *by, const char *text, size_t n, size_t *size) {
    char *folder = iso_temporary_folder(pool, "paint", NULL);
    painting p = {pool, by, folder, text, n, NULL, 0};
    int code = iso_guard(pool->env, paint, &p);
    iso_remove_folder(folder);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    *size = p.size;
    return p.picture;
}
