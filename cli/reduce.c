/* `isolab reduce`: turns other problems into histories, and answers back. The options are those of the named
 * reduction. */
#include <string.h>

#include "base/print.h"
#include "certificates/certificate.h"
#include "cli/command.h"
#include "cli/lists.h"
#include "cli/output.h"
#include "cli/save.h"
#include "reductions/reduction.h"

typedef struct values {
    const iso_reduction *chosen;
    iso_args *args; /* its options */
    const char *output, *to, *map, *certificate, *checker;
    bool explain, lossy;
} values;

static const iso_reduction *named(iso_cli *cli, const char *name) {
    const iso_reduction *r = name == NULL ? NULL : iso_reduction_find(name);
    if (r == NULL) {
        char hint[128];
        if (name == NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE,
                      "expected a reduction, before its options; `isolab list reductions` has them");
        }
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no reduction \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_REDUCTIONS, NULL, hint));
    }
    return r;
}

static const iso_command *refine(iso_cli *cli, const iso_command *command, int argc, char **argv) {
    const char *word = iso_cli_first_word(argc, argv);
    if (word == NULL && (cli->help || argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        return command;
    }
    const iso_reduction *r = named(cli, word);
    iso_args *args = ISO_NEW(&cli->pool, iso_args, 1);
    iso_reduction_args(r, &cli->pool, args);
    iso_command *c = iso_command_with(cli, command, args);
    size_t size = strlen(r->summary) + strlen(r->name) + 256;
    char *details = iso_alloc(&cli->pool, size, 1);
    snprintf(details, size, "The first options below are those of the reduction \"%s\": %s.", r->name, r->summary);
    c->details = details;
    values *defaults = ISO_ZNEW(&cli->pool, values, 1);
    defaults->chosen = r;
    defaults->args = args;
    c->defaults = defaults;
    return c;
}

static void write_map(iso_cli *cli, const iso_reduce *reduce, const iso_reduction *r, const isolab_history *h,
                      const char *path) {
    FILE *out = iso_output_open(&cli->env, path);
    r->map(reduce, h, out);
    iso_output_close(&cli->env, out);
}

static void write_certificate(iso_cli *cli, iso_reduce *reduce, const iso_reduction *r, const isolab_history *h,
                              const char *path) {
    iso_result result;
    iso_result_init(&result, &cli->pool);
    iso_question question = {.level = reduce->level};
    if (r->certify == NULL || !r->certify(reduce, h, &result) ||
        !iso_certificate_save(&cli->pool, h, &question, &result, ISO_NONE, path)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "this answer needs a search: use isolab check --certificate");
    }
}

/* The operands after the reduction's name are the words of its graph. */
static void take_graph(iso_cli *cli, iso_args *args, int n, char **operands) {
    if (n <= 1) {
        return;
    }
    if (iso_args_find(args, "graph") == NULL || iso_arg_given(args, "graph")) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "one operand too many: \"%s\"", operands[1]);
    }
    size_t size = 1;
    for (int i = 1; i < n; i++) {
        size += strlen(operands[i]) + 1;
    }
    char *text = iso_alloc(&cli->pool, size, 1), *at = text;
    for (int i = 1; i < n; i++) {
        at = stpcpy(stpcpy(at, operands[i]), i + 1 < n ? " " : "");
    }
    iso_args_set(args, "graph", text);
}

static int run_reduce(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    const iso_reduction *r = v->chosen;
    if (r == NULL || (n > 0 && strcmp(operands[0], r->name) != 0)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "the reduction's name comes before its options");
    }
    take_graph(cli, v->args, n, operands);
    iso_reduce reduce = {.args = v->args, .pool = &cli->pool, .checker = v->checker};
    if (r->compute != NULL) {
        static const char *const of_history[] = {"output", "to", "map", "certificate", "explain", "lossy"};
        for (size_t i = 0; i < sizeof of_history / sizeof *of_history; i++) {
            iso_cli_refuse(cli, true, of_history[i],
                           "does not go with this reduction, which makes no history to write");
        }
        return r->compute(&reduce, stdout) ? ISOLAB_OK : ISOLAB_E_INTERNAL;
    }
    bool writes = v->output != NULL || !v->explain;
    iso_cli_refuse(cli, !v->explain, "checker", "needs --explain");
    iso_cli_refuse(cli, !v->explain && v->certificate == NULL, "level", "needs --explain or --certificate");
    iso_cli_refuse(cli, !writes, "to", "with --explain needs --output");
    iso_cli_refuse(cli, !writes, "lossy", "with --explain needs --output");
    const iso_format *format = iso_cli_format_for(cli, v->to, v->output);
    iso_builder *b = iso_builder_new(&cli->item);
    r->build(&reduce, b);
    iso_args_refuse_unread(v->args);
    isolab_history *h = iso_builder_finish(b);
    if (v->map != NULL) {
        write_map(cli, &reduce, r, h, v->map);
    }
    if (v->certificate != NULL) {
        write_certificate(cli, &reduce, r, h, v->certificate);
    }
    if (writes) {
        iso_cli_save(cli, &cli->item, h, v->output, format, v->lossy);
    }
    iso_clear_progress();
    if (v->explain && !r->explain(&reduce, h, stdout)) {
        iso_throw(&cli->env, ISOLAB_E_INTERNAL, "the answers for the problem and for its history differ");
    }
    iso_pool_free(&cli->item);
    return ISOLAB_OK;
}

void iso_list_reductions(iso_json *j) {
    for (size_t i = 0; iso_reductions[i] != NULL; i++) {
        const iso_reduction *r = iso_reductions[i];
        if (j != NULL) {
            iso_json_open(j, NULL, '{');
            iso_json_text(j, "name", r->name);
            iso_json_text(j, "summary", r->summary);
            iso_json_text(j, "paper", r->paper);
            iso_json_open(j, "options", '[');
            iso_list_options(j, "--", r->options);
            iso_json_close(j, ']');
            iso_json_close(j, '}');
            continue;
        }
        iso_say(stdout, "%-14s %s; from %s\n", r->name, r->summary, r->paper);
        iso_list_options(NULL, "--", r->options);
    }
}

const iso_command iso_command_reduce = {
    .summary = "turns other problems into histories, and the answers back",
    .operands = "REDUCTION [GRAPH...]",
    .least = 1,
    .most = -1,
    .of = ISO_OF_REDUCTIONS,
    .size = sizeof(values),
    .details = "Each reduction has its own options: `isolab reduce REDUCTION --help` and `isolab list reductions` "
               "tell them.",
    .options =
        (const iso_option[]){
            {ISO_TEXT("output", NULL, "write the history to this file instead of standard output"), .letter = 'o',
             .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
            {ISO_TEXT("to", NULL, "write this format (default: by FILE's extension)"), .of = ISO_OF_FORMATS,
             ISO_TO(values, to)},
            {ISO_TEXT("map", NULL, "write what each transaction stands for, as JSON lines"), .of = ISO_OF_OUTPUTS,
             ISO_TO(values, map)},
            {ISO_TEXT("certificate", NULL, "write a proof for isolab-verify, made from the problem's own answer"),
             .of = ISO_OF_OUTPUTS, ISO_TO(values, certificate)},
            {ISO_FLAG("explain", "no", "check the history, and translate the answers in both directions"),
             ISO_TO(values, explain)},
            {ISO_TEXT("checker", "auto", "the checker for --explain and for bmm"), .letter = 'c', .argument = "NAME",
             .of = ISO_OF_CHECKERS, .words = "auto", ISO_TO(values, checker)},
            {ISO_FLAG("lossy", "no", "leave out what the format cannot hold"), ISO_TO(values, lossy)},
            ISO_END},
    .examples = "isolab reduce triangle --construction ra2 --graph karate.gml -o karate.jsonl --map map.jsonl\n"
                "isolab reduce triangle andrasfai 200 plant 1 --explain\n"
                "isolab reduce sat --cnf formula.cnf --explain\n"
                "isolab reduce bmm --size 16 --checker awdit",
    .run = run_reduce,
    .refine = refine,
};
