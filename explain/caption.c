/* See caption.h. */
#include "explain/caption.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

typedef struct caption {
    int y, most; /* most: characters of a line */
    iso_caption_line *line;
    void *arg;
} caption;

/* Breaks a text into lines. */
static void paragraph(caption *c, const char *text, int indent) {
    char shown[3 * ISO_SENTENCE_SIZE];
    iso_utf8_shown(shown, sizeof shown, text);
    const char *at = shown;
    while (*at != '\0') {
        size_t n = iso_utf8_fit(at, (uint32_t)(c->most - indent / 7)), back = n;
        while (at[n] != '\0' && back > n / 2 && at[back] != ' ') {
            back--;
        }
        n = at[n] != '\0' && at[back] == ' ' ? back : n;
        c->y += 17;
        if (c->line != NULL) {
            c->line(c->arg, 12 + indent, c->y, at, (int)n);
        }
        at += n;
        at += *at == ' ';
    }
}

static void sentence(void *arg, unsigned depth, const char *number, const char *text) {
    caption *c = arg;
    char line[ISO_SENTENCE_SIZE + ISO_NUMBER_SIZE + 8];
    snprintf(line, sizeof line, "%s%s%s", number, number[0] != '\0' ? " " : "", text);
    paragraph(c, line, (int)(depth < 8 ? depth : 8) * 20);
    c->y += number[0] == '\0' ? 8 : 0;
}

int iso_caption_width(const iso_layout *l) { return l->width > 760 ? l->width : 760; }

int iso_caption(const iso_layout *l, const iso_result *result, iso_caption_line *line, void *arg) {
    caption c = {.y = l->height, .most = iso_caption_width(l) / 8 - 3, .line = line, .arg = arg};
    const iso_picture *p = l->p;
    char title[256];
    bool used[ISO_EDGE_KINDS] = {false};
    paragraph(&c, iso_picture_title(p, title, sizeof title), 0);
    c.y += 4;
    iso_picture_sentences(p, result, sentence, &c);
    c.y += 8;
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        used[p->arrow[i].kind] = true;
    }
    for (int k = 0; k < ISO_EDGE_KINDS; k++) {
        if (used[k]) {
            paragraph(&c, iso_arrow_kinds[k].meaning, 0);
        }
    }
    return c.y + 14;
}
