/* The time line of a page: a row for each session (or for several, if there are many) and time to the right; below the
 * sessions a bar for each note, such as a fault of the database, and a list of the notes. A small history has a bar for
 * each transaction, from its call to its return, with its operations; of a larger one it shows where many transactions
 * began (darker), and a mark for each anomaly. Without times the order in the input, or in the session, takes their
 * place, and notes have no bar.
 *
 * All of this is boxes with positions in percent, so the script (page.js) zooms by widening the track. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "explain/story.h"

enum {
    BARS = 200,
    BAR_ROWS = 100,
    LABEL = 120,
    ROWS = 24,
    COLUMNS = 150,
    ROW = 22,
    MARKS = 200,
    NOTES = 200,
    NOTE_ROWS = 8
};

typedef struct scale {
    const isolab_history *h;
    int64_t least, most;
    const char *what;
    bool by_line;           /* the lines of sessions are mixed, so they tell an order */
    bool bars;              /* one for each transaction */
    uint32_t rows, per_row; /* sessions in a row */
    uint32_t *session;      /* in the order of the rows */
    uint32_t *row;          /* by session */
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

/* Returns where the bar of a transaction ends; ISO_NO_TIME: it has no end. */
static int64_t end_of(const scale *s, uint32_t txn, int64_t from) {
    return s->h->txn_end != NULL ? s->h->txn_end[txn] : from + 1;
}

/* Compares names as people count: worker-2 comes before worker-10. */
static int by_name(const void *a, const void *b, void *arg) {
    const isolab_history *h = arg;
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
    s.what = h->txn_start != NULL ? h->time_unit == ISO_TIME_NS ? "time" : "place in the log"
             : s.by_line          ? "line of the file"
                                  : "number in the session";
    s.bars = h->n_txns <= BARS && h->n_sessions <= BAR_ROWS;
    s.per_row = s.bars ? 1 : (h->n_sessions + ROWS - 1) / ROWS;
    s.per_row = s.per_row == 0 ? 1 : s.per_row;
    s.rows = (h->n_sessions + s.per_row - 1) / s.per_row;
    s.session = ISO_NEW(pool, uint32_t, h->n_sessions + 1);
    s.row = ISO_NEW(pool, uint32_t, h->n_sessions + 1);
    for (uint32_t i = 0; i < h->n_sessions; i++) {
        s.session[i] = i;
    }
    qsort_r(s.session, h->n_sessions, sizeof *s.session, by_name, (void *)(uintptr_t)h);
    for (uint32_t i = 0; i < h->n_sessions; i++) {
        s.row[s.session[i]] = i / s.per_row;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        int64_t at;
        if (position(&s, t, &at)) {
            int64_t end = s.bars && h->txn_end != NULL ? h->txn_end[t] : at;
            s.least = at < s.least ? at : s.least;
            s.most = at > s.most ? at : s.most;
            s.most = end > s.most ? end : s.most;
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

/* Returns a position in percent of the width. */
static double percent_of(const scale *s, int64_t at) {
    return 100 * ((double)at - (double)s->least) / ((double)s->most - (double)s->least + 1);
}

static uint32_t column_of(const scale *s, int64_t at) {
    uint32_t column = (uint32_t)(percent_of(s, at) * COLUMNS / 100);
    return column < COLUMNS ? column : COLUMNS - 1;
}

/* Begins an element of a class in a row; its end is at most 100 percent. */
static void place_box(iso_report *r, const char *tag, const char *class, uint32_t row, double from, double to) {
    to = to < 100 ? to : 100;
    iso_print(&r->page, "<%s class=\"%s\" style=\"top:%upx;left:%.4f%%;width:%.4f%%\"", tag, class, row * ROW, from,
              to > from ? to - from : 0);
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
            static const char *const shade[] = {"d1", "d2", "d3", "d4", "d5"};
            double from = 100.0 * (i % COLUMNS) / COLUMNS;
            place_box(r, "i", shade[(uint64_t)n[i] * 4 / most], i / COLUMNS, from, from + 100.0 / COLUMNS);
            iso_print(&r->page, "></i>\n");
        }
    }
    iso_free(r->pool, n);
}

/* Returns the plainest card of the first finding of a transaction; n_cards: that of no finding has it. */
static uint32_t card_of(const iso_report *r, uint32_t txn) {
    for (uint32_t i = 0; i < r->n_cards; i++) {
        for (uint32_t k = 0; k < r->card[i].n_cast && r->card[i].order == r->card[i].first; k++) {
            if (r->card[i].cast[k] == txn) {
                return i;
            }
        }
    }
    return r->n_cards;
}

/* Prints the operations of a transaction: `r x 3, w y 4`; without the key if there is only one. */
static void label(iso_report *r, uint32_t txn) {
    static const char *const verb[] = {[ISO_READ] = "r", [ISO_WRITE] = "w", [ISO_APPEND] = "a", [ISO_LIST_READ] = "r"};
    const isolab_history *h = r->h;
    char text[512], key[ISO_NAME_SIZE];
    size_t used = 0;
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (used > LABEL) {
            iso_print(&r->page, ", ...");
            return;
        }
        iso_word_op(h, o, text, sizeof text);
        const char *list = strchr(text, '[');
        const char *value = h->op_kind[o] == ISO_LIST_READ && list != NULL ? list : NULL;
        if (value == NULL) {
            value = iso_atom_text(h, iso_version_value(h, h->op_version[o]), text);
        }
        const char *gap = o > h->txn_op[txn] ? ", " : " ";
        iso_print(&r->page, "%s%s %s%s%.60s", gap, verb[h->op_kind[o]],
                  h->n_keys > 1 ? iso_key_text(h, h->op_key[o], key) : "", h->n_keys > 1 ? " " : "", value);
        used += strlen(value) + 4 + (h->n_keys > 1 ? strlen(key) : 0);
    }
}

static void bars(iso_report *r, const scale *s) {
    const isolab_history *h = r->h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        int64_t from, to;
        char name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
        if (!position(s, t, &from)) {
            continue;
        }
        to = end_of(s, t, from);
        uint32_t card = card_of(r, t);
        bool read =
            card < r->n_cards && r->card[card].blame.read != ISO_NONE && h->op_txn[r->card[card].blame.read] == t;
        char class[64];
        snprintf(class, sizeof class, "bar%s%s%s%s", card < r->n_cards ? " hit" : "", read ? " blamed" : "",
                 to == ISO_NO_TIME ? " endless" : "", h->txn_status[t] == ISO_ABORTED ? " aborted" : "");
        const char *tag = card < r->n_cards ? "a" : "span";
        place_box(r, tag, class, s->row[h->txn_session[t]], percent_of(s, from),
                  to == ISO_NO_TIME ? 100 : percent_of(s, to));
        if (card < r->n_cards) {
            iso_print(&r->page, " href=\"#a%u\"", card + 1);
        }
        iso_word_txn(h, t, name);
        iso_print(&r->page, " data-txn=\"%u\" title=\"%s: %s\"><b>%s</b>", t, name, iso_word_place(h, t, place), name);
        label(r, t);
        iso_print(&r->page, "</%s>\n", tag);
    }
}

static void marks(iso_report *r, const scale *s) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < r->n_cards; i++) {
        for (uint32_t k = 0; k < r->card[i].n_cast && shown < MARKS; k++, shown++) {
            uint32_t txn = r->card[i].cast[k];
            int64_t at;
            char name[ISO_WORD_SIZE];
            if (position(s, txn, &at)) {
                place_box(r, "a", "mark", s->row[r->h->txn_session[txn]], percent_of(s, at), 0);
                iso_print(&r->page, " href=\"#a%u\" title=\"anomaly %u: %s\"></a>\n", i + 1, i + 1,
                          iso_word_txn(r->h, txn, name));
            }
        }
    }
}

static const char *note_text(const isolab_history *h, const iso_note *note, char buffer[ISO_NAME_SIZE]) {
    bool string = note->text.kind == ISO_ATOM_STRING;
    return string ? iso_string(h, note->text.bits, NULL) : iso_atom_text(h, note->text, buffer);
}

/* Their bars, each with the number that it has in the list, and a shade above it. */
static void note_bars(iso_report *r, const scale *s) {
    char text[ISO_NAME_SIZE];
    int64_t from, to;
    for (uint32_t i = 0; i < notes_shown(r->h); i++) {
        const iso_note *note = &r->h->notes[i];
        if (span_of(s, note, &from, &to)) {
            double left = percent_of(s, from), right = percent_of(s, to);
            place_box(r, "i", "over", 0, left, right);
            iso_print(&r->page, "></i>");
            place_box(r, "a", "note", s->rows + s->lane[i], left, right);
            iso_print(&r->page, " href=\"#n%u\" title=\"note %u: %.200s\">%u</a>\n", i + 1, i + 1,
                      note_text(r->h, note, text), i + 1);
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

/* Times from 0 with their unit, or other positions as they are; more of them where the script zooms. */
static void ticks(iso_report *r, const scale *s) {
    enum { TICKS = 64 };
    static const char *const class[] = {"tick", "tick fine", "tick finer"};
    bool ns = r->h->txn_start != NULL && r->h->time_unit == ISO_TIME_NS;
    double span = (double)s->most - (double)s->least;
    for (int i = 0; i <= TICKS; i++) {
        char text[ISO_SPAN_SIZE];
        double at = span * i / TICKS;
        if (ns) {
            iso_word_span((uint64_t)at, text);
        } else {
            snprintf(text, sizeof text, "%.0f", (double)s->least + at);
        }
        place_box(r, "span", class[i % 16 == 0 ? 0 : i % 4 == 0 ? 1 : 2], s -> rows + s -> lanes, 100.0 * i / TICKS, 0);
        iso_print(&r->page, ">%s</span>\n", i == 0 && ns ? "0" : text);
    }
}

static void names(iso_report *r, const scale *s) {
    char name[ISO_NAME_SIZE];
    iso_print(&r->page, "<div class=\"names\">");
    for (uint32_t row = 0; row < s->rows; row++) {
        iso_word_session(r->h, s->session[row * s->per_row], name);
        iso_print(&r->page, "<div title=\"session %s\">%s%.32s%s</div>", name, row == 0 ? "session " : "", name,
                  s->per_row > 1 ? " and next" : "");
    }
    iso_print(&r->page, "%s</div>", s->lanes > 0 ? "notes" : "");
}

void iso_report_time(iso_report *r) {
    scale s = scale_of(r->h, r->pool);
    place_notes(&s, r->pool);
    iso_print(&r->page, "<h2 id=\"time\">The whole history</h2>\n");
    if (s.least > s.most) {
        list_notes(r, &s);
        return;
    }
    iso_print(
        &r->page, "<p class=\"muted\">To the right: %s. %s%s</p>\n", s.what,
        s.bars ? "A bar is a transaction, from its call to its return: r reads, w writes, a appends; red ones belong "
                 "to an anomaly."
               : "Darker: more transactions. Diamonds: transactions of the anomalies.",
        s.lanes > 0 ? " Bars with numbers, and the shade above them: notes, such as faults of the database; their "
                      "list is below."
                    : "");
    iso_print(&r->page,
              "<div class=\"time\"><div class=\"controls\" hidden><button class=\"in\">Zoom in</button><button "
              "class=\"out\">Zoom out</button><button class=\"whole\">Whole</button><span class=\"muted\">"
              "+ and - zoom, arrows move, 0 shows all; or Ctrl and the wheel</span></div>\n<div class=\"rows\">");
    names(r, &s);
    iso_print(
        &r->page,
        "<div class=\"scroller\" tabindex=\"0\" role=\"group\" aria-label=\"When the transactions of each session "
        "ran%s\"><div class=\"track\" style=\"height:%upx\">\n",
        s.lanes > 0 ? ", and notes" : "", (s.rows + s.lanes + 1) * ROW);
    (s.bars ? bars : cells)(r, &s);
    note_bars(r, &s);
    if (!s.bars) {
        marks(r, &s);
    }
    ticks(r, &s);
    iso_print(&r->page, "</div></div></div></div>\n");
    list_notes(r, &s);
}
