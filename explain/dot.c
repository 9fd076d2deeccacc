/* See dot.h. Transactions are tables with a row for each operation, so that arrows lead from row to row. */
#define _GNU_SOURCE
#include "explain/dot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explain/words.h"

#define INK "#222222"
#define SESSION "#555555"
#define READ "#1f5fbf"
#define CONCLUDED "#c0392b"
#define TIME "#7d3c98"
#define WRAP 100 /* characters of a line of a sentence */

extern char **environ;

/* Bytes of a valid character at s; 0: none begins there. */
static size_t utf8(const unsigned char *s) {
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : (s[0] & 0xf0) == 0xe0       ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
               (s[0] == 0xf4 && s[1] > 0x8f);
    return bad || s[0] < 0x20 || s[0] == 0x7f ? 0 : n;
}

static size_t put(FILE *out, const unsigned char *s) {
    size_t n = utf8(s);
    switch (n == 0 ? 0 : s[0]) {
    case 0:
        fputs("?", out);
        return 1;
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\\': /* Graphviz reads \N and the like */
        fputs("&#92;", out);
        break;
    default:
        fwrite(s, 1, n, out);
    }
    return n;
}

void iso_html_text(FILE *out, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        s += put(out, s);
    }
}

static const char *colour(const iso_arrow *a) {
    return a->kind == ISO_EDGE_SO ? SESSION : a->kind == ISO_EDGE_WR ? READ : a->kind == ISO_EDGE_RT ? TIME : CONCLUDED;
}

static void node_name(FILE *out, uint32_t txn) {
    if (txn == ISO_INIT) {
        fputs("init", out);
    } else {
        fprintf(out, "t%u", txn);
    }
}

/* A long session of reads may have long lists: the text of one operation is cut by iso_word_op(). */
static void node(FILE *out, const iso_picture *p, uint32_t txn) {
    const isolab_history *h = p->h;
    char text[512], name[ISO_WORD_SIZE];
    fputs("    ", out);
    node_name(out, txn);
    bool aborted = txn != ISO_INIT && h->txn_counts[txn] != ISO_IN;
    fprintf(out,
            " [label=<<table border=\"1\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\" color=\"%s\" "
            "bgcolor=\"%s\"%s>",
            aborted ? "#999999" : INK, txn == ISO_INIT ? "#f2f2f2" : "#ffffff",
            aborted ? " style=\"dashed\"" : "");
    fputs("<tr><td port=\"all\" bgcolor=\"#e8eef7\"><b>", out);
    iso_html_text(out, iso_word_txn(h, txn, name));
    fprintf(out, "</b>%s</td></tr>", aborted ? " (did not commit)" : "");
    for (uint32_t i = 0; txn != ISO_INIT && i < p->n_ops; i++) {
        if (h->op_txn[p->op[i]] == txn) {
            fprintf(out, "<tr><td port=\"o%u\" align=\"left\"%s>", p->op[i], p->wrong[i] ? " bgcolor=\"#fbdcd8\"" : "");
            iso_html_text(out, iso_word_op(h, p->op[i], text, sizeof text));
            fputs("</td></tr>", out);
        }
    }
    fputs("</table>>];\n", out);
}

static void lane(FILE *out, const iso_picture *p, uint32_t session) {
    const isolab_history *h = p->h;
    char name[ISO_NAME_SIZE];
    iso_atom atom = h->session_name[session];
    fprintf(out, "  subgraph cluster_%u {\n    label=<session ", session);
    if (atom.kind == ISO_ATOM_NIL) {
        fprintf(out, "%u", session);
    } else {
        iso_html_text(out, iso_atom_text(h, atom, name));
    }
    fputs(">; style=\"rounded,filled\"; color=\"#d5d5d5\"; fillcolor=\"#fafafa\"; labelloc=t; labeljust=c; "
          "fontcolor=\"" SESSION "\";\n",
          out);
    uint32_t before = ISO_NONE;
    for (uint32_t i = 0; i < p->n_txns; i++) {
        uint32_t t = p->txn[i];
        if (t != ISO_INIT && h->txn_session[t] == session) {
            node(out, p, t);
            if (before != ISO_NONE) { /* keeps the lane upright where no arrow does */
                fprintf(out, "    t%u -> t%u [style=invis, weight=20];\n", before, t);
            }
            before = t;
        }
    }
    fputs("  }\n", out);
}

static void port(FILE *out, uint32_t txn, uint32_t op, const isolab_history *h, const char *side) {
    node_name(out, txn);
    if (side != NULL) { /* along a session: from below one box to the top of the next */
        fputs(side, out);
    } else if (op < h->n_ops && h->op_txn[op] == txn) {
        fprintf(out, ":o%u", op);
    } else {
        fputs(":all", out);
    }
}

/* Does the arrow lead downwards? */
static bool down(const iso_picture *p, const iso_arrow *a) {
    for (uint32_t i = 0; i < p->n_txns; i++) {
        if (p->txn[i] == a->from || p->txn[i] == a->to) {
            return p->txn[i] == a->from && a->from != a->to;
        }
    }
    return true;
}

static void arrow(FILE *out, const iso_picture *p, const iso_arrow *a) {
    char text[2 * ISO_NAME_SIZE];
    bool inferred = iso_arrow_inferred(a), so = a->kind == ISO_EDGE_SO && down(p, a);
    fputs("  ", out);
    port(out, a->from, a->op_from, p->h, so ? ":s" : NULL);
    fputs(" -> ", out);
    port(out, a->to, a->op_to, p->h, so ? ":n" : NULL);
    fprintf(out, " [color=\"%s\", fontcolor=\"%s\", penwidth=%s%s%s, label=<", colour(a), colour(a),
            a->in_cycle ? "2" : "1.2", inferred ? ", style=dashed" : a->kind == ISO_EDGE_RT ? ", style=dotted" : "",
            inferred || !down(p, a) ? ", constraint=false" : "");
    if (a->step != 0) {
        fprintf(out, "%u: ", a->step);
    }
    iso_html_text(out, iso_arrow_text(p->h, a, text, sizeof text));
    fputs(">];\n", out);
}

typedef struct caption {
    FILE *out;
} caption;

static void row(void *arg, unsigned number, const char *sentence) {
    caption *c = arg;
    fputs("<tr><td align=\"left\">", c->out);
    if (number != 0) {
        fprintf(c->out, "%u. ", number);
    }
    size_t column = 0;
    for (const unsigned char *s = (const unsigned char *)sentence; *s != '\0';) {
        if (*s == ' ' && column >= WRAP) {
            fputs("<br align=\"left\"/>", c->out);
            column = 0;
            s++;
            continue;
        }
        s += put(c->out, s);
        column++;
    }
    fputs("<br align=\"left\"/></td></tr>", c->out);
}

static void legend(FILE *out, const iso_picture *p) {
    bool has[4] = {false};
    static const char *const text[4] = {
        "<font color=\"" SESSION "\">&#8594; then: session order</font>",
        "<font color=\"" READ "\">&#8594; read: the value comes from there</font>",
        "<font color=\"" TIME "\">&#8943;&#62; real time</font>",
        "<font color=\"" CONCLUDED "\">- - &#62; concluded from the rules of the level</font>"};
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        uint8_t k = p->arrow[i].kind;
        has[k == ISO_EDGE_SO ? 0 : k == ISO_EDGE_WR ? 1 : k == ISO_EDGE_RT ? 2 : 3] = true;
    }
    fputs("<tr><td align=\"left\">", out);
    const char *gap = "";
    for (int i = 0; i < 4; i++) {
        if (has[i]) {
            fprintf(out, "%s%s", gap, text[i]);
            gap = " &#160; &#160; ";
        }
    }
    fputs(" </td></tr>", out);
}

void iso_picture_dot(FILE *out, iso_picture *p, const iso_result *result, bool sentences) {
    char title[256];
    fputs("digraph anomaly {\n"
          "  graph [rankdir=TB, nodesep=0.6, ranksep=0.5, fontname=\"Helvetica\", fontsize=12, labelloc=b, "
          "labeljust=l];\n"
          "  node [shape=plain, fontname=\"Helvetica\", fontsize=12];\n"
          "  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.8];\n",
          out);
    fputs("  label=<<table border=\"0\" cellspacing=\"0\" cellpadding=\"2\"><tr><td align=\"left\"><b>", out);
    iso_html_text(out, iso_picture_title(p, title, sizeof title));
    fputs("</b></td></tr>", out);
    if (sentences) {
        caption c = {out};
        iso_picture_sentences(p, result, row, &c);
    }
    if (p->left_out > 0) {
        fprintf(out, "<tr><td align=\"left\">%u more arrows are left out.</td></tr>", p->left_out);
    }
    legend(out, p);
    fputs("</table>>;\n", out);
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
    fputs("}\n", out);
}

/* ---- Graphviz ---- */

static char *slurp(iso_pool *pool, FILE *in) {
    char *text = NULL;
    size_t n = 0, room = 0, got;
    do {
        if (n + 4096 > room) {
            room = 2 * room + 8192;
            text = iso_resize(pool, text, room, 1);
        }
        got = fread(text + n, 1, room - n - 1, in);
        n += got;
    } while (got > 0);
    text[n] = '\0';
    return text;
}

/* Runs `dot -Tsvg` from one file to another; 0: it went well. */
static int run_dot(int in, int out) {
    posix_spawn_file_actions_t actions;
    char *argv[] = {"dot", "-Tsvg", NULL};
    pid_t pid;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return -1;
    }
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int code = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (code != 0) {
        return code;
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0     ? 0
           : WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ENOENT
                                                             : -1;
}

char *iso_picture_svg(iso_pool *pool, iso_picture *p, const iso_result *result, bool sentences, const char **why) {
    FILE *in = tmpfile(), *out = tmpfile();
    char *svg = NULL;
    *why = "no temporary file can be made";
    if (in != NULL && out != NULL) {
        iso_picture_dot(in, p, result, sentences);
        fflush(in);
        rewind(in);
        int code = run_dot(fileno(in), fileno(out));
        *why = code == ENOENT ? "Graphviz is missing: install it (Debian: sudo apt-get install graphviz)"
                              : "Graphviz could not draw the picture";
        if (code == 0) {
            rewind(out);
            char *text = slurp(pool, out);
            svg = strstr(text, "<svg");
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
    return svg;
}
