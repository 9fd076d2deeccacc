/* See survey.h. */
#include "formats/survey.h"

#include "formats/scan.h"

uint64_t iso_session_base(const isolab_history *h) {
    uint64_t base = 0, n = h->n_sessions;
    for (bool free = false; !free;) {
        free = true;
        for (uint32_t s = 0; free && s < n; s++) {
            iso_atom name = h->session_name[s];
            bool number = name.kind == ISO_ATOM_INT || name.kind == ISO_ATOM_UINT;
            uint64_t at = name.bits - base;
            /* a session that has its own number for a name stands in nobody's way */
            free = !(number && at < n && at != s && h->session_name[at].kind == ISO_ATOM_NIL);
        }
        base += free ? 0 : n;
    }
    return base;
}

bool iso_session_is_empty(const isolab_history *h, uint32_t session) {
    return h->session_txn[session] == h->session_txn[session + 1];
}

uint64_t iso_count_unnamed(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        n += h->session_name[s].kind == ISO_ATOM_NIL;
    }
    return n;
}

uint64_t iso_count_bad_text(const isolab_history *h) {
    uint64_t bad = 0;
    for (uint32_t i = 0; i < h->n_strings; i++) {
        uint64_t length;
        const unsigned char *p = (const unsigned char *)iso_string(h, i, &length), *end = p + length;
        unsigned n = 1;
        while (p < end && (n = iso_utf8_length(p, end)) > 0) {
            p += n;
        }
        bad += p < end;
    }
    return bad;
}
