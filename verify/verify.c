/* All steps of a verification, in order. See verify.h. */
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history/fingerprint.h"

_Noreturn void iso_refuse(const iso_verifier *v, const char *format, ...) {
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    iso_throw(v->pool->env, ISO_REFUSED, "%s", why);
}

typedef struct verification {
    iso_verifier v;
    const char *text;
    size_t size;
    const char *level, *verdict; /* the level and the verdict that it must claim; NULL: any */
} verification;

static void same_history(const iso_verifier *v) {
    const isolab_history *h = v->h;
    const iso_claim *c = v->claim;
    if (c->n_sessions != h->n_sessions || c->n_txns != h->n_txns || c->n_ops != h->n_ops) {
        iso_refuse(v,
                   "the certificate is for another history, or for this one with other initial values: it has %u "
                   "sessions, %u transactions and %u "
                   "operations, this one has %u, %u and %u",
                   c->n_sessions, c->n_txns, c->n_ops, h->n_sessions, h->n_txns, h->n_ops);
    }
    uint64_t fingerprint = iso_fingerprint(h, v->pool);
    if (c->fingerprint != fingerprint) {
        iso_refuse(v,
                   "the certificate is for another history, or for this one with other initial values: fingerprint "
                   "%016" PRIx64 ", this one has %016" PRIx64,
                   c->fingerprint, fingerprint);
    }
}

/* The verifier interprets the rules of ISO_RULES_SSER and no others. */
static void known_rules(const iso_verifier *v) {
    const iso_level_info *level = iso_level_get(v->claim->level);
    if ((level->rules & ~(iso_rules)ISO_RULES_SSER) != 0 || !iso_level_rules_good(level->rules)) {
        iso_refuse(v, "level %s has a rule that the verifier does not know", level->name);
    }
}

/* Refuses a certificate that claims another level or verdict than it must. */
static void same_claim(const iso_verifier *v, const verification *x) {
    const iso_claim *c = v->claim;
    const char *level = iso_level_get(c->level)->name, *verdict = c->satisfied ? "satisfied" : "violated";
    const char *order = c->no_session_order ? " without session order" : "";
    if (x->level != NULL && (strcmp(x->level, level) != 0 || c->no_session_order)) {
        iso_refuse(v, "the certificate is about level %s%s, and not about %s", level, order, x->level);
    }
    if (x->verdict != NULL && strcmp(x->verdict, verdict) != 0) {
        iso_refuse(v, "the certificate says %s, and not %s", verdict, x->verdict);
    }
}

static void verify(void *arg) {
    verification *x = arg;
    iso_verifier *v = &x->v;
    iso_claim claim;
    iso_verify_scan(v->pool, x->text, x->size, &claim);
    v->claim = &claim;
    v->sessions = !claim.no_session_order;
    same_claim(v, x);
    same_history(v);
    known_rules(v);
    if (claim.no_session_order && claim.level != ISO_SI && claim.level != ISO_SER) {
        iso_refuse(v, "no-session-order is a variant of si and ser only");
    }
    iso_verify_reads(v);
    if (!claim.satisfied) {
        iso_verify_violation(v);
        return;
    }
    if (iso_verify_cuts(v)) {
        iso_verify_cut(v);
    }
    if (!iso_asks(v, ISO_RULE_INT)) {
        return;
    }
    iso_verify_int(v);
    if (iso_asks(v, ISO_RULE_ORDER)) {
        if (claim.order == NULL) {
            iso_refuse(v, "level %s needs a commit order", iso_level_get(claim.level)->name);
        }
        if (v->h->has_lists) {
            iso_verify_list_states(v);
        }
        iso_verify_order(v);
    }
}

int iso_verify_claim(iso_pool *pool, const isolab_history *h, const char *text, size_t size, const char *level,
                     const char *verdict) {
    verification x = {.v = {.pool = pool, .h = h}, .text = text, .size = size, .level = level, .verdict = verdict};
    return iso_guard(pool->env, verify, &x);
}

int iso_verify(iso_pool *pool, const isolab_history *h, const char *text, size_t size) {
    return iso_verify_claim(pool, h, text, size, NULL, NULL);
}
