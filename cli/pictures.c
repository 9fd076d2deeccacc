/* See pictures.h. */
#include "cli/pictures.h"

#include <string.h>

#include "base/print.h"
#include "base/process.h"
#include "cli/output.h"
#include "explain/dot.h"
#include "explain/draw.h"

/* Returns the name of picture n: for `a/b.svg` and 3 it is `a/b-3.svg`. The first name is unchanged, and so is that of
 * standard output. */
static const char *name(iso_pool *pool, const char *path, unsigned n) {
    size_t size = strlen(path) + 16;
    char *text = ISO_NEW(pool, char, size);
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    size_t stem = dot != NULL ? (size_t)(dot - path) : strlen(path);
    if (n == 1 || strcmp(path, "-") == 0) {
        snprintf(text, size, "%s", path);
    } else {
        snprintf(text, size, "%.*s-%u%s", (int)stem, path, n, path + stem);
    }
    return text;
}

void iso_pictures_must_draw(iso_cli *cli) {
    if (iso_find_program(&cli->pool, "dot") == NULL) {
        iso_throw(&cli->env, ISOLAB_E_IO, "--svg: " ISO_NO_GRAPHVIZ "; --draw and --dot do without");
    }
}

static void save_dot(iso_pool *pool, const char *path, iso_picture *p, const iso_result *r) {
    FILE *out = iso_output_open(pool->env, path);
    iso_picture_dot(out, p, r, true);
    iso_output_close(pool->env, out);
}

static void save_svg(iso_pool *pool, const char *path, iso_picture *p, const iso_result *r) {
    const char *why;
    iso_markup svg = iso_picture_svg(pool, p, r, true, &why);
    if (svg.text == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO, "--svg: %s; --draw and --dot do without", why);
    }
    iso_printer out = {.out = iso_output_open(pool->env, path), .target = ISO_HTML};
    iso_print(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    iso_print_markup(&out, svg);
    iso_output_close(pool->env, out.out);
}

void iso_picture_answer(iso_cli *cli, iso_pictures *where, const isolab_history *h, const iso_answer *answer,
                        uint64_t most) {
    const iso_result *r = &answer->result;
    iso_pool *pool = &cli->item;
    for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
        if (r->anomalies[i].kind == ISO_A_NO_ORDER && r->anomalies[i].n_cycle == 0) {
            continue; /* an unsuccessful search has no picture */
        }
        iso_picture *p = iso_picture_make(pool, h, r, &r->anomalies[i]);
        char title[256];
        where->n++;
        if (where->draw) {
            iso_printer out = {.out = stdout};
            iso_print(&out, "  %s\n", iso_picture_title(p, title, sizeof title));
            iso_picture_draw(&out, pool, p);
        }
        if (where->dot != NULL) {
            save_dot(pool, name(pool, where->dot, where->n), p, r);
        }
        if (where->svg != NULL) {
            save_svg(pool, name(pool, where->svg, where->n), p, r);
        }
        iso_pool_free(pool);
    }
}
