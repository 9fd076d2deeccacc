/* Writing a history where a command's user asked for. See save.h. */
#include "cli/save.h"

#include <string.h>

/* Does the path, without .zst, end in one of the extensions (separated by spaces)? */
static bool has_extension(const char *path, const char *extensions) {
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".zst") == 0) {
        length -= 4;
    }
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
    for (size_t i = 0; path != NULL && iso_formats[i] != NULL; i++) {
        if (iso_formats[i]->write != NULL && has_extension(path, iso_formats[i]->extensions)) {
            return iso_formats[i];
        }
    }
    return iso_format_find("isolab");
}

void iso_cli_save(iso_cli *cli, iso_pool *pool, const isolab_history *h, const char *path,
                  const iso_format *format, bool lossy) {
    if (format->write == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "format %s cannot be written", format->name);
    }
    iso_losses losses = {{0}};
    if (format->survey != NULL) {
        format->survey(h, &losses);
    }
    char text[400] = "";
    size_t used = 0;
    for (int i = 0; i < ISO_LOSS_KINDS; i++) {
        if (losses.count[i] != 0 && used < sizeof text) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu %s", used == 0 ? "" : ", ",
                                     (unsigned long long)losses.count[i], iso_loss_text[i]);
        }
    }
    if (used != 0 && !lossy) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "format %s cannot hold %s: use --lossy, or another format",
                  format->name, text);
    }
    if (used != 0) {
        fprintf(stderr, "isolab: not kept by format %s: %s\n", format->name, text);
    }
    iso_save(pool, h, path == NULL ? "-" : path, format);
}
