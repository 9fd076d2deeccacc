/* Writes clausal proofs: only the lines that the contradiction needs. See proof.h. */
#include <stdio.h>
#include <string.h>

#include "certificates/proof_lines.h"
#include "certificates/proof_trim.h"

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
    if (p->two) {
        snprintf(buffer, sizeof buffer, " %c%u", point % 2 == 0 ? 's' : 'c', point / 2);
        put(p, buffer);
    } else {
        put_number(p, point);
    }
}

static void put_word(iso_proof *p, uint32_t word) {
    static const char *const name[] = {" so", " wr", " co", " ww", " without"};
    if (word >= WORD_SO && word <= WORD_WITHOUT) {
        put(p, name[word - WORD_SO]);
    } else {
        put_number(p, word);
    }
}

/* Declares the atom of a literal if no earlier lemma has used it. */
static int declare(iso_proof *p, int literal, int *number, int *last) {
    int a = literal < 0 ? -literal : literal;
    const entry *e = &p->atoms[a - 1];
    if (number[a] == 0) {
        number[a] = ++*last;
        put(p, "atom");
        put_number(p, (uint32_t)*last);
        put(p, e->kind == BEFORE + 1 ? " before" : e->kind == TOOK + 1 ? " reads" : " in");
        (e->kind == BEFORE + 1 ? put_point : put_number)(p, e->a);
        if (e->kind != IN + 1) {
            (e->kind == BEFORE + 1 ? put_point : put_number)(p, e->b);
        }
        put(p, "\n");
    }
    return literal < 0 ? -number[a] : number[a];
}

static void put_lemma(iso_proof *p, uint32_t i, int *number, int *last) {
    char buffer[16];
    for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++) {
        declare(p, p->literals[k], number, last);
    }
    put(p, "lemma");
    for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++) {
        snprintf(buffer, sizeof buffer, " %d", declare(p, p->literals[k], number, last));
        put(p, buffer);
    }
    put(p, "\n");
}

static void put_line(iso_proof *p, const line *l) {
    static const char *const name[] = {[SO] = "so",       [RT] = "rt",         [WR] = "wr",         [WW] = "ww",
                                       [RW] = "rw",       [CHOICE] = "choice", [ONE] = "one",       [PART] = "part",
                                       [LIST] = "list",   [CYCLE] = "cycle",   [AXIOM] = "axiom",   [STATE] = "state",
                                       [SHOWN] = "shown", [CUT] = "cut",       [DIFFER] = "differ", [TORN] = "torn"};
    put(p, name[l->kind]);
    if (l->kind == AXIOM || l->kind == STATE || l->kind == CUT) {
        for (uint32_t i = l->a; i < l->b; i++) {
            put_word(p, p->points[i]);
        }
    } else if (l->kind == CYCLE) {
        for (uint32_t i = l->a; i < l->b; i++) {
            put_point(p, p->points[i]);
        }
    } else {
        put_number(p, l->a);
        if (l->kind != CHOICE) {
            put_number(p, l->b);
        }
        if (l->kind == RW || l->kind == ONE || l->kind == LIST) {
            put_number(p, l->c);
        }
    }
    put(p, "\n");
}

void iso_proof_need(iso_proof *p) {
    ISO_GROW(p->pool, p->first, p->n_lines, p->first_room); /* allocate even if there is no line */
    p->first[p->n_lines] = p->n_literals;
    p->needed = ISO_NEW(p->pool, uint8_t, p->n_lines);
    iso_clause_list list = {p->first, p->literals, p->kind, p->n_lines, p->n_atoms};
    if (!iso_proof_trim(p->pool, &list, p->needed)) {
        memset(p->needed, 1, p->n_lines);
    }
}

void iso_proof_give(iso_proof *p, iso_result *result) {
    int *number = ISO_ZNEW(p->pool, int, (size_t)p->n_atoms + 1), last = 0;
    iso_proof_need(p);
    for (uint32_t i = 0; i < p->n_lines; i++) {
        if (p->lines[i].kind == GIVEN || !p->needed[i]) {
            continue;
        }
        if (p->lines[i].kind == LEMMA) {
            put_lemma(p, i, number, &last);
        } else {
            put_line(p, &p->lines[i]);
        }
    }
    result->proof = ISO_NEW(result->pool, char, p->size + 1);
    if (p->size > 0) {
        memcpy(result->proof, p->text, p->size);
    }
    result->proof[p->size] = '\0';
    result->proof_size = p->size;
    result->proof_of_commits = p->commits;
}
