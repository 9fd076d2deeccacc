/* See telling.h. */
#include "explain/telling.h"

#include <stdarg.h>
#include <stdio.h>

void iso_tell(iso_story *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->used, ISO_SENTENCE_SIZE - s->used, format, args);
    va_end(args);
    s->used += n < 0 ? 0 : (size_t)n;
    s->used = s->used < ISO_SENTENCE_SIZE ? s->used : ISO_SENTENCE_SIZE - 1;
}

/* Returns whether a transaction is met for the first time. */
bool iso_tell_meeting(iso_story *s, uint32_t txn) {
    for (uint32_t i = 0; i < s->n_met; i++) {
        if (s->met[i] == txn) {
            return false;
        }
    }
    if (s->n_met == sizeof s->met / sizeof *s->met || txn >= s->h->n_txns) {
        return false;
    }
    s->met[s->n_met++] = txn;
    return true;
}

/* Says a transaction; when it is first met, with its session. */
void iso_tell_txn(iso_story *s, uint32_t txn) {
    char name[ISO_WORD_SIZE], session[ISO_NAME_SIZE];
    const isolab_history *h = s->h;
    iso_tell(s, "%s", iso_word_txn(h, txn, name));
    bool said = h->names_repeat && iso_txn_name(h, txn).kind != ISO_ATOM_NIL;
    if (iso_tell_meeting(s, txn) && !said && h->n_sessions > 1) {
        iso_tell(s, " (session %s)", iso_word_session(h, h->txn_session[txn], session));
    }
}

void iso_tell_did(iso_story *s, uint32_t op) {
    char text[512];
    iso_tell(s, "%s", iso_word_did(s->h, op, ISO_NONE, ISO_NONE, text, sizeof text));
}

void iso_tell_key(iso_story *s, uint32_t key) {
    char name[ISO_WORD_SIZE];
    iso_tell(s, "%s", iso_word_key(s->h, key, name));
}

void iso_tell_origin(iso_story *s, uint32_t read) {
    char origin[ISO_WORD_SIZE];
    iso_tell(s, "%s", iso_word_origin(s->h, read, origin));
}

void iso_tell_two_reads(iso_story *s, uint32_t one, uint32_t two) {
    if (one > two) { /* in program order */
        uint32_t swap = one;
        one = two;
        two = swap;
    }
    iso_tell_txn(s, s->h->op_txn[one]);
    iso_tell(s, " first ");
    iso_tell_did(s, one);
    iso_tell_origin(s, one);
    iso_tell(s, ", and then, in the same transaction, ");
    iso_tell_did(s, two);
    iso_tell_origin(s, two);
    iso_tell(s, ".");
}

const char *iso_word_happened(const isolab_history *h, const iso_chain *chain, char buffer[ISO_SENTENCE_SIZE]) {
    iso_story s = {.h = h, .a = chain, .text = buffer};
    buffer[0] = '\0';
    if (chain->n > 0) {
        bool cases;
        uint8_t *standing = iso_chain_standing(h, chain, (iso_span){chain->first, chain->n}, &cases);
        if (cases) {
            iso_tell_cases(&s, standing);
        } else {
            iso_tell_cycle(&s);
        }
        iso_free(chain->pool, standing);
    } else if (chain->op < h->n_ops) {
        iso_tell_read(&s);
    } else if (chain->searched) {
        iso_tell_search(&s);
    }
    return buffer;
}
