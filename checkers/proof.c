/* The writer of clausal proofs. See proof.h. */
#include "checkers/proof.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { BEFORE, TOOK, IN, SO, RT, WR, WW, RW, CHOICE, ONE, PART };

/* What was written: an atom with its number, or a rule. */
typedef struct line {
    uint32_t kind, a, b, c; /* kind plus 1; 0: free */
    int number;
} line;

struct iso_proof {
    iso_pool *pool;
    bool si;
    char *text;
    size_t size, room;
    line *lines; /* open addressing */
    uint64_t mask, n_lines;
    int n_atoms;
    uint32_t *points, n_points, points_room;
};

iso_proof *iso_proof_new(iso_pool *pool, iso_level level) {
    iso_proof *p = ISO_ZNEW(pool, iso_proof, 1);
    p->pool = pool;
    p->si = level == ISO_SI;
    p->mask = 1023;
    p->lines = ISO_ZNEW(pool, line, p->mask + 1);
    return p;
}

static void put(iso_proof *p, const char *s) {
    size_t n = strlen(s);
    if (p->size + n + 1 > p->room) {
        p->room = p->room == 0 ? 65536 : 2 * p->room;
        p->text = iso_resize(p->pool, p->text, p->room, 1);
    }
    memcpy(p->text + p->size, s, n + 1);
    p->size += n;
}

static void put_number(iso_proof *p, uint32_t x) {
    char buffer[16];
    snprintf(buffer, sizeof buffer, " %u", x);
    put(p, x == ISO_INIT ? " init" : buffer);
}

static void put_point(iso_proof *p, uint32_t point) {
    char buffer[16];
    if (p->si) {
        snprintf(buffer, sizeof buffer, " %c%u", point % 2 == 0 ? 's' : 'c', point / 2);
        put(p, buffer);
    } else {
        put_number(p, point);
    }
}

static line *look_up(line *lines, uint64_t mask, line key) {
    uint64_t at = iso_mix2(iso_mix2(iso_mix2(key.a, key.b), key.c), key.kind) & mask;
    while (lines[at].kind != 0 && (lines[at].kind != key.kind || lines[at].a != key.a || lines[at].b != key.b ||
                                   lines[at].c != key.c)) {
        at = (at + 1) & mask;
    }
    return &lines[at];
}

/* The entry of a line; true when it is new. */
static bool once(iso_proof *p, uint32_t kind, uint32_t a, uint32_t b, uint32_t c, line **entry) {
    if (2 * p->n_lines > p->mask) {
        uint64_t mask = 2 * p->mask + 1;
        line *lines = ISO_ZNEW(p->pool, line, mask + 1);
        for (uint64_t i = 0; i <= p->mask; i++) {
            if (p->lines[i].kind != 0) {
                *look_up(lines, mask, p->lines[i]) = p->lines[i];
            }
        }
        iso_free(p->pool, p->lines);
        p->lines = lines;
        p->mask = mask;
    }
    line key = {kind + 1, a, b, c, 0};
    *entry = look_up(p->lines, p->mask, key);
    if ((*entry)->kind != 0) {
        return false;
    }
    **entry = key;
    p->n_lines++;
    return true;
}

static int atom(iso_proof *p, uint32_t kind, uint32_t a, uint32_t b) {
    line *entry;
    if (once(p, kind, a, b, 0, &entry)) {
        entry->number = ++p->n_atoms;
        put(p, "atom");
        put_number(p, (uint32_t)entry->number);
        put(p, kind == BEFORE ? " before" : kind == TOOK ? " reads" : " in");
        (kind == BEFORE ? put_point : put_number)(p, a);
        if (kind != IN) {
            (kind == BEFORE ? put_point : put_number)(p, b);
        }
        put(p, "\n");
    }
    return entry->number;
}

int iso_proof_before(iso_proof *p, uint32_t a, uint32_t b) {
    return a < b ? atom(p, BEFORE, a, b) : -atom(p, BEFORE, b, a);
}

int iso_proof_took(iso_proof *p, uint32_t read, uint32_t write) { return atom(p, TOOK, read, write); }
int iso_proof_in(iso_proof *p, uint32_t txn) { return atom(p, IN, txn, 0); }

static void rule(iso_proof *p, const char *name, uint32_t kind, unsigned n, uint32_t a, uint32_t b, uint32_t c) {
    line *entry;
    if (!once(p, kind, a, b, c, &entry)) {
        return;
    }
    uint32_t of[3] = {a, b, c};
    put(p, name);
    for (unsigned i = 0; i < n; i++) {
        put_number(p, of[i]);
    }
    put(p, "\n");
}

void iso_proof_so(iso_proof *p, uint32_t t, uint32_t u) { rule(p, "so", SO, 2, t, u, 0); }
void iso_proof_rt(iso_proof *p, uint32_t t, uint32_t u) { rule(p, "rt", RT, 2, t, u, 0); }
void iso_proof_wr(iso_proof *p, uint32_t r, uint32_t w) { rule(p, "wr", WR, 2, r, w, 0); }
void iso_proof_choice(iso_proof *p, uint32_t r) { rule(p, "choice", CHOICE, 1, r, 0, 0); }
void iso_proof_part(iso_proof *p, uint32_t r, uint32_t w) { rule(p, "part", PART, 2, r, w, 0); }
void iso_proof_one(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2) { rule(p, "one", ONE, 3, r, w, w2); }
void iso_proof_rw(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2) { rule(p, "rw", RW, 3, r, w, w2); }

void iso_proof_ww(iso_proof *p, uint32_t w, uint32_t w2) {
    if (p->si) { /* else it goes without saying */
        rule(p, "ww", WW, 2, w < w2 ? w : w2, w < w2 ? w2 : w, 0);
    }
}

void iso_proof_cycle(iso_proof *p, uint32_t point) {
    if (p->n_points == 0 || p->points[p->n_points - 1] != point) {
        ISO_GROW(p->pool, p->points, p->n_points, p->points_room);
        p->points[p->n_points++] = point;
    }
}

void iso_proof_close(iso_proof *p) {
    if (p->n_points > 1 && p->points[0] == p->points[p->n_points - 1]) {
        p->n_points--;
    }
    put(p, "cycle");
    for (uint32_t i = 0; i < p->n_points; i++) {
        put_point(p, p->points[i]);
    }
    put(p, "\n");
    p->n_points = 0;
}

void iso_proof_lemma(iso_proof *p, const int *literals, uint32_t n) {
    char buffer[16];
    put(p, "lemma");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(buffer, sizeof buffer, " %d", literals[i]);
        put(p, buffer);
    }
    put(p, "\n");
}

void iso_proof_give(iso_proof *p, iso_result *result) {
    result->proof = ISO_NEW(result->pool, char, p->size + 1);
    memcpy(result->proof, p->text, p->size);
    result->proof[p->size] = '\0';
    result->proof_size = p->size;
}
