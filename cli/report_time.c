/* The time line of a page: a row for each session (or for several, if there are many), time to the right, darker where
 * more transactions began; a mark for each anomaly; below them a bar for each note, such as a fault of the database,
 * and a list of the notes. Without times the order in the input, or in the session, takes their place, and notes have
 * no bar. */
#include <inttypes.h>

#include "cli/report.h"
#include "explain/story.h"

enum { ROWS = 24, COLUMNS = 150, CELL = 6, ROW = 14, LEFT = 150, TOP = 22, MARKS = 200, NOTES = 200, NOTE_ROWS = 8 };

typedef struct scale {
    const isolab_history *h;
    int64_t least, most;
    const char *what;
    bool by_line;           /* the lines of sessions are mixed, so they tell an order */
    uint32_t rows, per_row; /* sessions in a row */
    int64_t low, high;      /* where notes are drawn: farther ones are at the edge */
    uint8_t *lane;          /* by note, the first NOTES of them: the row of its bar */
    uint32_t lanes;         /* 0: there is no bar */
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

/* ---- notes ---- */

static uint32_t notes_shown(const isolab_history *h) { return h->n_notes < NOTES ? h->n_notes : NOTES; }

static int64_t clamp(const scale *s, int64_t at) { return at < s->low ? s->low : at > s->high ? s->high : at; }

/* Returns when a note's bar begins and ends: a note with one time is a moment. Returns false if it has no bar. */
static bool span_of(const scale *s, const iso_note *note, int64_t *from, int64_t *to) {
    *from = clamp(s, note->start != ISO_NO_TIME ? note->start : note->end);
    *to = clamp(s, note->end != ISO_NO_TIME ? note->end : note->start);
    return s->h->txn_start != NULL && (note->start != ISO_NO_TIME || note->end != ISO_NO_TIME) && *to >= *from;
}

/* Notes may be as long before and after the transactions as the transactions last, so that one strange time does not
 * press all transactions into one column. */
static void set_bounds(scale *s) {
    s->low = ISO_NO_TIME + 1;
    s->high = INT64_MAX;
    if (s->least < s->most) {
        uint64_t span = (uint64_t)s->most - (uint64_t)s->least;
        if (__builtin_sub_overflow(s->least, span, &s->low)) {
            s->low = ISO_NO_TIME + 1;
        }
        if (__builtin_add_overflow(s->most, span, &s->high)) {
            s->high = INT64_MAX;
        }
    }
}

/* Notes count for the ends of the scale, and notes that overlap get rows of their own (at most NOTE_ROWS). */
static void place_notes(scale *s, iso_pool *pool) {
    int64_t from, to, end[NOTE_ROWS];
    uint32_t n = notes_shown(s->h);
    set_bounds(s);
    s->lane = ISO_ZNEW(pool, uint8_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!span_of(s, &s->h->notes[i], &from, &to)) {
            continue;
        }
        uint32_t lane = 0;
        while (lane < s->lanes && lane + 1 < NOTE_ROWS && from <= end[lane]) {
            lane++;
        }
        end[lane] = lane < s->lanes && end[lane] > to ? end[lane] : to;
        s->lanes = lane < s->lanes ? s->lanes : lane + 1;
        s->lane[i] = (uint8_t)lane;
        s->least = from < s->least ? from : s->least;
        s->most = to > s->most ? to : s->most;
    }
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

static const char *note_text(const isolab_history *h, const iso_note *note, char buffer[ISO_NAME_SIZE]) {
    bool string = note->text.kind == ISO_ATOM_STRING;
    return string ? iso_string(h, note->text.bits, NULL) : iso_atom_text(h, note->text, buffer);
}

/* Their bars, each with the number that it has in the list. */
static void bars(iso_report *r, const scale *s) {
    char text[ISO_NAME_SIZE];
    int64_t from, to;
    for (uint32_t i = 0; i < notes_shown(r->h); i++) {
        const iso_note *note = &r->h->notes[i];
        if (!span_of(s, note, &from, &to)) {
            continue;
        }
        int x = LEFT + (int)column_of(s, from) * CELL, width = LEFT + (int)(column_of(s, to) + 1) * CELL - x;
        int y = TOP + (int)(s->rows + s->lane[i]) * ROW + 4;
        iso_print(&r->page, "<a href=\"#n%u\"><rect class=\"over\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                  i + 1, x, TOP, width, y - TOP);
        iso_print(
            &r->page,
            "<rect class=\"note\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>note %u: %.200s</title></rect>"
            "<text class=\"notename\" x=\"%d\" y=\"%d\">%u</text></a>\n",
            x, y, width, ROW - 4, i + 1, note_text(r->h, note, text), x - 2, y + 9, i + 1);
    }
    if (s->lanes > 0) {
        iso_print(&r->page, "<text x=\"0\" y=\"%d\">notes</text>", TOP + (int)s->rows * ROW + 13);
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
        iso_print(&r->page, "%s%s %" PRId64, i == 0 || at[0] == ISO_NO_TIME ? "" : " ", word[i], at[i]);
        if (r->h->txn_start != NULL && r->h->time_unit == ISO_TIME_NS && at[i] >= s->least) {
            iso_print(&r->page, " (%s)", iso_word_span((uint64_t)at[i] - (uint64_t)s->least, span));
        }
    }
}

/* The list of the notes, which is also for a reader who does not see the bars. */
static void list_notes(iso_report *r, const scale *s) {
    char text[ISO_NAME_SIZE];
    if (r->h->n_notes == 0) {
        return;
    }
    iso_print(&r->page, "<h3 id=\"notes\">Notes: what else happened</h3>\n<ol class=\"notes\">\n");
    for (uint32_t i = 0; i < notes_shown(r->h); i++) {
        const iso_note *note = &r->h->notes[i];
        iso_print(&r->page, "<li id=\"n%u\">%s <span class=\"muted\">", i + 1, note_text(r->h, note, text));
        note_time(r, s, note);
        iso_print(&r->page, "</span></li>\n");
    }
    iso_print(&r->page, "</ol>\n");
    if (r->h->n_notes > notes_shown(r->h)) {
        iso_print(&r->page, "<p class=\"muted\">These are the first %u of %u notes.</p>\n", notes_shown(r->h),
                  r->h->n_notes);
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
    place_notes(&s, r->pool);
    if (s.least > s.most) {
        list_notes(r, &s);
        return;
    }
    int height = TOP + (int)(s.rows + s.lanes) * ROW + 24;
    iso_print(&r->page,
              "<h2 id=\"time\">The whole history</h2>\n<p class=\"muted\">To the right: %s. Darker: more transactions. "
              "Diamonds: transactions of the anomalies below.%s</p>\n<div class=\"time\">",
              s.what,
              s.lanes > 0
                  ? " Bars with numbers, and the shade above them: notes, such as faults of the database; their "
                    "list is below."
                  : "");
    iso_print(
        &r->page,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\"><title>When the transactions of "
        "each session ran, and where the anomalies%s are</title>\n",
        LEFT + COLUMNS * CELL + 10, height, s.lanes > 0 ? " and notes" : "");
    cells(r, &s);
    bars(r, &s);
    marks(r, &s);
    ends(r, &s, height - 6);
    iso_print(&r->page, "</svg></div>\n");
    list_notes(r, &s);
}
