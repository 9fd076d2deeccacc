/* The proof of a verified certificate in words: the sentences that `isolab check` prints, from the history and the
 * certificate alone (explain/words.h). Called after the verification; nothing is concluded from it. */
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

static iso_offence offence_of(offence_kind kind) {
    static const iso_offence of[OFFENCE_KINDS] = {[OFFENCE_THIN_AIR] = ISO_OFFENCE_THIN_AIR,
                                                  [OFFENCE_ABORTED] = ISO_OFFENCE_ABORTED,
                                                  [OFFENCE_FUTURE] = ISO_OFFENCE_FUTURE,
                                                  [OFFENCE_NOT_MY_OWN] = ISO_OFFENCE_NOT_OWN,
                                                  [OFFENCE_NOT_MY_LAST] = ISO_OFFENCE_NOT_LAST_OWN,
                                                  [OFFENCE_INTERMEDIATE] = ISO_OFFENCE_NOT_LAST,
                                                  [OFFENCE_NON_REPEATABLE] = ISO_OFFENCE_UNREPEATABLE,
                                                  [OFFENCE_LOST_UPDATE] = ISO_OFFENCE_UPDATES,
                                                  [OFFENCE_DUPLICATE] = ISO_OFFENCE_DUPLICATE,
                                                  [OFFENCE_INCOMPATIBLE] = ISO_OFFENCE_INCOMPATIBLE,
                                                  [OFFENCE_LOST] = ISO_OFFENCE_LOST};
    return of[kind];
}

static void say_chain(FILE *out, iso_pool *pool, const isolab_history *h, iso_level level, const claim_case *c) {
    iso_edge *edges = ISO_NEW(pool, iso_edge, c->n_edges);
    for (uint32_t i = 0; i < c->n_edges; i++) {
        edges[i] = edge_of(h, &c->edges[i]);
        if (edges[i].kind == ISO_EDGE_RT) {
            edges[i].key = iso_common_key(h, edges[i].from, edges[i].to, pool);
        }
    }
    iso_chain chain = {ISO_CHAIN, .pool = pool, .edges = edges, .n_edges = c->n_edges, .level = level};
    chain.first = c->cycle;
    chain.n = c->n_cycle;
    if (c->offence != OFFENCE_NONE) {
        chain.offence = offence_of(c->offence);
        chain.op = c->op;
        chain.other_op = c->other;
    }
    iso_say_chain(out, h, &chain, 0, 0);
}

typedef struct telling {
    iso_verifier v;
    bool right;
} telling;

static void look_at_case(void *arg) {
    telling *t = arg;
    iso_verify_reads(&t->v);
    t->right = iso_verify_case(&t->v);
}

/* Returns whether the case of a clausal proof may be told. */
static bool is_right(iso_pool *pool, const isolab_history *h, const iso_claim *claim) {
    iso_claim as_offence = *claim;
    as_offence.offence = claim->told.offence;
    as_offence.offence_op = claim->told.op;
    as_offence.offence_other = claim->told.other;
    telling t = {.v = {.pool = pool, .h = h, .claim = &as_offence, .sessions = !claim->no_session_order}};
    int code = iso_guard(pool->env, look_at_case, &t);
    if (code != ISOLAB_OK && code != ISO_REFUSED) {
        iso_rethrow(pool->env);
    }
    return code == ISOLAB_OK && t.right;
}

static void say_claim(FILE *out, iso_pool *pool, const isolab_history *h, const iso_claim *claim) {
    const iso_level_info *level = iso_level_get(claim->level);
    iso_say(out, "%s %s (%s)\n", claim->satisfied ? "satisfied" : "violated", level->name, level->title);
    if (claim->satisfied) {
        iso_say(out, "    the certificate has a commit order that obeys the level\n");
    } else if (claim->proof == NULL) {
        say_chain(out, pool, h, claim->level,
                  &(const claim_case){claim->edges, claim->n_edges, claim->cycle, claim->n_cycle, claim->offence,
                                      claim->offence_op, claim->offence_other});
    } else if ((claim->told.n_cycle > 0 || claim->told.offence != OFFENCE_NONE) && is_right(pool, h, claim)) {
        say_chain(out, pool, h, claim->level, &claim->told);
        iso_say(out, "    this is one case of a clausal proof, which refutes every commit order\n");
    } else {
        iso_say(
            out,
            "    the certificate has a clausal proof: every commit order was refuted, and there is no cycle to tell\n");
    }
}

void iso_verify_explain(FILE *out, iso_pool *pool, const isolab_history *h, const char *text, size_t size) {
    iso_claim claim;
    iso_verify_scan(pool, text, size, &claim);
    say_claim(out, pool, h, &claim);
}
