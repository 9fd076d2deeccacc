/* Claims about small histories: what the verifier says of a certificate's lines. */
#ifndef ISOLAB_TESTS_CLAIMS_H
#define ISOLAB_TESTS_CLAIMS_H

#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "history/fingerprint.h"
#include "history/level.h"
#include "verify/verify.h"

static inline isolab_history *history_of(iso_pool *pool, const char *isolab_text) {
    return iso_load_bytes(pool, isolab_text, strlen(isolab_text), iso_format_find("isolab"));
}

/* The first two lines of every certificate of a history. */
static inline const char *claim_head(iso_pool *pool, const isolab_history *h) {
    char *text = ISO_NEW(pool, char, 128);
    snprintf(text, 128, "isolab-certificate 1\nhistory %u %u %u %016llx\n", h->n_sessions, h->n_txns, h->n_ops,
             (unsigned long long)iso_fingerprint(h, pool));
    return text;
}

/* What the verifier says of a whole certificate: `valid`, the reason of a refusal, or `line N: ...` where it is malformed. */
static inline const char *certificate_verdict(iso_env *env, const isolab_history *h, const char *text, size_t size) {
    static char verdict[sizeof env->error.message + 32];
    iso_pool pool;
    iso_pool_init(&pool, env);
    int code = iso_verify(&pool, h, text, size);
    iso_pool_free(&pool);
    if (code == 0) {
        return "valid";
    }
    if (code == ISO_REFUSED) {
        return env->error.message;
    }
    if (code == ISOLAB_E_INPUT) {
        snprintf(verdict, sizeof verdict, "line %llu: %s", (unsigned long long)env->error.line, env->error.message);
    } else {
        snprintf(verdict, sizeof verdict, "code %d: %s", code, env->error.message);
    }
    return verdict;
}

/* ... of the lines after the head, from `level` on, without `end`. */
static inline const char *claim_verdict(iso_env *env, const isolab_history *h, const char *lines) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    const char *head = claim_head(&pool, h);
    size_t size = strlen(head) + strlen(lines) + 8;
    char *text = ISO_NEW(&pool, char, size);
    int n = snprintf(text, size, "%s%send\n", head, lines);
    const char *verdict = certificate_verdict(env, h, text, (size_t)n);
    iso_pool_free(&pool);
    return verdict;
}

#endif
