/* See pictures.h. */
#include "cli/pictures.h"

#include <string.h>

#include "base/print.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "explain/draw.h"
#include "explain/svg.h"
#include "explain/tikz.h"

typedef void drawer(FILE *out, iso_pool *pool, const iso_picture *p, const iso_result *result);

static const struct {
    const char *extension;
    drawer *draw;
} formats[] = {{".svg", iso_picture_svg_file},
               {".pdf", iso_picture_pdf_file},
               {".tex", iso_picture_tikz},
               {".tikz", iso_picture_tikz}};
enum { FORMATS = sizeof formats / sizeof *formats };

static drawer *drawer_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    for (size_t i = 0; dot != NULL && i < FORMATS; i++) {
        if (strcmp(dot, formats[i].extension) == 0) {
            return formats[i].draw;
        }
    }
    return NULL;
}

void iso_pictures_know(iso_cli *cli, const char *path) {
    if (path != NULL && drawer_of(path) == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "--picture: expected a file that ends in .svg, .pdf or .tex (TikZ), found \"%s\"", path);
    }
}

static void save(iso_pool *pool, const char *path, drawer *draw, iso_picture *p, const iso_result *r) {
    FILE *out = iso_output_open(pool->env, path);
    draw(out, pool, p, r);
    iso_output_close(pool->env, out);
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
            iso_drawing how = iso_terminal_drawing();
            iso_print_width(how.columns);
            iso_print(&out, "  %s\n", iso_picture_title(p, title, sizeof title));
            iso_picture_draw(&out, pool, p, &how);
            iso_print_width(0);
        }
        if (where->svg != NULL) {
            save(pool, iso_numbered_name(pool, where->svg, where->n), iso_picture_svg_file, p, r);
        }
        if (where->any != NULL) {
            save(pool, iso_numbered_name(pool, where->any, where->n), drawer_of(where->any), p, r);
        }
        iso_pool_free(pool);
    }
}
