/* What a page asks about its history, and which of the anomalies it shows. See report.h. */
#include "checkers/further.h"
#include "cli/limits.h"
#include "cli/report.h"
#include "explain/story.h"

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
    r->asker.answered = iso_limits_repay;
    r->asker.weigh = true;
    r->asker.explain = true;
    r->ladder = iso_ladder_climb(&r->asker, ISO_ALL_LEVELS);
    iso_levels told = iso_levels_to_tell(r->h, &r->ladder) | ISO_LEVEL_BIT(ISO_SER);
    for (int l = ISO_PC; l < iso_n_levels; l++) { /* ser has more than a weaker level with the same first one */
        if ((told & ISO_LEVEL_BIT(l)) && r->ladder.rung[l]->result.n_anomalies > 0) {
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

static bool same_members(const iso_card *a, const iso_card *b) {
    for (uint32_t i = 0; i < a->n_cast; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b->n_cast && !found; k++) {
            found = a->cast[i] == b->cast[k];
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static void add_card(iso_report *r, const iso_result *result, const iso_anomaly *a, iso_levels levels) {
    if (a->kind == ISO_A_NO_ORDER && a->n_cycle == 0) {
        return; /* an unsuccessful search has no picture */
    }
    iso_card c = {.result = result, .anomaly = a, .levels = levels};
    c.cast = iso_anomaly_cast(r->pool, r->h, result, a, &c.n_cast);
    for (uint32_t i = 0; i < r->n_cards; i++) {
        const iso_card *b = &r->card[i];
        if (b->anomaly->kind == a->kind && b->n_cast == c.n_cast && same_members(b, &c)) {
            return;
        }
    }
    for (uint32_t i = 0; i < c.n_cast; i++) {
        r->near[c.cast[i]] = 1;
    }
    ISO_GROW(r->pool, r->card, r->n_cards, r->cards_room);
    r->card[r->n_cards++] = c;
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
}
