/* A disagreement: confirms it, shrinks it, decides it, and compares a wrong party with every definition that it may
 * have meant. See referee.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "experiments/referee/run.h"
#include "history/copy.h"
#include "shrink/edit.h"
#include "shrink/shrink.h"

#define SHRINK_TESTS 20000
#define LITERAL_OPS 200 /* a larger history that was not shrunk is decided by a fast checker, with a certificate */
#define SAMPLE_BATCH 25
#define SAMPLES 200           /* limit of random histories on which rules are compared */
#define SAMPLE_NS 10000000000 /* limit of the time of this comparison */

/* --- classes --- */

/* Returns the sign of the answer of `auto`: S, V or ?. *kind: the kind of its first anomaly; ISO_A_KINDS: none. */
static char presumed(iso_referee *r, const isolab_history *h, const iso_referee_question *asked,
                     iso_anomaly_kind *kind) {
    iso_question question = {.level = asked->level, .no_session_order = asked->no_session_order};
    const iso_checker *c = iso_checker_auto(h, &question);
    char sign = '?';
    *kind = ISO_A_KINDS;
    if (c != NULL) {
        iso_pool pool;
        iso_result result;
        iso_pool_init(&pool, r->env);
        iso_result_init(&result, &pool);
        iso_check(c, h, &question, &result);
        sign = result.verdict == ISOLAB_SATISFIED ? 'S' : result.verdict == ISOLAB_VIOLATED ? 'V' : '?';
        if (sign == 'V' && result.n_anomalies > 0) {
            *kind = (iso_anomaly_kind)result.anomalies[0].kind;
        }
        iso_pool_free(&pool);
    }
    return sign;
}

iso_class *iso_referee_class(iso_referee *r, unsigned question, const isolab_history *h, const char *signs,
                             int plain_party, iso_trait plain_trait) {
    iso_class fresh = {.question = question, .plain_party = plain_party, .plain_trait = plain_trait};
    char right = presumed(r, h, &r->questions[question], &fresh.kind);
    bool any = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        bool suspect = signs[i] != '-' && signs[i] != right;
        fresh.signs[i] = suspect ? signs[i] : '-';
        any |= suspect;
    }
    if (!any) { /* no checker except `auto` answered, by chance or because of a limit */
        memcpy(fresh.signs, signs, sizeof fresh.signs);
    }
    for (unsigned i = 0; i < r->classes.n; i++) {
        iso_class *c = &r->classes.at[i];
        bool same = c->question == question && c->plain_party == plain_party && c->plain_trait == plain_trait;
        if (same && c->kind == fresh.kind && strcmp(c->signs, fresh.signs) == 0) {
            return c;
        }
    }
    if (r->classes.n == ISO_VERDICT_CLASSES) {
        r->classes.left_out++;
        return NULL;
    }
    iso_referee_told(r, &fresh);
    r->classes.at[r->classes.n] = fresh;
    return &r->classes.at[r->classes.n++];
}

bool iso_class_explains(const iso_class *c, uint32_t features) {
    bool explains = false;
    for (unsigned i = 0; i < c->n_causes; i++) {
        explains |= (c->cause[i] & ~features) == 0;
    }
    return explains;
}

uint32_t iso_finding_cause(const iso_finding *f) { return iso_features(f->h) & iso_features(f->original); }

void iso_class_cause(iso_class *c, uint32_t features) {
    if (features != 0 && c->n_causes < ISO_CAUSES && !iso_class_explains(c, features)) {
        c->cause[c->n_causes++] = features;
    }
}

/* --- shrinking: the same signs of the same parties, and the same anomaly --- */

typedef struct same_signs {
    iso_referee *r;
    iso_pool pool;
    const iso_referee_question *asked;
    const char *signs;
    iso_anomaly_kind kind;
} same_signs;

/* Returns whether parties give the same answers again. parties: by bit. */
static bool repeats(same_signs *t, const isolab_history *h, uint32_t parties) {
    iso_referee *r = t->r;
    iso_judgement answers[ISO_PARTIES];
    char signs[ISO_PARTIES + 1];
    if (parties == 0) {
        return true;
    }
    iso_referee_ask(r, &t->pool, &h, NULL, 1, t->asked, parties, answers);
    iso_pool_free(&t->pool);
    iso_referee_disagree(r, answers, signs);
    for (unsigned i = 0; i < r->n_parties; i++) {
        if ((parties >> i & 1) && signs[i] != t->signs[i]) {
            return false;
        }
    }
    return true;
}

/* Returns, for the shrinker, whether a history has the same disagreement. isolab's own checkers are asked first, since
 * they are fast. */
static bool still(void *arg, const isolab_history *h) {
    same_signs *t = arg;
    uint32_t ours = 0, others = 0;
    iso_anomaly_kind kind;
    presumed(t->r, h, t->asked, &kind);
    if (kind != t->kind) {
        return false;
    }
    for (unsigned i = 0; i < t->r->n_parties; i++) {
        *(t->r->party[i].checker != NULL ? &ours : &others) |= t->signs[i] != '-' ? (uint32_t)1 << i : 0;
    }
    return repeats(t, h, ours) && repeats(t, h, others);
}

/* --- the right answer --- */

/* Returns the checker that decides which party is right; NULL: no checker can. */
static const iso_checker *judge_of(const isolab_history *h, const iso_referee_question *asked) {
    static const char *const best[] = {"brute", "sat", "naive"}; /* the definition, by enumeration or as a formula */
    iso_question question = {.level = asked->level, .no_session_order = asked->no_session_order};
    char why[512];
    for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
        const iso_checker *c = iso_checker_find(best[i]);
        if (c != NULL && iso_checker_refuses(c, h, &question, why, sizeof why) == NULL) {
            return c;
        }
    }
    return iso_checker_auto(h, &question);
}

/* Sets the truth of a finding to the answer of its judge. If that is `violated` without an anomaly that explains it,
 * and another checker gives the same verdict with such an anomaly, the answer of the other checker is used. */
static void find_truth(iso_finding *f, iso_pool *pool) {
    iso_question question = {
        .level = f->asked->level, .no_session_order = f->asked->no_session_order, .certificate = true};
    bool large = f->recorded && f->h->n_ops > LITERAL_OPS;
    f->judge = large ? iso_checker_auto(f->h, &question) : judge_of(f->h, f->asked);
    iso_result_init(&f->truth, pool);
    if (f->judge == NULL) {
        return;
    }
    iso_check(f->judge, f->h, &question, &f->truth);
    for (size_t i = 0; f->truth.verdict == ISOLAB_VIOLATED && !large && iso_checkers[i] != NULL; i++) {
        bool explained = f->truth.n_anomalies > 0 && f->truth.anomalies[0].kind != ISO_A_NO_ORDER;
        iso_result other;
        char why[512];
        if (explained || iso_checker_refuses(iso_checkers[i], f->h, &question, why, sizeof why) != NULL) {
            continue;
        }
        iso_result_init(&other, pool);
        iso_check(iso_checkers[i], f->h, &question, &other);
        if (other.verdict == ISOLAB_VIOLATED && other.n_anomalies > 0 && other.anomalies[0].kind != ISO_A_NO_ORDER) {
            f->truth = other;
        }
    }
}

/* Sets the parties that are wrong. */
static void find_wrong(const iso_referee *r, iso_finding *f) {
    f->wrong = 0;
    char right = f->truth.verdict == ISOLAB_SATISFIED ? 'S' : f->truth.verdict == ISOLAB_VIOLATED ? 'V' : '\0';
    for (unsigned i = 0; i < r->n_parties; i++) {
        bool answered = f->signs[i] == 'S' || f->signs[i] == 'V';
        if (f->signs[i] == 'C' || f->signs[i] == 'G' || (answered && right != '\0' && f->signs[i] != right)) {
            f->wrong |= (uint32_t)1 << i;
        }
    }
}

/* --- which rule a wrong party may follow --- */

/* Parts of a history that a published checker may ignore, as bits: session order, or reads of a kind. */
enum {
    NO_SESSIONS = 1,
    NO_INITIAL = 2,
    NO_OWN = 4,
    NO_THIN_AIR = 8,
    NO_ABORTED = 16,
    NO_REREAD = 32,
    NO_INTERMEDIATE = 64,
    BLIND_TO_ALL = 127
};

static const char *const blind_text[] = {"session order",
                                         "the reads of initial values",
                                         "the reads of keys that the reader wrote before",
                                         "the reads of values without a writer",
                                         "the reads of aborted writes",
                                         "the reads of keys that the reader read before",
                                         "the reads of values that their writer overwrote"};

/* A definition that a party may follow: a level, applied to a history without some parts. */
typedef struct rule {
    iso_level level;
    bool no_session_order;
    unsigned blind; /* the parts that are ignored, as bits */
    uint32_t same;  /* number of histories about which the party's verdict is the rule's */
} rule;

/* Returns whether the transaction of an operation has, later or else earlier than it, a write or else a read of its
 * key. */
static bool has_other(const isolab_history *h, uint32_t op, bool later, bool write) {
    uint32_t t = h->op_txn[op], from = later ? op + 1 : h->txn_op[t], to = later ? h->txn_op[t + 1] : op;
    while (from < to && !(iso_is_write(h->op_kind[from]) == write && h->op_key[from] == h->op_key[op])) {
        from++;
    }
    return from < to;
}

/* Returns whether an operation is a read that is ignored. blind: as in rule. */
static bool overlooked(const isolab_history *h, uint32_t op, unsigned blind) {
    uint32_t writer = h->op_writer[op];
    if (h->op_kind[op] != ISO_READ) {
        return false;
    }
    bool from_other = writer < h->n_ops && h->op_txn[writer] != h->op_txn[op];
    return ((blind & NO_INITIAL) != 0 && iso_version_is_initial(h, h->op_version[op])) ||
           ((blind & NO_OWN) != 0 && has_other(h, op, false, true)) ||
           ((blind & NO_THIN_AIR) != 0 && writer == ISO_NONE) ||
           ((blind & NO_ABORTED) != 0 && from_other && h->txn_status[h->op_txn[writer]] == ISO_ABORTED) ||
           ((blind & NO_REREAD) != 0 && has_other(h, op, false, false)) ||
           ((blind & NO_INTERMEDIATE) != 0 && from_other && has_other(h, writer, true, true));
}

/* Returns the history without the parts that are ignored; h itself if it has none of them. */
static const isolab_history *seen_by(iso_pool *pool, const isolab_history *h, unsigned blind) {
    uint8_t *out = ISO_ZNEW(pool, uint8_t, h->n_ops);
    bool any = false;
    for (uint32_t op = 0; (blind & ~(unsigned)NO_SESSIONS) != 0 && op < h->n_ops; op++) {
        out[op] = overlooked(h, op, blind);
        any |= out[op] != 0;
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_op = out;
    e.orphans = true;
    h = any ? iso_edited(pool, h, &e) : h;
    if ((blind & NO_SESSIONS) == 0) {
        return h;
    }
    iso_builder *apart = iso_builder_new(pool);
    iso_copy_names(apart, h);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t session = iso_builder_session(apart, iso_atom_nil());
        uint32_t txn = iso_copy_txn(apart, session, h, t);
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            iso_copy_op(pool, apart, txn, h, op, op);
        }
    }
    return iso_builder_finish(apart);
}

/* Returns the verdict of a rule about a history: 'S', 'V' or '?'. */
static char by_rule(iso_pool *scratch, const isolab_history *h, const rule *u) {
    iso_referee_question asked = {.level = u->level, .no_session_order = u->no_session_order};
    iso_question question = {.level = u->level, .no_session_order = u->no_session_order};
    h = seen_by(scratch, h, u->blind);
    const iso_checker *c = judge_of(h, &asked);
    if (c == NULL) {
        return '?';
    }
    iso_result result;
    iso_result_init(&result, scratch);
    iso_check(c, h, &question, &result);
    return result.verdict == ISOLAB_SATISFIED ? 'S' : result.verdict == ISOLAB_VIOLATED ? 'V' : '?';
}

enum { RULES = ISO_NO_LEVEL + 2 + 7 + 21 };

/* Lists the rules: every level, and then the level of the question with one part ignored, and with two. Returns their
 * number. */
static size_t list_rules(rule *rules, const iso_referee_question *asked) {
    size_t n = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        rules[n++] = (rule){.level = (iso_level)l};
        if (l == ISO_SI || l == ISO_SER) {
            rules[n++] = (rule){.level = (iso_level)l, .no_session_order = true};
        }
    }
    for (int things = 1; things <= 2; things++) {
        for (unsigned blind = 1; blind <= BLIND_TO_ALL; blind++) {
            if (__builtin_popcount(blind) == things) {
                rules[n++] = (rule){.level = asked->level, .no_session_order = asked->no_session_order, .blind = blind};
            }
        }
    }
    return n;
}

/* Returns a random history about which the rules that explained all `answers` so far give different verdicts, so that
 * few questions are enough; if no such history is found in TRIES attempts, any random history. Every second history may
 * have aborted transactions and reads of random values. *seed: counts the attempts. */
static const isolab_history *next_sample(iso_referee *r, iso_pool *pool, const rule *rules, size_t n_rules,
                                         uint32_t answers, bool times, uint64_t *seed) {
    enum { TRIES = 40 };
    const isolab_history *h = NULL;
    for (unsigned i = 0; i < TRIES; i++) {
        iso_small_shape shape = {.txns = 4, .ops = 3, .keys = 3, .sessions = 3, .times = times};
        shape.aborted = shape.wild = (*seed & 1) != 0;
        h = iso_random_small(pool, r->options.seed + ++*seed, &shape);
        char first = '\0';
        for (size_t k = 0; k < n_rules; k++) {
            char sign = rules[k].same == answers ? by_rule(pool, h, &rules[k]) : first;
            if (first != '\0' && sign != first) {
                return h;
            }
            first = sign;
        }
    }
    return h;
}

/* Asks a party about the history of the finding and random ones, and compares its verdicts with those of all rules.
 * Returns the number of its verdicts. *violated: how many of these are `violated`. */
static uint32_t sample_rules(iso_referee *r, iso_finding *f, iso_pool *pool, unsigned party, rule *rules,
                             size_t n_rules, uint32_t *violated) {
    const isolab_history *h[SAMPLE_BATCH];
    int64_t now = iso_now(), deadline = r->env->limits->deadline,
            left = deadline == 0 ? SAMPLE_NS : (deadline - now) / 8;
    int64_t end = now + (left < SAMPLE_NS ? left : SAMPLE_NS);
    uint64_t seed = 0;
    uint32_t answers = 0;
    for (uint32_t first = 0; first < SAMPLES && iso_now() < end; first += SAMPLE_BATCH) {
        iso_tick(r->env);
        iso_judgement *batch = ISO_NEW(pool, iso_judgement, (size_t)SAMPLE_BATCH * r->n_parties);
        for (uint32_t i = 0; i < SAMPLE_BATCH; i++) {
            h[i] = first + i == 0
                       ? f->h
                       : next_sample(r, pool, rules, n_rules, answers, iso_level_is_timed(f->asked->level), &seed);
        }
        iso_referee_ask(r, pool, h, NULL, SAMPLE_BATCH, f->asked, (uint32_t)1 << party, batch);
        for (uint32_t i = 0; i < SAMPLE_BATCH; i++) {
            char sign = iso_sign(&batch[i * r->n_parties + party]);
            if (sign != 'S' && sign != 'V') {
                continue;
            }
            answers++;
            *violated += sign == 'V';
            for (size_t k = 0; k < n_rules; k++) {
                rules[k].same += by_rule(pool, h[i], &rules[k]) == sign;
            }
        }
        iso_pool_free(pool);
    }
    return answers;
}

static void put_rule(iso_printer *out, const rule *u) {
    char question[64];
    iso_referee_question_text(&(iso_referee_question){.level = u->level, .no_session_order = u->no_session_order},
                              question);
    iso_print(out, "%s", question);
    for (unsigned i = 0, told = 0; i < sizeof blind_text / sizeof *blind_text; i++) {
        if (u->blind >> i & 1) {
            iso_print(out, "%s%s", told++ > 0 ? " and " : " without ", blind_text[i]);
        }
    }
}

/* Returns, in words, the rules that give all verdicts of a party. Only rules that ignore the smallest number of parts
 * are named. */
static const char *find_rule(iso_referee *r, iso_finding *f, iso_pool *scratch, unsigned party) {
    rule rules[RULES];
    uint32_t violated = 0;
    size_t n_rules = list_rules(rules, f->asked), nearest = 0;
    uint32_t answers = sample_rules(r, f, scratch, party, rules, n_rules, &violated);
    iso_printer out = {.pool = r->pool};
    iso_print(&out, "Asked about the first such history and random ones, %s gave %u verdicts, %u of them violated. ",
              r->party[party].name, answers, violated);
    for (size_t i = 0; i < n_rules; i++) { /* the simple ones are first */
        nearest = rules[i].same > rules[nearest].same ? i : nearest;
    }
    int things = __builtin_popcount(rules[nearest].blind);
    if (answers > 0 && rules[nearest].same == answers) {
        iso_print(&out, "All of them are those of ");
        for (size_t i = 0, told = 0; i < n_rules; i++) {
            if (rules[i].same == answers && __builtin_popcount(rules[i].blind) == things) {
                iso_print(&out, "%s", told++ > 0 ? ", or of " : "");
                put_rule(&out, &rules[i]);
            }
        }
        iso_print(&out, ": it may check that instead.");
    } else {
        iso_print(&out, "No definition that isolab knows explains all of them; the nearest is ");
        put_rule(&out, &rules[nearest]);
        iso_print(&out, " (%u).%s", rules[nearest].same,
                  violated == 0         ? " It never says violated."
                  : violated == answers ? " It never says satisfied."
                                        : "");
    }
    return iso_printed(&out);
}

/* Finds the rule of each wrong party, once for each question. */
static void find_rules(iso_referee *r, iso_finding *f, iso_pool *scratch) {
    for (unsigned i = 0; i < r->n_parties; i++) {
        bool answered = f->signs[i] == 'S' || f->signs[i] == 'V';
        if ((f->wrong >> i & 1) && answered && r->rules[i][f->question] == NULL) {
            r->rules[i][f->question] = find_rule(r, f, scratch, i);
        }
    }
}

typedef struct investigation {
    iso_referee *r;
    iso_finding *f;
    same_signs t;
    iso_shrinking s;
    iso_pool pool, scratch;
    int64_t may_take;
    bool shrunk, judged, is_new; /* is_new: a report was written */
} investigation;

/* Returns whether two parties gave different verdicts, and whether a party gave none because it broke. The recorded
 * verdicts do not count, since they cannot be asked about another history. */
static bool is_contradicted(const iso_referee *r, const char *signs, bool *broken) {
    bool satisfied = false, violated = false;
    *broken = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        bool counts = r->party[i].records == NULL;
        satisfied |= counts && signs[i] == 'S';
        violated |= counts && signs[i] == 'V';
        *broken |= counts && (signs[i] == 'C' || signs[i] == 'G');
    }
    return satisfied && violated;
}

static void decide(investigation *v) {
    find_truth(v->f, &v->pool);
    find_wrong(v->r, v->f);
    v->judged = true;
}

static void shrink_it(void *arg) {
    investigation *v = arg;
    iso_shrink(v->r->env, v->f->original, NULL, &v->s); /* at a limit v->s has the smallest history so far */
}

static void shrink(investigation *v) {
    iso_env *env = v->r->env;
    iso_finding *f = v->f;
    v->shrunk = true;
    int64_t until = iso_sooner(env, v->may_take > 0 ? iso_now() + v->may_take : 0);
    if (iso_guard_until(env, until, shrink_it, v) != ISOLAB_OK) {
        iso_rethrow(env);
    }
    f->h = v->s.h;
    f->minimal = !v->s.unfinished;
    f->tests = v->s.tests;
}

/* A recorded verdict is about this history alone, so it stays as it is; its certificate proves the verdict. */
static void compare_with_table(investigation *v) {
    iso_finding *f = v->f;
    f->recorded = f->asked_again = f->repeatable = true;
    decide(v);
    iso_referee_ask(v->r, &v->scratch, &f->h, f->origin, 1, f->asked, UINT32_MAX, f->answers);
}

static void investigate(void *arg) {
    investigation *v = arg;
    iso_finding *f = v->f;
    bool broken;
    if (!is_contradicted(v->r, f->signs, &broken) && !broken) {
        compare_with_table(v);
        return;
    }
    for (unsigned i = 0; i < v->r->n_parties; i++) {
        f->signs[i] = v->r->party[i].records != NULL ? '-' : f->signs[i];
    }
    f->repeatable = still(&v->t, f->original);
    f->asked_again = true;
    if (f->repeatable) {
        shrink(v);
    } else {
        v->r->outcome.not_repeatable++;
    }
    decide(v);
    iso_referee_ask(v->r, &v->scratch, &f->h, NULL, 1, f->asked, UINT32_MAX, f->answers);
    if (f->repeatable && f->class->plain_party < 0) {
        iso_referee_disagree(v->r, f->answers, f->signs); /* parties that refused the larger history may answer now */
        find_wrong(v->r, f);
    }
    find_rules(v->r, f, &v->scratch);
}

/* Reports the disagreement, with the judge's verdict, also after a limit was reached. */
static void decide_and_report(void *arg) {
    investigation *v = arg;
    bool broken, contradicted = is_contradicted(v->r, v->f->signs, &broken);
    if (broken && !contradicted && !v->f->repeatable) { /* a busy machine ends programs, too */
        return;
    }
    if (!v->judged) {
        decide(v);
    }
    v->is_new = iso_referee_report(v->r, &v->pool, v->f);
}

void iso_referee_finding(iso_referee *r, iso_class *c, const isolab_history *h, const iso_origin *origin,
                         const char *signs, const iso_judgement *answers, int64_t may_take) {
    unsigned question = c->question;
    int64_t began = iso_now();
    iso_finding f = {
        .question = question, .asked = &r->questions[question], .class = c, .h = h, .original = h, .origin = origin};
    memcpy(f.signs, signs, sizeof f.signs);
    memcpy(f.answers, answers, r->n_parties * sizeof *answers);
    if (c->plain_party >= 0) {
        r->party[c->plain_party].tool->plain = ISO_TRAIT_BIT(c->plain_trait);
    }
    investigation v = {
        .r = r, .f = &f, .may_take = may_take, .t = {.r = r, .asked = f.asked, .signs = f.signs, .kind = c->kind}};
    v.s = (iso_shrinking){.test = still, .arg = &v.t, .most_tests = SHRINK_TESTS};
    iso_pool_init(&v.t.pool, r->env);
    iso_pool_init(&v.pool, r->env);
    iso_pool_init(&v.scratch, r->env);
    int code = iso_guard(r->env, investigate, &v);
    /* At a limit the results so far are written, and then the run ends. */
    bool found = code == ISOLAB_OK || code == ISOLAB_E_LIMIT;
    int written = found ? iso_guard_to_the_end(r->env, decide_and_report, &v) : ISOLAB_OK;
    if (c->plain_party >= 0) {
        r->party[c->plain_party].tool->plain = 0;
    }
    r->outcome.on_findings += iso_now() - began;
    if (code == ISOLAB_OK && f.repeatable) {
        iso_class_cause(c, iso_finding_cause(&f));
    }
    c->reported += v.is_new;
    c->repeated += !v.is_new;
    r->outcome.findings += v.is_new;
    iso_pool_free(&v.t.pool);
    iso_pool_free(&v.scratch);
    iso_pool_free(&v.pool);
    if (v.shrunk) {
        iso_shrink_free(&v.s);
    }
    if (code != ISOLAB_OK || written != ISOLAB_OK) {
        iso_rethrow(r->env);
    }
}
