/* The referee's summary. See referee.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/print.h"
#include "experiments/referee/run.h"

bool iso_referee_silent(const iso_referee *r, FILE *out) {
    bool silent = r->outcome.comparisons == 0;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        if (p->checker == NULL && r->tally[i].satisfied + r->tally[i].violated == 0) {
            silent = true;
            if (out != NULL) {
                iso_say(out, "nothing was compared with %s: it gave no verdict\n", p->name);
            }
        }
    }
    if (r->outcome.comparisons == 0 && out != NULL) {
        iso_say(out, "nothing was compared: no history had two verdicts\n");
    }
    return silent;
}

static void say_parties(const iso_referee *r, FILE *out) {
    iso_say(out, "%-30s %10s %10s %10s %10s  %s\n", "checker", "asked", "satisfied", "violated", "unknown", "else");
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        const iso_tally *t = &r->tally[i];
        iso_say(out, "%-30s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " ", p->name, t->asked, t->satisfied,
                t->violated, t->unknown);
        for (int s = ISO_TOOL_OK + 1; s < ISO_TOOL_STATES; s++) {
            if (t->states[s] > 0 && s != ISO_TOOL_UNSUPPORTED) {
                iso_say(out, " %" PRIu64 " %s", t->states[s], iso_tool_state_text[s]);
            }
        }
        if (t->n_timed > 0) {
            iso_say(out, " %.4g s recorded for %" PRIu64 " of them", t->seconds, t->n_timed);
        }
        if (p->tool != NULL && p->tool->packed > 0) {
            iso_say(out, " %" PRIu64 " in packs", p->tool->packed);
        }
        if (p->tool != NULL && p->tool->unlike > 0) {
            iso_say(out, " %" PRIu64 " packs answered unlike their members", p->tool->unlike);
        }
        iso_say(out, "\n");
    }
}

void iso_referee_summary(const iso_referee *r, FILE *out) {
    char text[64];
    double seconds = (double)(iso_now() - r->outcome.since) / 1e9;
    const isolab_error *e = &r->env->error;
    const char *early = !r->outcome.ended_early ? "" : r->outcome.interrupted ? "; interrupted" : "; ended early: ";
    const char *file = !r->outcome.ended_early || r->outcome.interrupted ? "" : e->file;
    iso_say(out,
            "%" PRIu64 " histories, %" PRIu64 " comparisons, %" PRIu64 " disagreements, %" PRIu64
            " reports in %s (%.3g s, %.3g histories an hour)%s%s%s%s\n",
            r->outcome.histories, r->outcome.comparisons, r->outcome.disagreements, r->outcome.findings, r->options.out,
            seconds, seconds > 0 ? (double)r->outcome.histories / seconds * 3600 : 0, early, file,
            *file != '\0' ? ": " : "", r->outcome.ended_early && !r->outcome.interrupted ? e->message : "");
    if (r->outcome.begun_at > 0) {
        iso_say(out, "went on from history %" PRIu64 "\n", r->outcome.begun_at);
    }
    if (r->outcome.unreadable > 0) {
        iso_say(out, "files that could not be read, and were skipped: %" PRIu64 "\n", r->outcome.unreadable);
    }
    if (r->outcome.not_repeatable > 0) {
        iso_say(out, "%" PRIu64 " disagreements did not repeat\n", r->outcome.not_repeatable);
    }
    iso_say(out, "%-30s %10s %10s %10s %10s\n", "question", "compared", "satisfied", "violated", "disagreed");
    for (unsigned i = 0; i < r->n_questions; i++) {
        const iso_referee_question *a = &r->questions[i];
        iso_say(out, "%-30s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
                iso_referee_question_text(a, text), a->compared, a->satisfied, a->violated, a->disagreed);
    }
    say_parties(r, out);
    for (unsigned i = 0; i < r->classes.n; i++) {
        const iso_class *c = &r->classes.at[i];
        iso_say(out, "disagreement at %s:", iso_referee_question_text(&r->questions[c->question], text));
        for (unsigned k = 0; k < r->n_parties; k++) {
            char sign = c->signs[k];
            if (sign != '-') {
                iso_say(out, " %s=%s", r->party[k].name,
                        sign == 'S'   ? "satisfied"
                        : sign == 'V' ? "violated"
                        : sign == 'C' ? "crash"
                                      : "unparsable");
            }
        }
        if (c->kind != ISO_A_KINDS) {
            iso_say(out, ", %s", iso_anomaly_get(c->kind)->name);
        }
        if (c->plain_party >= 0) {
            iso_say(out, "; %s told %s as it is", r->party[c->plain_party].name, iso_trait_text[c->plain_trait]);
        }
        iso_say(out, "; seen %" PRIu64 ", reported %" PRIu64 "\n", c->seen, c->reported);
    }
    iso_features_say(r, out);
    iso_referee_silent(r, out);
    if (r->classes.left_out > 0) {
        iso_say(out, "%" PRIu64 " disagreements of further kinds were only counted\n", r->classes.left_out);
    }
}

void iso_referee_json(const iso_referee *r, FILE *out) {
    char text[64];
    iso_json j = {.out = out};
    iso_json_open(&j, NULL, '{');
    iso_json_count(&j, "histories", r->outcome.histories);
    iso_json_count(&j, "comparisons", r->outcome.comparisons);
    iso_json_count(&j, "disagreements", r->outcome.disagreements);
    iso_json_count(&j, "reports", r->outcome.findings);
    iso_json_count(&j, "not_repeatable", r->outcome.not_repeatable);
    iso_json_count(&j, "unreadable", r->outcome.unreadable);
    iso_json_count(&j, "next", r->outcome.next);
    iso_json_flag(&j, "ended_early", r->outcome.ended_early);
    iso_json_real(&j, "seconds", (double)(iso_now() - r->outcome.since) / 1e9);
    iso_json_text(&j, "out", r->options.out);
    iso_json_open(&j, "questions", '[');
    for (unsigned i = 0; i < r->n_questions; i++) {
        iso_json_open(&j, NULL, '{');
        iso_json_text(&j, "question", iso_referee_question_text(&r->questions[i], text));
        iso_json_count(&j, "compared", r->questions[i].compared);
        iso_json_count(&j, "satisfied", r->questions[i].satisfied);
        iso_json_count(&j, "violated", r->questions[i].violated);
        iso_json_count(&j, "disagreed", r->questions[i].disagreed);
        iso_json_close(&j, '}');
    }
    iso_json_close(&j, ']');
    iso_json_open(&j, "checkers", '[');
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_tally *t = &r->tally[i];
        const iso_tool *p = r->party[i].tool;
        iso_json_open(&j, NULL, '{');
        iso_json_text(&j, "checker", r->party[i].name);
        iso_json_count(&j, "asked", t->asked);
        iso_json_count(&j, "satisfied", t->satisfied);
        iso_json_count(&j, "violated", t->violated);
        iso_json_count(&j, "unknown", t->unknown);
        if (t->n_timed > 0) {
            iso_json_real(&j, "seconds_recorded", t->seconds);
        }
        iso_json_count(&j, "packed", p != NULL ? p->packed : 0);
        iso_json_count(&j, "packs_unlike_members", p != NULL ? p->unlike : 0);
        iso_json_open(&j, "states", '{');
        for (int s = 0; s < ISO_TOOL_STATES; s++) {
            iso_json_count(&j, iso_tool_state_text[s], t->states[s]);
        }
        iso_json_close(&j, '}');
        iso_json_close(&j, '}');
    }
    iso_json_close(&j, ']');
    iso_json_close(&j, '}');
    iso_json_end(&j);
}
