/* What a page asks about its history, and which of the anomalies it shows. See report.h. */
#include <stdlib.h>

#include "checkers/further.h"
#include "explain/story.h"
#include "report/report.h"

static isolab_verdict verdict_of(const iso_report *r, iso_level level) { return r->ladder.rung[level]->result.verdict; }

/* Of a level without patterns: finds more anomalies, each in what the ones before it leave. */
static void find_further(iso_report *r, iso_level level) {
    iso_answer *a = &r->asker.answers[r->ladder.rung[level] - r->asker.answers];
    r->asker.question.level = level;
    r->asker.question.limit = r->limit;
    iso_find_further(&r->asker, a);
}

void iso_report_ask(iso_report *r) {
    iso_asker_init(&r->asker, r->pool, r->h, &(const iso_question){.limit = 1, .threads = 1});
    r->asker.answered = r->answered;
    r->asker.weigh = true;
    r->asker.explain = true;
    r->ladder = iso_ladder_climb(&r->asker, ISO_ALL_LEVELS);
    iso_levels told = iso_levels_to_tell(r->h, &r->ladder) | ISO_LEVEL_BIT(ISO_SER);
    for (int l = 0; l < iso_n_levels; l++) { /* ser has more than a weaker level with the same first one */
        if ((told & ISO_LEVEL_BIT(l)) && iso_level_has(l, ISO_SEES_PREFIX) &&
            r->ladder.rung[l]->result.n_anomalies > 0) {
            find_further(r, l);
        }
    }
    iso_asker_init(&r->asker_of_patterns, r->pool, r->h, &(const iso_question){.all = true, .limit = r->limit});
    r->asker_of_patterns.whom = ISO_WHOM_ONE;
    r->asker_of_patterns.checker = iso_checker_find("plume");
    if (verdict_of(r, ISO_CC) == ISOLAB_VIOLATED || verdict_of(r, ISO_CI) == ISOLAB_VIOLATED) {
        r->patterns = iso_ask(&r->asker_of_patterns, ISO_CC);
    }
}

static void add_card(iso_report *r, const iso_result *result, const iso_anomaly *a, iso_levels levels) {
    if (a->kind == ISO_A_NO_ORDER && a->n_cycle == 0) {
        return; /* an unsuccessful search has no picture */
    }
    iso_card c = {.result = result, .anomaly = a, .levels = levels};
    if (levels == 0) { /* one of the instances of a pattern */
        c.levels = ISO_LEVEL_BIT(iso_anomaly_get((iso_anomaly_kind)a->kind)->breaks);
    }
    c.cast = iso_anomaly_cast(r->pool, r->h, result, a, &c.n_cast);
    for (uint32_t i = 0; i < r->n_cards; i++) {
        const iso_card *b = &r->card[i];
        if (b->anomaly->kind == a->kind && b->n_cast == c.n_cast &&
            iso_are_among(b->cast, b->n_cast, c.cast, c.n_cast)) {
            return;
        }
    }
    for (uint32_t i = 0; i < c.n_cast; i++) {
        r->near[c.cast[i]] = 1;
    }
    ISO_GROW(r->pool, r->card, r->n_cards, r->cards_room);
    r->card[r->n_cards++] = c;
}

/* Whether a comes before b in a finding: it breaks the promise and b does not, or its proof has fewer steps, or as many
 * about fewer transactions. */
static bool is_plainer(const iso_card *a, const iso_card *b) {
    return a->breaks_promise != b->breaks_promise ? a->breaks_promise
           : a->blame.steps != b->blame.steps     ? a->blame.steps < b->blame.steps
           : a->n_cast != b->n_cast               ? a->n_cast < b->n_cast
                                                  : a->order < b->order;
}

static int by_plainness(const void *a, const void *b) {
    const iso_card *x = a, *y = b;
    return x->weakest != y->weakest ? (x->weakest > y->weakest) - (x->weakest < y->weakest)
           : x->first != y->first   ? (x->first > y->first) - (x->first < y->first)
                                    : is_plainer(y, x) - is_plainer(x, y);
}

static void blame_cards(iso_report *r) {
    iso_chain *chain = ISO_NEW(r->pool, iso_chain, r->n_cards + 1);
    iso_blame *blame = ISO_NEW(r->pool, iso_blame, r->n_cards + 1);
    for (uint32_t i = 0; i < r->n_cards; i++) {
        chain[i] = iso_anomaly_chain(r->card[i].result, r->card[i].anomaly);
    }
    iso_blame_all(r->pool, r->h, chain, r->n_cards, blame);
    for (uint32_t i = 0; i < r->n_cards; i++) {
        r->card[i].blame = blame[i];
    }
    iso_free(r->pool, chain);
    iso_free(r->pool, blame);
}

/* Adds plain proofs by real time of stale reads of the cards' transactions: checkers stop at any proof. */
static void add_stale_reads(iso_report *r) {
    enum { TRIED = 16 }; /* reads of a card */
    uint64_t added = 0;
    for (uint32_t i = 0, n = verdict_of(r, ISO_LSER) == ISOLAB_VIOLATED ? r->n_cards : 0; i < n && added < r->each;
         i++) {
        const iso_result *stale = NULL;
        uint32_t tried = 0;
        for (uint32_t k = 0; k < r->card[i].n_cast && stale == NULL; k++) {
            uint32_t txn = r->card[i].cast[k];
            for (uint32_t o = r->h->txn_op[txn]; o < r->h->txn_op[txn + 1] && stale == NULL && tried < TRIED;
                 o++, tried++) {
                stale = iso_stale_read(r->pool, r->h, o);
            }
        }
        if (stale != NULL) {
            add_card(r, stale, &stale->anomalies[0], ISO_LEVEL_BIT(ISO_LSER));
            added++;
        }
    }
}

/* Makes findings of the cards that share a read, and orders all. */
static void find_findings(iso_report *r) {
    add_stale_reads(r);
    blame_cards(r);
    uint32_t n = r->n_cards;
    iso_promise p = iso_promise_of(r->h, r->ladder.rung);
    for (uint32_t i = 0; i < n; i++) {
        r->card[i].breaks_promise = p.verdict != ISOLAB_VIOLATED || (r->card[i].levels & p.within) != 0;
        r->card[i].order = r->card[i].first = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        iso_card *c = &r->card[i];
        c->weakest = ISO_NO_LEVEL;
        for (uint32_t k = 0; k < n; k++) {
            const iso_card *b = &r->card[k];
            if (b != c && (b->blame.read == ISO_NONE || b->blame.read != c->blame.read)) {
                continue;
            }
            iso_level level = (iso_level)__builtin_ctz(b->levels);
            c->weakest = level < c->weakest ? level : c->weakest;
            c->first = is_plainer(b, &r->card[c->first]) ? k : c->first;
        }
    }
    if (n > 0) {
        qsort(r->card, n, sizeof *r->card, by_plainness);
    }
}

void iso_report_choose(iso_report *r) {
    iso_levels told = iso_levels_to_tell(r->h, &r->ladder);
    uint64_t shown[ISO_A_KINDS] = {0};
    r->near = ISO_ZNEW(r->pool, uint8_t, r->h->n_txns);
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_result *result = &r->ladder.rung[l]->result;
        for (uint32_t i = 0; (told & ISO_LEVEL_BIT(l)) && i < result->n_anomalies; i++) {
            const iso_anomaly *a = &result->anomalies[i];
            if (i == 0 || shown[a->kind] < r->each) {
                add_card(r, result, a, ISO_LEVEL_BIT(l));
                shown[a->kind]++;
            }
        }
    }
    for (uint32_t i = 0; r->patterns != NULL && i < r->patterns->result.n_anomalies; i++) {
        const iso_anomaly *a = &r->patterns->result.anomalies[i];
        if (shown[a->kind]++ < r->each) {
            add_card(r, &r->patterns->result, a, 0);
        }
    }
    find_findings(r);
}
