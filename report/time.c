/* The time line of a page: a row for each session (or for several, if there are many) and time to the right, darker
 * where more transactions began; a mark for each anomaly; and a list of the notes, such as faults of the database.
 * Without times the order in the input, or in the session, takes their place. The script (page.js) adds what needs a
 * screen: a bar for each transaction of a small history, bars of the notes, ticks and zoom. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/story.h"
#include "report/report.h"

enum { ROWS = 24, COLUMNS = 150, ROW = 22, MARKS = 200, NOTES = 200 };

typedef struct scale {
    const isolab_history *h;
    int64_t least, most;
    bool by_line;           /* the lines of sessions are mixed, so they tell an order */
    uint32_t rows, per_row; /* sessions in a row */
    uint32_t *session;      /* in the order of the rows */
    uint32_t *row;          /* by session */
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

/* Compares names as people count: worker-2 comes before worker-10. */
static int by_name(const void *a, const void *b, void *history) {
    const isolab_history *h = history;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    char one[ISO_NAME_SIZE], two[ISO_NAME_SIZE];
    int order = strverscmp(iso_word_session(h, x, one), iso_word_session(h, y, two));
    return order != 0 ? order : (x > y) - (x < y);
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

static scale scale_of(const isolab_history *h, iso_pool *pool) {
    scale s = {.h = h, .least = INT64_MAX, .most = INT64_MIN, .by_line = are_mixed(h)};
    uint32_t n = h->n_sessions;
    s.per_row = n > ROWS ? (n + ROWS - 1) / ROWS : 1;
    s.rows = (n + s.per_row - 1) / s.per_row;
    s.session = ISO_NEW(pool, uint32_t, n + 1);
    s.row = ISO_NEW(pool, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        s.session[i] = i;
    }
    qsort_r(s.session, n, sizeof *s.session, by_name, (void *)(uintptr_t)h);
    for (uint32_t i = 0; i < n; i++) {
        s.row[s.session[i]] = i / s.per_row;
    }
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
            uint32_t *cell = &n[s->row[r->h->txn_session[t]] * COLUMNS + column_of(s, at)];
            most = ++*cell > most ? *cell : most;
        }
    }
    for (uint32_t i = 0; i < s->rows * COLUMNS; i++) {
        if (n[i] > 0) {
            iso_print(&r->page, "<i class=\"d%u\" style=\"top:%upx;left:%.3f%%;width:%.3f%%\"></i>\n",
                      1 + (uint32_t)((uint64_t)n[i] * 4 / most), i / COLUMNS * ROW, 100.0 * (i % COLUMNS) / COLUMNS,
                      100.0 / COLUMNS);
        }
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
            if (position(s, txn, &at)) {
                iso_print(
                    &r->page,
                    "<a class=\"mark\" style=\"top:%upx;left:%.3f%%\" href=\"#a%u\" title=\"anomaly %u: %s\"></a>\n",
                    s->row[r->h->txn_session[txn]] * ROW, 100.0 * (column_of(s, at) + 0.5) / COLUMNS, i + 1, i + 1,
                    iso_word_txn(r->h, txn, name));
            }
        }
    }
}

/* Prints when a note began and ended, from the earliest time of the scale on. */
static void note_time(iso_report *r, const scale *s, const iso_note *note) {
    const int64_t at[2] = {note->start, note->end};
    static const char *const word[2] = {"from", "to"};
    char span[ISO_SPAN_SIZE];
    for (int i = 0; i < 2; i++) {
        if (at[i] == ISO_NO_TIME) {
            continue;
        }
        iso_print(&r->page, "%s<span data-at=\"%s\">%s %" PRId64, i == 0 ? "" : " ", word[i], word[i], at[i]);
        if (r->h->txn_start != NULL && r->h->time_unit == ISO_TIME_NS && at[i] >= s->least) {
            iso_print(&r->page, " (%s)", iso_word_span((uint64_t)at[i] - (uint64_t)s->least, span));
        }
        iso_print(&r->page, "</span>");
    }
}

static void list_notes(iso_report *r, const scale *s) {
    const isolab_history *h = r->h;
    char text[ISO_NAME_SIZE];
    if (h->n_notes == 0) {
        return;
    }
    iso_print(&r->page, "<h3 id=\"notes\">Notes: what else happened</h3>\n<ol class=\"notes\">\n");
    for (uint32_t i = 0; i < h->n_notes && i < NOTES; i++) {
        const iso_note *note = &h->notes[i];
        bool string = note->text.kind == ISO_ATOM_STRING;
        iso_print(&r->page, "<li id=\"n%u\"><span>%s</span> <span class=\"muted\">", i + 1,
                  string ? iso_string(h, note->text.bits, NULL) : iso_atom_text(h, note->text, text));
        note_time(r, s, note);
        iso_print(&r->page, "</span></li>\n");
    }
    iso_print(&r->page, "</ol>\n");
    if (h->n_notes > NOTES) {
        iso_print(&r->page, "<p class=\"muted\">These are the first %u of %u notes.</p>\n", NOTES, h->n_notes);
    }
}

void iso_report_time(iso_report *r) {
    const isolab_history *h = r->h;
    scale s = scale_of(h, r->pool);
    char name[ISO_NAME_SIZE];
    bool ns = h->txn_start != NULL && h->time_unit == ISO_TIME_NS;
    const char *by = ns                     ? "time"
                     : h->txn_start != NULL ? "place in the log"
                     : s.by_line            ? "line of the file"
                                            : "number in the session";
    iso_print(&r->page, "<h2 id=\"time\">The whole history</h2>\n");
    if (s.least <= s.most) {
        iso_print(&r->page,
                  "<p class=\"muted\">To the right: %s. <span class=\"meaning\">Darker: more transactions. Diamonds: "
                  "transactions of the anomalies.</span></p>\n<div class=\"time\" data-by=\"%s\" data-least=\"%" PRId64
                  "\" data-most=\"%" PRId64 "\"><div class=\"rows\"><div class=\"names\">",
                  by, h->txn_start != NULL && !ns ? "event" : by, s.least, s.most);
        for (uint32_t row = 0; row < s.rows; row++) {
            iso_print(&r->page, "<div>%.32s%s</div>", iso_word_session(h, s.session[row * s.per_row], name),
                      s.per_row > 1 ? " and next" : "");
        }
        iso_print(
            &r->page,
            "</div><div class=\"scroller\" tabindex=\"0\" role=\"group\" aria-label=\"When the transactions of each "
            "session ran\"><div class=\"track\" style=\"height:%upx\">\n",
            s.rows * ROW);
        cells(r, &s);
        marks(r, &s);
        iso_print(&r->page, "</div></div></div></div>\n");
    }
    list_notes(r, &s);
}
