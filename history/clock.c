/* Times that contradict sessions. See clock.h. */
#include "history/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* The latest times among the transactions of a session so far. */
typedef struct latest {
    uint32_t start, end; /* the transaction that began last, and the one that ended last; ISO_NONE: no such time is
                          * known */
} latest;

static void note(iso_clock *c, bool contradiction, uint32_t earlier, uint32_t later) {
    if (c->places == 0 || (contradiction && c->contradictions == 0)) {
        c->earlier = earlier;
        c->later = later;
    }
    c->places++;
    c->contradictions += contradiction;
}

static void look_at(const isolab_history *h, iso_clock *c, latest *l, uint32_t t) {
    int64_t start = h->txn_start[t], end = h->txn_end[t];
    if (l->start != ISO_NONE && end != ISO_NO_TIME && end < h->txn_start[l->start]) {
        note(c, true, l->start, t);
    } else if (l->end != ISO_NONE && start != ISO_NO_TIME && start < h->txn_end[l->end]) {
        note(c, false, l->end, t);
    }
    l->start = start != ISO_NO_TIME && (l->start == ISO_NONE || start > h->txn_start[l->start]) ? t : l->start;
    l->end = end != ISO_NO_TIME && (l->end == ISO_NONE || end > h->txn_end[l->end]) ? t : l->end;
}

iso_clock iso_clock_of(const isolab_history *h) {
    iso_clock c = {0, 0, ISO_NONE, ISO_NONE};
    for (uint32_t s = 0; h->txn_start != NULL && s < h->n_sessions; s++) {
        latest l = {ISO_NONE, ISO_NONE};
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            look_at(h, &c, &l, t);
        }
    }
    return c;
}

const char *iso_clock_text(const isolab_history *h, const iso_clock *c, char buffer[ISO_CLOCK_SIZE]) {
    char earlier[ISO_NAME_SIZE], later[ISO_NAME_SIZE], session[ISO_NAME_SIZE];
    if (c->places == 0) {
        snprintf(buffer, ISO_CLOCK_SIZE, "no clock ran backwards in a session");
        return buffer;
    }
    iso_txn_text(h, c->earlier, earlier);
    iso_txn_text(h, c->later, later);
    uint32_t s = h->txn_session[c->later];
    if (h->session_name[s].kind == ISO_ATOM_NIL) {
        snprintf(session, sizeof session, "%" PRIu32, s);
    } else {
        iso_atom_text(h, h->session_name[s], session);
    }
    bool ended = c->contradictions > 0;
    snprintf(buffer, ISO_CLOCK_SIZE,
             "a clock ran backwards, or its times were mixed up: in session %s, %s comes after %s, but %s (%" PRId64
             ") before %s %s (%" PRId64 "); %s%" PRIu64 " such place%s",
             session, later, earlier, ended ? "ended" : "began", ended ? h->txn_end[c->later] : h->txn_start[c->later],
             earlier, ended ? "began" : "ended", ended ? h->txn_start[c->earlier] : h->txn_end[c->earlier],
             c->places > 1 ? "the first of " : "", c->places, c->places > 1 ? "s" : "");
    return buffer;
}

bool iso_orders_in_time(const isolab_history *h) {
    bool start = false, end = false;
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns && !(start && end); t++) {
        if (h->txn_counts[t] != ISO_EXCLUDED) {
            start |= h->txn_start[t] != ISO_NO_TIME;
            end |= h->txn_end[t] != ISO_NO_TIME;
        }
    }
    return start && end;
}
