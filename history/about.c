/* See about.h. */
#include "history/about.h"

#include <string.h>

void iso_history_about(isolab_history *h, const char *line, size_t n) {
    bool fine = n > 0 && n <= ISO_ABOUT_MOST;
    for (size_t i = 0; i < n && fine; i++) {
        fine = (unsigned char)line[i] >= ' ' && line[i] != 0x7f;
    }
    if (!fine) {
        return;
    }
    char *about = iso_alloc(h->pool, n + 1, 1);
    memcpy(about, line, n);
    about[n] = '\0';
    h->about = about;
}

bool iso_about_next(const char **line, iso_about *pair) {
    const char *at = *line;
    if (at == NULL) {
        return false;
    }
    at += strspn(at, " ;");
    const char *end = strstr(at, "; ");
    end = end == NULL ? at + strlen(at) : end;
    *line = end;
    if (at == end) {
        return false;
    }
    size_t n = strcspn(at, " ;");
    const char *value = at + n;
    value += value < end;
    *pair = (iso_about){at, value, n, (size_t)(end - value), false};
    size_t digits = strspn(value, "0123456789");
    pair->number = digits > 0 && digits <= 18 && digits == pair->value_size && (value[0] != '0' || digits == 1);
    return true;
}
