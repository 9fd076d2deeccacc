/* `isolab generate`: makes histories. The options are those of the named generator. */
#include <string.h>

#include "base/print.h"
#include "cli/command.h"
#include "cli/generating.h"
#include "cli/lists.h"
#include "cli/save.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct values {
    iso_generating by;
    const char *output, *to;
    bool lossy;
} values;

static const iso_generator *named(iso_cli *cli, const char *name) {
    const iso_generator *g = name == NULL ? iso_generators[0] : iso_generator_find(name);
    if (g == NULL) {
        char hint[128];
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no generator \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_GENERATORS, NULL, hint));
    }
    return g;
}

/* Returns the generator that is implied: `generate --satisfies A --violates B` needs no name. */
static const char *implied_name(int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "--satisfies", 11) == 0 || strncmp(argv[i], "--violates", 10) == 0) {
            return "separator";
        }
    }
    return NULL;
}

const iso_command *iso_generating_refine(iso_cli *cli, const iso_command *command, int argc, char **argv) {
    const char *word = iso_cli_first_word(argc, argv);
    const iso_generator *g = named(cli, word != NULL ? word : implied_name(argc, argv));
    iso_args *args = ISO_NEW(&cli->pool, iso_args, 1);
    iso_generator_args(g, &cli->pool, args);
    iso_command *c = iso_command_with(cli, command, args);
    size_t size = strlen(g->summary) + strlen(g->name) + 512;
    char *details = iso_alloc(&cli->pool, size, 1);
    snprintf(details, size,
             "The options below are those of the generator \"%s\": %s. Name another one first to see its own; "
             "`isolab list generators` has them all. The same options and seed give the same bytes.",
             g->name, g->summary);
    c->details = details;
    iso_generating *defaults = iso_zalloc(&cli->pool, 1, command->size);
    *defaults = (iso_generating){g, args};
    c->defaults = defaults;
    return c;
}

void iso_generating_named(iso_cli *cli, const iso_generating *by, int n, char **operands) {
    if (n > 0 && named(cli, operands[0]) != by->generator) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "the generator's name comes before its options: %s %s ...", cli->command,
                  operands[0]);
    }
}

static int run_generate(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_generating_named(cli, &v->by, n, operands);
    const iso_format *format = iso_cli_format_for(cli, v->to, v->output);
    iso_builder *b = iso_builder_new(&cli->pool);
    iso_generator_run(v->by.generator, v->by.args, b);
    iso_cli_save(cli, &cli->pool, iso_builder_finish(b), v->output, format, v->lossy);
    return ISOLAB_OK;
}

void iso_list_generators(iso_json *j) {
    for (size_t i = 0; iso_generators[i] != NULL; i++) {
        const iso_generator *g = iso_generators[i];
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", g->name);
            iso_json_text(j, "summary", g->summary);
            iso_json_text(j, "paper", g->paper);
            iso_json_open(j, "options", '[');
            iso_list_options(j, "--", g->options);
            iso_list_options(j, "--", g->common);
            iso_json_close(j, ']');
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-14s %s%s%s\n", g->name, g->summary, g->paper != NULL ? "; from " : "",
                g->paper != NULL ? g->paper : "");
        iso_list_options(NULL, "--", g->options);
        if (g->common == iso_store_options) {
            iso_say(stdout, "%15sand those of the simulated store\n", "");
        }
    }
    if (j == NULL) {
        iso_say(stdout, "\nThe simulated store:\n");
        iso_list_options(NULL, "--", iso_store_options);
    }
}

void iso_list_bugs(iso_json *j) {
    for (size_t i = 0; iso_bugs[i].name != NULL; i++) {
        const iso_bug *b = &iso_bugs[i];
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", b->name);
            iso_json_text(j, "workload", b->lists ? "lists" : "registers");
            iso_json_text(j, "meaning", b->meaning);
            iso_json_text(j, "keeps", b->keeps);
            iso_json_text(j, "breaks", b->breaks);
            iso_json_text(j, "anomaly", b->anomaly);
            iso_json_text(j, "script", b->script);
            iso_json_close(j, '}');
            continue;
        }
        if (b->lists && (i == 0 || !iso_bugs[i - 1].lists)) {
            iso_say(stdout, "\nOn workloads of lists:\n");
        }
        iso_say(stdout, "%-20s %s\n%21sbreaks %s, keeps %s; %s\n", b->name, b->meaning, "", b->breaks, b->keeps,
                b->script);
    }
}

const iso_command iso_command_generate = {
    .summary = "makes histories: random ones, workloads, a simulated store with optional bugs",
    .operands = "[GENERATOR]",
    .least = 0,
    .most = 1,
    .of = ISO_OF_GENERATORS,
    .size = sizeof(values),
    .details = "Each generator has its own options: `isolab generate GENERATOR --help` and `isolab list generators` "
               "tell them.",
    .options =
        (const iso_option[]){{ISO_TEXT("output", NULL, "write to this file instead of standard output"), .letter = 'o',
                              .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
                             {ISO_TEXT("to", NULL, "write this format (default: by FILE's extension)"),
                              .of = ISO_OF_FORMATS, ISO_TO(values, to)},
                             {ISO_FLAG("lossy", "no", "leave out what the format cannot hold"), ISO_TO(values, lossy)},
                             ISO_END},
    .examples = "isolab generate --sessions 4 --txns 20 --level si --seed 7\n"
                "isolab generate random --txns 1M --sessions 50 --keys 10k --level cc -o big.plume --to plume\n"
                "isolab generate --level ser --bug write-skew --bug-rate 0.05 -o broken.jsonl\n"
                "isolab generate separator --satisfies pc --violates si",
    .run = run_generate,
    .refine = iso_generating_refine,
};
