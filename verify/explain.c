/* The proof of a verified certificate in words: the sentences that `isolab check` prints, from the history and the certificate
 * alone (explain/words.h). Called after the verification; nothing is concluded from it. */
#include "base/print.h"
#include "explain/words.h"
#include "verify/verify.h"

/* Returns an edge of the certificate as explanations know it. */
static iso_edge edge_of(const isolab_history *h, const claim_edge *c) {
    static const iso_edge_kind kinds[] = {
        [CLAIM_SO] = ISO_EDGE_SO, [CLAIM_WR] = ISO_EDGE_WR, [CLAIM_RT] = ISO_EDGE_RT,    [CLAIM_AXIOM] = ISO_EDGE_AXIOM,
        [CLAIM_RW] = ISO_EDGE_RW, [CLAIM_WW] = ISO_EDGE_WW, [CLAIM_LIST] = ISO_EDGE_LIST};
    iso_edge e = iso_edge_of(kinds[c->kind], c->from, c->to);
    bool reader = e.kind == ISO_EDGE_AXIOM || e.kind == ISO_EDGE_LIST,
         two = e.kind == ISO_EDGE_WR || e.kind == ISO_EDGE_WW;
    uint32_t of_key = e.kind == ISO_EDGE_WR ? c->op[1] : c->op[0];
    if (reader) {
        e.reader_op = c->op[0];
    } else if (two || e.kind == ISO_EDGE_RW) {
        e.op_from = c->op[0];
        e.op_to = two ? c->op[1] : ISO_NONE;
    }
    if ((reader || two || e.kind == ISO_EDGE_RW) && of_key < h->n_ops) {
        e.key = h->op_key[of_key];
    }
    if (e.kind == ISO_EDGE_AXIOM || e.kind == ISO_EDGE_RW || e.kind == ISO_EDGE_WW) {
        e.premise = c->first;
        e.n_premise = c->count;
    }
    return e;
}

static void say_step(void *arg, const iso_word_step *s) {
    (void)arg;
    if (s->depth == 0) {
        iso_say(stdout, "    %s. %s.\n", s->number, s->sentence);
    } else {
        iso_say(stdout, "    %*s%s because %s.\n", (int)(3 * (s->depth < 8 ? s->depth : 8)), "", s->number,
                s->sentence);
    }
}

static void say_places(iso_pool *pool, const isolab_history *h, const iso_chain *chain, uint32_t op, uint32_t other) {
    char name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    uint32_t n, *txn = iso_chain_cast(pool, h, chain, op, other, &n);
    for (uint32_t i = 0; i < n; i++) {
        iso_say(stdout, "    %s %s  %s\n", i == 0 ? "where:" : "      ", iso_word_txn(h, txn[i], name),
                iso_word_place(h, txn[i], place));
    }
}

static void say_operation(const isolab_history *h, uint32_t op) {
    char name[ISO_WORD_SIZE], text[512];
    if (op < h->n_ops) {
        iso_say(stdout, "    %s %s.\n", iso_word_txn(h, h->op_txn[op], name),
                iso_word_did(h, op, ISO_NONE, ISO_NONE, text, sizeof text));
    }
}

static void say_claim(iso_pool *pool, const isolab_history *h, const iso_claim *claim) {
    char sentence[ISO_SENTENCE_SIZE];
    const iso_level_info *level = iso_level_get(claim->level);
    iso_say(stdout, "%s %s (%s)\n", claim->satisfied ? "satisfied" : "violated", level->name, level->title);
    iso_chain chain = {.pool = pool, .first = claim->cycle, .n = claim->n_cycle};
    if (claim->satisfied) {
        iso_say(stdout, "    the certificate has a commit order that obeys the level\n");
    } else if (claim->proof != NULL) {
        iso_say(
            stdout,
            "    the certificate has a clausal proof: every commit order was refuted, and there is no cycle to tell\n");
    } else if (claim->offence != OFFENCE_NONE) {
        say_operation(h, claim->offence_op);
        say_operation(h, claim->offence_other);
        say_places(pool, h, &chain, claim->offence_op, claim->offence_other);
    } else {
        iso_edge *edges = ISO_NEW(pool, iso_edge, claim->n_edges);
        for (uint32_t i = 0; i < claim->n_edges; i++) {
            edges[i] = edge_of(h, &claim->edges[i]);
            if (claim->level == ISO_LSER && edges[i].kind == ISO_EDGE_RT) {
                edges[i].key = iso_common_key(h, edges[i].from, edges[i].to, pool);
            }
        }
        chain.edges = edges;
        chain.n_edges = claim->n_edges;
        iso_say(stdout, "    %s\n", iso_word_chain(h, &chain, sentence));
        iso_chain_steps(h, &chain, say_step, NULL);
        say_places(pool, h, &chain, ISO_NONE, ISO_NONE);
    }
}

void iso_verify_explain(iso_pool *pool, const isolab_history *h, const char *text, size_t size) {
    iso_claim claim;
    iso_verify_scan(pool, text, size, &claim);
    say_claim(pool, h, &claim);
}
