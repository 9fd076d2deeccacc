/* See tree_clock.h. */
#include "graph/tree_clock.h"

#include <string.h>

#define NONE ISO_TREE_NONE

void iso_tree_clock_init(iso_tree_clock *c, uint32_t k, uint32_t root, uint32_t *time, iso_tree_link *links) {
    *c = (iso_tree_clock){.k = k, .root = root, .time = time, .link = links};
    memset(time, 0, k * sizeof *time);
    memset(links, 0xff, k * sizeof *links); /* all three fields: NONE */
}

void iso_tree_clock_copy(iso_tree_clock *to, iso_tree_clock *from) {
    to->k = from->k;
    to->root = from->root;
    to->loose = from->loose;
    to->copied = from->copied = true;
    if (to->time != from->time) {
        memcpy(to->time, from->time, from->k * sizeof *to->time);
    }
    memcpy(to->link, from->link, from->k * sizeof *to->link);
}

static void detach(iso_tree_clock *c, uint32_t p) {
    const iso_tree_link *l = &c->link[p];
    if (l->prev != NONE) {
        c->link[l->prev].next = l->next;
    } else if (l->parent != NONE) {
        c->link[l->parent].child = l->next;
    }
    if (l->next != NONE) {
        c->link[l->next].prev = l->prev;
    }
}

static void attach(iso_tree_clock *c, uint32_t p, uint32_t parent, uint32_t time) {
    iso_tree_link *l = &c->link[p];
    l->parent = (uint16_t)parent;
    l->attached = time;
    l->prev = NONE;
    l->next = c->link[parent].child;
    if (l->next != NONE) {
        c->link[l->next].prev = (uint16_t)p;
    }
    c->link[parent].child = (uint16_t)p;
}

/* Collects the entries of `from` that are newer than those of `into`, parents first. In a strict clock they are
 * connected below its root. */
static uint32_t gather(const iso_tree_clock *into, const iso_tree_clock *from, uint32_t *queue, uint64_t *looked) {
    uint32_t n = 0;
    queue[n++] = from->root;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = queue[i];
        for (uint32_t c = from->link[p].child; c != NONE; c = from->link[c].next) {
            ++*looked;
            if (from->time[c] > into->time[c]) {
                queue[n++] = c;
            } else if (from->link[c].attached <= into->time[p]) {
                break; /* older than what p knew then: so are all entries after it */
            }
        }
    }
    return n;
}

/* Like gather(), for a loose clock: compares every entry. All found entries become children of the root of `into`. */
static uint32_t gather_all(const iso_tree_clock *into, const iso_tree_clock *from, uint32_t *queue, uint64_t *looked) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < from->k; p++) {
        if (from->time[p] > into->time[p]) {
            queue[n++] = p;
        }
    }
    *looked += from->k;
    return n;
}

void iso_tree_clock_join(iso_tree_clock *into, iso_tree_clock *from, uint32_t *queue, iso_tree_count *count) {
    uint64_t looked = 1;
    bool strict = !from->loose;
    from->copied = true;
    if (strict && from->time[from->root] <= into->time[from->root]) {
        if (count != NULL) {
            count->looked++;
        }
        return;
    }
    uint32_t n = strict ? gather(into, from, queue, &looked) : gather_all(into, from, queue, &looked);
    uint32_t root = into->root;
    into->loose |= from->loose || (into->copied && n > 0);
    for (uint32_t i = 0; i < n; i++) { /* an entry keeps its children */
        if (queue[i] != root && into->time[queue[i]] != 0) {
            detach(into, queue[i]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        /* another clock knows more about the owner than the owner does: a cycle, or a second clock of the same
         * process */
        into->loose |= queue[i] == root;
        into->time[queue[i]] = from->time[queue[i]];
    }
    for (uint32_t i = n; i-- > 0;) { /* in reverse, so that siblings keep their order */
        uint32_t p = queue[i];
        if (p == root) {
            continue;
        }
        if (!strict || p == from->root) {
            attach(into, p, root, into->time[root]);
        } else {
            attach(into, p, from->link[p].parent, from->link[p].attached);
        }
    }
    if (count != NULL) {
        count->joins++;
        count->looked += looked;
        count->changed += n;
    }
}

void iso_tree_clock_flatten(iso_tree_clock *c) {
    memset(c->link, 0xff, c->k * sizeof *c->link); /* all fields: NONE */
    for (uint32_t p = 0; p < c->k; p++) {
        if (p != c->root && c->time[p] != 0) {
            attach(c, p, c->root, c->time[c->root]);
        }
    }
}
