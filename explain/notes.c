/* See notes.h. In Mermaid every text is between quotes, as HTML whose special characters are entities with a number
 * sign instead of an ampersand. */
#include "explain/notes.h"

#include <stdio.h>
#include <string.h>

#include "explain/layout.h"

/* Prints a text for a label of Mermaid: only letters, digits and harmless signs as they are. */
static void mermaid_text(iso_printer *out, const char *text) {
    static const char plain[] = " =.,:[]()-_/+";
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        bool letter = (*at | 0x20) >= 'a' && (*at | 0x20) <= 'z', digit = *at >= '0' && *at <= '9';
        if (letter || digit || strchr(plain, *at) != NULL) {
            iso_print(out, "%c", *at);
        } else if (*at < 0x80) {
            iso_print(out, "#%u;", *at);
        } else {
            iso_print(out, "?"); /* a part of a character outside of ASCII */
        }
    }
}

static void node(iso_printer *out, uint32_t txn, const isolab_history *h) {
    if (txn < h->n_txns) {
        iso_print(out, "t%u", txn);
    } else {
        iso_print(out, "init");
    }
}

static void mermaid_box(iso_printer *out, const iso_picture *p, uint32_t txn) {
    char text[1024], place[ISO_PLACE_SIZE];
    iso_print(out, "    ");
    node(out, txn, p->h);
    iso_print(out, "[\"");
    mermaid_text(out, iso_word_txn(p->h, txn, text));
    if (txn < p->h->n_txns) {
        iso_print(out, "<br/>");
        mermaid_text(out, iso_word_place(p->h, txn, place));
    }
    for (uint32_t o = 0; txn < p->h->n_txns && o < p->n_ops; o++) {
        if (p->h->op_txn[p->op[o]] == txn) {
            iso_print(out, "<br/>%s", p->wrong[o] ? "! " : "");
            mermaid_text(out, iso_word_op(p->h, p->op[o], text, sizeof text));
        }
    }
    iso_print(out, "\"]\n");
}

static void mermaid(iso_printer *out, const iso_picture *p) {
    char text[ISO_WORD_SIZE], label[ISO_LABEL_SIZE];
    iso_print(out, "flowchart TB\n");
    for (uint32_t i = 0; i < p->n_txns; i++) {
        if (p->txn[i] >= p->h->n_txns) {
            mermaid_box(out, p, p->txn[i]);
        }
    }
    for (uint32_t lane = 0; lane < p->n_lanes; lane++) {
        iso_print(out, "  subgraph s%u[\"session ", p->lane[lane]);
        mermaid_text(out, iso_word_session(p->h, p->lane[lane], text));
        iso_print(out, "\"]\n");
        for (uint32_t i = 0; i < p->n_txns; i++) {
            if (p->txn[i] < p->h->n_txns && p->h->txn_session[p->txn[i]] == p->lane[lane]) {
                mermaid_box(out, p, p->txn[i]);
            }
        }
        iso_print(out, "  end\n");
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        const iso_arrow *a = &p->arrow[i];
        iso_print(out, "  ");
        node(out, a->from, p->h);
        iso_print(out, " %s|\"", iso_arrow_inferred(a) ? "-.->" : a->in_cycle ? "==>" : "-->");
        mermaid_text(out, iso_arrow_label(a, label));
        iso_print(out, "\"| ");
        node(out, a->to, p->h);
        iso_print(out, "\n");
    }
}

static void comment(void *arg, unsigned depth, const char *number, const char *text) {
    iso_print((iso_printer *)arg, "%%%% %*s%s %s\n", (int)(depth < 8 ? 2 * depth : 16), "", number, text);
}

void iso_picture_mermaid(FILE *file, iso_pool *pool, iso_picture *p, const iso_result *result) {
    iso_printer *out = &(iso_printer){.out = file};
    char title[256];
    (void)pool;
    iso_print(out, "%%%% %s\n", iso_picture_title(p, title, sizeof title));
    iso_picture_sentences(p, result, comment, out);
    mermaid(out, p);
}

static void item(void *arg, unsigned depth, const char *number, const char *text) {
    if (number[0] == '\0') {
        iso_print((iso_printer *)arg, "%s\n\n", text);
    } else {
        iso_print((iso_printer *)arg, "%*s- **%s** %s\n", (int)(depth < 8 ? 2 * depth : 16), "", number, text);
    }
}

void iso_picture_markdown(FILE *file, iso_pool *pool, iso_picture *p, const iso_result *result) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_MARKDOWN};
    char title[256], name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    uint32_t n, *txn = iso_anomaly_cast(pool, p->h, result, p->anomaly, &n);
    iso_print(out, "## %s\n\n", iso_picture_title(p, title, sizeof title));
    iso_picture_sentences(p, result, item, out);
    iso_print(out, "\n| transaction | where |\n|---|---|\n");
    for (uint32_t i = 0; i < n; i++) {
        iso_print(out, "| %s | %s |\n", iso_word_txn(p->h, txn[i], name), iso_word_place(p->h, txn[i], place));
    }
    iso_print(out, "\n```mermaid\n");
    mermaid(&(iso_printer){.out = file}, p);
    iso_print(out, "```\n");
}
