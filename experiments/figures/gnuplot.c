/* See gnuplot.h. */
#include "experiments/figures/gnuplot.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/painter.h"
#include "base/print.h"
#include "base/process.h"
#include "experiments/runner/lab.h"

enum { SVG, PDF, PNG, TERMINALS };
static const struct {
    const char *extension;
    iso_markup terminal;
    double scale; /* pixels or points of an inch */
} terminals[TERMINALS] = {
    [SVG] = {"svg", {"svg enhanced dynamic background rgb 'white' font 'Helvetica,Arial,sans-serif,11'"}, 100},
    [PDF] = {"pdf", {"pdfcairo enhanced font 'Helvetica,9'"}, 1},
    [PNG] = {"png", {"pngcairo enhanced font 'Helvetica,9' fontscale 2.4 linewidth 2.4 pointscale 2.4"}, 240},
};

static const iso_painter gnuplot = {"gnuplot", "gnuplot-nox", {"--default-settings", ISO_TO_PAINT}};

static int terminal_of(const char *extension) {
    for (int i = 0; i < TERMINALS; i++) {
        if (strcmp(terminals[i].extension, extension) == 0) {
            return i;
        }
    }
    return -1;
}

bool iso_gnuplot_draws(const char *extension) { return terminal_of(extension) >= 0; }

/* Returns a template: the user's, or one that belongs to the program. */
static iso_markup template(iso_pool *pool, const char *name) {
    const char *set = getenv("ISOLAB_PLOTS"), *program = iso_own_program(pool), *slash = strrchr(program, '/');
    int folder = (int)(slash - program);
    const char *const places[] = {
        set != NULL ? iso_format_text(pool, "%s/%s.gp", set, name) : "/nowhere",
        iso_format_text(pool, "%.*s/../plots/%s.gp", folder, program, name),
        iso_format_text(pool, "%.*s/../../plots/%s.gp", folder, program, name),
        iso_format_text(pool, "%.*s/../share/isolab/plots/%s.gp", folder, program, name),
    };
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        size_t n;
        const char *text = iso_file_content(pool, places[i], &n);
        if (text != NULL) {
            return (iso_markup){text};
        }
    }
    iso_throw(pool->env, ISOLAB_E_IO, "cannot find the template %s.gp: set ISOLAB_PLOTS to the folder plots/ of isolab",
              name);
}

static void print_script(iso_printer *out, const char *kind, const iso_figure *f, const char *extension, bool to_file) {
    int t = terminal_of(extension);
    double width = f->width * terminals[t].scale, height = f->height * terminals[t].scale;
    iso_print(out, "set encoding utf8\nset terminal ");
    iso_print_markup(out, terminals[t].terminal);
    if (t == PDF) {
        iso_print(out, " size %.9gin,%.9gin\n", width, height);
    } else {
        iso_print(out, " size %.9g,%.9g\n", width, height);
    }
    if (to_file) {
        iso_print(out, "set output '" ISO_PAINTED "'\n");
    }
    iso_print_markup(out, f->settings);
    iso_print(out, "$DATA << END\n");
    iso_print_markup(out, f->data);
    iso_print(out, "END\n");
    iso_print_markup(out, template(out->pool, "style"));
    iso_print(out, "\n");
    iso_print_markup(out, template(out->pool, f->sentences ? "sentences" : kind));
    iso_print(out, "\nset output\n");
}

iso_markup iso_gnuplot_script(iso_pool *pool, const char *kind, const iso_figure *f) {
    iso_printer out = {.pool = pool, .target = ISO_GNUPLOT};
    print_script(&out, kind, f, "svg", false);
    return iso_printed_markup(&out);
}

bool iso_gnuplot_is_there(iso_pool *pool) { return iso_find_program(pool, gnuplot.program) != NULL; }

const char *iso_gnuplot_draw(iso_pool *pool, const char *kind, const iso_figure *f, const char *extension,
                             size_t *size) {
    iso_printer script = {.pool = pool, .target = ISO_GNUPLOT};
    print_script(&script, kind, f, extension, true);
    return iso_paint(pool, &gnuplot, iso_printed(&script), script.size, size);
}
