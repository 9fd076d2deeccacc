/* Writing certificates. See certificate.h. */
#include "certificates/certificate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "history/fingerprint.h"

typedef struct text {
    iso_pool *pool;
    char *bytes;
    size_t size, room;
} text;

static void need(text *out, size_t more) {
    while (out->room - out->size < more) {
        out->room = out->room < 1024 ? 4096 : 2 * out->room;
        out->bytes = iso_resize(out->pool, out->bytes, out->room, 1);
    }
}

static void word(text *out, const char *s) {
    size_t n = strlen(s);
    need(out, n + 1);
    memcpy(out->bytes + out->size, s, n + 1);
    out->size += n;
}

/* Writes a space and the number of a transaction or an operation. */
static void number(text *out, uint32_t n) {
    if (n >= ISO_MANY) {
        word(out, n == ISO_INIT ? " init" : " -");
        return;
    }
    char digits[12], *at = digits + sizeof digits;
    *--at = '\0';
    do {
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    *--at = ' ';
    word(out, at);
}

static void write_order(text *out, const iso_result *r) {
    char line[32];
    snprintf(line, sizeof line, "order %" PRIu32, r->n_order);
    word(out, line);
    for (uint32_t i = 0; i < r->n_order; i++) {
        if (i % 16 == 0) {
            word(out, "\n");
        }
        number(out, r->order[i]);
    }
    word(out, "\n");
}

/* Writes the write that each ambiguous read reads from. */
static void write_choices(text *out, const isolab_history *h, const iso_result *r) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY && r->read_from[o] != ISO_NONE &&
            r->read_from[o] != ISO_MANY) {
            word(out, "reads");
            number(out, o);
            number(out, r->read_from[o]);
            word(out, "\n");
        }
    }
}

static void write_edge(text *out, const iso_edge *e) {
    word(out, iso_edge_name((iso_edge_kind)e->kind));
    number(out, e->from);
    number(out, e->to);
    switch (e->kind) {
    case ISO_EDGE_WR:
        number(out, e->op_from);
        number(out, e->op_to);
        break;
    case ISO_EDGE_AXIOM:
        number(out, e->reader_op);
        number(out, e->op_from);
        number(out, e->op_to);
        break;
    case ISO_EDGE_RW:
        number(out, e->op_from);
        break;
    case ISO_EDGE_WW:
        number(out, e->op_from);
        number(out, e->op_to);
        break;
    case ISO_EDGE_LIST:
        number(out, e->reader_op);
        break;
    default:
        break;
    }
    if (e->kind == ISO_EDGE_AXIOM || e->kind == ISO_EDGE_RW || e->kind == ISO_EDGE_WW) {
        number(out, e->premise);
        number(out, e->n_premise);
    }
    word(out, "\n");
}

/* Writes the edges that the cycle depends on. They are a prefix of the array, since premises come before their
 * edges. */
static void write_cycle(text *out, const iso_result *r, const iso_anomaly *a) {
    for (uint32_t e = 0; e < a->cycle + a->n_cycle; e++) {
        write_edge(out, &r->edges[e]);
    }
    word(out, "cycle");
    number(out, a->cycle);
    number(out, a->n_cycle);
    word(out, "\n");
}

static void write_proof(text *out, const iso_result *r) {
    word(out, r->proof_of_commits ? "proof commits\n" : "proof\n");
    need(out, r->proof_size + 2);
    memcpy(out->bytes + out->size, r->proof, r->proof_size);
    out->size += r->proof_size;
    if (r->proof_size > 0 && r->proof[r->proof_size - 1] != '\n') {
        word(out, "\n");
    }
}

/* Writes one proof: the clausal one, which exists if edges alone do not prove the violation; else that of the first
 * anomaly that has one. Returns whether there is one. */
static bool write_violation(text *out, const iso_result *r) {
    if (r->proof != NULL) {
        write_proof(out, r);
        return true;
    }
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        const iso_anomaly *a = &r->anomalies[i];
        if (a->n_cycle > 0) {
            write_cycle(out, r, a);
            return true;
        }
        if (a->op != ISO_NONE && iso_anomaly_get((iso_anomaly_kind)a->kind)->of_read) {
            word(out, "offence ");
            word(out, iso_anomaly_get((iso_anomaly_kind)a->kind)->name);
            number(out, a->op);
            number(out, a->other_op);
            word(out, "\n");
            return true;
        }
    }
    return false;
}

char *iso_certificate_text(iso_pool *pool, const isolab_history *h, const iso_request *request, const iso_result *r,
                           size_t *size) {
    bool needs_order = request->level != ISO_INT && request->level != ISO_CI;
    if (r->verdict == ISOLAB_UNKNOWN || (r->verdict == ISOLAB_SATISFIED && r->order == NULL && needs_order)) {
        return NULL;
    }
    text out = {.pool = pool};
    char line[160];
    snprintf(line, sizeof line,
             "isolab-certificate 1\nhistory %" PRIu32 " %" PRIu32 " %" PRIu32 " %016" PRIx64 "\nlevel %s\n",
             h->n_sessions, h->n_txns, h->n_ops, iso_fingerprint(h, pool), iso_level_get(request->level)->name);
    word(&out, line);
    if (request->no_session_order) {
        word(&out, "no-session-order\n");
    }
    word(&out, r->verdict == ISOLAB_SATISFIED ? "satisfied\n" : "violated\n");
    if (r->verdict == ISOLAB_SATISFIED) {
        if (r->order != NULL) {
            write_order(&out, r);
        }
        if (r->read_from != NULL) {
            write_choices(&out, h, r);
        }
    } else if (!write_violation(&out, r)) {
        iso_free(pool, out.bytes);
        return NULL;
    }
    word(&out, "end\n");
    *size = out.size;
    return out.bytes;
}

bool iso_certificate_save(iso_pool *pool, const isolab_history *h, const iso_request *request, const iso_result *result,
                          const char *path) {
    size_t size;
    char *bytes = iso_certificate_text(pool, h, request, result, &size);
    if (bytes == NULL) {
        return false;
    }
    iso_file_save(pool->env, path, bytes, size);
    iso_free(pool, bytes);
    return true;
}
