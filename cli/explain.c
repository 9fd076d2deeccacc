/* `isolab explain`: explains an anomaly by the smallest history that shows it (explain/gallery.h). brute determines the
 * levels that forbid it, in each call. */
#include <string.h>

#include "base/print.h"
#include "base/wrap.h"
#include "checkers/ladder.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "explain/draw.h"
#include "explain/gallery.h"
#include "explain/picture.h"
#include "explain/story.h"

typedef struct values {
    bool json, history, mini, step;
} values;

static const isolab_history *parse(iso_pool *pool, const char *text) {
    return iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
}

/* Returns the levels that a history of the gallery violates, by the definitions. */
static iso_levels violated_levels(iso_pool *pool, const isolab_history *h) {
    iso_levels violated = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        iso_result r;
        iso_result_init(&r, pool);
        iso_check(iso_checker_find("brute"), h, &(const iso_question){.level = (iso_level)l}, &r);
        violated |= r.verdict == ISOLAB_VIOLATED ? ISO_LEVEL_BIT(l) : 0;
    }
    return violated;
}

static const char *mini_text(const iso_specimen *s) { return s->mini == ISO_IS_MINI ? s->history : s->mini; }

static void json_levels(iso_json *j, const char *name, iso_levels levels) {
    iso_json_open(j, name, '[');
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_json_text(j, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(j, ']');
}

static void explain_json(iso_cli *cli, iso_json *j, const iso_specimen *s) {
    const iso_anomaly_info *info = iso_anomaly_get(s->kind);
    iso_levels violated = violated_levels(&cli->item, parse(&cli->item, s->history));
    iso_json_open(j, NULL, '{');
    iso_json_text(j, "name", info->name);
    iso_json_text(j, "meaning", info->meaning);
    iso_json_text(j, "guarantee", info->guarantee);
    iso_json_text(j, "plume", info->plume);
    iso_json_text(j, "adya", info->adya);
    iso_json_text(j, "elle", info->elle != NULL ? info->elle : info->adya);
    iso_json_text(j, "shown_at", iso_level_get(s->level)->name);
    json_levels(j, "breaks", violated);
    json_levels(j, "allowed_by", ISO_ALL_LEVELS & ~violated);
    iso_json_text(j, "history", s->history);
    iso_json_text(j, "mini_transactions", mini_text(s));
    iso_json_close(j, '}');
}

static void say_levels(const char *what, iso_levels levels) {
    iso_say(stdout, "  %-11s", what);
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_say(stdout, " %s", iso_level_get((iso_level)l)->name);
        }
    }
    iso_say(stdout, "%s\n", levels == 0 ? " none" : "");
}

static void say_names(const iso_anomaly_info *info) {
    const char *by[4] = {"session guarantee ", "Plume ", "Adya ", "Elle "};
    const char *known[4] = {info->guarantee, info->plume, info->adya, info->elle}, *gap = "  also called ";
    for (int i = 0; i < 4; i++) {
        if (known[i] != NULL) {
            iso_say(stdout, "%s%s%s", gap, by[i], known[i]);
            gap = ", ";
        }
    }
    if (gap[0] == ',') {
        iso_say(stdout, "\n");
    }
}

static void say_history(const char *title, const char *text) {
    iso_say(stdout, "\n  %s:\n\n", title);
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        iso_say(stdout, "    %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* Tells the proof step by step, each with the picture of its arrow; on a terminal the return key leads to the next
 * one. */
typedef struct stepping {
    iso_picture *picture;
    iso_pool *pool;
    bool enough;
} stepping;

static void show_step(void *arg, unsigned depth, const char *number, const char *sentence) {
    stepping *s = arg;
    iso_drawing how = iso_terminal_drawing();
    if (number[0] == '\0' || s->enough) {
        return;
    }
    s->enough = !iso_terminal_next();
    if (!s->enough) {
        how.only = number;
        iso_say(stdout, "\n    %s%s %s\n\n", number, depth == 0 ? "." : "", sentence);
        iso_picture_draw(&(iso_printer){.out = stdout}, s->pool, s->picture, &how);
    }
}

/* Prints the answer of `check` at the weakest level at which the anomaly has this name, and the picture. */
static void say_answer(iso_cli *cli, const isolab_history *h, const iso_specimen *s, bool step) {
    iso_asker asker;
    iso_asker_init(&asker, &cli->item, h, &(const iso_question){.limit = 1, .threads = 1});
    const iso_answer *a = iso_ask(&asker, s->level);
    iso_say(stdout, "\n  isolab check -l %s says of it:\n\n", iso_level_get(s->level)->name);
    iso_answer_anomalies(stdout, h, a, 1);
    for (uint32_t i = 0; i < a->result.n_anomalies && i < 1; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &cli->env);
        iso_say(stdout, "\n");
        iso_drawing how = iso_terminal_drawing();
        iso_picture *p = iso_picture_make(&pool, h, &a->result, &a->result.anomalies[i]);
        iso_picture_draw(&(iso_printer){.out = stdout}, &pool, p, &how);
        if (step) {
            iso_picture_sentences(p, &a->result, show_step, &(stepping){p, &pool, false});
        }
        iso_pool_free(&pool);
    }
}

static void explain(iso_cli *cli, const iso_specimen *s, bool step) {
    const iso_anomaly_info *info = iso_anomaly_get(s->kind);
    const isolab_history *h = parse(&cli->item, s->history);
    iso_levels violated = violated_levels(&cli->item, h);
    iso_print_width(iso_window_columns(80));
    iso_say(stdout, "%s: %s\n", info->name, info->meaning);
    say_names(info);
    say_levels("breaks", violated);
    say_levels("allowed by", ISO_ALL_LEVELS & ~violated);
    say_history("the smallest history", s->history);
    say_answer(cli, h, s, step);
    if (s->mini == NULL) {
        iso_say(stdout, "\n  mini-transactions do not show it\n");
    } else if (s->mini != ISO_IS_MINI) {
        say_history("the smallest one of mini-transactions", s->mini);
    }
    iso_print_width(0);
}

static void show(iso_cli *cli, const values *v, iso_json *j, const iso_specimen *s) {
    if (v->history || v->mini) {
        const char *text = v->mini ? mini_text(s) : s->history;
        if (text == NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--mini: mini-transactions do not show %s",
                      iso_anomaly_get(s->kind)->name);
        }
        iso_say(stdout, "# %s\n", iso_anomaly_get(s->kind)->name);
        iso_print_lines(&(iso_printer){.out = stdout}, text);
    } else if (v->json) {
        explain_json(cli, j, s);
    } else {
        explain(cli, s, v->step);
    }
    iso_pool_free(&cli->item);
}

/* A verdict without an anomaly has a name, too. Returns whether this is it. */
static bool explain_nameless(iso_cli *cli, const values *v, const char *name) {
    if (!iso_anomaly_is(ISO_A_NO_ORDER, name)) {
        return false;
    }
    const iso_anomaly_info *a = iso_anomaly_get(ISO_A_NO_ORDER);
    if (v->json || v->history || v->mini) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s is no anomaly, and has no smallest history: %s", a->name, a->meaning);
    }
    iso_say(stdout,
            "%s: %s\n  This is no anomaly: it is said of a violated history where no anomaly was found that alone\n"
            "  shows why. The proof, if one is written (isolab check --certificate), is then about all orders.\n",
            a->name, a->meaning);
    return true;
}

static int run_explain(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_json j = {.out = stdout};
    unsigned shown = 0;
    if (v->json) {
        iso_json_open(&j, NULL, '[');
    }
    for (int i = 0; i < n; i++) {
        unsigned before = shown;
        for (int kind = 0; kind < ISO_A_KINDS; kind++) {
            const iso_specimen *s = iso_gallery((iso_anomaly_kind)kind);
            if (s != NULL && (strcmp(operands[i], "all") == 0 || iso_anomaly_is((iso_anomaly_kind)kind, operands[i]))) {
                if (shown++ > 0 && !v->json) {
                    iso_say(stdout, "\n");
                }
                show(cli, v, &j, s);
            }
        }
        if (shown == before && !explain_nameless(cli, v, operands[i])) {
            char hint[128];
            const char *nearest = iso_anomaly_nearest(operands[i]);
            if (nearest != NULL) {
                iso_throw(&cli->env, ISOLAB_E_USAGE, "\"%s\": %s", operands[i], nearest);
            }
            iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no anomaly \"%s\"%s", operands[i],
                      iso_did_you_mean(operands[i], ISO_OF_ANOMALIES, "all", hint));
        }
    }
    if (v->json) {
        iso_json_close(&j, ']');
        iso_json_end(&j);
    }
    return ISOLAB_OK;
}

const iso_command iso_command_explain = {
    .summary = "shows what an anomaly is, by the smallest history that has it",
    .operands = "ANOMALY...|all",
    .least = 1,
    .most = -1,
    .of = ISO_OF_ANOMALIES,
    .words = "all",
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_FLAG("history", "no", "print the history alone, for other commands to read"), ISO_TO(values, history)},
            {ISO_FLAG("mini", "no", "print the history of mini-transactions alone"), ISO_TO(values, mini)},
            {ISO_FLAG("step", "no",
                      "then show the proof step by step; on a terminal the return key shows the next step, and q ends"),
             ISO_TO(values, step)},
            {ISO_FLAG("json", "no", "print one JSON array"), ISO_TO(values, json)},
            ISO_END},
    .needs = (const iso_need[]){{"history", NULL, "mini json"},
                                {"mini", NULL, "json"},
                                {"step", NULL, "json history mini"},
                                {NULL, NULL, NULL}},
    .details = "An anomaly may be named in any language: the name that `check` prints, Plume's, Adya's, "
               "Elle's, or the session guarantee that it breaks. A name that several share shows all of them.",
    .examples = "isolab explain lost-update\nisolab explain G-single TAP-k\n"
                "isolab explain --history write-skew | isolab check -",
    .run = run_explain,
};
