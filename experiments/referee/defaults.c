/* What a run asks, and the options that follow from others. See referee.h. */
#define _GNU_SOURCE
#include <unistd.h>

#include "experiments/referee/run.h"

static void add_question(iso_referee *r, iso_level level, bool no_session_order) {
    for (unsigned i = 0; i < r->n_questions; i++) {
        if (r->questions[i].level == level && r->questions[i].no_session_order == no_session_order) {
            return;
        }
    }
    if (r->n_questions == ISO_QUESTIONS) {
        iso_throw(r->env, ISOLAB_E_USAGE, "--level: more than %d questions", ISO_QUESTIONS);
    }
    r->questions[r->n_questions++] = (iso_referee_question){.level = level, .no_session_order = no_session_order};
}

void iso_referee_levels(iso_referee *r, iso_level only, bool no_session_order) {
    for (int l = 0; l < iso_n_levels; l++) {
        unsigned n = 0;
        bool without = no_session_order;
        for (unsigned i = 0; i < r->n_parties; i++) {
            const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
            bool answers = iso_party_answers(r->pool, &r->party[i], (iso_level)l);
            n += answers;
            without |= answers && adapter != NULL && iso_adapter_is(adapter->sessions, "no");
        }
        if (only == ISO_NO_LEVEL ? n < 2 : l != (int)only) {
            continue;
        } else if (n < 2) {
            iso_throw(r->env, ISOLAB_E_USAGE, "--level: %s of the checkers answers %s, and two have to be compared",
                      n == 0 ? "none" : "only one", iso_level_get((iso_level)l)->name);
        }
        add_question(r, (iso_level)l, false);
        if (without && (l == ISO_SI || l == ISO_SER)) {
            add_question(r, (iso_level)l, true);
        }
    }
}

void iso_referee_defaults(iso_referee *r, bool timed) {
    iso_small_shape *s = &r->options.shape;
    bool listed = r->options.exhaustive[0] > 0;
    r->options.random |= r->options.files.n == 0 && !listed;
    if (r->options.random && !listed && s->txns + s->ops + s->keys + s->sessions == 0) {
        memcpy(r->options.exhaustive, (const unsigned[]){3, 1, 1},
               sizeof r->options.exhaustive); /* the smallest ones first */
    }
    if (r->options.count == 0 && r->options.random && !timed) { /* files and small histories end by themselves */
        r->options.count = r->n_foreign > 0 ? 2000 : 200000;
    }
    s->txns = s->txns == 0 && (s->ops > 0 || s->keys > 0 || s->sessions > 0) ? 5 : s->txns;
    s->ops = s->txns > 0 && s->ops == 0 ? 3 : s->ops;
    s->keys = s->txns > 0 && s->keys == 0 ? 3 : s->keys;
    s->sessions = s->txns > 0 && s->sessions == 0 ? 3 : s->sessions;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    r->options.at_once = r->options.at_once > 0 ? r->options.at_once : cores > 0 ? (unsigned)cores : 1;
    bool all_stay = true;
    for (unsigned i = 0; i < r->n_parties; i++) {
        all_stay &= r->party[i].tool == NULL || iso_tool_stays(r->party[i].tool);
    }
    r->options.batch = r->options.batch > 0 ? r->options.batch : all_stay ? 1024 : 64;
}
