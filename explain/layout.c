/* See layout.h. */
#include "explain/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { MARGIN = 12, HEAD = 34, PAD = 10, BETWEEN = 26, GAP = 30, SPREAD = 5 };

/* Copies a text of at most ISO_OP_CHARS columns; an ellipsis stands for the rest of a longer one. */
static const char *shortened(const char *text, char *buffer, size_t size) {
    size_t n = strlen(text);
    bool fits = iso_utf8_columns(text, n) <= ISO_OP_CHARS;
    snprintf(buffer, size, "%.*s%s", (int)(fits ? n : iso_utf8_fit(text, ISO_OP_CHARS - 1)), text,
             fits ? "" : "\xe2\x80\xa6");
    return buffer;
}

const char *iso_layout_op(const iso_layout *l, uint32_t op, char *buffer, size_t size) {
    char text[512];
    return shortened(iso_word_op(l->p->h, op, text, sizeof text), buffer, size);
}

const char *iso_layout_name(const iso_layout *l, uint32_t txn, char buffer[ISO_WORD_SIZE]) {
    char name[ISO_WORD_SIZE];
    bool initial = txn >= l->p->h->n_txns;
    return shortened(initial ? "the initial state: every key is nil" : iso_word_txn(l->p->h, txn, name), buffer,
                     ISO_WORD_SIZE);
}

static uint32_t columns_of(const char *text) { return iso_utf8_columns(text, strlen(text)); }

/* Returns the earliest time of the picture; ISO_NO_TIME: there is none. */
static int64_t earliest(const iso_picture *p) {
    int64_t least = ISO_NO_TIME;
    for (uint32_t i = 0; p->h->txn_start != NULL && i < p->n_txns; i++) {
        if (p->txn[i] < p->h->n_txns) {
            int64_t times[2] = {p->h->txn_start[p->txn[i]], p->h->txn_end[p->txn[i]]};
            for (int k = 0; k < 2; k++) {
                least = times[k] != ISO_NO_TIME && (least == ISO_NO_TIME || times[k] < least) ? times[k] : least;
            }
        }
    }
    return least;
}

static size_t add_time(const iso_layout *l, int64_t time, const char *before, char *buffer, size_t size) {
    int64_t from = earliest(l->p);
    char span[ISO_SPAN_SIZE];
    if (time == ISO_NO_TIME || from == ISO_NO_TIME) {
        return 0;
    }
    if (l->p->h->time_unit != ISO_TIME_NS) {
        return (size_t)snprintf(buffer, size, "%s%" PRId64, before, time);
    }
    return (size_t)snprintf(buffer, size, "%s+%s", before, iso_word_span((uint64_t)time - (uint64_t)from, span));
}

const char *iso_layout_place(const iso_layout *l, uint32_t txn, char buffer[ISO_PLACE_SIZE]) {
    const isolab_history *h = l->p->h;
    buffer[0] = '\0';
    if (txn >= h->n_txns) {
        snprintf(buffer, ISO_PLACE_SIZE, "before everything");
        return buffer;
    }
    uint32_t line = h->txn_line != NULL ? h->txn_line[txn] : ISO_NONE;
    uint32_t index = h->txn_index != NULL ? h->txn_index[txn] : ISO_NONE;
    size_t used;
    if (index != ISO_NONE) {
        used = (size_t)snprintf(buffer, ISO_PLACE_SIZE, ":index %" PRIu32, index);
    } else if (line != ISO_NONE) {
        used = (size_t)snprintf(buffer, ISO_PLACE_SIZE, "line %" PRIu32, line);
    } else {
        used = (size_t)snprintf(buffer, ISO_PLACE_SIZE, "no. %" PRIu32, txn - h->session_txn[h->txn_session[txn]] + 1);
    }
    if (h->txn_start != NULL) {
        used += add_time(l, h->txn_start[txn], ", ", buffer + used, ISO_PLACE_SIZE - used);
        used += add_time(l, h->txn_end[txn], " to ", buffer + used, ISO_PLACE_SIZE - used);
    }
    if (h->txn_status[txn] != ISO_COMMITTED) {
        snprintf(buffer + used, ISO_PLACE_SIZE - used, ", %s",
                 h->txn_status[txn] == ISO_ABORTED ? "aborted" : "unknown");
    }
    return buffer;
}

const char *iso_arrow_label(const iso_arrow *a, char buffer[ISO_LABEL_SIZE]) {
    snprintf(buffer, ISO_LABEL_SIZE, "%s%s%s", a->number, a->number[0] != '\0' ? " " : "",
             iso_arrow_kinds[a->kind].label);
    return buffer;
}

static uint32_t lane_of(const iso_picture *p, uint32_t txn) {
    uint32_t l = 0;
    while (txn < p->h->n_txns && l < p->n_lanes && p->lane[l] != p->h->txn_session[txn]) {
        l++;
    }
    return l;
}

int iso_layout_row(const iso_layout *l, const iso_box *box, uint32_t op) {
    const iso_picture *p = l->p;
    int row = 2;
    for (uint32_t o = 0; o < p->n_ops && op != ISO_NONE && box->txn < p->h->n_txns; o++) {
        if (p->op[o] == op) {
            return box->y + row * ISO_ROW + ISO_ROW / 2 + 2;
        }
        row += p->h->op_txn[p->op[o]] == box->txn;
    }
    return box->y + ISO_ROW / 2 + 4;
}

static const iso_box *box_of(const iso_layout *l, uint32_t txn) {
    uint32_t i = 0;
    while (l->p->txn[i] != txn) {
        i++;
    }
    return &l->box[i];
}

static void size_boxes(iso_layout *l) {
    const iso_picture *p = l->p;
    char text[1024], name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    uint32_t widest = p->n_lanes < 2 ? 38 : 14; /* room for the name of the initial state */
    int y = MARGIN + HEAD;
    for (uint32_t i = 0; i < p->n_ops; i++) {
        uint32_t cells = columns_of(iso_layout_op(l, p->op[i], text, sizeof text)) + 2;
        widest = cells > widest ? cells : widest;
    }
    for (uint32_t i = 0; i < p->n_txns; i++) {
        uint32_t rows = 2;
        for (uint32_t o = 0; o < p->n_ops && p->txn[i] < p->h->n_txns; o++) {
            rows += p->h->op_txn[p->op[o]] == p->txn[i];
        }
        bool initial = p->txn[i] >= p->h->n_txns; /* its box is as wide as all columns */
        uint32_t cells = initial ? 0 : columns_of(iso_layout_name(l, p->txn[i], name));
        widest = cells + 1 > widest ? cells + 1 : widest;
        cells = columns_of(iso_layout_place(l, p->txn[i], place));
        widest = cells > widest ? cells : widest;
        l->box[i] = (iso_box){.txn = p->txn[i], .y = y, .height = (int)rows * ISO_ROW + PAD};
        y += l->box[i].height + BETWEEN;
    }
    l->lane_width = (int)widest * ISO_CHAR + 2 * PAD;
    l->height = y - BETWEEN + MARGIN;
}

/* Returns whether an arrow can go straight down: to the next box of its column. */
static bool is_straight(const iso_layout *l, const iso_arrow *a) {
    const iso_picture *p = l->p;
    if (a->kind != ISO_EDGE_SO || a->from >= p->h->n_txns || a->to >= p->h->n_txns) {
        return false;
    }
    uint32_t i = 0, k = 0, between = 0;
    while (p->txn[i] != a->from) {
        i++;
    }
    while (p->txn[k] != a->to) {
        k++;
    }
    for (uint32_t b = i + 1; b < k; b++) {
        between += p->txn[b] < p->h->n_txns && p->h->txn_session[p->txn[b]] == p->h->txn_session[a->from];
    }
    for (uint32_t b = 0; b < p->n_arrows && &p->arrow[b] != a; b++) { /* one straight arrow between two boxes */
        between += p->arrow[b].kind == ISO_EDGE_SO && p->arrow[b].from == a->from && p->arrow[b].to == a->to;
    }
    return i < k && between == 0;
}

/* Returns the gap in which an arrow runs: gap g is to the left of column g. */
static uint32_t gap_of(const iso_layout *l, const iso_arrow *a) {
    uint32_t from = lane_of(l->p, a->from), to = lane_of(l->p, a->to);
    bool wide = a->from == ISO_INIT || a->to == ISO_INIT; /* the initial transaction is as wide as all columns */
    uint32_t lane = a->from == ISO_INIT ? to : from;
    if (wide || from == to) {
        return (lane < l->p->n_lanes ? lane : 0) + 1;
    }
    return to > from ? to : to + 1;
}

/* Gives every arrow a place of its own in its gap, and places the columns so that the gaps are wide enough. */
static void place_lanes(iso_layout *l, iso_pool *pool, uint32_t *gap, uint32_t *slot) {
    const iso_picture *p = l->p;
    uint32_t lanes = p->n_lanes > 0 ? p->n_lanes : 1, *n = ISO_ZNEW(pool, uint32_t, lanes + 2);
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        l->route[i].down = is_straight(l, &p->arrow[i]);
        gap[i] = gap_of(l, &p->arrow[i]);
        slot[i] = l->route[i].down ? 0 : n[gap[i]]++;
    }
    int x = MARGIN;
    l->lane_x = ISO_NEW(pool, int, lanes + 2);
    for (uint32_t i = 0; i < lanes; i++) {
        x += n[i] > 0 ? GAP + (int)n[i] * ISO_PILL : i == 0 ? 0 : GAP;
        l->lane_x[i] = x;
        x += l->lane_width;
    }
    l->width = x + (n[lanes] > 0 ? GAP + (int)n[lanes] * ISO_PILL : 0) + MARGIN;
    l->lane_x[lanes] = x + GAP + (int)n[lanes] * ISO_PILL;
    for (uint32_t i = 0; i < p->n_txns; i++) {
        uint32_t lane = lane_of(p, p->txn[i]);
        bool wide = p->txn[i] >= p->h->n_txns;
        l->box[i].x = wide ? l->lane_x[0] : l->lane_x[lane];
        l->box[i].width = wide ? l->width - MARGIN - l->lane_x[0] : l->lane_width;
    }
    iso_free(pool, n);
}

static void route(iso_layout *l, iso_pool *pool, const uint32_t *gap, const uint32_t *slot) {
    const iso_picture *p = l->p;
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        const iso_arrow *a = &p->arrow[i];
        iso_route *r = &l->route[i];
        const iso_box *from = box_of(l, a->from), *to = box_of(l, a->to);
        if (r->down) {
            r->x[0] = r->x[1] = r->x[2] = from->x + from->width / 3;
            r->y[0] = from->y + from->height;
            r->y[1] = to->y;
            r->label = (r->y[0] + r->y[1]) / 2 - 2;
            continue;
        }
        int at = l->lane_x[gap[i]] - GAP / 2 - ISO_PILL / 2 - (int)slot[i] * ISO_PILL, out = 0, in = 0;
        for (uint32_t k = 0; k < i; k++) { /* arrows at one row lie a little apart */
            const iso_arrow *b = &p->arrow[k];
            out += (b->from == a->from && b->op_from == a->op_from) || (b->to == a->from && b->op_to == a->op_from);
            in += (b->to == a->to && b->op_to == a->op_to) || (b->from == a->to && b->op_from == a->op_to);
        }
        int same = a->from == a->to && a->op_from == a->op_to ? SPREAD : 0;
        r->y[0] = iso_layout_row(l, from, a->op_from) + (out % 3) * SPREAD - SPREAD;
        r->y[1] = iso_layout_row(l, to, a->op_to) + (in % 3) * SPREAD - SPREAD + same;
        r->x[0] = at > from->x + from->width ? from->x + from->width : at < from->x ? from->x : from->x + from->width;
        r->x[1] = at;
        r->x[2] = at > to->x + to->width ? to->x + to->width : at < to->x ? to->x : to->x + to->width;
        if (a->from == ISO_INIT) { /* from below the wide box */
            r->x[0] = at;
            r->y[0] = from->y + from->height;
        } else if (a->to == ISO_INIT) {
            r->x[2] = at;
            r->y[1] = to->y + to->height;
            r->up = true;
        }
        r->label = (r->y[0] + r->y[1]) / 2;
    }
    (void)pool;
}

iso_layout *iso_layout_make(iso_pool *pool, const iso_picture *p) {
    iso_layout *l = ISO_ZNEW(pool, iso_layout, 1);
    l->p = p;
    l->box = ISO_ZNEW(pool, iso_box, p->n_txns + 1);
    l->route = ISO_ZNEW(pool, iso_route, p->n_arrows + 1);
    uint32_t *gap = ISO_NEW(pool, uint32_t, p->n_arrows + 1), *slot = ISO_NEW(pool, uint32_t, p->n_arrows + 1);
    size_boxes(l);
    place_lanes(l, pool, gap, slot);
    route(l, pool, gap, slot);
    iso_free(pool, gap);
    iso_free(pool, slot);
    return l;
}
