/* Writing certificates. See certificate.h. */
#include "certificates/certificate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "certificates/renumber.h"
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
static void number_of(text *out, uint32_t n) {
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
        number_of(out, r->order[i]);
    }
    word(out, "\n");
}

/* Writes the write that each ambiguous read reads from. */
static void write_choices(text *out, const isolab_history *h, const iso_result *r) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY && r->read_from[o] != ISO_NONE &&
            r->read_from[o] != ISO_MANY) {
            word(out, "reads");
            number_of(out, o);
            number_of(out, r->read_from[o]);
            word(out, "\n");
        }
    }
}

static void write_edge(text *out, const iso_edge *e, const char *before) {
    word(out, before);
    word(out, iso_edge_name((iso_edge_kind)e->kind));
    number_of(out, e->from);
    number_of(out, e->to);
    switch (e->kind) {
    case ISO_EDGE_WR:
        number_of(out, e->op_from);
        number_of(out, e->op_to);
        break;
    case ISO_EDGE_AXIOM:
        number_of(out, e->reader_op);
        number_of(out, e->op_from);
        number_of(out, e->op_to);
        break;
    case ISO_EDGE_RW:
        number_of(out, e->op_from);
        break;
    case ISO_EDGE_WW:
        number_of(out, e->op_from);
        number_of(out, e->op_to);
        break;
    case ISO_EDGE_LIST:
        number_of(out, e->reader_op);
        break;
    default:
        break;
    }
    if (e->kind == ISO_EDGE_AXIOM || e->kind == ISO_EDGE_RW || e->kind == ISO_EDGE_WW) {
        number_of(out, e->premise);
        number_of(out, e->n_premise);
    }
    word(out, "\n");
}

/* Returns whether the edge is an argument by itself: nothing is assumed, and a rule that needs premises has some. */
static bool argues(const isolab_history *h, const iso_edge *e) {
    bool inferred = e->kind == ISO_EDGE_AXIOM || e->kind == ISO_EDGE_RW || e->kind == ISO_EDGE_WW;
    return iso_edge_assumes(h, e) == 0 && (!inferred || e->n_premise > 0);
}

/* Numbers the edges that the cycle depends on from 1; the edges of a path stay together. Returns whether each of them
 * argues. */
static bool number_edges(const isolab_history *h, const iso_result *r, const iso_anomaly *a, uint32_t *number) {
    uint32_t end = a->cycle + a->n_cycle, kept = 0;
    bool all = true;
    for (uint32_t i = end; i-- > 0;) {
        if (i >= a->cycle || number[i] != 0) {
            number[i] = 1;
            all = all && argues(h, &r->edges[i]);
            for (uint32_t p = r->edges[i].premise; p < r->edges[i].premise + r->edges[i].n_premise; p++) {
                number[p] = 1;
            }
        }
    }
    for (uint32_t i = 0; i < end; i++) {
        number[i] = number[i] != 0 ? ++kept : 0;
    }
    return all;
}

/* Writes the edges that the cycle depends on, each after the same word. This is the only door for a cycle that proves a
 * violation: a cycle that is only one case of several does not pass, whatever stopped the proof of the others. Returns
 * whether it was written. */
static bool write_cycle(text *out, const isolab_history *h, const iso_result *r, const iso_anomaly *a,
                        const char *before) {
    uint32_t end = a->cycle + a->n_cycle;
    uint32_t *number = ISO_ZNEW(out->pool, uint32_t, end);
    bool all = number_edges(h, r, a, number), is_case = before[0] != '\0';
    for (uint32_t i = 0; i < end && (all || is_case); i++) {
        if (number[i] != 0) {
            iso_edge e = r->edges[i];
            e.premise = e.n_premise > 0 ? number[e.premise] - 1 : 0;
            write_edge(out, &e, before);
        }
    }
    if (all || is_case) {
        word(out, before);
        word(out, "cycle");
        number_of(out, number[a->cycle] - 1);
        number_of(out, a->n_cycle);
        word(out, "\n");
    }
    iso_free(out->pool, number);
    return all || is_case;
}

static void put(void *arg, const char *bytes, size_t n) {
    text *out = arg;
    need(out, n + 1);
    memcpy(out->bytes + out->size, bytes, n);
    out->size += n;
    out->bytes[out->size] = '\0';
}

/* Writes the cycle or the read of an anomaly, each line after the same word. Returns whether it was written. */
static bool write_chain(text *out, const isolab_history *h, const iso_result *r, const iso_anomaly *a,
                        const char *before) {
    if (a->n_cycle > 0) {
        return write_cycle(out, h, r, a, before);
    } else if (a->op != ISO_NONE && iso_anomaly_get((iso_anomaly_kind)a->kind)->of_read) {
        word(out, before);
        word(out, "offence ");
        word(out, iso_anomaly_get((iso_anomaly_kind)a->kind)->name);
        number_of(out, a->op);
        number_of(out, a->other_op);
        word(out, "\n");
    } else {
        return false;
    }
    return true;
}

/* Begins a clausal proof, with the case of it that the anomaly tells (NULL: none). */
static void begin_proof(text *out, const isolab_history *h, const iso_result *r, const iso_anomaly *a,
                        bool of_commits) {
    if (a != NULL) {
        write_chain(out, h, r, a, "case ");
    }
    word(out, of_commits ? "proof commits\n" : "proof\n");
}

static void end_proof(text *out) {
    if (out->bytes[out->size - 1] != '\n') {
        word(out, "\n");
    }
}

/* Writes the proof of an anomaly. Returns whether there is one. */
static bool write_anomaly(text *out, const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    if (a->proof == NULL) {
        return write_chain(out, h, r, a, "");
    }
    begin_proof(out, h, r, a, a->proof->of_commits);
    iso_renumber(a->proof, put, out);
    end_proof(out);
    return true;
}

/* Writes one proof: the proof of anomaly `which`; if that is ISO_NONE, the clausal proof, which exists if edges alone
 * do not prove the violation; else the proof of the first anomaly that has one. Returns whether there is a proof. */
static bool write_violation(text *out, const isolab_history *h, const iso_result *r, uint32_t which) {
    if (r->proof != NULL && (which == 0 || which == ISO_NONE)) {
        begin_proof(out, h, r, r->n_anomalies > 0 ? &r->anomalies[0] : NULL, r->proof_of_commits);
        put(out, r->proof, r->proof_size);
        end_proof(out);
        return true;
    }
    if (which != ISO_NONE) {
        return write_anomaly(out, h, r, &r->anomalies[which]);
    }
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        if (write_anomaly(out, h, r, &r->anomalies[i])) {
            return true;
        }
    }
    return false;
}

char *iso_certificate_of(iso_pool *pool, const isolab_history *h, const iso_question *question, const iso_result *r,
                         uint32_t anomaly, size_t *size) {
    bool needs_order = iso_level_has(question->level, ISO_RULE_ORDER);
    if (r->verdict == ISOLAB_UNKNOWN || (r->verdict == ISOLAB_SATISFIED && r->order == NULL && needs_order)) {
        return NULL;
    }
    text out = {.pool = pool};
    char line[160];
    snprintf(line, sizeof line,
             "isolab-certificate 1\nhistory %" PRIu32 " %" PRIu32 " %" PRIu32 " %016" PRIx64 "\nlevel %s\n",
             h->n_sessions, h->n_txns, h->n_ops, iso_fingerprint(h, pool), iso_level_get(question->level)->name);
    word(&out, line);
    if (question->no_session_order) {
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
    } else if (!write_violation(&out, h, r, anomaly)) {
        iso_free(pool, out.bytes);
        return NULL;
    }
    word(&out, "end\n");
    *size = out.size;
    return out.bytes;
}

char *iso_certificate_text(iso_pool *pool, const isolab_history *h, const iso_question *question,
                           const iso_result *result, size_t *size) {
    return iso_certificate_of(pool, h, question, result, ISO_NONE, size);
}

bool iso_certificate_save(iso_pool *pool, const isolab_history *h, const iso_question *question,
                          const iso_result *result, uint32_t anomaly, const char *path) {
    size_t size;
    char *bytes = iso_certificate_of(pool, h, question, result, anomaly, &size);
    if (bytes == NULL) {
        return false;
    }
    iso_file_save(pool->env, path, bytes, size);
    iso_free(pool, bytes);
    return true;
}
