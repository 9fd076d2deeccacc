/* The sentences of a proof: one for each edge, with the facts that carry it. See words.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/index.h"
#include "explain/words.h"

/* ---- edges ---- */

const char *iso_word_origin(const isolab_history *h, uint32_t read, char buffer[ISO_WORD_SIZE]) {
    uint32_t writer = iso_writer_txn(h, read);
    buffer[0] = '\0';
    if (writer == ISO_NONE || h->op_kind[read] == ISO_LIST_READ || writer == h->op_txn[read]) {
        return buffer;
    }
    size_t n = (size_t)snprintf(buffer, ISO_WORD_SIZE, writer == ISO_INIT ? " (the initial value)" : " (written by ");
    if (writer != ISO_INIT) {
        char name[ISO_WORD_SIZE];
        snprintf(buffer + n, ISO_WORD_SIZE - n, "%.*s)", (int)(ISO_WORD_SIZE - n - 2), iso_word_txn(h, writer, name));
    }
    return buffer;
}

static void word_time(const isolab_history *h, const iso_edge *e, const char *from, const char *to, char *buffer) {
    const size_t size = ISO_SENTENCE_SIZE;
    if (h->txn_end == NULL || e->from >= h->n_txns || e->to >= h->n_txns) {
        snprintf(buffer, size, "%s had ended before %s began", from, to);
        return;
    }
    int64_t end = h->txn_end[e->from], start = h->txn_start[e->to];
    char span[ISO_SPAN_SIZE];
    if (h->time_unit == ISO_TIME_NS) {
        snprintf(buffer, size, "%s had ended %s before %s began (at %" PRId64 ", and %" PRId64 ")", from,
                 iso_word_span((uint64_t)start - (uint64_t)end, span), to, end, start);
    } else {
        snprintf(buffer, size, "%s had ended before %s began (%s %" PRId64 ", and %" PRId64 ")", from, to,
                 h->time_unit == ISO_TIME_INDEX ? ":index" : "events", end, start);
    }
    if (e->key < h->n_keys) { /* real time orders only transactions that share a key (lser) */
        size_t n = strlen(buffer);
        char key[ISO_WORD_SIZE];
        snprintf(buffer + n, size - n, ", and both access %s", iso_word_key(h, e->key, key));
    }
}

/* An anti-dependency: the reader returned something that another transaction replaces. */
static void word_missed(const isolab_history *h, const iso_edge *e, const char *from, const char *to, char *buffer) {
    char op[512], origin[ISO_WORD_SIZE], value[ISO_NAME_SIZE] = "";
    uint32_t write = iso_last_write(h, e->to, e->key);
    iso_word_op(h, e->op_from, op, sizeof op);
    iso_word_origin(h, e->op_from, origin);
    if (write < h->n_ops) {
        iso_atom_text(h, iso_version_value(h, h->op_version[write]), value);
    }
    if (write < h->n_ops && h->op_kind[write] == ISO_APPEND) {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s %s%s, without the %s that %s appends", from, op, origin, value, to);
    } else {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s %s%s, which %s overwrites%s%s", from, op, origin, to,
                 write < h->n_ops ? " with " : "", value);
    }
}

static void word_writes(const isolab_history *h, const iso_edge *e, const char *from, const char *to, char *buffer) {
    char one[400], two[400], key[ISO_WORD_SIZE];
    uint32_t a = e->from < h->n_txns ? iso_last_write(h, e->from, e->key) : ISO_NONE;
    uint32_t b = iso_last_write(h, e->to, e->key);
    iso_word_key(h, e->key, key);
    if (a >= h->n_ops || b >= h->n_ops) {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s comes before %s, and both write %s", from, to, key);
    } else {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s, which %s, comes before %s, which %s", from,
                 iso_word_op(h, a, one, sizeof one), to, iso_word_op(h, b, two, sizeof two));
    }
}

static void word_list_order(const isolab_history *h, const iso_edge *e, const char *from, const char *to,
                            char *buffer) {
    char third[ISO_WORD_SIZE], op[512];
    uint32_t one = iso_element_of(h, e->reader_op, e->from, 0), two = ISO_NONE;
    if (one != ISO_NONE) {
        two = iso_element_of(h, e->reader_op, e->to, one + 1);
    }
    iso_word_txn(h, e->reader_op < h->n_ops ? h->op_txn[e->reader_op] : ISO_NONE, third);
    iso_word_op_at(h, e->reader_op, one, two, op, sizeof op);
    if (two != ISO_NONE) {
        char a[ISO_NAME_SIZE], b[ISO_NAME_SIZE];
        uint32_t first = h->list_first[h->op_version[e->reader_op]];
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s comes before %s: %s %s, where the %s of %s stands before the %s of %s",
                 from, to, third, op, iso_atom_text(h, iso_version_value(h, h->list_version[first + one]), a), from,
                 iso_atom_text(h, iso_version_value(h, h->list_version[first + two]), b), to);
    } else {
        snprintf(buffer, ISO_SENTENCE_SIZE,
                 "%s comes before %s: %s %s, which has the elements that %s appended and not those of %s", from, to,
                 third, op, from, to);
    }
}

static void word_axiom(const isolab_history *h, const iso_edge *e, const char *from, const char *to, char *buffer) {
    char third[ISO_WORD_SIZE], key[ISO_WORD_SIZE], op[512], write[512];
    uint32_t w = iso_last_write(h, e->from, e->key);
    iso_word_txn(h, e->reader_op < h->n_ops ? h->op_txn[e->reader_op] : ISO_NONE, third);
    if (w < h->n_ops) {
        iso_word_op(h, w, write, sizeof write);
    } else {
        snprintf(write, sizeof write, "writes %s", iso_word_key(h, e->key, key));
    }
    const char *did = iso_word_op(h, e->reader_op, op, sizeof op);
    if (e->to == ISO_INIT) { /* people speak of a state, not of a transaction before all others */
        snprintf(buffer, ISO_SENTENCE_SIZE,
                 "%s saw the state before %s's write: %s comes before %s and %s, and yet %s %s", third, from, from,
                 third, write, third, did);
    } else {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s must come before %s: %s comes before %s and %s, and yet %s %s from %s",
                 from, to, from, third, write, third, did, to);
    }
}

/* ---- assumptions ---- */

/* Returns an operation in the past without its verb: `x = 1`. */
static const char *word_what(const isolab_history *h, uint32_t op, char *buffer, size_t size) {
    iso_word_did(h, op, ISO_NONE, ISO_NONE, buffer, size);
    const char *space = strchr(buffer, ' ');
    return space != NULL ? space + 1 : buffer;
}

/* `the x = 1 that t1 read is older than the 2 that t2 wrote`. */
static void assume_older(const isolab_history *h, const iso_edge *e, char *buffer, size_t size) {
    char from[ISO_WORD_SIZE], to[ISO_WORD_SIZE], what[512], value[ISO_NAME_SIZE];
    bool read = e->kind == ISO_EDGE_RW;
    uint32_t a = read ? e->op_from : e->from < h->n_txns ? iso_last_write(h, e->from, e->key) : ISO_NONE;
    uint32_t b = iso_last_write(h, e->to, e->key);
    iso_word_txn(h, e->from, from);
    iso_word_txn(h, e->to, to);
    if (a >= h->n_ops || b >= h->n_ops) {
        snprintf(buffer, size, "%s comes before %s", from, to);
        return;
    }
    bool append = h->op_kind[b] == ISO_APPEND;
    snprintf(buffer, size, "the %s that %s %s is older than the %s that %s %s", word_what(h, a, what, sizeof what),
             from,
             read     ? "read"
             : append ? "appended"
                      : "wrote",
             iso_atom_text(h, iso_version_value(h, h->op_version[b]), value), to, append ? "appended" : "wrote");
}

const char *iso_word_assumption(const isolab_history *h, const iso_edge *e, char buffer[ISO_SENTENCE_SIZE]) {
    char name[ISO_WORD_SIZE], writer[ISO_WORD_SIZE], op[512];
    unsigned what = iso_edge_assumes(h, e);
    bool wr = e->kind == ISO_EDGE_WR, axiom = e->kind == ISO_EDGE_AXIOM;
    uint32_t read = wr ? e->op_to : e->reader_op, from = wr ? e->from : e->to;
    uint32_t third = read < h->n_ops ? h->op_txn[read] : ISO_NONE, txn[3] = {e->from, e->to, third};
    size_t used = 0;
    buffer[0] = '\0';
#define ADD(...)                                                                                                       \
    used += (size_t)snprintf(buffer + used, ISO_SENTENCE_SIZE - used, "%s", used > 0 ? " and " : ""),                  \
        used += (size_t)snprintf(buffer + used, ISO_SENTENCE_SIZE - used, __VA_ARGS__)
    if ((what & ISO_ASSUMES_WRITER) != 0 && read < h->n_ops) {
        ADD("%s %s from %s", iso_word_txn(h, third, name),
            iso_word_did(h, read, iso_element_of(h, read, from, 0), ISO_NONE, op, sizeof op),
            iso_word_txn(h, from, writer));
    }
    if (axiom && (what & ISO_ASSUMES_ORDER) != 0) {
        ADD("%s saw %s", iso_word_txn(h, third, name), iso_word_txn(h, e->from, writer));
    } else if (!wr && !axiom && (what & (ISO_ASSUMES_WRITER | ISO_ASSUMES_ORDER)) != 0) {
        assume_older(h, e, buffer, ISO_SENTENCE_SIZE);
        used = strlen(buffer);
    }
    for (int i = 0; (what & ISO_ASSUMES_EFFECT) != 0 && i < 3; i++) {
        if (txn[i] < h->n_txns && h->txn_counts[txn[i]] == ISO_OPTIONAL && (i < 2 || !wr)) {
            ADD("%s took effect", iso_word_txn(h, txn[i], name));
        }
    }
#undef ADD
    return buffer;
}

/* ---- edges ---- */

const char *iso_word_edge(const isolab_history *h, const iso_edge *e, char buffer[ISO_SENTENCE_SIZE]) {
    char from[ISO_WORD_SIZE], to[ISO_WORD_SIZE], op[512], session[ISO_NAME_SIZE];
    const size_t size = ISO_SENTENCE_SIZE;
    iso_word_txn(h, e->from, from);
    iso_word_txn(h, e->to, to);
    switch ((iso_edge_kind)e->kind) {
    case ISO_EDGE_SO:
        if (e->from == ISO_INIT || e->to >= h->n_txns) {
            snprintf(buffer, size, "%s comes before every other one, so before %s", from, to);
        } else {
            snprintf(buffer, size, "%s comes before %s in session %s", from, to,
                     iso_word_session(h, h->txn_session[e->to], session));
        }
        break;
    case ISO_EDGE_WR:
        snprintf(buffer, size, "%s comes before %s, which %s from it", from, to,
                 iso_word_op_at(h, e->op_to, iso_element_of(h, e->op_to, e->from, 0), ISO_NONE, op, sizeof op));
        break;
    case ISO_EDGE_RT:
        word_time(h, e, from, to, buffer);
        break;
    case ISO_EDGE_AXIOM:
        word_axiom(h, e, from, to, buffer);
        break;
    case ISO_EDGE_RW:
        word_missed(h, e, from, to, buffer);
        break;
    case ISO_EDGE_WW:
        word_writes(h, e, from, to, buffer);
        break;
    case ISO_EDGE_LIST:
        word_list_order(h, e, from, to, buffer);
        break;
    default:
        snprintf(buffer, size, "%s comes before %s", from, to);
    }
    return buffer;
}

/* ---- steps ---- */

const char *iso_word_chain(const isolab_history *h, const iso_chain *c, char buffer[ISO_SENTENCE_SIZE]) {
    enum { SHOWN = 6 };
    char name[ISO_WORD_SIZE];
    const iso_edge *e = c->edges + c->first;
    bool cases;
    iso_free(c->pool, iso_chain_standing(h, c, (iso_span){c->first, c->n}, &cases));
    int used = snprintf(buffer, ISO_SENTENCE_SIZE, "%s form a cycle:", cases ? "In this case these" : "These");
    for (uint32_t i = 0; i < c->n && i < SHOWN; i++) {
        used += snprintf(buffer + used, ISO_SENTENCE_SIZE - (size_t)used, "%s %s", i == 0 ? "" : ",",
                         iso_word_txn(h, e[i].from, name));
    }
    if (c->n > SHOWN) {
        snprintf(buffer + used, ISO_SENTENCE_SIZE - (size_t)used, ", and %" PRIu32 " more, then the first again.",
                 c->n - SHOWN);
    } else {
        snprintf(buffer + used, ISO_SENTENCE_SIZE - (size_t)used, ", then %s again.", iso_word_txn(h, e[0].from, name));
    }
    return buffer;
}

uint8_t *iso_chain_standing(const isolab_history *h, const iso_chain *c, iso_span cycle, bool *any) {
    enum { NEEDED = 4 };
    uint8_t *stands = ISO_ZNEW(c->pool, uint8_t, c->n_edges);
    uint32_t low = cycle.first + cycle.n;
    *any = false;
    for (uint32_t i = cycle.first + cycle.n; i-- > 0;) { /* premises are earlier edges */
        if (i < cycle.first && stands[i] == 0) {
            continue;
        }
        const iso_edge *e = &c->edges[i];
        low = i;
        stands[i] = NEEDED;
        for (uint32_t p = e->premise; p < e->premise + e->n_premise && p < i; p++) {
            stands[p] = NEEDED;
        }
    }
    for (uint32_t i = low; i < cycle.first + cycle.n; i++) {
        if (stands[i] == NEEDED) {
            const iso_edge *e = &c->edges[i];
            stands[i] = iso_edge_assumes(h, e) != 0 ? ISO_ASSUMED : ISO_STANDS;
            *any |= stands[i] == ISO_ASSUMED;
            for (uint32_t p = e->premise; stands[i] == ISO_STANDS && p < e->premise + e->n_premise && p < i; p++) {
                stands[i] = stands[p] != ISO_STANDS ? ISO_FOLLOWS : ISO_STANDS;
            }
        }
    }
    return stands;
}

/* Writes the sentence of an assumed step, which says `if`. plain: what it would be if it were sure. */
static void word_if(const isolab_history *h, const iso_edge *e, const char *plain, char *buffer) {
    char from[ISO_WORD_SIZE], to[ISO_WORD_SIZE], assumed[ISO_SENTENCE_SIZE];
    iso_word_txn(h, e->from, from);
    iso_word_txn(h, e->to, to);
    int n = snprintf(buffer, ISO_SENTENCE_SIZE, "if %.1500s, ", iso_word_assumption(h, e, assumed));
    size_t size = ISO_SENTENCE_SIZE - (size_t)n;
    if (e->kind == ISO_EDGE_RW) {
        snprintf(buffer + n, size, "%s overwrites what %s read", to, from);
    } else if (e->kind == ISO_EDGE_WR || e->kind == ISO_EDGE_WW) {
        snprintf(buffer + n, size, "%s comes before %s", from, to);
    } else {
        snprintf(buffer + n, size, "%s", plain);
    }
}

/* Returns the sentence of a step. At rc the order of two reads matters, so it is told. */
static const char *word_step(const isolab_history *h, const iso_chain *c, const iso_edge *e, iso_standing standing,
                             char buffer[ISO_SENTENCE_SIZE]) {
    char plain[ISO_SENTENCE_SIZE], op[512];
    const iso_edge *seen = e->kind == ISO_EDGE_AXIOM && e->n_premise == 1 ? &c->edges[e->premise] : NULL;
    iso_word_edge(h, e, plain);
    if (seen != NULL && seen->kind == ISO_EDGE_WR && (c->level == ISO_RC || c->level == ISO_RC_PLUME)) {
        size_t n = strlen(plain);
        iso_word_did(h, seen->op_to, ISO_NONE, ISO_NONE, op, sizeof op);
        snprintf(plain + n, sizeof plain - n, ", after it %s", op);
    }
    if (standing == ISO_ASSUMED) {
        word_if(h, e, plain, buffer);
    } else {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s%.2000s", standing == ISO_FOLLOWS ? "in this case " : "", plain);
    }
    return buffer;
}

typedef struct place {
    uint32_t edge, left; /* edges [edge, edge + left) still need a sentence */
    uint32_t number;     /* of the last one that was told */
} place;

/* Writes `2.1.3`. Of a deep justification only the first numbers are shown. */
static void number_of(const place *stack, uint32_t depth, char number[ISO_NUMBER_SIZE]) {
    enum { SHOWN = 5 };
    int used = 0;
    for (uint32_t i = 0; i < depth && i < SHOWN; i++) {
        used += snprintf(number + used, ISO_NUMBER_SIZE - (size_t)used, "%s%" PRIu32, i == 0 ? "" : ".",
                         stack[i].number % 10000000);
    }
    if (depth > SHOWN) {
        snprintf(number + used, ISO_NUMBER_SIZE - (size_t)used, "...");
    }
}

void iso_chain_steps(const isolab_history *h, const iso_chain *c, iso_step_told *each, void *arg) {
    char sentence[ISO_SENTENCE_SIZE], number[ISO_NUMBER_SIZE];
    iso_pool *pool = c->pool;
    uint32_t room = 0, depth = 0;
    place *stack = NULL;
    bool any;
    uint8_t *standing = iso_chain_standing(h, c, (iso_span){c->first, c->n}, &any);
    uint8_t *told = ISO_ZNEW(pool, uint8_t, c->n_edges);
    ISO_GROW(pool, stack, depth, room);
    stack[depth++] = (place){c->first, c->n, 0};
    while (depth > 0) {
        place *top = &stack[depth - 1];
        if (top->left == 0) {
            depth--;
            continue;
        }
        uint32_t edge = top->edge++;
        top->left--;
        top->number++;
        const iso_edge *e = &c->edges[edge];
        number_of(stack, depth, number);
        iso_standing stands = (iso_standing)standing[edge];
        each(arg, &(iso_word_step){depth - 1, number, e, stands, word_step(h, c, e, stands, sentence)});
        if (!told[edge] && e->n_premise != 0) {
            ISO_GROW(pool, stack, depth, room);
            stack[depth++] = (place){e->premise, e->n_premise, 0};
        }
        told[edge] = 1;
    }
    iso_free(pool, stack);
    iso_free(pool, standing);
    iso_free(pool, told);
}

/* ---- the cast ---- */

/* The transactions of a proof, each once, in the order in which it names them. */
typedef struct cast {
    const isolab_history *h;
    iso_pool *pool;
    uint32_t *txn, n, room;
    iso_index known; /* of txn */
} cast;

static void add_txn(cast *c, uint32_t txn) {
    if (txn >= c->h->n_txns) {
        return;
    }
    uint64_t hash = iso_mix(txn);
    for (uint32_t at, i = iso_index_first(&c->known, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&c->known, hash, &at)) {
        if (c->txn[i] == txn) {
            return;
        }
    }
    iso_index_add(&c->known, hash, c->n);
    ISO_GROW(c->pool, c->txn, c->n, c->room);
    c->txn[c->n++] = txn;
}

static void add_ops(cast *c, uint32_t op) {
    if (op < c->h->n_ops) {
        add_txn(c, c->h->op_txn[op]);
        if (!iso_is_write(c->h->op_kind[op])) {
            add_txn(c, iso_writer_txn(c->h, op));
        }
    }
}

static void add_step(void *arg, const iso_word_step *s) {
    cast *c = arg;
    add_txn(c, s->edge->from);
    add_txn(c, s->edge->to);
    add_ops(c, s->edge->reader_op);
    add_ops(c, s->edge->op_from);
}

uint32_t *iso_chain_cast(iso_pool *pool, const isolab_history *h, const iso_chain *chain, uint32_t *n) {
    cast c = {.h = h, .pool = pool};
    iso_index_init(&c.known, pool, 32);
    add_ops(&c, chain->op);
    add_ops(&c, chain->other_op);
    iso_chain_steps(h, chain, add_step, &c);
    iso_index_free(&c.known);
    *n = c.n;
    return c.txn;
}
