/* The time line of a page: a row for each session (or for several, if there are many), time to the right, darker where more
 * transactions began; a mark for each anomaly. Without times the order in the input, or in the session, takes their place. */
#include <inttypes.h>

#include "cli/report.h"
#include "explain/story.h"

enum { ROWS = 24, COLUMNS = 150, CELL = 6, ROW = 14, LEFT = 150, TOP = 22, MARKS = 200 };

typedef struct scale {
    const isolab_history *h;
    int64_t least, most;
    const char *what;
    bool by_line;           /* the lines of sessions are mixed, so they tell an order */
    uint32_t rows, per_row; /* sessions in a row */
} scale;

static bool position(const scale *s, uint32_t txn, int64_t *at) {
    const isolab_history *h = s->h;
    if (h->txn_start != NULL) {
        *at = h->txn_start[txn] != ISO_NO_TIME ? h->txn_start[txn] : h->txn_end[txn];
        return *at != ISO_NO_TIME;
    }
    if (s->by_line) {
        *at = h->txn_line[txn];
        return h->txn_line[txn] != ISO_NONE;
    }
    *at = (int64_t)(txn - h->session_txn[h->txn_session[txn]]) + 1;
    return true;
}

/* Returns whether the input has its sessions mixed, and not one after the other. */
static bool are_mixed(const isolab_history *h) {
    uint32_t last = 0;
    bool mixed = false;
    for (uint32_t t = 0; h->txn_line != NULL && t < h->n_txns; t++) {
        mixed |= h->txn_line[t] != ISO_NONE && h->txn_line[t] < last;
        last = h->txn_line[t] != ISO_NONE ? h->txn_line[t] : last;
    }
    return mixed;
}

static scale scale_of(const isolab_history *h) {
    scale s = {.h = h, .least = INT64_MAX, .most = INT64_MIN, .by_line = are_mixed(h)};
    s.what = h->txn_start != NULL ? h->time_unit == ISO_TIME_NS ? "time" : "place in the log"
             : s.by_line          ? "line of the file"
                                  : "number in the session";
    s.per_row = (h->n_sessions + ROWS - 1) / ROWS;
    s.per_row = s.per_row == 0 ? 1 : s.per_row;
    s.rows = (h->n_sessions + s.per_row - 1) / s.per_row;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        int64_t at;
        if (position(&s, t, &at)) {
            s.least = at < s.least ? at : s.least;
            s.most = at > s.most ? at : s.most;
        }
    }
    return s;
}

static uint32_t column_of(const scale *s, int64_t at) {
    double part = ((double)at - (double)s->least) / ((double)s->most - (double)s->least + 1);
    uint32_t column = (uint32_t)(part * COLUMNS);
    return column < COLUMNS ? column : COLUMNS - 1;
}

static void cells(iso_report *r, const scale *s) {
    uint32_t *n = ISO_ZNEW(r->pool, uint32_t, (uint64_t)s->rows * COLUMNS), most = 1;
    for (uint32_t t = 0; t < r->h->n_txns; t++) {
        int64_t at;
        if (position(s, t, &at)) {
            uint32_t *cell = &n[r->h->txn_session[t] / s->per_row * COLUMNS + column_of(s, at)];
            most = ++*cell > most ? *cell : most;
        }
    }
    for (uint32_t row = 0; row < s->rows; row++) {
        char name[ISO_NAME_SIZE];
        uint32_t first = row * s->per_row;
        int y = TOP + (int)row * ROW;
        iso_print(&r->page, "<text x=\"0\" y=\"%d\">session %.16s%s</text>", y + 10,
                  iso_word_session(r->h, first, name), s->per_row > 1 ? " and next" : "");
        for (uint32_t c = 0; c < COLUMNS; c++) {
            uint32_t count = n[row * COLUMNS + c];
            if (count > 0) { /* runs of equal shades would save little: most cells differ */
                uint32_t shade = 1 + (uint32_t)((uint64_t)count * 4 / most);
                iso_print(&r->page, "<rect class=\"d%u\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", shade,
                          LEFT + (int)c * CELL, y, CELL, ROW - 2);
            }
        }
        iso_print(&r->page, "\n");
    }
    iso_free(r->pool, n);
}

static void marks(iso_report *r, const scale *s) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < r->n_cards; i++) {
        for (uint32_t k = 0; k < r->card[i].n_cast && shown < MARKS; k++, shown++) {
            uint32_t txn = r->card[i].cast[k];
            int64_t at;
            char name[ISO_WORD_SIZE];
            if (!position(s, txn, &at)) {
                continue;
            }
            int x = LEFT + (int)column_of(s, at) * CELL + CELL / 2;
            int y = TOP + (int)(r->h->txn_session[txn] / s->per_row) * ROW + ROW / 2 - 1;
            iso_print(&r->page,
                      "<a href=\"#a%u\"><path class=\"mark\" d=\"M%d %dl6 5l-6 5l-6 -5z\"><title>anomaly %u: %s</title>"
                      "</path></a>\n",
                      i + 1, x, y - 5, i + 1, iso_word_txn(r->h, txn, name));
        }
    }
}

static void ends(iso_report *r, const scale *s, int y) {
    char span[ISO_SPAN_SIZE];
    bool ns = r->h->txn_start != NULL && r->h->time_unit == ISO_TIME_NS;
    iso_print(&r->page,
              "<text x=\"%d\" y=\"%d\">%" PRId64 "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRId64
              "%s%s%s</text>",
              LEFT, y, s->least, LEFT + COLUMNS * CELL, y, s->most, ns ? " (" : "",
              ns ? iso_word_span((uint64_t)s->most - (uint64_t)s->least, span) : "", ns ? " later)" : "");
}

void iso_report_time(iso_report *r) {
    scale s = scale_of(r->h);
    if (s.least > s.most) {
        return;
    }
    int height = TOP + (int)s.rows * ROW + 20;
    iso_print(&r->page,
              "<h2 id=\"time\">The whole history</h2>\n<p class=\"muted\">To the right: %s. Darker: more transactions. "
              "Diamonds: transactions of the anomalies below.</p>\n<div class=\"time\">",
              s.what);
    iso_print(
        &r->page,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\"><title>When the transactions of "
        "each session ran, and where the anomalies are</title>\n",
        LEFT + COLUMNS * CELL + 10, height);
    cells(r, &s);
    marks(r, &s);
    ends(r, &s, height - 6);
    iso_print(&r->page, "</svg></div>\n");
}
