/* Writes a history to the place that the user named. See save.h. */
#include "cli/save.h"

#include <string.h>

#include "base/print.h"
#include "formats/packing.h"

/* Returns whether the path, without .gz, .xz or .zst, ends in one of the extensions (separated by spaces). */
static bool has_extension(const char *path, const char *extensions) {
    size_t length = iso_packing_stem(path);
    for (const char *at = extensions; at != NULL && *at != '\0';) {
        size_t n = strcspn(at, " ");
        if (n > 0 && n < length && memcmp(path + length - n, at, n) == 0) {
            return true;
        }
        at += n + (at[n] == ' ');
    }
    return false;
}

const iso_format *iso_cli_format_for(iso_cli *cli, const char *name, const char *path) {
    if (name != NULL) {
        return iso_cli_format(cli, name);
    }
    if (path == NULL || strcmp(path, "-") == 0) {
        return iso_format_find("isolab");
    }
    const iso_format *found = NULL;
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        const iso_format *f = iso_formats[i];
        if (f->write == NULL || !has_extension(path, f->extensions)) {
            continue;
        }
        if (found != NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE,
                      "%s could be of format %s, %s or another: say which with --to, such as --to isolab", path,
                      found->name, f->name);
        }
        found = f;
    }
    if (found == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "the name %s tells no format: say which with --to", path);
    }
    return found;
}

void iso_cli_save(iso_cli *cli, iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format,
                  bool lossy) {
    if (format->write == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "format %s cannot be written", format->name);
    }
    iso_clear_progress();
    iso_losses losses;
    char text[400];
    bool lost = iso_survey(h, format, &losses) > 0;
    iso_loss_report(&losses, text, sizeof text);
    if (lost && !lossy) {
        iso_throw(&cli->env, ISOLAB_E_INPUT, "format %s cannot hold %s: use --lossy, or another format", format->name,
                  text);
    }
    if (path != NULL && strcmp(path, "-") != 0) {
        iso_progress(&cli->env, "writing", 0, 0);
    }
    iso_save(pool, h, path == NULL ? "-" : path, format);
    iso_clear_progress();
    if (lost) {
        iso_say(stderr, "isolab: not kept by format %s: %s\n", format->name, text);
    }
}
