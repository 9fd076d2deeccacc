/* See draw.h. The picture is a grid of characters; the arrows are placed side by side in the gutter, short ones
 * first. */
#include "explain/draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/utf8.h"
#include "explain/story.h"

#define PITCH 5  /* columns of an arrow in the gutter: its line and its number */
#define WIDTH 34 /* limit of the characters of an operation */
#define BOX_NAME (ISO_WORD_SIZE + ISO_NAME_SIZE + 16)

enum {
    H = 0x2500,
    V = 0x2502,
    TOP_L = 0x250c,
    TOP_R = 0x2510,
    END_L = 0x2514,
    END_R = 0x2518,
    DASH_H = 0x254c,
    DASH_V = 0x254e,
    HEAD = 0x25c4
};

#define WIDE UINT32_MAX /* the second cell of a wide character */

typedef struct cell {
    uint32_t mark; /* a code point; 0: blank */
    uint32_t over; /* an accent on it; 0: none */
} cell;

typedef struct canvas {
    uint32_t rows, columns;
    cell *cell;
} canvas;

static void set(canvas *c, uint32_t row, uint32_t column, uint32_t mark) {
    if (row < c->rows && column < c->columns) {
        c->cell[(size_t)row * c->columns + column] = (cell){mark, 0};
    }
}

static uint32_t get(const canvas *c, uint32_t row, uint32_t column) {
    return row < c->rows && column < c->columns ? c->cell[(size_t)row * c->columns + column].mark : 0;
}

/* Puts the text into at most `most` cells. */
static void text(canvas *c, uint32_t row, uint32_t column, const char *s, uint32_t most) {
    char shown[1024];
    iso_utf8_shown(shown, sizeof shown, s);
    const unsigned char *at = (const unsigned char *)shown, *end = at + iso_utf8_fit(shown, most);
    while (at < end) {
        unsigned n = iso_utf8_length(at, end);
        uint32_t columns = iso_utf8_columns((const char *)at, n), number = iso_utf8_number(at, n);
        if (columns == 0 && column > 0 && row < c->rows && column <= c->columns) {
            c->cell[(size_t)row * c->columns + column - 1].over = number;
        } else {
            set(c, row, column, number);
        }
        for (uint32_t i = 1; i < columns; i++) {
            set(c, row, column + i, WIDE);
        }
        column += columns;
        at += n;
    }
}

/* Returns a sign of ASCII for a sign of a box or arrow. */
static uint32_t plain(uint32_t mark) {
    switch (mark) {
    case H:
        return '-';
    case V:
        return '|';
    case DASH_H:
        return '.';
    case DASH_V:
        return ':';
    case HEAD:
        return '<';
    case TOP_L:
    case TOP_R:
    case END_L:
    case END_R:
        return '+';
    default:
        return mark < 0x80 ? mark : '?';
    }
}

static void print(iso_printer *out, const canvas *c, const iso_drawing *how) {
    for (uint32_t r = 0; r < c->rows; r++) {
        uint32_t end = c->columns;
        while (end > 0 && get(c, r, end - 1) == 0) {
            end--;
        }
        bool was_red = false;
        iso_print(out, "    ");
        for (uint32_t i = 0; i < end; i++) {
            uint32_t m = get(c, r, i);
            bool red = how->colour && (m == DASH_H || m == DASH_V || m == '!');
            if (red != was_red) {
                iso_print_markup(out, red ? ISO_MARKUP("\x1b[31m") : ISO_MARKUP("\x1b[0m"));
                was_red = red;
            }
            if (how->ascii) {
                iso_print(out, "%c", m == 0 ? ' ' : (int)plain(m));
            } else if (m != WIDE) {
                uint32_t over = c->cell[(size_t)r * c->columns + i].over;
                char mark[9] = "", *at = iso_utf8_put(mark, m == 0 ? ' ' : m);
                iso_utf8_put(at, over);
                iso_print(out, "%s", mark);
            }
        }
        if (was_red) {
            iso_print_markup(out, ISO_MARKUP("\x1b[0m"));
        }
        iso_print(out, "\n");
    }
}

typedef struct place { /* of a transaction, in the order of the picture */
    uint32_t row, lane, height;
} place;

typedef struct layout {
    const iso_picture *p;
    place *at;
    uint32_t width, gutter;
    uint32_t step;  /* from one lane to the next */
    bool below;     /* the lanes are below each other, a little apart, and boxes name their sessions */
    uint32_t drawn; /* number of arrows that fit */
    canvas c;
} layout;

static uint32_t ops_of(const iso_picture *p, uint32_t txn) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_ops; i++) {
        n += txn != ISO_INIT && p->h->op_txn[p->op[i]] == txn;
    }
    return n;
}

static uint32_t lane_of(const iso_picture *p, uint32_t txn) {
    uint32_t l = 0;
    while (txn != ISO_INIT && p->lane[l] != p->h->txn_session[txn]) {
        l++;
    }
    return l;
}

static uint32_t shorter(const char *text) {
    uint32_t n = iso_utf8_columns(text, strlen(text));
    return n < WIDTH ? n : WIDTH;
}

static uint32_t widest(const iso_picture *p) {
    char buffer[512], name[ISO_WORD_SIZE];
    uint32_t width = 10;
    for (uint32_t i = 0; i < p->n_ops; i++) {
        uint32_t n = shorter(iso_word_op(p->h, p->op[i], buffer, sizeof buffer)) + 2;
        width = n > width ? n : width;
    }
    for (uint32_t i = 0; i < p->n_txns; i++) {
        uint32_t n = shorter(iso_word_txn(p->h, p->txn[i], name));
        width = n > width ? n : width;
    }
    return width;
}

static const char *box_name(const layout *l, uint32_t txn, char name[BOX_NAME]) {
    char session[ISO_NAME_SIZE];
    const isolab_history *h = l->p->h;
    iso_word_txn(h, txn, name);
    if (l->below && txn < h->n_txns) {
        size_t n = strlen(name);
        snprintf(name + n, BOX_NAME - n, " (session %s)", iso_word_session(h, h->txn_session[txn], session));
    }
    return name;
}

static void box(layout *l, uint32_t i) {
    const iso_picture *p = l->p;
    char buffer[512], name[BOX_NAME];
    uint32_t txn = p->txn[i], row = l->at[i].row, left = l->at[i].lane * l->step, right = left + l->width + 3;
    bool out = txn != ISO_INIT && p->h->txn_counts[txn] != ISO_INCLUDED;
    uint32_t h = out ? DASH_H : H, v = out ? DASH_V : V;
    for (uint32_t c = left + 1; c < right; c++) {
        set(&l->c, row, c, h);
        set(&l->c, row + l->at[i].height - 1, c, h);
    }
    for (uint32_t r = row + 1; r < row + l->at[i].height - 1; r++) {
        set(&l->c, r, left, v);
        set(&l->c, r, right, v);
    }
    set(&l->c, row, left, TOP_L);
    set(&l->c, row, right, TOP_R);
    set(&l->c, row + l->at[i].height - 1, left, END_L);
    set(&l->c, row + l->at[i].height - 1, right, END_R);
    text(&l->c, row + 1, left + 2, box_name(l, txn, name), l->width);
    for (uint32_t o = 0, r = row + 2; txn != ISO_INIT && o < p->n_ops; o++) {
        if (p->h->op_txn[p->op[o]] == txn) {
            text(&l->c, r, left + 2, p->wrong[o] ? "! " : "  ", 2);
            text(&l->c, r++, left + 4, iso_word_op(p->h, p->op[o], buffer, sizeof buffer), WIDTH);
        }
    }
}

/* Returns the row of an operation, or of the transaction's name. */
static uint32_t row_of(const layout *l, uint32_t txn, uint32_t op) {
    const iso_picture *p = l->p;
    for (uint32_t i = 0; i < p->n_txns; i++) {
        if (p->txn[i] != txn) {
            continue;
        }
        uint32_t row = l->at[i].row + 2;
        for (uint32_t o = 0; o < p->n_ops && txn != ISO_INIT; o++) {
            if (p->op[o] == op) {
                return row;
            }
            row += p->h->op_txn[p->op[o]] == txn;
        }
        return l->at[i].row + 1;
    }
    return 0;
}

/* Draws the end of an arrow from the right border of the box to the gutter. Arrows that it crosses stay. */
static void arrow_end(layout *l, uint32_t row, uint32_t txn, uint32_t until, uint32_t mark, bool head) {
    uint32_t from = lane_of(l->p, txn) * l->step + l->width + 4;
    if (txn == ISO_INIT) {
        from = l->width + 4;
    }
    for (uint32_t c = from; c < until; c++) {
        if (get(&l->c, row, c) == 0) {
            set(&l->c, row, c, mark);
        }
    }
    if (head) {
        set(&l->c, row, from, HEAD);
    }
}

typedef struct line {
    const iso_arrow *a;
    uint32_t low, high; /* rows */
} line;

static int by_length(const void *x, const void *y) {
    const line *a = x, *b = y;
    uint32_t m = a->high - a->low, n = b->high - b->low;
    return m != n ? (m > n) - (m < n) : (a->low > b->low) - (a->low < b->low);
}

static void arrows(layout *l, iso_pool *pool, const char *only) {
    const iso_picture *p = l->p;
    line *lines = ISO_NEW(pool, line, p->n_arrows);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_arrows && n < l->drawn; i++) {
        const iso_arrow *a = &p->arrow[i];
        if (only != NULL && strcmp(a->number, only) != 0) {
            continue;
        }
        uint32_t from = row_of(l, a->from, a->op_from), to = row_of(l, a->to, a->op_to);
        lines[n++] = (line){a, from < to ? from : to, from < to ? to : from};
    }
    qsort(lines, n, sizeof *lines, by_length);
    for (uint32_t i = 0; i < n; i++) {
        const iso_arrow *a = lines[i].a;
        bool dashed = iso_arrow_inferred(a);
        uint32_t column = l->gutter + PITCH * i, from = row_of(l, a->from, a->op_from), to = row_of(l, a->to, a->op_to);
        arrow_end(l, from, a->from, column, dashed ? DASH_H : H, false);
        arrow_end(l, to, a->to, column, dashed ? DASH_H : H, true);
        for (uint32_t r = lines[i].low + 1; r < lines[i].high; r++) {
            set(&l->c, r, column, dashed ? DASH_V : V);
        }
        set(&l->c, lines[i].low, column, TOP_R);
        set(&l->c, lines[i].high, column, from == to ? TOP_R : END_R);
        text(&l->c, lines[i].low, column + 1, a->number, PITCH - 1);
    }
    iso_free(pool, lines);
}

/* Decides where the lanes are, so that the picture fits: side by side, or else below each other; and how many arrows
 * fit. */
static void fit(layout *l, uint32_t columns) {
    const iso_picture *p = l->p;
    uint32_t lanes = p->n_lanes > 0 ? p->n_lanes : 1, indent = 4;
    l->step = l->width + 6;
    l->gutter = lanes * l->step;
    l->drawn = p->n_arrows;
    if (columns != 0 && indent + l->gutter + PITCH * p->n_arrows + 2 > columns && lanes > 1) {
        char name[BOX_NAME];
        l->below = true;
        l->step = lanes > 8 ? 1 : 2;
        for (uint32_t i = 0; i < p->n_txns; i++) {
            uint32_t n = shorter(box_name(l, p->txn[i], name));
            l->width = n > l->width ? n : l->width;
        }
        l->gutter = (lanes - 1) * l->step + l->width + 6;
    }
    if (columns != 0 && indent + l->gutter + PITCH * l->drawn + 2 > columns) {
        l->drawn = columns > indent + l->gutter + 2 + PITCH ? (columns - indent - l->gutter - 2) / PITCH : 1;
    }
}

static void heads(layout *l) {
    const iso_picture *p = l->p;
    for (uint32_t i = 0; i < p->n_lanes && !l->below; i++) {
        char name[ISO_NAME_SIZE], title[ISO_NAME_SIZE + 16];
        snprintf(title, sizeof title, "session %s", iso_word_session(p->h, p->lane[i], name));
        text(&l->c, 0, i * l->step + 2, title, l->width);
    }
}

static void legend(iso_printer *out, const layout *l, const iso_drawing *how) {
    const iso_picture *p = l->p;
    bool dashed = false, wrong = false;
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        dashed |= iso_arrow_inferred(&p->arrow[i]);
    }
    for (uint32_t i = 0; i < p->n_ops; i++) {
        wrong |= p->wrong[i] != 0;
    }
    iso_print(out, "    %s observed (session order, reads)\n", how->ascii ? "-" : "\xe2\x94\x80");
    if (dashed) {
        iso_print(out, "    %s inferred from the rules of the level\n", how->ascii ? "." : "\xe2\x95\x8c");
    }
    if (wrong) {
        iso_print(out, "    ! the offending operation\n");
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        const iso_arrow *a = &p->arrow[i];
        char from[ISO_WORD_SIZE], to[ISO_WORD_SIZE], what[2 * ISO_NAME_SIZE];
        if (a->number[0] != '\0' && (how->only == NULL || strcmp(how->only, a->number) == 0)) {
            iso_print(out, "    %-5s %s %s %s: %s\n", a->number, iso_word_txn(p->h, a->from, from),
                      how->ascii              ? iso_arrow_inferred(a) ? ".>" : "->"
                      : iso_arrow_inferred(a) ? "\xe2\x95\x8c>"
                                              : "\xe2\x94\x80>",
                      iso_word_txn(p->h, a->to, to), iso_arrow_text(p->h, a, what, sizeof what));
        }
    }
    if (l->drawn < p->n_arrows) {
        iso_print(out, "    %u arrows do not fit and are only in the list\n", p->n_arrows - l->drawn);
    }
}

void iso_picture_draw(iso_printer *out, iso_pool *pool, const iso_picture *p, const iso_drawing *how) {
    layout l = {.p = p, .at = ISO_NEW(pool, place, p->n_txns), .width = widest(p)};
    fit(&l, how->columns);
    uint32_t row = l.below ? 0 : 2;
    for (uint32_t i = 0; i < p->n_txns; i++) {
        l.at[i] = (place){row, lane_of(p, p->txn[i]), ops_of(p, p->txn[i]) + 3};
        row += l.at[i].height;
    }
    l.c = (canvas){.rows = row, .columns = l.gutter + PITCH * l.drawn + 8};
    l.c.cell = ISO_ZNEW(pool, cell, (size_t)l.c.rows * l.c.columns);
    heads(&l);
    for (uint32_t i = 0; i < p->n_txns; i++) {
        box(&l, i);
    }
    arrows(&l, pool, how->only);
    print(out, &l.c, how);
    iso_free(pool, l.c.cell);
    iso_free(pool, l.at);
    legend(out, &l, how);
}
