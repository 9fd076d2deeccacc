/* See tikz.h. One pixel of the layout is 0.25 mm, and less where the line is too short; typewriter type of the size of
 * footnotes fits into its boxes. */
#include "explain/tikz.h"

#include <stdlib.h>

#include "explain/svg.h"

static void box(iso_printer *out, const iso_layout *l, uint32_t i) {
    const iso_picture *p = l->p;
    const iso_box *b = &l->box[i];
    char text[1024], name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    bool txn = b->txn < p->h->n_txns, excluded = txn && p->h->txn_counts[b->txn] != ISO_INCLUDED;
    iso_print(out, "  \\draw[isobox%s] (%d,%d) rectangle (%d,%d);\n", excluded ? ",dashed" : "", b->x, -b->y,
              b->x + b->width, -b->y - b->height);
    iso_print(out, "  \\node[isotext] at (%d,%d) {\\textbf{%s}};\n", b->x + 6, -b->y - 12,
              iso_layout_name(l, b->txn, name));
    iso_print(out, "  \\node[isotext,gray] at (%d,%d) {%s};\n", b->x + 6, -b->y - 30,
              iso_layout_place(l, b->txn, place));
    for (uint32_t o = 0; txn && o < p->n_ops; o++) {
        if (p->h->op_txn[p->op[o]] == b->txn) {
            iso_print(out, "  \\node[isotext%s] at (%d,%d) {%s%s};\n", p->wrong[o] ? ",isowrong" : "", b->x + 6,
                      -iso_layout_row(l, b, p->op[o]), p->wrong[o] ? "! " : "",
                      iso_layout_op(l, p->op[o], text, sizeof text));
        }
    }
}

static void arrow(iso_printer *out, const iso_layout *l, uint32_t i) {
    const iso_arrow *a = &l->p->arrow[i];
    const iso_route *r = &l->route[i];
    char label[ISO_LABEL_SIZE];
    iso_print(out, "  \\draw[iso%s%s] (%d,%d) -- (%d,%d) -- (%d,%d) -- (%d,%d);\n",
              iso_edge_name((iso_edge_kind)a->kind), a->in_cycle ? ",very thick" : "", r->x[0], -r->y[0], r->x[1],
              -r->y[0], r->x[1], -r->y[1], r->x[2], -r->y[1]);
    iso_print(out, "  \\node[isolabel] at (%d,%d) {%s};\n", r->x[1], -r->label, iso_arrow_label(a, label));
}

/* Prints the style of a kind of arrow. */
static void style(iso_printer *out, iso_edge_kind k) {
    const iso_arrow_kind *kind = &iso_arrow_kinds[k];
    unsigned long colour = strtoul(iso_svg_colour(kind->colour) + 1, NULL, 16);
    iso_print(out, ",iso%s/.style={->%s,draw={rgb,255:red,%lu;green,%lu;blue,%lu}", iso_edge_name(k),
              kind->twice ? ",double" : "", colour >> 16, colour >> 8 & 255, colour & 255);
    unsigned i = 0;
    for (const char *at = kind->dash; *at != '\0'; at += strspn(at, " "), i++) { /* a pixel is half a point */
        unsigned long length = strtoul(at, (char **)(uintptr_t)&at, 10);
        iso_print(out, "%s%s %gpt", i == 0 ? ",dash pattern=" : " ", i % 2 == 0 ? "on" : "off", 0.5 * (double)length);
    }
    iso_print(out, "}");
}

static void sentence(void *arg, unsigned depth, const char *number, const char *text) {
    (void)depth;
    iso_print((iso_printer *)arg, "%s%s%s\n", number, number[0] != '\0' ? ": " : "", text);
}

void iso_picture_tikz(FILE *file, iso_pool *pool, const iso_picture *p, const iso_result *result) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_LATEX};
    char title[256], name[ISO_NAME_SIZE];
    iso_layout *l = iso_layout_make(pool, p);
    iso_print(
        out, "%% needs \\usepackage{tikz}\n"
             "\\begin{figure}\n\\centering\n"
             "\\makeatletter\\def\\UTFviii@undefined@err#1{?}\\makeatother %% a character that pdflatex does not have\n"
             "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%%\n"
             "\\begin{tikzpicture}[x=0.25mm,y=0.25mm,>=stealth,"
             "isobox/.style={rounded corners=2pt,fill=white},isotext/.style={anchor=west,inner "
             "sep=0pt,font=\\ttfamily\\footnotesize},"
             "isowrong/.style={text=red!70!black},isolabel/.style={draw,rounded corners=3pt,fill=white,inner sep=1.5pt,"
             "font=\\ttfamily\\footnotesize}");
    for (int k = 0; k < ISO_EDGE_KINDS; k++) {
        style(out, (iso_edge_kind)k);
    }
    iso_print(out, "]\n");
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        iso_print(out, "  \\fill[black!4,rounded corners=3pt] (%d,-4) rectangle (%d,%d);\n", l->lane_x[i] - 8,
                  l->lane_x[i] + l->lane_width + 8, -l->height + 4);
        iso_print(out, "  \\node[isotext,gray] at (%d,-20) {session %s};\n", l->lane_x[i],
                  iso_word_session(p->h, p->lane[i], name));
    }
    for (uint32_t i = 0; i < p->n_txns; i++) {
        box(out, l, i);
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        arrow(out, l, i);
    }
    iso_print(out, "\\end{tikzpicture}}\n\\caption{%s. ", iso_picture_title(p, title, sizeof title));
    iso_picture_sentences(p, result, sentence, out);
    iso_print(out, "}\n\\end{figure}\n");
}
