/* What `isolab check` prints about one history: as text and as JSON (docs/json.md). */
#include <unistd.h>

#include "base/print.h"
#include "base/wrap.h"
#include "cli/check.h"
#include "explain/anomaly_json.h"
#include "explain/story.h"
#include "history/clock.h"
#include "history/initial.h"

uint64_t iso_check_shown(const iso_file_check *f) {
    return !f->v->all ? 1 : f->v->limit != 0 ? f->v->limit : UINT64_MAX;
}

/* For other programs each sentence stays on its line, unless there are drawings among them. */
void iso_check_width(const iso_file_check *f) {
    if (!f->v->json) {
        iso_print_width(iso_window_columns(f->v->draw ? 80 : 0));
    }
}

static void json_head(iso_json *json, const iso_file_check *f) {
    iso_json_open(json, NULL, '{');
    iso_json_count(json, "schema", ISO_JSON_SCHEMA);
    iso_json_text(json, "file", f->path);
    iso_json_text(json, "sha256", f->sha[0] != '\0' ? f->sha : NULL);
    iso_json_text(json, "version", ISOLAB_VERSION);
    if (f->enough != 0) {
        iso_json_count(json, "enough_memory", f->enough);
    }
    if (f->h != NULL) {
        iso_cli_json_read(json, f->h);
    }
}

/* Prints the evidence for all satisfied levels. */
static void json_evidence(iso_json *json, const iso_file_check *f) {
    const iso_evidence *e = &f->asker.evidence;
    if (!f->asker.weighed) {
        return;
    }
    iso_json_open(json, "rests_on", '{');
    iso_json_count(json, "operations", e->operations);
    iso_json_count(json, "reads", e->reads);
    iso_json_count(json, "reads_from_other_sessions", e->reads_elsewhere);
    iso_json_count(json, "keys_with_several_writers", e->shared_keys);
    iso_json_flag(json, "exact", e->all_counted);
    iso_json_count(json, "transactions", e->transactions);
    iso_json_count(json, "transactions_without_times", e->untimed);
    iso_json_count(json, "transactions_with_one_time", e->half_timed);
    iso_json_count(json, "overlapping_pairs", e->overlaps);
    iso_json_flag(json, "overlapping_pairs_exact", e->overlaps_exact);
    iso_json_close(json, '}');
}

/* If a level that real time concerns is asked about: finds times that contradict sessions. */
static iso_clock clock_of(const iso_file_check *f) {
    iso_levels timed = ISO_LEVEL_BIT(ISO_SSER) | ISO_LEVEL_BIT(ISO_LSER);
    bool asked = f->ladder ? (f->levels & timed) != 0 : iso_level_is_timed(f->question.level);
    return asked ? iso_clock_of(f->h) : (iso_clock){0, 0, ISO_NONE, ISO_NONE};
}

static void json_clock(iso_json *json, const iso_file_check *f) {
    iso_clock c = clock_of(f);
    if (c.places > 0) {
        iso_cli_json_clock(json, f->h, &c);
    }
}

static void print_clock(const iso_file_check *f) {
    char text[ISO_CLOCK_SIZE];
    iso_clock c = clock_of(f);
    if (c.places > 0) {
        iso_say(stdout, "  suspect the times: %s\n", iso_clock_text(f->h, &c, text));
    }
}

static void print_suspects(const iso_file_check *f) {
    char text[ISO_SUSPECT_SIZE];
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        if (f->suspects.of[k].places > 0) {
            iso_say(stdout, "  possible recording error: %s: %s\n",
                    iso_suspect_text(f->h, &f->suspects, (iso_suspect_kind)k, text),
                    iso_suspect_advice((iso_suspect_kind)k));
        }
    }
}

static void print_evidence(const iso_file_check *f, const iso_answer *one) {
    char text[512];
    if (one != NULL && one->weight != ISO_UNWEIGHED && one->result.verdict == ISOLAB_SATISFIED) {
        iso_say(stdout, "  evidence of %s: %s\n", iso_level_get(one->level)->name, iso_evidence_of(one->level));
    }
    if (f->asker.weighed) {
        iso_say(stdout, "  rests on %s\n", iso_evidence_text(&f->asker.evidence, text, sizeof text));
    }
}

static void json_answer(iso_json *json, const iso_file_check *f, const iso_answer *a) {
    iso_json_open(json, NULL, '{');
    iso_answer_json(json, f->h, a, iso_check_shown(f), f->load_ns);
    iso_json_close(json, '}');
}

static void json_levels(iso_json *json, const char *name, iso_levels levels) {
    iso_json_open(json, name, '[');
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_json_text(json, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(json, ']');
}

/* Prints the answers, the strongest level first; of several answers about a level, the one that counts first. */
static void json_rungs(iso_json *json, const iso_file_check *f, const iso_ladder *ladder) {
    iso_json_open(json, "ladder", '[');
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (ladder->rung[l] == NULL) {
            continue;
        }
        json_answer(json, f, ladder->rung[l]);
        for (size_t i = 0; i < f->asker.n_answers && f->whom == ISO_WHOM_EVERY; i++) {
            if ((int)f->asker.answers[i].level == l && &f->asker.answers[i] != ladder->rung[l]) {
                json_answer(json, f, &f->asker.answers[i]);
            }
        }
    }
    iso_json_close(json, ']');
}

void iso_check_ladder_json(const iso_file_check *f, const iso_ladder *ladder) {
    iso_json json = {.out = stdout};
    json_head(&json, f);
    iso_json_text(&json, "level", NULL);
    iso_json_text(&json, "verdict", iso_verdict_text(ladder->verdict));
    if (ladder->strongest == 0 && ladder->unknown != 0) {
        iso_json_text(&json, "strongest", NULL);
    } else {
        json_levels(&json, "strongest", ladder->strongest);
    }
    json_levels(&json, "unknown", ladder->unknown);
    json_levels(&json, "broken_first", ladder->broken_first);
    json_evidence(&json, f);
    json_clock(&json, f);
    iso_cli_json_suspects(&json, f->h, &f->suspects);
    if (f->whom == ISO_WHOM_EVERY) {
        iso_json_flag(&json, "agree", !f->asker.disagree);
    }
    iso_json_count(&json, "peak_memory", atomic_load(&f->cli->env.limits->peak));
    json_rungs(&json, f, ladder);
    iso_json_close(&json, '}');
    iso_json_end(&json);
}

/* With -c all: prints the level, and the checkers that gave the same answer. */
static void print_agreement(const iso_file_check *f, const iso_answer *counts) {
    const iso_level_info *level = iso_level_get(counts->level);
    iso_say(stdout, "%s %s (%s)", iso_verdict_text(counts->result.verdict), level->name, level->title);
    const char *before = ": ";
    for (size_t i = 0; i < f->asker.n_answers; i++) {
        const iso_answer *a = &f->asker.answers[i];
        if (a->level == counts->level && a->checker != NULL && a->result.verdict == counts->result.verdict) {
            iso_say(stdout, "%s%s", before, a->checker->name);
            before = ", ";
        }
    }
    iso_answer_evidence(stdout, counts);
    iso_say(stdout, "\n");
}

static void print_levels(const iso_file_check *f, const char *before, iso_levels levels) {
    if (levels != 0) {
        iso_say(stdout, "%s%s", before, iso_level_names(&f->cli->item, levels));
    }
}

/* Prints whether the promise of the database is kept. If it is not, or a mistake of the test is suspected, or a person
 * reads that a level is violated: prints where to look before the database is blamed. */
static void print_promise(const iso_file_check *f, const iso_answer *const rung[ISO_MOST_LEVELS]) {
    iso_promise p = iso_promise_of(f->h, rung);
    p.verdict = f->question.no_session_order ? ISOLAB_UNKNOWN : p.verdict; /* which the promise does not mean */
    if (p.verdict != ISOLAB_UNKNOWN) {
        iso_say(stdout, "  promised %s (%s at %s): %s\n", iso_level_get(p.level)->name, p.database, p.configured,
                p.text);
    }
    if (f->status == ISOLAB_VIOLATED && (p.verdict == ISOLAB_VIOLATED || f->suspects.n > 0 || isatty(STDOUT_FILENO))) {
        iso_say(stdout, "  is it the test or the database? docs/record.md lists what to look at first\n");
    }
}

/* Prints the strongest of the levels that were asked about, and the unknown ones, which may be stronger. */
static void print_strongest(const iso_file_check *f, const iso_ladder *ladder) {
    iso_levels not_asked = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        not_asked |= ladder->rung[l] != NULL && ladder->rung[l]->not_asked != ISO_ASKED ? ISO_LEVEL_BIT(l) : 0;
    }
    not_asked &= ladder->unknown;
    iso_say(stdout, "  strongest satisfied: ");
    print_levels(f, "", ladder->strongest);
    iso_say(stdout, "%s",
            ladder->strongest != 0        ? ""
            : ladder->unknown != 0        ? "not known"
            : f->levels != ISO_ALL_LEVELS ? "none of those asked"
                                          : "none");
    print_levels(f, "; not asked: ", not_asked);
    print_levels(f, "; no answer: ", ladder->unknown & ~not_asked);
    iso_say(stdout, "\n");
}

/* Prints a line about what reading made of the input. */
static void print_initial(const iso_file_check *f, const char *before) {
    char text[ISO_TAKEN_SIZE];
    if (iso_taken_text(f->h, text)[0] != '\0') {
        iso_say(stdout, "%s%s%s\n", before, before[0] == ' ' ? "" : ": ", text);
    }
}

/* With --brief: prints the weakest anomaly in a sentence, and how to see more. */
static void print_first(const iso_file_check *f, const iso_ladder *ladder) {
    char sentence[ISO_SENTENCE_SIZE];
    const iso_answer *a = f->told != 0 ? ladder->rung[__builtin_ctz(f->told)] : NULL;
    if (a != NULL && a->result.n_anomalies > 0) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)a->result.anomalies[0].kind);
        iso_say(stdout, "  why not %s: %s: %s\n    %s\n", iso_level_get(a->level)->name, info->name, info->meaning,
                iso_word_anomaly(f->h, &a->result, &a->result.anomalies[0], sentence));
        iso_say(stdout, "  more: `isolab explain %s`; without --brief: the reasons, step by step", info->name);
        print_levels(f, ", and why not ", f->told & (f->told - 1));
        iso_say(stdout, "\n");
    }
}

static void print_rung(const iso_file_check *f, const iso_answer *a) {
    isolab_verdict verdict = a->result.verdict;
    const iso_level_info *level = iso_level_get(a->level);
    iso_say(stdout, "  %-3s ",
            verdict == ISOLAB_SATISFIED  ? "yes"
            : verdict == ISOLAB_VIOLATED ? "NO"
            : a->not_asked == ISO_ASKED  ? "?"
                                         : "-");
    if (f->v->brief) {
        iso_say(stdout, " %-8s  %s%s%s\n", level->name, level->title, verdict != ISOLAB_UNKNOWN ? "" : ": ",
                verdict != ISOLAB_UNKNOWN ? "" : a->result.reason);
    } else if (f->whom == ISO_WHOM_EVERY && verdict != ISOLAB_UNKNOWN) {
        print_agreement(f, a);
    } else {
        iso_answer_line(stdout, a);
    }
}

void iso_check_ladder(const iso_file_check *f, const iso_ladder *ladder) {
    iso_say(stdout, "%s\n", f->path);
    print_initial(f, "  ");
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (ladder->rung[l] != NULL) {
            print_rung(f, ladder->rung[l]);
        }
    }
    if (f->ladder) {
        print_strongest(f, ladder);
    }
    if (!f->v->brief) {
        print_evidence(f, NULL);
    }
    print_clock(f);
    print_suspects(f);
    print_promise(f, ladder->rung);
    if (f->v->brief) {
        print_first(f, ladder);
        return;
    }
    for (int l = 0; l < iso_n_levels; l++) {
        if (f->told & ISO_LEVEL_BIT(l)) {
            iso_say(stdout, "  what breaks %s:\n", iso_level_get((iso_level)l)->name);
            iso_answer_anomalies(stdout, f->h, ladder->rung[l], iso_check_shown(f));
        }
    }
}

static void print_one_json(iso_file_check *f, const iso_answer *a) {
    iso_json *json = &f->json;
    if (f->begun) {
        iso_json_close(json, ']');
    } else {
        json_head(json, f);
    }
    iso_answer_json(json, f->h, a, iso_check_shown(f), f->load_ns);
    json_evidence(json, f);
    json_clock(json, f);
    iso_cli_json_suspects(json, f->h, &f->suspects);
    iso_json_text(json, "certificate", f->certified ? f->v->certificate : NULL);
    if (f->whom == ISO_WHOM_EVERY) {
        iso_json_flag(json, "agree", !f->asker.disagree);
        iso_json_open(json, "answers", '[');
        for (size_t i = 0; i < f->asker.n_answers; i++) {
            json_answer(json, f, &f->asker.answers[i]);
        }
        iso_json_close(json, ']');
    }
    iso_json_close(json, '}');
    iso_json_end(json);
}

static void begin(iso_file_check *f) {
    f->begun = true;
    iso_clear_progress();
    iso_check_width(f);
    if (f->v->json) {
        json_head(&f->json, f);
        iso_json_open(&f->json, "anomalies", '[');
    } else {
        print_initial(f, f->path);
        iso_say(stdout, "%s: anomalies as they are found\n", f->path);
    }
}

void iso_check_found(void *arg, const iso_result *r) {
    iso_file_check *f = arg;
    if (!f->begun) {
        begin(f);
    }
    if (f->v->json) {
        iso_anomaly_json(&f->json, f->h, r, &r->anomalies[0]);
    } else {
        iso_answer_anomaly(stdout, f->h, r, &r->anomalies[0]);
    }
    if (ferror(stdout)) { /* a full disk: there is no use in more */
        iso_throw(&f->cli->env, ISOLAB_E_LIMIT, "what was found could not be printed");
    }
}

void iso_check_answer(iso_file_check *f, const iso_answer *a) {
    if (f->v->json) {
        print_one_json(f, a);
        return;
    }
    iso_ladder one = {.verdict = a->result.verdict};
    one.rung[a->level] = a;
    if (f->v->brief) {
        f->told = a->result.verdict == ISOLAB_VIOLATED ? ISO_LEVEL_BIT(a->level) : 0;
        iso_check_ladder(f, &one);
        return;
    }
    if (!f->begun) {
        print_initial(f, f->path);
    }
    for (size_t i = 0; i < f->asker.n_answers; i++) {
        iso_say(stdout, "%s: ", f->path);
        iso_answer_line(stdout, &f->asker.answers[i]);
    }
    print_evidence(f, a);
    print_clock(f);
    print_suspects(f);
    print_promise(f, one.rung);
    iso_answer_anomalies(stdout, f->h, a, iso_check_shown(f));
}

void iso_check_unloaded(const iso_file_check *f, const char *reason, iso_limit limit) {
    const char *level = f->ladder ? NULL : iso_level_get(f->question.level)->name;
    if (!f->v->json) {
        iso_say(stdout, "%s: unknown%s%s: %s\n", f->path, level != NULL ? " " : "", level != NULL ? level : "", reason);
        return;
    }
    iso_json json = {.out = stdout};
    json_head(&json, f);
    iso_json_text(&json, "level", level);
    iso_json_text(&json, "checker", NULL);
    iso_json_text(&json, "verdict", "unknown");
    iso_json_text(&json, "reason", reason);
    iso_json_text(&json, "reason_code", iso_reason_name(iso_reason_of_limit(limit)));
    iso_json_count(&json, "peak_memory", atomic_load(&f->cli->env.limits->peak));
    iso_json_close(&json, '}');
    iso_json_end(&json);
}
