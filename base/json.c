/* Printing JSON. See json.h. */
#include "base/json.h"

#include <math.h>
#include <string.h>

/* Bytes of the UTF-8 character at s, 0 when it is none (overlong forms and surrogates are none). */
static size_t character(const unsigned char *s) {
    if (s[0] < 0x80) {
        return 1;
    }
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
               (s[0] == 0xf4 && s[1] >= 0x90);
    return bad ? 0 : n;
}

static void quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        size_t n = character(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s == '\n') {
            fputs("\\n", out);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(out, "\\u%04x", *s);
        } else {
            fwrite(s, 1, n, out);
        }
        s += n;
    }
    fputc('"', out);
}

static void begin(iso_json *j, const char *name) {
    if (j->comma) {
        fputc(',', j->out);
    }
    j->comma = true;
    if (name != NULL) {
        quoted(j->out, name);
        fputc(':', j->out);
    }
}

void iso_json_open(iso_json *j, const char *name, char bracket) {
    begin(j, name);
    fputc(bracket, j->out);
    j->comma = false;
}

void iso_json_close(iso_json *j, char bracket) {
    fputc(bracket, j->out);
    j->comma = true;
}

void iso_json_text(iso_json *j, const char *name, const char *value) {
    begin(j, name);
    if (value == NULL) {
        fputs("null", j->out);
    } else {
        quoted(j->out, value);
    }
}

void iso_json_count(iso_json *j, const char *name, uint64_t value) {
    begin(j, name);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void iso_json_real(iso_json *j, const char *name, double value) {
    begin(j, name);
    if (isfinite(value)) {
        fprintf(j->out, "%.6g", value);
    } else {
        fputs("null", j->out);
    }
}

void iso_json_flag(iso_json *j, const char *name, bool value) {
    begin(j, name);
    fputs(value ? "true" : "false", j->out);
}

void iso_json_raw(iso_json *j, const char *name, const char *value) {
    begin(j, name);
    fputs(value, j->out);
}

void iso_json_end(iso_json *j) {
    fputc('\n', j->out);
    j->comma = false;
}
