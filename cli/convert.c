/* `isolab convert`: from one format to another. */
#include <string.h>

#include "base/print.h"
#include "cli/load.h"
#include "cli/save.h"
#include "reductions/transform.h"

typedef struct values {
    iso_cli_reading reading;
    const char *to, *transform;
    uint64_t seed;
    bool lossy;
} values;

/* Says which answers stay the same. */
static const isolab_history *transformed(iso_cli *cli, const values *v, const isolab_history *h) {
    iso_levels kept;
    isolab_history *made = iso_transform_all(&cli->pool, h, v->transform, v->seed, &kept);
    iso_clear_progress();
    iso_say(stderr, "isolab: transformed by %s; the answer stays the same at", v->transform);
    unsigned n = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        n += kept >> l & 1;
    }
    if (n == (unsigned)iso_n_levels) {
        iso_say(stderr, " every level");
    }
    for (int l = 0; l < iso_n_levels && n < (unsigned)iso_n_levels; l++) {
        if (kept & ISO_LEVEL_BIT(l)) {
            iso_say(stderr, " %s", iso_level_get((iso_level)l)->name);
        }
    }
    iso_say(stderr, "%s\n", n == 0 ? " no level" : "");
    return made;
}

static int run_convert(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    const char *target = n > 1 ? operands[1] : "-";
    const iso_format *to = iso_cli_format_for(cli, v->to, target);
    const isolab_history *h = iso_cli_load(cli, &cli->pool, operands[0], &v->reading);
    iso_clear_progress();
    iso_cli_tell_initial(cli, h, operands[0], &v->reading);
    iso_cli_refuse(cli, v->transform == NULL, "seed", "needs --transform");
    if (v->transform != NULL) {
        h = transformed(cli, v, h);
    }
    iso_cli_save(cli, &cli->pool, h, target, to, v->lossy);
    return ISOLAB_OK;
}

const iso_command iso_command_convert = {
    .summary = "writes a history in another format",
    .operands = "FROM [TO]",
    .least = 1,
    .most = 2,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_TEXT("to", NULL, "write this format (default: by TO's extension)"), .of = ISO_OF_FORMATS,
             ISO_TO(values, to)},
            ISO_READING_OPTIONS(values, reading),
            {ISO_FLAG("lossy", "no", "leave out what the format cannot hold, and report it"), ISO_TO(values, lossy)},
            {ISO_LIST("transform", NULL,
                      "change the history in ways that keep its answer: "
                      "shuffle, relabel, repeat, pad=N, split=N, merge=N"),
             .letter = 'T', ISO_TO(values, transform)},
            {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of the transformations"), ISO_TO(values, seed)},
            ISO_END},
    .details =
        "FROM and TO may be `-`. If TO is missing, it is `-`, in isolab text unless --to is given. A TO "
        "that ends in .gz, .xz or .zst is compressed. If the format of TO cannot hold everything, that is an error "
        "with counts (exit status 65, nothing is written), unless --lossy is given. TO appears only "
        "when it is complete.",
    .examples = "isolab convert history.plume history.jsonl\n"
                "isolab convert --to ilb big.plume big.ilb\n"
                "isolab convert --to test --lossy run.edn run.txt\n"
                "isolab convert -T shuffle -T pad=1000 --seed 7 history.jsonl another.jsonl\n"
                "isolab convert old.jsonl.gz new.ilb.zst",
    .run = run_convert,
};
