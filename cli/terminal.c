/* See terminal.h. */
#define _GNU_SOURCE
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Returns whether the locale says that text is UTF-8; on standard output that is no terminal it does not matter. */
static bool is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (int i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++) {
        locale = getenv(names[i]);
    }
    return locale != NULL && (strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL);
}

iso_drawing iso_terminal_drawing(void) {
    iso_drawing how = {.columns = 80};
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool dumb = term == NULL || strcmp(term, "dumb") == 0;
    struct winsize size;
    if (!isatty(STDOUT_FILENO)) {
        return how;
    }
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
        how.columns = size.ws_col;
    }
    how.ascii = dumb || !is_utf8();
    how.colour = !dumb && (no_colour == NULL || no_colour[0] == '\0');
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
