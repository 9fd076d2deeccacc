/* See dot.h. Transactions are tables with a row for each operation, so that arrows lead from row to row. */
#include "explain/dot.h"

#include <string.h>

#include "base/print.h"
#include "explain/story.h"

#define INK "#222222"
#define SESSION "#555555"
#define READ "#1f5fbf"
#define CONCLUDED "#c0392b"
#define TIME "#7d3c98"
#define WRAP 100 /* characters on a line of a sentence */

static const char *colour(const iso_arrow *a) {
    return a->kind == ISO_EDGE_SO ? SESSION : a->kind == ISO_EDGE_WR ? READ : a->kind == ISO_EDGE_RT ? TIME : CONCLUDED;
}

static void node_name(iso_printer *out, uint32_t txn) {
    if (txn == ISO_INIT) {
        iso_print(out, "init");
    } else {
        iso_print(out, "t%u", txn);
    }
}

/* Prints a transaction. A session of many reads may have long lists: iso_word_op() shortens the text of each
 * operation. */
static void node(iso_printer *out, const iso_picture *p, uint32_t txn) {
    const isolab_history *h = p->h;
    char text[512], name[ISO_WORD_SIZE];
    iso_print(out, "    ");
    node_name(out, txn);
    bool aborted = txn != ISO_INIT && h->txn_counts[txn] != ISO_INCLUDED;
    iso_print(out,
              " [label=<<table border=\"1\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\" color=\"%s\" "
              "bgcolor=\"%s\" style=\"%s\">",
              aborted ? "#999999" : INK, txn == ISO_INIT ? "#f2f2f2" : "#ffffff", aborted ? "dashed" : "solid");
    iso_print(out, "<tr><td port=\"all\" bgcolor=\"#e8eef7\"><b>%s</b>%s</td></tr>", iso_word_txn(h, txn, name),
              aborted ? " (did not commit)" : "");
    for (uint32_t i = 0; txn != ISO_INIT && i < p->n_ops; i++) {
        if (h->op_txn[p->op[i]] == txn) {
            iso_print(out, "<tr><td port=\"o%u\" align=\"left\" bgcolor=\"%s\">%s</td></tr>", p->op[i],
                      p->wrong[i] ? "#fbdcd8" : "transparent", iso_word_op(h, p->op[i], text, sizeof text));
        }
    }
    iso_print(out, "</table>>];\n");
}

static void lane(iso_printer *out, const iso_picture *p, uint32_t session) {
    const isolab_history *h = p->h;
    char name[ISO_NAME_SIZE];
    iso_atom atom = h->session_name[session];
    iso_print(out, "  subgraph cluster_%u {\n    label=<session ", session);
    if (atom.kind == ISO_ATOM_NIL) {
        iso_print(out, "%u", session);
    } else {
        iso_print(out, "%s", iso_atom_text(h, atom, name));
    }
    iso_print(out, ">; style=\"rounded,filled\"; color=\"#d5d5d5\"; fillcolor=\"#fafafa\"; labelloc=t; labeljust=c; "
                   "fontcolor=\"" SESSION "\";\n");
    uint32_t before = ISO_NONE;
    for (uint32_t i = 0; i < p->n_txns; i++) {
        uint32_t t = p->txn[i];
        if (t != ISO_INIT && h->txn_session[t] == session) {
            node(out, p, t);
            if (before != ISO_NONE) { /* an invisible edge keeps the lane upright */
                iso_print(out, "    t%u -> t%u [style=invis, weight=20];\n", before, t);
            }
            before = t;
        }
    }
    iso_print(out, "  }\n");
}

static void port(iso_printer *out, uint32_t txn, uint32_t op, const isolab_history *h, const char *side) {
    node_name(out, txn);
    if (side != NULL) { /* along a session: from below one box to the top of the next */
        iso_print(out, "%s", side);
    } else if (op < h->n_ops && h->op_txn[op] == txn) {
        iso_print(out, ":o%u", op);
    } else {
        iso_print(out, ":all");
    }
}

/* Returns whether the arrow leads downwards. */
static bool down(const iso_picture *p, const iso_arrow *a) {
    for (uint32_t i = 0; i < p->n_txns; i++) {
        if (p->txn[i] == a->from || p->txn[i] == a->to) {
            return p->txn[i] == a->from && a->from != a->to;
        }
    }
    return true;
}

static void arrow(iso_printer *out, const iso_picture *p, const iso_arrow *a) {
    char text[2 * ISO_NAME_SIZE];
    bool inferred = iso_arrow_inferred(a), so = a->kind == ISO_EDGE_SO && down(p, a);
    iso_print(out, "  ");
    port(out, a->from, a->op_from, p->h, so ? ":s" : NULL);
    iso_print(out, " -> ");
    port(out, a->to, a->op_to, p->h, so ? ":n" : NULL);
    iso_print(out, " [color=\"%s\", fontcolor=\"%s\", penwidth=%s, style=%s, constraint=%s, label=<", colour(a),
              colour(a), a->in_cycle ? "2" : "1.2",
              inferred                 ? "dashed"
              : a->kind == ISO_EDGE_RT ? "dotted"
                                       : "solid",
              inferred || !down(p, a) ? "false" : "true");
    if (a->number[0] != '\0') {
        iso_print(out, "%s: ", a->number);
    }
    iso_print(out, "%s>];\n", iso_arrow_text(p->h, a, text, sizeof text));
}

/* Prints a sentence in lines of about WRAP characters. */
static void row(void *arg, unsigned depth, const char *number, const char *sentence) {
    iso_printer *out = arg;
    iso_print(out, "<tr><td align=\"left\">");
    for (unsigned i = 0; i < 4 * depth && i < 40; i++) {
        iso_print(out, "&#160;");
    }
    if (number[0] != '\0') {
        iso_print(out, "%s%s ", number, depth == 0 ? "." : "");
    }
    while (*sentence != '\0') {
        size_t n = strnlen(sentence, WRAP);
        n += strcspn(sentence + n, " ");
        iso_print(out, "%.*s<br align=\"left\"/>", (int)n, sentence);
        sentence += n + (sentence[n] == ' ');
    }
    iso_print(out, "</td></tr>");
}

static void legend(iso_printer *out, const iso_picture *p) {
    bool has[4] = {false};
    static const iso_markup text[4] = {
        {"<font color=\"" SESSION "\">&#8594; then: session order</font>"},
        {"<font color=\"" READ "\">&#8594; read: from the write to the read</font>"},
        {"<font color=\"" TIME "\">&#8943;&#62; real time</font>"},
        {"<font color=\"" CONCLUDED "\">- - &#62; inferred from the rules of the level</font>"}};
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        uint8_t k = p->arrow[i].kind;
        has[k == ISO_EDGE_SO ? 0 : k == ISO_EDGE_WR ? 1 : k == ISO_EDGE_RT ? 2 : 3] = true;
    }
    iso_print(out, "<tr><td align=\"left\">");
    iso_markup gap = {""};
    for (int i = 0; i < 4; i++) {
        if (has[i]) {
            iso_print_markup(out, gap);
            iso_print_markup(out, text[i]);
            gap = ISO_MARKUP(" &#160; &#160; ");
        }
    }
    iso_print(out, " </td></tr>");
}

void iso_picture_dot(FILE *file, iso_picture *p, const iso_result *result, bool sentences) {
    char title[256];
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_DOT};
    iso_print(out, "digraph anomaly {\n"
                   "  graph [rankdir=TB, nodesep=0.6, ranksep=0.5, fontname=\"Helvetica\", fontsize=12, labelloc=b, "
                   "labeljust=l];\n"
                   "  node [shape=plain, fontname=\"Helvetica\", fontsize=12];\n"
                   "  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.8];\n");
    iso_print(
        out,
        "  label=<<table border=\"0\" cellspacing=\"0\" cellpadding=\"2\"><tr><td align=\"left\"><b>%s</b></td></tr>",
        iso_picture_title(p, title, sizeof title));
    if (sentences) {
        iso_picture_sentences(p, result, row, out);
    }
    if (p->left_out > 0) {
        iso_print(out, "<tr><td align=\"left\">%u more arrows are left out.</td></tr>", p->left_out);
    }
    legend(out, p);
    iso_print(out, "</table>>;\n");
    for (uint32_t i = 0; i < p->n_txns; i++) {
        if (p->txn[i] == ISO_INIT) {
            node(out, p, ISO_INIT);
        }
    }
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        lane(out, p, p->lane[i]);
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        arrow(out, p, &p->arrow[i]);
    }
    iso_print(out, "}\n");
}
