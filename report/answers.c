/* See answers.h. */
#include "report/answers.h"

#include "collectors/collector.h"
#include "explain/story.h"

void iso_answer_rest(iso_printer *out, const iso_answer *a) {
    const char *level = iso_level_get(a->level)->name, *them = a->result.n_anomalies == 1 ? "it" : "them";
    if (a->result.n_anomalies == 1) {
        iso_print(out, "one anomaly.");
    } else {
        iso_print(out, "%u anomalies, each found in what the ones before it leave.", a->result.n_anomalies);
    }
    if (a->rest == ISO_REST_SATISFIED) {
        iso_print(out, " Without %s the history satisfies %s.", them, level);
    } else if (a->rest == ISO_REST_VIOLATED) {
        iso_print(out, " Without %s it still violates %s, but by no transactions that could be named.", them, level);
    } else {
        iso_print(out, " It is not known whether it satisfies %s without %s%s.", level, them,
                  a->rest == ISO_REST_LIMIT ? " (--limit)" : "");
    }
    iso_print(out, " Others that share transactions with %s may exist.", them);
}

iso_promise iso_promise_of(const isolab_history *h, const iso_answer *const rung[ISO_MOST_LEVELS]) {
    const iso_collector *collector;
    const iso_offer *offer = iso_offer_recorded(h->about, &collector);
    iso_promise p = {.level = offer != NULL ? iso_level_find(offer->promises, NULL) : ISO_NO_LEVEL};
    p.verdict = ISOLAB_UNKNOWN;
    for (int l = 0; l < iso_n_levels && p.level != ISO_NO_LEVEL; l++) {
        bool within = l == (int)p.level || iso_level_implies(p.level, (iso_level)l);
        bool beyond = l == (int)p.level || iso_level_implies((iso_level)l, p.level);
        isolab_verdict v = rung[l] != NULL && rung[l]->patterns == 0 ? rung[l]->result.verdict : ISOLAB_UNKNOWN;
        p.verdict = (v == ISOLAB_SATISFIED && beyond) || (v == ISOLAB_VIOLATED && within) ? v : p.verdict;
        p.within |= within ? ISO_LEVEL_BIT(l) : 0;
        p.database = collector->title;
        p.configured = offer->name;
    }
    p.text = p.verdict == ISOLAB_SATISFIED ? "kept" : p.verdict == ISOLAB_VIOLATED ? "BROKEN" : "not known";
    return p;
}

const char *iso_level_names(iso_pool *pool, iso_levels levels) {
    iso_printer text = {.pool = pool};
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_print(&text, "%s%s", text.size > 0 ? ", " : "", iso_level_get((iso_level)l)->name);
        }
    }
    return iso_printed(&text);
}

bool iso_are_among(const uint32_t *few, uint32_t n, const uint32_t *many, uint32_t n_many) {
    bool found = true;
    for (uint32_t i = 0; i < n && found; i++) {
        found = false;
        for (uint32_t k = 0; k < n_many && !found; k++) {
            found = few[i] == many[k];
        }
    }
    return found;
}

/* Returns whether two answers begin with the same anomaly: of one kind, and the transactions of one are among those of
 * the other. */
static bool same_first(const isolab_history *h, const iso_result *a, const iso_result *b) {
    enum { MOST = 64 };
    uint32_t one[MOST], two[MOST], n = iso_anomaly_txns(h, a, &a->anomalies[0], one, MOST);
    uint32_t m = iso_anomaly_txns(h, b, &b->anomalies[0], two, MOST);
    return a->anomalies[0].kind == b->anomalies[0].kind && n <= MOST && m <= MOST &&
           (n > m ? iso_are_among(two, m, one, n) : iso_are_among(one, n, two, m));
}

iso_levels iso_levels_to_tell(const isolab_history *h, const iso_ladder *ladder) {
    iso_levels tell = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_result *r = ladder->rung[l] != NULL ? &ladder->rung[l]->result : NULL;
        bool own = r != NULL && r->verdict == ISOLAB_VIOLATED &&
                   (r->n_anomalies > 0 || (ladder->broken_first & ISO_LEVEL_BIT(l)) != 0);
        for (int weaker = 0; weaker < l && own && r->n_anomalies > 0; weaker++) {
            const iso_result *w = (tell & ISO_LEVEL_BIT(weaker)) != 0 ? &ladder->rung[weaker]->result : NULL;
            own = w == NULL || w->n_anomalies == 0 || !same_first(h, r, w) ||
                  (ladder->rung[l]->rest != ISO_REST_UNSEARCHED && r->n_anomalies > w->n_anomalies);
        }
        tell |= own ? ISO_LEVEL_BIT(l) : 0;
    }
    return tell;
}
