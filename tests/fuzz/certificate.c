/* The fuzz target of the verifier (tests/fuzz/target.h). An input is a history in any format, and after it a
 * certificate, which begins at the word `isolab-certificate`. The certificate is verified as it is, and with the header
 * that belongs to the history, so that a damaged history does not end everything at the fingerprint. What is valid
 * about a small history must be true by the definitions (tests/executions.h). */
#include "tests/fuzz/target.h"

#include "formats/format.h"
#include "history/fingerprint.h"
#include "tests/executions.h"
#include "verify/verify.h"

const char *target_name(void) { return "certificate"; }

typedef struct trial {
    iso_pool *pool;
    const isolab_history *h;
    char *text; /* a certificate */
    size_t size;
    iso_claim claim;
} trial;

/* The certificate, with these first lines in place of its own two. A block of just its size: what is read after the
 * zero byte is seen. */
static trial with_header(iso_pool *pool, const isolab_history *h, const char *header, const char *text, size_t size) {
    const char *rest = text, *end = text + size;
    for (int line = 0; *header != '\0' && line < 2 && rest < end; line++) {
        const char *feed = memchr(rest, '\n', (size_t)(end - rest));
        rest = feed == NULL ? end : feed + 1;
    }
    size_t n = strlen(header), left = (size_t)(end - rest);
    trial t = {.pool = pool, .h = h, .size = n + left, .text = iso_alloc(pool, n + left + 1, 1)};
    memcpy(t.text, header, n);
    memcpy(t.text + n, rest, left);
    t.text[n + left] = '\0';
    return t;
}

static void scan(void *arg) {
    trial *t = arg;
    iso_verify_scan(t->pool, t->text, t->size, &t->claim);
}

static bool one_is_enough(void *arg, const execution *x) {
    (void)arg, (void)x;
    return false;
}

/* Few transactions, and few choices of the writes that reads took. */
static bool is_small(const isolab_history *h) {
    uint64_t choices = 1;
    for (uint32_t o = 0; o < h->n_ops && choices < 100; o++) {
        uint32_t n = 0;
        if (h->op_kind[o] == ISO_READ) {
            iso_writers(h, h->op_version[o], &n);
            n += iso_version_is_initial(h, h->op_version[o]);
        } else if (h->op_kind[o] == ISO_LIST_READ) {
            n = h->unique ? 1 : h->n_txns;
        }
        choices *= n > 1 ? n : 1;
    }
    return h->n_txns <= 5 && h->n_ops <= EXECUTION_OPS && choices < 100;
}

static void verify(iso_pool *pool, trial t) {
    int code = iso_verify(pool, t.h, t.text, t.size);
    const isolab_error *e = &pool->env->error;
    if ((code != ISOLAB_OK && code != ISO_REFUSED && code != ISOLAB_E_INPUT) ||
        (code != ISOLAB_OK && strpbrk(e->message, "\n\r") != NULL)) {
        fprintf(stderr, "code %d: %s\n", code, e->message);
        abort();
    }
    if (code != ISOLAB_OK || !is_small(t.h)) {
        return;
    }
    if (iso_guard(pool->env, scan, &t) != ISOLAB_OK) {
        abort();
    }
    bool some = executions(t.h, t.claim.level, !t.claim.no_session_order, one_is_enough, NULL) > 0;
    if (some != t.claim.satisfied) {
        fprintf(stderr, "valid, and not true:\n%s", t.text);
        abort();
    }
}

void target_take(iso_pool *pool, const uint8_t *bytes, size_t size) {
    const char *text = memmem(bytes, size, "isolab-certificate", 18);
    size_t before = text == NULL ? size : (size_t)((const uint8_t *)text - bytes);
    const isolab_history *h = iso_load_bytes(pool, bytes, before, NULL);
    if (text == NULL) {
        iso_throw_input(pool->env, 0, before, "expected a certificate");
    }
    char header[128];
    snprintf(header, sizeof header, "isolab-certificate 1\nhistory %u %u %u %016llx\n", h->n_sessions, h->n_txns,
             h->n_ops, (unsigned long long)iso_fingerprint(h, pool));
    verify(pool, with_header(pool, h, "", text, size - before));
    verify(pool, with_header(pool, h, header, text, size - before));
}
