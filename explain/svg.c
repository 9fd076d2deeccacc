/* See svg.h. */
#include "explain/svg.h"

#include <string.h>

#include "base/file.h"
#include "base/painter.h"
#include "explain/caption.h"

static const struct {
    const char *name, *colour;
} colours[] = {{"ink", "#1c2430"},  {"soft", "#5c6675"}, {"line", "#c9d0da"}, {"paper", "#ffffff"}, {"lane", "#f4f6f9"},
               {"head", "#e4ebf5"}, {"bad", "#fde4df"},  {"so", "#5c6675"},   {"wr", "#1659b5"},    {"rw", "#b3261e"},
               {"ww", "#8a4b00"},   {"rt", "#6b2fa0"},   {"inf", "#a1205f"},  {"pill", "#ffffff"}};
enum { COLOURS = sizeof colours / sizeof *colours };

const char *iso_svg_colour(const char *name) {
    unsigned i = 0;
    while (strcmp(colours[i].name, name) != 0) {
        i++;
    }
    return colours[i].colour;
}

/* The rules; a colour follows each text, except the last. */
static const struct {
    const char *text, *colour;
} rules[] = {
    {".pic text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px;fill:", "ink"},
    {"}.pic .lane{fill:", "lane"},
    {";stroke:", "line"},
    {"}.pic .lanename{font-weight:bold;fill:", "soft"},
    {"}.pic .box{fill:", "paper"},
    {";stroke:", "ink"},
    {";stroke-width:1.2}.pic .boxhead{fill:", "head"},
    {"}.pic .out .box{stroke-dasharray:5 4}.pic .name{font-weight:bold}.pic .where{fill:", "soft"},
    {"}.pic .wrong{fill:", "bad"},
    {"}.pic .op.wrong text{font-weight:bold}.pic path{fill:none;stroke-width:1.8}"
     ".pic .head{stroke:none}.pic .open{fill:",
     "paper"},
    {";stroke-width:1.6}.pic .pill{fill:", "pill"},
    {";stroke-width:1.2}.pic .arrow text{font-size:11px;text-anchor:middle}"
     ".pic .twice .line{stroke-width:4.5}.pic .inner{stroke-width:1.6}"
     ".pic .cycle .line{stroke-width:2.4}.pic .twice.cycle .line{stroke-width:5}"
     ".pic.stepping .arrow{opacity:.22}.pic.stepping .arrow.on{opacity:1}"
     ".pic.stepping .txn{opacity:.45}.pic.stepping .txn.on{opacity:1}"
     ".pic .txn.on .box{stroke-width:2.6}.pic .arrow.on .pill{stroke-width:2.6}",
     NULL},
};

static void print_colour(iso_printer *out, const char *name, bool literal) {
    iso_print_markup(out, literal ? ISO_MARKUP("") : ISO_MARKUP("var(--"));
    iso_print_markup(out, (iso_markup){literal ? iso_svg_colour(name) : name});
    iso_print_markup(out, literal ? ISO_MARKUP("") : ISO_MARKUP(")"));
}

/* Prints the rules of a kind of arrow. */
static void print_kind(iso_printer *out, iso_edge_kind k, bool literal) {
    const iso_arrow_kind *kind = &iso_arrow_kinds[k];
    const char *name = iso_edge_name(k);
    iso_print(out, ".k-%s path,.k-%s .pill{stroke:", name, name);
    print_colour(out, kind->colour, literal);
    iso_print(out, "}.pic .k-%s .inner{stroke:", name);
    print_colour(out, "lane", literal);
    if (!kind->hollow) {
        iso_print(out, "}.k-%s .head{fill:", name);
        print_colour(out, kind->colour, literal);
    }
    if (kind->dash[0] != '\0') {
        iso_print(out, "}.k-%s .line{stroke-dasharray:%s", name, kind->dash);
    }
    iso_print(out, "}");
}

void iso_svg_style(iso_printer *out, bool literal) {
    for (unsigned i = 0; i < COLOURS && !literal; i++) {
        iso_print(out, "%s--%s:%s%s", i == 0 ? ":root{" : ";", colours[i].name, colours[i].colour,
                  i + 1 == COLOURS ? "}" : "");
    }
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
        iso_print_markup(out, (iso_markup){rules[i].text});
        if (rules[i].colour != NULL) {
            print_colour(out, rules[i].colour, literal);
        }
    }
    for (int k = 0; k < ISO_EDGE_KINDS; k++) {
        print_kind(out, (iso_edge_kind)k, literal);
    }
}

/* An arrowhead at (x, y) that points into a direction. */
static void head(iso_printer *out, const iso_route *r, bool hollow) {
    int x = r->x[2], y = r->y[1];
    const char *class = hollow ? "open" : "head";
    if (r->down) {
        iso_print(out, "<path class=\"%s\" d=\"M%d %dl-5 -10h10z\"/>", class, x, y);
    } else if (r->up) {
        iso_print(out, "<path class=\"%s\" d=\"M%d %dl-5 10h10z\"/>", class, x, y);
    } else if (r->x[1] > x) {
        iso_print(out, "<path class=\"%s\" d=\"M%d %dl10 -5v10z\"/>", class, x, y);
    } else {
        iso_print(out, "<path class=\"%s\" d=\"M%d %dl-10 -5v10z\"/>", class, x, y);
    }
}

static void path(iso_printer *out, const iso_route *r, const char *class) {
    if (r->down) {
        iso_print(out, "<path class=\"%s\" d=\"M%d %dV%d\"/>", class, r->x[0], r->y[0], r->y[1] - 8);
    } else if (r->up) {
        iso_print(out, "<path class=\"%s\" d=\"M%d %dH%dV%d\"/>", class, r->x[0], r->y[0], r->x[1], r->y[1] + 8);
    } else {
        int end = r->x[1] > r->x[2] ? r->x[2] + 8 : r->x[2] - 8;
        iso_print(out, "<path class=\"%s\" d=\"M%d %dH%dV%dH%d\"/>", class, r->x[0], r->y[0], r->x[1], r->y[1], end);
    }
}

static void number_of(iso_printer *out, const isolab_history *h, uint32_t txn) {
    if (txn < h->n_txns) {
        iso_print(out, "%u", txn);
    } else {
        iso_print(out, "init");
    }
}

static void arrow_line(iso_printer *out, const iso_layout *l, uint32_t i) {
    const iso_arrow *a = &l->p->arrow[i];
    const iso_route *r = &l->route[i];
    char from[ISO_WORD_SIZE], to[ISO_WORD_SIZE];
    const iso_arrow_kind *kind = &iso_arrow_kinds[a->kind];
    iso_print(out, "<g class=\"arrow k-%s%s%s\" data-step=\"%s\" data-from=\"", iso_edge_name((iso_edge_kind)a->kind),
              kind->twice ? " twice" : "", a->in_cycle ? " cycle" : "", a->number);
    number_of(out, l->p->h, a->from);
    iso_print(out, "\" data-to=\"");
    number_of(out, l->p->h, a->to);
    iso_print(out, "\"><title>%s: from %s to %s</title>", kind->meaning, iso_word_txn(l->p->h, a->from, from),
              iso_word_txn(l->p->h, a->to, to));
    path(out, r, "line");
    if (kind->twice) {
        path(out, r, "inner");
    }
    head(out, r, kind->hollow);
    char label[ISO_LABEL_SIZE];
    iso_arrow_label(a, label);
    int width = (int)strlen(label) * 7 + 8;
    iso_print(out, "<rect class=\"pill\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\" rx=\"8\"/>", r->x[1] - width / 2,
              r->label - 8, width);
    iso_print(out, "<text x=\"%d\" y=\"%d\">%s</text></g>\n", r->x[1], r->label + 4, label);
}

static void box(iso_printer *out, const iso_layout *l, uint32_t i) {
    const iso_picture *p = l->p;
    const iso_box *b = &l->box[i];
    char text[1024], name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    bool txn = b->txn < p->h->n_txns, excluded = txn && p->h->txn_counts[b->txn] != ISO_INCLUDED;
    iso_print(out, "<g class=\"txn%s\" data-txn=\"", excluded ? " out" : "");
    number_of(out, p->h, b->txn);
    iso_print(out, "\"><rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>", b->x, b->y,
              b->width, b->height);
    iso_print(out, "<rect class=\"boxhead\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>", b->x + 1,
              b->y + 1, b->width - 2, 2 * ISO_ROW - 2);
    iso_print(out, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>", b->x + 8, b->y + 16,
              iso_layout_name(l, b->txn, name));
    iso_print(out, "<text class=\"where\" x=\"%d\" y=\"%d\">%s</text>", b->x + 8, b->y + 32,
              iso_layout_place(l, b->txn, place));
    for (uint32_t o = 0; txn && o < p->n_ops; o++) {
        if (p->h->op_txn[p->op[o]] != b->txn) {
            continue;
        }
        int y = iso_layout_row(l, b, p->op[o]);
        iso_print(out, "<g class=\"op%s\">", p->wrong[o] ? " wrong" : "");
        if (p->wrong[o]) {
            iso_print(out, "<rect class=\"wrong\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", b->x + 3, y - 10,
                      b->width - 6, ISO_ROW);
        }
        iso_print(out, "<text x=\"%d\" y=\"%d\">%s%s</text></g>", b->x + 8, y + 4, p->wrong[o] ? "! " : "  ",
                  iso_layout_op(l, p->op[o], text, sizeof text));
    }
    iso_print(out, "</g>\n");
}

static void body(iso_printer *out, const iso_layout *l) {
    const iso_picture *p = l->p;
    char name[ISO_NAME_SIZE];
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        iso_print(out, "<rect class=\"lane\" x=\"%d\" y=\"4\" width=\"%d\" height=\"%d\" rx=\"8\"/>", l->lane_x[i] - 8,
                  l->lane_width + 16, l->height - 8);
        iso_print(out, "<text class=\"lanename\" x=\"%d\" y=\"24\">session %.60s</text>\n", l->lane_x[i] + 4,
                  iso_word_session(p->h, p->lane[i], name));
    }
    for (uint32_t i = 0; i < p->n_txns; i++) {
        box(out, l, i);
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        arrow_line(out, l, i);
    }
}

void iso_picture_svg_part(iso_printer *out, iso_pool *pool, const iso_picture *p, const char *name) {
    char title[256];
    iso_layout *l = iso_layout_make(pool, p);
    iso_print(
        out,
        "<svg class=\"pic\" id=\"%s\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\">",
        name, l->width, l->height, l->width, l->height);
    iso_print(out, "<title>%s: the transactions and the order between them</title>\n",
              iso_picture_title(p, title, sizeof title));
    body(out, l);
    iso_print(out, "</svg>\n");
}

/* ---- a file ---- */

static void caption_line(void *arg, int x, int y, const char *text, int n) {
    iso_print((iso_printer *)arg, "<text class=\"caption\" x=\"%d\" y=\"%d\">%.*s</text>\n", x, y, n, text);
}

static void print_file(iso_printer *out, iso_pool *pool, const iso_picture *p, const iso_result *result) {
    iso_layout *l = iso_layout_make(pool, p);
    int width = iso_caption_width(l), height = iso_caption(l, result, NULL, NULL);
    iso_print(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" "
              "width=\"%d\" "
              "height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>",
              width, height, width, height);
    iso_svg_style(out, true);
    iso_print(out, "</style>\n<rect x=\"0\" y=\"0\" width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    body(out, l);
    iso_caption(l, result, caption_line, out);
    iso_print(out, "</svg>\n");
}

void iso_picture_svg_file(FILE *file, iso_pool *pool, const iso_picture *p, const iso_result *result) {
    print_file(&(iso_printer){.out = file, .target = ISO_HTML}, pool, p, result);
}

void iso_picture_pdf_file(FILE *file, iso_pool *pool, const iso_picture *p, const iso_result *result) {
    static const iso_painter rsvg = {"rsvg-convert", "librsvg2-bin", {"-f", "pdf", "-o", ISO_PAINTED, ISO_TO_PAINT}};
    iso_printer svg = {.pool = pool, .target = ISO_HTML};
    print_file(&svg, pool, p, result);
    size_t size;
    const char *pdf = iso_paint(pool, &rsvg, iso_printed(&svg), svg.size, &size);
    iso_file_bytes(file, pdf, size);
}
