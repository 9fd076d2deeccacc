/* Finds the instances of h, i, k, l, m and n if some CM has a cycle (plume.txt, table 1; docs/levels.md defines an
 * instance, and which instances are reported).
 *
 * A triple of a grade is an instance of the CM pattern (i, l, n) if t1 and t2 are in one component of the grade's CM,
 * and of the CO pattern (h, k, m) if also t1 CO t2. A component's part of a session is an interval, and so are the
 * transactions that t3 sees. So for each fact and session the possible t2 are adjacent, and the time is O(log n) for
 * each fact and each session that writes the key, plus the number of instances. */
#include "checkers/plume/plume.h"

#define SAMPLES 48 /* number of instances of which the shortest proof is taken, if one anomaly is enough */

static const iso_plume_grade grade_of[ISO_TAPS] = {
    [ISO_TAP_H] = ISO_PLUME_MONO,   [ISO_TAP_I] = ISO_PLUME_MONO,   [ISO_TAP_K] = ISO_PLUME_ATOMIC,
    [ISO_TAP_L] = ISO_PLUME_ATOMIC, [ISO_TAP_M] = ISO_PLUME_CAUSAL, [ISO_TAP_N] = ISO_PLUME_CAUSAL,
};

typedef struct sample {
    uint32_t t2, fact;
    int tap;
} sample;

typedef struct finder {
    iso_plume *p;
    const iso_plume_cm *cm; /* of the greatest requested grade: it has all instances */
    uint32_t *row;          /* plume-dfs: the transactions that reach t3 */
    sample samples[SAMPLES];
    unsigned n_samples;
} finder;

static bool together(const iso_plume *p, const iso_plume_cm *cm, uint32_t t1, uint32_t t2) {
    return cm->cyclic && cm->component[iso_plume_node(p, t1)] == cm->component[t2];
}

/* Returns the requested patterns that a triple of the finder's grade matches. t3 must have been met. */
static uint32_t match(const finder *f, uint32_t t1, uint32_t t2, uint32_t t3, uint32_t fact) {
    iso_plume *p = f->p;
    uint32_t x = p->read_key[fact], seen = ISO_NONE, mono = ISO_NONE, matched = 0;
    if (p->met[t2] == t3 + 1) {
        seen = iso_plume_met_besides(p, t2, x);
        mono = p->any_key ? p->met_first[t2] : seen;
    }
    bool sees[3] = {[ISO_PLUME_MONO] = mono < fact,
                    [ISO_PLUME_ATOMIC] = seen != ISO_NONE || iso_plume_so(p, t2, t3),
                    [ISO_PLUME_CAUSAL] = f->cm->grade == ISO_PLUME_CAUSAL};
    int before = -1;
    for (int tap = ISO_TAP_H; tap < ISO_TAPS; tap++) {
        if ((p->patterns & ISO_TAP_BIT(tap)) == 0 || tap == ISO_TAP_J || !sees[grade_of[tap]]) {
            continue;
        }
        bool cm = tap == ISO_TAP_I || tap == ISO_TAP_L || tap == ISO_TAP_N;
        if (!cm && before < 0) {
            before = iso_plume_before(p, t1, t2);
        }
        if (cm ? together(p, &p->cm[grade_of[tap]], t1, t2) : before == 1) {
            matched |= ISO_TAP_BIT(tap);
        }
    }
    return matched;
}

/* Returns whether t3 also reads the fact's key from t2. Then the triple is a case of (j). */
static bool repeats(const iso_plume *p, uint32_t t2, uint32_t t3, uint32_t fact) {
    for (uint32_t r = p->read_first[t3]; p->met[t2] == t3 + 1 && r < p->read_first[t3 + 1]; r++) {
        if (p->read_from[r] == t2 && p->read_key[r] == p->read_key[fact]) {
            return true;
        }
    }
    return false;
}

static void report_sample(iso_plume *p, sample s) {
    bool co = s.tap == ISO_TAP_H || s.tap == ISO_TAP_K || s.tap == ISO_TAP_M;
    iso_anomaly a =
        iso_plume_cycle(p, (iso_anomaly_kind)s.tap, co ? NULL : &p->cm[grade_of[s.tap]], grade_of[s.tap], s.t2, s.fact);
    iso_result_anomaly(p->result, a);
}

/* Counts a triple under all patterns that it matches, and reports it under the most special ones. Returns false if no
 * more are needed. */
static bool take(finder *f, uint32_t t1, uint32_t t2, uint32_t t3, uint32_t fact) {
    iso_plume *p = f->p;
    iso_tick(p->pool->env);
    uint32_t matched = match(f, t1, t2, t3, fact);
    const uint32_t m_and_n = ISO_TAP_BIT(ISO_TAP_M) | ISO_TAP_BIT(ISO_TAP_N);
    bool in_j = (p->patterns & ISO_TAP_BIT(ISO_TAP_J)) != 0 && (matched & m_and_n) != 0 && repeats(p, t2, t3, fact);
    for (int tap = ISO_TAP_H; tap < ISO_TAPS; tap++) {
        if ((matched & ISO_TAP_BIT(tap)) == 0) {
            continue;
        }
        bool told = (matched & iso_taps_special[tap]) == 0 && !(in_j && (m_and_n & ISO_TAP_BIT(tap)) != 0);
        sample s = {t2, fact, tap};
        if (!p->question->all) {
            if (told) {
                f->samples[f->n_samples++] = s;
            }
        } else if (!told) {
            p->result->seen[tap]++;
        } else if (iso_plume_keep(p, (iso_anomaly_kind)tap)) {
            report_sample(p, s);
        }
        if (f->n_samples == SAMPLES) {
            return false;
        }
    }
    return true;
}

/* Takes the writers [first, end) of p->writer, from the last one down, that are in t1's component. */
static bool take_run(finder *f, uint32_t first, uint32_t end, uint32_t t1, uint32_t t3, uint32_t fact) {
    iso_plume *p = f->p;
    for (uint32_t i = end; i-- > first && together(p, f->cm, t1, p->writer[i]);) {
        uint32_t t2 = p->writer[i];
        if (t2 != t1 && t2 != t3 && !take(f, t1, t2, t3, fact)) {
            return false;
        }
    }
    return true;
}

/* Takes all writers of the key that t3 sees causally. */
static bool take_causal(finder *f, uint32_t t1, uint32_t t3, uint32_t fact) {
    iso_plume *p = f->p;
    const uint32_t *row = f->row != NULL ? f->row : p->clock + (size_t)t3 * p->h->n_sessions;
    uint32_t x = p->read_key[fact];
    for (uint32_t g = p->group_first[x]; g < p->group_first[x + 1]; g++) {
        uint32_t first = p->group[g];
        uint32_t end = first + iso_plume_below(p, first, p->group[g + 1], row[p->group_session[g]]);
        if (end > first && p->writer[end - 1] == t3) { /* not a possible t2; the writers before it may be in t1's
                                                        * component */
            end--;
        }
        if (!take_run(f, first, end, t1, t3, fact)) {
            return false;
        }
    }
    return true;
}

/* Takes the transactions that t3 reads from, and for ATOMIC the earlier ones of its session. */
static bool take_local(finder *f, uint32_t t1, uint32_t t3, uint32_t fact) {
    iso_plume *p = f->p;
    bool atomic = f->cm->grade == ISO_PLUME_ATOMIC;
    uint32_t x = p->read_key[fact];
    if (atomic) {
        uint32_t first = p->writer_first[x], start = p->h->session_txn[p->h->txn_session[t3]];
        uint32_t n = p->writer_first[x + 1];
        uint32_t low = first + iso_plume_below(p, first, n, start), high = first + iso_plume_below(p, first, n, t3);
        if (!take_run(f, low, high, t1, t3, fact)) {
            return false;
        }
    }
    for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
        uint32_t t2 = p->read_from[r];
        if (t2 != ISO_INIT && t2 != t1 && p->met_first[t2] == r && !(atomic && iso_plume_so(p, t2, t3)) &&
            together(p, f->cm, t1, t2) && iso_plume_writes(p, t2, x) && !take(f, t1, t2, t3, fact)) {
            return false;
        }
    }
    return true;
}

static void find_all(finder *f) {
    iso_plume *p = f->p;
    for (uint32_t t3 = 0; t3 < p->h->n_txns; t3++) {
        bool met = false;
        for (uint32_t r = p->read_first[t3]; r < p->read_first[t3 + 1]; r++) {
            uint32_t t1 = p->read_from[r];
            iso_tick(p->pool->env);
            if (!iso_plume_bit(p->fact, r) || !iso_plume_bit(f->cm->cycle, iso_plume_node(p, t1))) {
                continue;
            }
            if (!met) {
                iso_plume_meet(p, t3);
                if (f->row != NULL) {
                    iso_plume_search(p, t3, f->row);
                }
                met = true;
            }
            if (!(f->cm->grade == ISO_PLUME_CAUSAL ? take_causal : take_local)(f, t1, t3, r)) {
                return;
            }
        }
    }
}

static uint32_t length(iso_plume *p, sample s) {
    iso_result *r = p->result;
    uint32_t before = r->n_edges;
    bool co = s.tap == ISO_TAP_H || s.tap == ISO_TAP_K || s.tap == ISO_TAP_M;
    iso_plume_cycle(p, (iso_anomaly_kind)s.tap, co ? NULL : &p->cm[grade_of[s.tap]], grade_of[s.tap], s.t2, s.fact);
    uint32_t n = r->n_edges - before;
    r->n_edges = before;
    return n;
}

static void find_in(iso_plume *p, const iso_plume_cm *cm) {
    finder f = {.p = p, .cm = cm};
    bool clocks = iso_plume_clocks(p); /* also for t1 CO t2 in h and k */
    if (cm->grade == ISO_PLUME_CAUSAL && !clocks) {
        f.row = ISO_NEW(p->pool, uint32_t, p->h->n_sessions);
    }
    find_all(&f);
    iso_free(p->pool, f.row);
    sample best = f.samples[0];
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < f.n_samples; i++) {
        uint32_t n = length(p, f.samples[i]);
        if (n < least) {
            least = n;
            best = f.samples[i];
        }
    }
    if (f.n_samples > 0) {
        report_sample(p, best);
    }
}

/* Builds the CMs of the requested grades, the greatest first: if it has no cycle, the smaller ones have none. All
 * instances are found in the greatest. */
void iso_plume_find(iso_plume *p) {
    static const uint32_t asks[3] = {ISO_TAP_BIT(ISO_TAP_H) | ISO_TAP_BIT(ISO_TAP_I),
                                     ISO_TAP_BIT(ISO_TAP_K) | ISO_TAP_BIT(ISO_TAP_L),
                                     ISO_TAP_BIT(ISO_TAP_M) | ISO_TAP_BIT(ISO_TAP_N)};
    const iso_plume_cm *greatest = NULL;
    for (int grade = ISO_PLUME_CAUSAL; grade >= 0; grade--) {
        if ((p->patterns & asks[grade]) == 0) {
            continue;
        }
        iso_plume_commit(p, (iso_plume_grade)grade);
        iso_result_counter(p->result,
                           grade == ISO_PLUME_CAUSAL   ? "inferred edges, causal"
                           : grade == ISO_PLUME_ATOMIC ? "inferred edges, atomic"
                                                       : "inferred edges, mono",
                           p->cm[grade].n_axioms);
        if (!p->cm[grade].cyclic) {
            iso_plume_forget(p, &p->cm[grade]);
            break;
        }
        greatest = greatest == NULL ? &p->cm[grade] : greatest;
    }
    if (greatest != NULL) {
        find_in(p, greatest);
    }
    for (int grade = 0; grade < 3; grade++) {
        iso_plume_forget(p, &p->cm[grade]);
    }
}

/* ---- cycles without an axiom ---- */

/* Reports one cycle for each component of so|wr, then one for each component that also needs the order of lists. */
void iso_plume_cycles(iso_plume *p) {
    enum { CYCLE = 2, TOLD = 3 };
    uint32_t n = p->h->n_txns;
    uint8_t *state = ISO_ZNEW(p->pool, uint8_t, (size_t)n + 1); /* by component of so|wr: its number of transactions, at
                                                                 * most two */
    for (uint32_t t = 0; p->component != NULL && t < n; t++) {
        uint8_t *s = &state[p->component[t]];
        *s = (uint8_t)(*s + (iso_plume_in(p, t) && *s < CYCLE));
    }
    for (uint32_t t = 0; p->component != NULL && t < n; t++) {
        if (iso_plume_in(p, t) && state[p->component[t]] == CYCLE) {
            state[p->component[t]] = TOLD;
            if (iso_plume_keep(p, ISO_A_CYCLIC_CO)) {
                iso_result_anomaly(p->result, iso_plume_causal_cycle(p, t));
            }
        }
    }
    iso_plume_cm *cm = &p->cm[ISO_PLUME_NO_AXIOM];
    if (p->lists != NULL && !iso_plume_enough(p)) {
        iso_plume_commit(p, ISO_PLUME_NO_AXIOM);
        uint8_t *seen = ISO_ZNEW(p->pool, uint8_t, (size_t)n + 1); /* by component of cm */
        for (uint32_t t = 0; cm->cyclic && p->component != NULL && t < n; t++) {
            seen[cm->component[t]] |= state[p->component[t]] == TOLD;
        }
        for (uint32_t t = 0; cm->cyclic && t < n; t++) {
            if (iso_plume_bit(cm->cycle, t) && !seen[cm->component[t]]) {
                seen[cm->component[t]] = 1;
                iso_anomaly a = iso_plume_list_cycle(p, t);
                if (iso_plume_keep(p, (iso_anomaly_kind)a.kind)) {
                    iso_result_anomaly(p->result, a);
                }
            }
        }
        iso_free(p->pool, seen);
        iso_plume_forget(p, cm);
    }
    iso_free(p->pool, state);
}
