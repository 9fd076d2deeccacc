/* The histories of a folder: every file of a format that isolab recognises, and every folder that is a history itself.
 * See recorded.h. */
#define _GNU_SOURCE
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/asking/recorded.h"

typedef struct files {
    iso_pool *pool;
    const char **list;
    size_t n, room;
} files;

static void add_file(files *f, const char *path) {
    ISO_GROW(f->pool, f->list, f->n, f->room);
    f->list[f->n++] = iso_format_text(f->pool, "%s", path);
}

typedef struct looking {
    iso_pool pool;
    const char *path;
    bool is;
} looking;

static void detect_format(void *arg) {
    looking *l = arg;
    iso_source source;
    iso_source_open(&l->pool, l->path, &source);
    l->is = iso_format_detect(&source) != NULL;
}

/* Returns whether a path is a history of a format that isolab recognises. A file that cannot be read is none. */
static bool is_history(iso_env *env, const char *path) {
    looking l = {.path = path};
    iso_pool_init(&l.pool, env);
    int code = iso_guard(env, detect_format, &l);
    iso_pool_free(&l.pool);
    if (code == ISOLAB_E_LIMIT) {
        iso_rethrow(env);
    }
    return code == ISOLAB_OK && l.is;
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

typedef struct walk {
    files *f;
    FTS *tree;
} walk;

static void walk_on(void *arg) {
    walk *w = arg;
    for (FTSENT *e; (e = fts_read(w->tree)) != NULL;) {
        bool folder = e->fts_info == FTS_D, file = e->fts_info == FTS_F;
        if (e->fts_level > 0 && e->fts_name[0] == '.') {
            fts_set(w->tree, e, FTS_SKIP);
        } else if ((folder || file) && is_history(w->f->pool->env, e->fts_path)) {
            add_file(w->f, e->fts_path);
            fts_set(w->tree, e, FTS_SKIP);
        }
    }
}

iso_history_files iso_history_files_of(iso_pool *pool, const char *const *operands, unsigned n_operands) {
    files f = {.pool = pool};
    for (unsigned i = 0; i < n_operands; i++) {
        struct stat status;
        if (stat(operands[i], &status) != 0 || !S_ISDIR(status.st_mode)) {
            add_file(&f, operands[i]);
            continue;
        }
        char *const roots[] = {(char *)(uintptr_t)operands[i], NULL};
        walk w = {&f, fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name)};
        size_t before = f.n;
        int code = w.tree != NULL ? iso_guard(pool->env, walk_on, &w) : ISOLAB_OK;
        if (w.tree != NULL) {
            fts_close(w.tree);
        }
        if (code != ISOLAB_OK) {
            iso_rethrow(pool->env);
        }
        if (f.n == before) {
            add_file(&f, operands[i]); /* if it is wrong, its reader throws the error */
        }
    }
    return (iso_history_files){.list = f.list, .n = (unsigned)f.n};
}
