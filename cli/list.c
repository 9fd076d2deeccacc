/* `isolab list`: the tables. */
#include <string.h>

#include "base/json.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/lists.h"
#include "reductions/family.h"
#include "reductions/transform.h"

typedef struct values {
    bool json;
} values;

static void level_names(char *buffer, size_t size, iso_levels levels) {
    size_t used = 0;
    buffer[0] = '\0';
    for (int l = 0; l < iso_n_levels && used < size; l++) {
        if (levels & ISO_LEVEL_BIT(l)) {
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used == 0 ? "" : " ",
                                     iso_level_get((iso_level)l)->name);
        }
    }
}

/* Prints the words of a text as a JSON array. */
static void words(iso_json *j, const char *name, const char *text) {
    iso_json_open(j, name, '[');
    while (*text != '\0') {
        char word[64];
        size_t n = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        iso_json_text(j, NULL, word);
        text += n + (text[n] == ' ');
    }
    iso_json_close(j, ']');
}

void iso_list_options(iso_json *j, const char *before, const iso_option *table) {
    for (const iso_option *o = table; o != NULL && o->name != NULL; o++) {
        char takes[256], note[256];
        iso_option_values(o, takes, sizeof takes);
        if (j == NULL) {
            iso_option_note(o, false, note, sizeof note);
            iso_say(stdout, "%15s%s%s%s%s  %s%s\n", "", before, o->name, takes[0] != '\0' ? "=" : "", takes, o->help,
                    note);
            continue;
        }
        iso_json_open(j, NULL, '{');
        iso_json_text(j, "name", o->name);
        iso_json_text(j, "values", takes);
        iso_json_text(j, "default", o->initial);
        if (o->words != NULL) {
            words(j, "words", o->words);
        }
        iso_json_text(j, "help", o->help);
        iso_json_close(j, '}');
    }
}

static const struct {
    unsigned bit;
    const char *name;
} abilities[] = {
    {ISO_CAN_DUPLICATES, "duplicates"},
    {ISO_CAN_NEGATIONS, "negations"},
    {ISO_CAN_LISTS, "lists"},
    {ISO_CAN_NO_SESSIONS, "no-session-order"},
    {ISO_CAN_ALL, "all"},
    {ISO_CAN_COUNT, "count"},
    {ISO_CAN_THREADS, "threads"},
    {ISO_CAN_PATTERNS, "patterns"},
    {ISO_CAN_FORMULA, "dimacs"},
};

static void list_checkers(iso_json *j) {
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        char levels[256], can[256] = "", preferred[256];
        size_t used = 0;
        level_names(levels, sizeof levels, iso_checker_levels(c));
        level_names(preferred, sizeof preferred, c->preferred);
        for (size_t a = 0; a < sizeof abilities / sizeof *abilities; a++) {
            if (c->can & abilities[a].bit) {
                used +=
                    (size_t)snprintf(can + used, sizeof can - used, "%s%s", used == 0 ? "" : " ", abilities[a].name);
            }
        }
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", c->name);
            iso_json_text(j, "summary", c->summary);
            words(j, "levels", levels);
            words(j, "preferred", preferred);
            words(j, "can", can);
            iso_json_text(j, "complexity", c->complexity);
            iso_json_text(j, "paper", c->paper);
            iso_json_count(j, "most_transactions", c->most_txns);
            iso_json_open(j, "options", '[');
            iso_list_options(j, "", c->options);
            iso_json_close(j, ']');
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-14s %s\n%15slevels: %s\n", c->name, c->summary, "", levels);
        if (can[0] != '\0') {
            iso_say(stdout, "%15scan: %s\n", "", can);
        }
        iso_say(stdout, "%15scost: %s", "", c->complexity != NULL ? c->complexity : "not stated");
        if (c->most_txns != 0) {
            iso_say(stdout, " (at most %u transactions)", c->most_txns);
        }
        if (c->paper != NULL) {
            iso_say(stdout, "; from %s", c->paper);
        }
        iso_say(stdout, "\n");
        iso_list_options(NULL, "--option ", c->options);
    }
}

static void list_levels(iso_json *j) {
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_level_info *info = iso_level_get((iso_level)l);
        char implied[256];
        level_names(implied, sizeof implied, iso_level_and_weaker(l) & ~ISO_LEVEL_BIT(l));
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", info->name);
            iso_json_text(j, "title", info->title);
            words(j, "aliases", info->aliases);
            iso_json_text(j, "meaning", info->meaning);
            words(j, "implies", implied);
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-9s %s: %s\n%10salso called: %s\n", info->name, info->title, info->meaning, "",
                info->aliases);
        if (implied[0] != '\0') {
            iso_say(stdout, "%10simplies: %s\n", "", implied);
        }
    }
}

static void list_formats(iso_json *j) {
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        const iso_format *f = iso_formats[i];
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", f->name);
            iso_json_text(j, "summary", f->summary);
            words(j, "extensions", f->extensions != NULL ? f->extensions : "");
            iso_json_flag(j, "writes", f->write != NULL);
            iso_json_flag(j, "binary", (f->flags & ISO_FORMAT_BINARY) != 0);
            iso_json_flag(j, "folder", (f->flags & ISO_FORMAT_FOLDER) != 0);
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-16s %s%s%s\n", f->name, f->summary, f->write == NULL ? " (read only)" : "",
                f->flags & ISO_FORMAT_FOLDER ? " (a folder)" : "");
    }
}

/* Lists the 14 patterns of Plume, whose letters --patterns takes. */
static void list_patterns(iso_json *j) {
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)kind);
        if (info->plume == NULL) {
            continue;
        }
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", info->plume);
            iso_json_text(j, "anomaly", info->name);
            iso_json_text(j, "adya", info->adya);
            iso_json_text(j, "meaning", info->meaning);
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-7s %s%s%s%s: %s\n", info->plume, info->name, info->adya != NULL ? " (Adya " : "",
                info->adya != NULL ? info->adya : "", info->adya != NULL ? ")" : "", info->meaning);
    }
}

/* Lists the names of anomalies, and the weakest level that forbids each by itself. */
static void list_anomalies(iso_json *j) {
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)kind);
        const char *breaks = info->breaks == ISO_NO_LEVEL ? NULL : iso_level_get(info->breaks)->name;
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", info->name);
            iso_json_text(j, "breaks", breaks);
            iso_json_text(j, "plume", info->plume);
            iso_json_text(j, "adya", info->adya);
            iso_json_text(j, "elle", info->elle);
            iso_json_text(j, "meaning", info->meaning);
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-33s breaks %-5s %s\n", info->name, breaks != NULL ? breaks : "any", info->meaning);
    }
}

static void list_graphs(iso_json *j) {
    for (const iso_family *f = iso_families; f->name != NULL; f++) {
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", f->name);
            words(j, "numbers", f->parameters);
            iso_json_flag(j, "random", f->random);
            iso_json_text(j, "summary", f->summary);
            iso_json_close(j, '}');
        } else {
            iso_say(stdout, "%-16s %-13s %s\n", f->name, f->parameters, f->summary);
        }
    }
    if (j == NULL) {
        iso_say(stdout, "\nAfter a family or a file: plant K, addedges K, removetriangles, sample N, save FILE.\n");
    }
}

static void list_transformations(iso_json *j) {
    for (const iso_transform *t = iso_transforms; t->name != NULL; t++) {
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", t->name);
            if (t->number == ISO_NO_NUMBER) {
                iso_json_text(j, "number", NULL);
            } else {
                iso_json_count(j, "number", t->number);
            }
            iso_json_text(j, "keeps", t->keeps);
            iso_json_text(j, "summary", t->summary);
            iso_json_close(j, '}');
        } else {
            iso_say(stdout, "%-9s %s\n%10skeeps the answer at %s\n", t->name, t->summary, "", t->keeps);
        }
    }
}

#define TOPICS "checkers levels formats patterns anomalies generators bugs reductions graphs transformations databases"

/* The topics. Each topic is one line here. */
static const struct {
    const char *name;
    void (*list)(iso_json *j); /* NULL: print for people */
} topics[] = {
    {"checkers", list_checkers},
    {"levels", list_levels},
    {"formats", list_formats},
    {"patterns", list_patterns},
    {"anomalies", list_anomalies},
    {"generators", iso_list_generators},
    {"databases", iso_list_databases},
    {"bugs", iso_list_bugs},
    {"reductions", iso_list_reductions},
    {"graphs", list_graphs},
    {"transformations", list_transformations},
};

static int run_list(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    (void)n;
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, operands[0]) == 0) {
            iso_json j = {.out = stdout};
            if (v->json) {
                iso_json_open(&j, NULL, '[');
            }
            topics[i].list(v->json ? &j : NULL);
            if (v->json) {
                iso_json_close(&j, ']');
                iso_json_end(&j);
            }
            return ISOLAB_OK;
        }
    }
    char hint[128];
    iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no list of \"%s\"%s; there are: %s", operands[0],
              iso_did_you_mean(operands[0], ISO_OF_WORDS, TOPICS, hint), TOPICS);
}

const iso_command iso_command_list = {
    .summary = "lists the checkers, levels, formats, patterns, anomalies, generators, bugs, reductions, "
               "graphs, transformations or databases",
    .operands =
        "checkers|levels|formats|patterns|anomalies|generators|bugs|reductions|graphs|transformations|databases",
    .least = 1,
    .most = 1,
    .of = ISO_OF_WORDS,
    .words = TOPICS,
    .size = sizeof(values),
    .options = (const iso_option[]){{ISO_FLAG("json", "no", "print one JSON array"), ISO_TO(values, json)}, ISO_END},
    .examples = "isolab list checkers\nisolab list levels --json",
    .run = run_list,
};
