/* See further.h. */
#include "checkers/further.h"

#include <string.h>

#include "history/rest.h"

const char *iso_rest_name(iso_rest_verdict rest) {
    static const char *const name[] = {[ISO_REST_SATISFIED] = "satisfied",
                                       [ISO_REST_LIMIT] = "limit",
                                       [ISO_REST_UNKNOWN] = "unknown",
                                       [ISO_REST_VIOLATED] = "violated"};
    return name[rest];
}

/* If many levels are asked about: limit of the search, in ns, plus the time that the first anomaly took. */
#define SOON ((int64_t)1 << 29)

typedef struct further {
    iso_asker *asker;
    iso_answer *a;
    uint8_t *no_txn, *no_op; /* the transactions and operations that are left out, for the first n_left anomalies */
    uint32_t n_left;
    iso_pool pool; /* of one round */
} further;

/* Leaves out the transactions of an anomaly's cycle, or its reads. Returns false if the anomaly names none. */
static bool leave_out(further *f, const iso_anomaly *anomaly) {
    const isolab_history *h = f->asker->h;
    bool some = false;
    for (uint32_t i = anomaly->cycle; i < anomaly->cycle + anomaly->n_cycle; i++) {
        uint32_t t = f->a->result.edges[i].from;
        if (t < h->n_txns) {
            f->no_txn[t] = 1;
            some = true;
        }
    }
    uint32_t op[2] = {anomaly->op, anomaly->other_op};
    for (int i = 0; anomaly->n_cycle == 0 && i < 2; i++) {
        if (op[i] < h->n_ops && !iso_is_write(h->op_kind[op[i]])) {
            f->no_op[op[i]] = 1;
            some = true;
        }
    }
    return some;
}

static uint32_t whole_op(const iso_rest *rest, uint32_t op) { return op < rest->h->n_ops ? rest->op[op] : op; }

/* Keeps the clausal proof of an anomaly of the rest, with the numbers that its operations have in the whole. */
static const iso_part_proof *keep_proof(iso_pool *pool, const iso_rest *rest, const iso_result *r) {
    iso_part_proof *proof = ISO_NEW(pool, iso_part_proof, 1);
    char *text = ISO_NEW(pool, char, r->proof_size + 1);
    uint32_t *op = ISO_NEW(pool, uint32_t, rest->h->n_ops);
    memcpy(text, r->proof, r->proof_size);
    text[r->proof_size] = '\0';
    memcpy(op, rest->op, rest->h->n_ops * sizeof *op);
    *proof = (iso_part_proof){text, r->proof_size, r->proof_of_commits, op};
    return proof;
}

/* Adds the first anomaly of the rest to the answer. */
static void translate(further *f, const iso_rest *rest, const iso_result *r) {
    iso_result *to = &f->a->result;
    uint32_t base = to->n_edges;
    iso_anomaly anomaly = r->anomalies[0];
    for (uint32_t i = 0; i < r->n_edges; i++) {
        iso_edge e = r->edges[i];
        e.op_from = whole_op(rest, e.op_from);
        e.op_to = whole_op(rest, e.op_to);
        e.reader_op = whole_op(rest, e.reader_op);
        e.premise += e.n_premise > 0 ? base : 0;
        iso_result_edge(to, e);
    }
    anomaly.op = whole_op(rest, anomaly.op);
    anomaly.other_op = whole_op(rest, anomaly.other_op);
    anomaly.cycle += base;
    for (uint32_t i = 0; i < ISO_OTHER_CASES; i++) {
        anomaly.other[i].first += base;
    }
    for (uint32_t i = 0; i < ISO_READS_NAMED && i < anomaly.n_reads; i++) {
        anomaly.reads[i] = whole_op(rest, anomaly.reads[i]);
    }
    anomaly.proof = r->proof != NULL ? keep_proof(to->pool, rest, r) : NULL;
    iso_result_anomaly(to, anomaly);
    to->seen[anomaly.kind]--;
    for (int k = 0; k < ISO_A_KINDS; k++) {
        to->seen[k] += r->seen[k];
    }
}

/* Records why the search ends without a verdict about the rest. */
static void end(further *f, iso_reason code, const char *why) {
    f->a->rest = ISO_REST_UNKNOWN;
    iso_result_reason(&f->a->result, code, "%s", why);
}

/* Looks for one more anomaly. Returns whether one was found. */
static bool find_one(further *f) {
    char why[512];
    const iso_asker *asker = f->asker;
    iso_result *result = &f->a->result, r;
    while (f->n_left < result->n_anomalies) { /* a checker may have found several at once */
        if (!leave_out(f, &result->anomalies[f->n_left])) {
            f->a->rest = ISO_REST_VIOLATED;
            return false;
        }
        f->n_left++;
    }
    if (!iso_result_has_room(result, asker->question.limit)) {
        f->a->rest = ISO_REST_LIMIT;
        return false;
    }
    iso_progress(f->pool.env, "looking for further anomalies", result->n_anomalies, 0);
    iso_rest rest = iso_rest_of(&f->pool, asker->h, f->no_txn, f->no_op);
    iso_question question = asker->question;
    question.all = false;
    question.limit = 1;
    const iso_checker *checker = asker->whom == ISO_WHOM_ONE ? asker->checker : iso_checker_auto(rest.h, &question);
    if (checker == NULL) {
        end(f, ISO_REASON_REFUSED, iso_why_no_checker(rest.h, &question, why, sizeof why));
        return false;
    }
    iso_result_init(&r, &f->pool);
    iso_check(checker, rest.h, &question, &r);
    if (r.verdict == ISOLAB_UNKNOWN) {
        end(f, r.reason_code, r.reason);
    } else if (r.verdict == ISOLAB_SATISFIED) {
        f->a->rest = ISO_REST_SATISFIED;
    } else if (r.n_anomalies == 0 || (r.proof_of_commits && asker->h->has_lists)) {
        f->a->rest = ISO_REST_VIOLATED; /* the states of lists that such a proof names are those of the rest */
    } else {
        translate(f, &rest, &r);
        return true;
    }
    return false;
}

static void round_of(void *arg) {
    further *f = arg;
    f->a->rest = ISO_REST_UNSEARCHED;
    find_one(f);
}

static void search(void *arg) {
    further *f = arg;
    iso_env *env = f->asker->pool->env;
    while (f->a->rest == ISO_REST_UNSEARCHED && f->a->result.n_anomalies > 0) {
        iso_pool_init(&f->pool, env);
        int code = iso_guard(env, round_of, f);
        iso_pool_free(&f->pool);
        if (code == ISOLAB_E_LIMIT) {
            end(f, iso_reason_of_limit(env->limit), env->error.message);
        } else if (code != ISOLAB_OK) {
            iso_rethrow(env);
        }
    }
}

void iso_find_further(iso_asker *asker, iso_answer *a) {
    further f = {.asker = asker, .a = a};
    int64_t since = iso_now(), deadline = asker->pool->env->limits->deadline, soon = since + SOON + a->ns;
    bool shortened = asker->climbing && (deadline == 0 || soon < deadline);
    f.no_txn = ISO_ZNEW(asker->pool, uint8_t, asker->h->n_txns);
    f.no_op = ISO_ZNEW(asker->pool, uint8_t, asker->h->n_ops);
    if (iso_guard_until(asker->pool->env, shortened ? soon : deadline, search, &f) != ISOLAB_OK) {
        iso_rethrow(asker->pool->env);
    }
    if (shortened && a->rest == ISO_REST_UNKNOWN && a->result.reason_code == ISO_REASON_TIME) {
        end(&f, ISO_REASON_TIME, "where many levels are asked about, each has little time for more anomalies");
    }
    a->first_only = false;
    iso_free(asker->pool, f.no_txn);
    iso_free(asker->pool, f.no_op);
    iso_result_phase(&a->result, "further", since);
}
