/* The referee's summary. See referee.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/print.h"
#include "experiments/referee/referee.h"

bool iso_referee_silent(const iso_referee *r, FILE *out) {
    bool silent = r->comparisons == 0;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        if (p->checker == NULL && p->satisfied + p->violated == 0) {
            silent = true;
            if (out != NULL) {
                iso_say(out, "nothing was compared with %s: it gave no verdict\n", p->name);
            }
        }
    }
    if (r->comparisons == 0 && out != NULL) {
        iso_say(out, "nothing was compared: no history had two verdicts\n");
    }
    return silent;
}

static void say_parties(const iso_referee *r, FILE *out) {
    iso_say(out, "%-30s %10s %10s %10s %10s  %s\n", "checker", "asked", "satisfied", "violated", "unknown", "else");
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        iso_say(out, "%-30s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " ", p->name, p->asked, p->satisfied,
                p->violated, p->unknown);
        for (int s = ISO_TOOL_OK + 1; s < ISO_TOOL_STATES; s++) {
            if (p->states[s] > 0 && s != ISO_TOOL_UNSUPPORTED) {
                iso_say(out, " %" PRIu64 " %s", p->states[s], iso_tool_state_text[s]);
            }
        }
        if (p->n_timed > 0) {
            iso_say(out, " %.4g s recorded for %" PRIu64 " of them", p->seconds, p->n_timed);
        }
        if (p->packed > 0) {
            iso_say(out, " %" PRIu64 " in packs", p->packed);
        }
        if (p->unlike > 0) {
            iso_say(out, " %" PRIu64 " packs answered unlike their members", p->unlike);
        }
        iso_say(out, "\n");
    }
}

void iso_referee_summary(const iso_referee *r, FILE *out) {
    char text[64];
    double seconds = (double)(iso_now() - r->since) / 1e9;
    const isolab_error *e = &r->env->error;
    const char *early = !r->ended_early ? "" : r->interrupted ? "; interrupted" : "; ended early: ";
    const char *file = !r->ended_early || r->interrupted ? "" : e->file;
    iso_say(out,
            "%" PRIu64 " histories, %" PRIu64 " comparisons, %" PRIu64 " disagreements, %" PRIu64
            " reports in %s (%.3g s, %.3g histories an hour)%s%s%s%s\n",
            r->histories, r->comparisons, r->disagreements, r->findings, r->out, seconds,
            seconds > 0 ? (double)r->histories / seconds * 3600 : 0, early, file, *file != '\0' ? ": " : "",
            r->ended_early && !r->interrupted ? e->message : "");
    if (r->begun_at > 0) {
        iso_say(out, "went on from history %" PRIu64 "\n", r->begun_at);
    }
    if (r->unreadable > 0) {
        iso_say(out, "files that could not be read, and were skipped: %" PRIu64 "\n", r->unreadable);
    }
    if (r->not_repeatable > 0) {
        iso_say(out, "%" PRIu64 " disagreements did not repeat\n", r->not_repeatable);
    }
    iso_say(out, "%-30s %10s %10s %10s %10s\n", "question", "compared", "satisfied", "violated", "disagreed");
    for (unsigned i = 0; i < r->n_questions; i++) {
        const iso_referee_question *a = &r->questions[i];
        iso_say(out, "%-30s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
                iso_referee_question_text(a, text), a->compared, a->satisfied, a->violated, a->disagreed);
    }
    say_parties(r, out);
    for (unsigned i = 0; i < r->n_classes; i++) {
        const iso_class *c = &r->class[i];
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
    if (r->classes_left_out > 0) {
        iso_say(out, "%" PRIu64 " disagreements of further kinds were only counted\n", r->classes_left_out);
    }
}
