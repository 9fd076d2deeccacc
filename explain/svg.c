/* See svg.h. */
#include "explain/svg.h"

#include <string.h>

#include "explain/caption.h"

const char iso_svg_colours[] =
    "--ink:#1c2430;--soft:#5c6675;--line:#c9d0da;--paper:#ffffff;--lane:#f4f6f9;--head:#e4ebf5;--bad:#fde4df;"
    "--so:#5c6675;--wr:#1659b5;--rw:#b3261e;--ww:#8a4b00;--rt:#6b2fa0;--inf:#a1205f;--pill:#ffffff";

const char iso_svg_style[] =
    ".pic text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:var(--ink)}"
    ".pic .lane{fill:var(--lane);stroke:var(--line)}.pic .lanename{font-weight:bold;fill:var(--soft)}"
    ".pic .box{fill:var(--paper);stroke:var(--ink);stroke-width:1.2}.pic .boxhead{fill:var(--head)}"
    ".pic .out .box{stroke-dasharray:5 4}.pic .name{font-weight:bold}.pic .where{fill:var(--soft)}"
    ".pic .wrong{fill:var(--bad)}.pic .op.wrong text{font-weight:bold}"
    ".pic path{fill:none;stroke-width:1.8}.pic .head{stroke:none}.pic .open{fill:var(--paper);stroke-width:1.6}"
    ".pic .pill{fill:var(--pill);stroke-width:1.2}.pic .arrow text{font-size:11px;text-anchor:middle}"
    ".k-so path,.k-so .pill{stroke:var(--so)}.k-so .head{fill:var(--so)}"
    ".k-wr path,.k-wr .pill{stroke:var(--wr)}.k-wr .head{fill:var(--wr)}"
    ".k-rw path,.k-rw .pill{stroke:var(--rw)}.k-rw .line{stroke-dasharray:7 4}"
    ".k-ww path,.k-ww .pill{stroke:var(--ww)}.k-ww .head{fill:var(--ww)}.k-ww .line{stroke-width:4.5}"
    ".pic .k-ww .inner{stroke:var(--lane);stroke-width:1.6}"
    ".k-rt path,.k-rt .pill{stroke:var(--rt)}.k-rt .line{stroke-dasharray:2 4}.k-rt .head{fill:var(--rt)}"
    ".k-axiom path,.k-axiom .pill,.k-list path,.k-list .pill{stroke:var(--inf)}"
    ".k-axiom .line,.k-list .line{stroke-dasharray:9 3 2 3}"
    ".pic .cycle .line{stroke-width:2.4}.pic .k-ww.cycle .line{stroke-width:5}"
    ".pic.stepping .arrow{opacity:.22}.pic.stepping .arrow.on{opacity:1}.pic.stepping .txn{opacity:.45}"
    ".pic.stepping .txn.on{opacity:1}.pic .txn.on .box{stroke-width:2.6}.pic .arrow.on .pill{stroke-width:2.6}";

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
    iso_print(out, "<g class=\"arrow k-%s%s\" data-step=\"%s\" data-from=\"", iso_edge_name((iso_edge_kind)a->kind),
              a->in_cycle ? " cycle" : "", a->number);
    number_of(out, l->p->h, a->from);
    iso_print(out, "\" data-to=\"");
    number_of(out, l->p->h, a->to);
    iso_print(out, "\"><title>%s: from %s to %s</title>", iso_arrow_meaning((iso_edge_kind)a->kind),
              iso_word_txn(l->p->h, a->from, from), iso_word_txn(l->p->h, a->to, to));
    path(out, r, "line");
    if (a->kind == ISO_EDGE_WW) {
        path(out, r, "inner");
    }
    head(out, r, a->kind == ISO_EDGE_RW || a->kind == ISO_EDGE_AXIOM || a->kind == ISO_EDGE_LIST);
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
    iso_print(out, "<text class=\"name\" x=\"%d\" y=\"%d\">%.*s</text>", b->x + 8, b->y + 16, 4 * ISO_OP_CHARS,
              txn ? iso_word_txn(p->h, b->txn, name) : "the initial state: every key is nil");
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

void iso_picture_svg_file(FILE *file, iso_pool *pool, iso_picture *p, const iso_result *result) {
    iso_printer printer = {.out = file, .target = ISO_HTML}, *out = &printer;
    iso_layout *l = iso_layout_make(pool, p);
    int width = iso_caption_width(l), height = iso_caption(l, result, NULL, NULL);
    iso_print(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" "
              "width=\"%d\" "
              "height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>",
              width, height, width, height);
    iso_print(out, "svg{");
    iso_print_markup(out, (iso_markup){iso_svg_colours});
    iso_print(out, "}");
    iso_print_markup(out, (iso_markup){iso_svg_style});
    iso_print(out, "</style>\n<rect x=\"0\" y=\"0\" width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    body(out, l);
    iso_caption(l, result, caption_line, out);
    iso_print(out, "</svg>\n");
}
