/* `isolab convert`: from one format to another. */
#include "cli/load.h"
#include "cli/save.h"

typedef struct values {
    iso_cli_reading reading;
    const char *to;
    bool lossy;
} values;

static int run(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    const char *target = n > 1 ? operands[1] : "-";
    const iso_format *to = iso_cli_format_for(cli, v->to, target);
    const isolab_history *h = iso_cli_load(cli, &cli->pool, operands[0], &v->reading);
    iso_clear_progress();
    iso_cli_tell_initial(cli, h, operands[0], &v->reading);
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
    .options = (const iso_option[]){{ISO_TEXT("to", NULL, "write this format (default: by TO's extension)"),
                                     .of = ISO_OF_FORMATS, ISO_TO(values, to)},
                                    ISO_READING_OPTIONS(values, reading),
                                    {ISO_FLAG("lossy", "no", "leave out what the format cannot hold, and report it"),
                                     ISO_TO(values, lossy)},
                                    ISO_END},
    .details = "FROM and TO may be `-`. If TO is missing, it is `-`, in isolab text unless --to is given. A "
               "TO that ends in .zst is compressed. If the format of TO cannot hold everything, that is an error with "
               "counts (exit "
               "status 65, nothing is written), unless --lossy is given. TO appears only when it is complete.",
    .examples = "isolab convert history.plume history.jsonl\n"
                "isolab convert --to ilb big.plume big.ilb\n"
                "isolab convert --to test --lossy run.edn run.txt\n"
                "zcat old.gz | isolab convert - new.jsonl.zst",
    .run = run,
};
