/* See watched.h. */
#include "graph/watched.h"

#include <string.h>

uint32_t iso_watched_add(iso_watched *s, const iso_lit *literals, uint32_t n, uint32_t flags, uint32_t lbd) {
    size_t need = s->n_words + ISO_WATCHED_HEADER + n;
    if (need >= ISO_WATCHED_MOST || n >= ISO_WATCHED_MOST / 2) {
        iso_throw(s->pool->env, ISOLAB_E_LIMIT, "the solver's clauses need more than 8 GiB");
    }
    if (need > s->words_room) {
        s->words_room = need < 1024 ? 2048 : 2 * need;
        s->words = iso_resize(s->pool, s->words, s->words_room, sizeof *s->words);
    }
    uint32_t c = (uint32_t)s->n_words;
    s->words[c] = n << 2 | flags;
    s->words[c + 1] = lbd;
    memcpy(s->words + c + ISO_WATCHED_HEADER, literals, n * sizeof *literals);
    s->n_words = need;
    if (flags & ISO_WATCHED_LEARNT) {
        ISO_GROW(s->pool, s->learnt, s->n_learnt, s->learnt_room);
        s->learnt[s->n_learnt++] = c;
    }
    return c;
}

void iso_watched_room(iso_watched *s, size_t literals) {
    s->lists = iso_resize(s->pool, s->lists, literals, sizeof *s->lists);
}

void iso_watched_grow(iso_watched *s, iso_watch_list *list) {
    uint32_t room = list->room == 0 ? 4 : 2 * list->room;
    if (s->n_watches + room > s->watches_room) {
        s->watches_room = 2 * (s->n_watches + room);
        s->watches = iso_resize(s->pool, s->watches, s->watches_room, sizeof *s->watches);
    }
    memcpy(s->watches + s->n_watches, s->watches + list->first, list->n * sizeof *s->watches);
    list->first = s->n_watches;
    list->room = room;
    s->n_watches += room;
}

void iso_watched_attach(iso_watched *s, uint32_t c) {
    const iso_lit *l = iso_watched_literals(s, c);
    uint32_t tag = iso_watched_size(s, c) == 2 ? c | ISO_WATCHED_MOST : c;
    iso_watch_add(s, l[0], (iso_watch){tag, l[1]});
    iso_watch_add(s, l[1], (iso_watch){tag, l[0]});
}

/* Builds the watch lists again, since a list may hold as many dropped clauses as live ones. */
void iso_watched_collect(iso_watched *s, uint32_t literals) {
    for (uint32_t l = 0; l < literals; l++) {
        s->lists[l].n = s->lists[l].room = 0;
    }
    s->n_watches = 0;
    s->n_learnt = 0;
    size_t to = 0;
    for (size_t c = 0; c < s->n_words;) {
        iso_tick(s->pool->env);
        size_t words = ISO_WATCHED_HEADER + iso_watched_size(s, (uint32_t)c);
        if (!(s->words[c] & ISO_WATCHED_LOOSE)) {
            memmove(s->words + to, s->words + c, words * sizeof *s->words);
            iso_watched_attach(s, (uint32_t)to);
            if (s->words[to] & ISO_WATCHED_LEARNT) {
                s->learnt[s->n_learnt++] = (uint32_t)to;
            }
            to += words;
        }
        c += words;
    }
    s->n_words = to;
}
