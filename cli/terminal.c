/* See terminal.h. */
#define _GNU_SOURCE
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/wrap.h"

/* Returns whether text is UTF-8, as the locale says; unset: the answer for no locale. */
static bool is_utf8(bool unset) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (int i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++) {
        locale = getenv(names[i]);
    }
    if (locale == NULL || locale[0] == '\0') {
        return unset;
    }
    return strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
}

iso_drawing iso_terminal_drawing(void) {
    bool window = isatty(STDOUT_FILENO);
    iso_drawing how = {.columns = iso_window_columns(80), .ascii = !is_utf8(!window)};
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool dumb = term == NULL || strcmp(term, "dumb") == 0;
    how.ascii |= window && dumb;
    how.colour = window && !dumb && (no_colour == NULL || no_colour[0] == '\0');
    return how;
}

bool iso_terminal_next(void) {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        return true;
    }
    fflush(stdout);
    int c = getchar(), first = c;
    while (c != '\n' && c != EOF) {
        c = getchar();
    }
    return c != EOF && first != 'q';
}
