/* The gallery (explain/gallery.h): each history violates exactly the levels that imply the level that its anomaly
 * breaks, by `brute` and by every other checker, with certificates; it is called by its name; nothing can be left out
 * of it, and no smaller history has the name. The same holds for histories of mini-transactions, among
 * mini-transactions. */
#include "explain/gallery.h"

#include <string.h>

#include "checkers/ladder.h"
#include "formats/format.h"
#include "shrink/edit.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/names.h"
#include "tests/seed.h"

static iso_env env;

static const char *level_name(iso_level level) { return iso_level_get(level)->name; }

static bool violates(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_result r;
    iso_result_init(&r, pool);
    iso_check(iso_checker_find("brute"), h, &(const iso_question){.level = level}, &r);
    return r.verdict == ISOLAB_VIOLATED;
}

static iso_levels above(iso_level weakest) {
    iso_levels all = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        all |= iso_level_and_weaker((iso_level)l) & ISO_LEVEL_BIT(weakest) ? ISO_LEVEL_BIT(l) : 0;
    }
    return all;
}

/* At most two reads and two writes, each write after a read of its key. */
static bool is_mini(const isolab_history *h) {
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t reads = 0, writes = 0;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            bool read_before = false;
            for (uint32_t r = h->txn_op[t]; r < o; r++) {
                read_before |= h->op_kind[r] == ISO_READ && h->op_key[r] == h->op_key[o];
            }
            reads += h->op_kind[o] == ISO_READ;
            writes += h->op_kind[o] == ISO_WRITE;
            if (h->op_kind[o] > ISO_WRITE || (h->op_kind[o] == ISO_WRITE && !read_before)) {
                return false;
            }
        }
        if (reads > 2 || writes > 2) {
            return false;
        }
    }
    return true;
}

/* Every sub-history satisfies the level: without any set of operations, and the reads of what they wrote. Transactions
 * without operations are none. */
static bool is_smallest(iso_pool *pool, const isolab_history *h, iso_level weakest, bool mini) {
    for (uint32_t set = 1; set < (uint32_t)1 << h->n_ops; set++) {
        uint8_t *no_op = ISO_ZNEW(pool, uint8_t, h->n_ops), *no_txn = ISO_ZNEW(pool, uint8_t, h->n_txns);
        for (uint32_t t = 0; t < h->n_txns; t++) {
            no_txn[t] = 1;
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                no_op[o] = set >> o & 1;
                no_txn[t] &= no_op[o];
            }
        }
        iso_edit e = ISO_NO_EDIT;
        e.no_op = no_op;
        e.no_txn = no_txn;
        const isolab_history *less = iso_edited(pool, h, &e);
        if ((!mini || is_mini(less)) && violates(pool, less, weakest)) {
            diag("%s is violated without these operations, too:", level_name(weakest));
            iso_agree_print(&env, less);
            return false;
        }
    }
    return true;
}

static void one(iso_pool *pool, const iso_specimen *s, const char *text, bool mini) {
    const iso_anomaly_info *info = iso_anomaly_get(s->kind);
    const char *which = mini ? "of mini-transactions" : "of all";
    const isolab_history *h = iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
    iso_level weakest = iso_level_implies(info->breaks, s->level) ? s->level : info->breaks;
    iso_levels violated = 0, expected = above(weakest);
    for (int l = 0; l < iso_n_levels; l++) {
        violated |= violates(pool, h, (iso_level)l) ? ISO_LEVEL_BIT(l) : 0;
    }
    cmp_ok(violated, "==", expected, "%s, %s, violates the levels from %s on", info->name, which, level_name(weakest));
    iso_asker asker;
    iso_asker_init(&asker, pool, h, &(const iso_question){.limit = 1});
    const iso_answer *a = iso_ask(&asker, s->level);
    is(a->result.n_anomalies > 0 ? iso_anomaly_get((iso_anomaly_kind)a->result.anomalies[0].kind)->name : "nothing",
       info->name, "... and is called by its name at %s", level_name(s->level));
    ok(is_smallest(pool, h, weakest, mini), "... and nothing can be left out");
    iso_agreement agreement = {.what = "... and all checkers agree, with certificates and true names",
                               .no_sessions = true,
                               .same = iso_well_named};
    iso_agree(&agreement, &env, h, 0);
    iso_agree_report(&agreement);
}

static void specimens(iso_pool *pool) {
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        const iso_specimen *s = iso_gallery((iso_anomaly_kind)kind);
        const char *name = iso_anomaly_get((iso_anomaly_kind)kind)->name;
        if (iso_anomaly_get((iso_anomaly_kind)kind)->breaks == ISO_NO_LEVEL) {
            ok(s == NULL, "%s is no name, and not in the gallery", name);
        } else if (ok(s != NULL && s->kind == (iso_anomaly_kind)kind, "%s is in the gallery", name)) {
            const isolab_history *h = iso_load_bytes(pool, s->history, strlen(s->history), iso_format_find("isolab"));
            ok(is_mini(h) == (s->mini == ISO_IS_MINI), "%s: whether they are mini-transactions", name);
            one(pool, s, s->history, s->mini == ISO_IS_MINI);
            if (s->mini != NULL && s->mini != ISO_IS_MINI) {
                one(pool, s, s->mini, true);
            }
        }
        iso_pool_free(pool);
    }
}

/* ---- no smaller history has the name ---- */

typedef struct search {
    iso_pool pool;
    uint32_t n_ops[ISO_A_KINDS]; /* of the gallery's history */
    uint64_t named, histories;
    bool failed;
} search;

/* What a history is called at a level. (At rc one key is enough for a non-monotonic read; the gallery has the one of
 * two keys, which breaks rc-plume, too, and keeps ci.) */
static iso_anomaly_kind name_of(search *s, const isolab_history *h, iso_level level) {
    iso_result r;
    iso_result_init(&r, &s->pool);
    iso_question question = {.level = level, .certificate = true};
    iso_check(iso_checker_auto(h, &question), h, &question, &r);
    return r.verdict == ISOLAB_VIOLATED && r.n_anomalies > 0 ? (iso_anomaly_kind)r.anomalies[0].kind : ISO_A_NO_ORDER;
}

static bool look(void *arg, const isolab_history *h) {
    search *s = arg;
    s->histories++;
    for (int l = 0; l < ISO_LSER && !s->failed; l++) {
        iso_anomaly_kind kind = name_of(s, h, (iso_level)l);
        s->named += kind != ISO_A_NO_ORDER;
        if (kind != ISO_A_NO_ORDER && iso_gallery(kind)->level == (iso_level)l && h->n_ops < s->n_ops[kind]) {
            diag("%s at %s in fewer than %u operations:", iso_anomaly_get(kind)->name, level_name((iso_level)l),
                 s->n_ops[kind]);
            iso_agree_print(&env, h);
            s->failed = true;
        }
    }
    iso_pool_free(&s->pool);
    return !s->failed;
}

static void no_smaller(unsigned txns, unsigned ops, unsigned parts) {
    search s = {.named = 0};
    iso_pool pool;
    iso_pool_init(&s.pool, &env);
    iso_pool_init(&pool, &env);
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        const iso_specimen *specimen = iso_gallery((iso_anomaly_kind)kind);
        if (specimen != NULL) {
            s.n_ops[kind] =
                iso_load_bytes(&pool, specimen->history, strlen(specimen->history), iso_format_find("isolab"))->n_ops;
        }
    }
    iso_pool_free(&pool);
    iso_enumerate(&pool,
                  &(iso_enumeration){.txns = txns,
                                     .ops = ops,
                                     .keys = 2,
                                     .aborted = true,
                                     .parts = parts,
                                     .part = (unsigned)(seed_or(1) % parts)},
                  look, &s);
    ok(!s.failed && s.named > 0, "no smaller history has a name: %u transactions of %u operations, %llu histories",
       txns, ops, (unsigned long long)s.histories);
}

static void run(void *arg) {
    specimens(arg);
    no_smaller(4, 1, 1);
    no_smaller(3, 2, (unsigned)iso_agree_rounds(200, 40, 1));
}

int main(void) { return run_guarded(&env, run); }
