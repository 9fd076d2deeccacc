/* Printing JSON. See json.h. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/print.h"

static iso_printer printer(const iso_json *j) {
    return (iso_printer){.out = j->out, .target = j->page ? ISO_JSON_PAGE : ISO_JSON};
}

static iso_printer begin(iso_json *j, const char *name) {
    iso_printer out = printer(j);
    if (j->comma) {
        iso_print(&out, ",");
    }
    j->comma = true;
    if (name != NULL) {
        iso_print(&out, "%s:", name);
    }
    return out;
}

void iso_json_open(iso_json *j, const char *name, char bracket) {
    iso_assert(bracket == '{' || bracket == '[');
    iso_printer out = begin(j, name);
    iso_print_markup(&out, bracket == '{' ? ISO_MARKUP("{") : ISO_MARKUP("["));
    j->comma = false;
}

void iso_json_close(iso_json *j, char bracket) {
    iso_assert(bracket == '}' || bracket == ']');
    iso_printer out = printer(j);
    iso_print_markup(&out, bracket == '}' ? ISO_MARKUP("}") : ISO_MARKUP("]"));
    j->comma = true;
}

void iso_json_text(iso_json *j, const char *name, const char *value) {
    iso_printer out = begin(j, name);
    if (value == NULL) {
        iso_print(&out, "null");
    } else {
        iso_print(&out, "%s", value);
    }
}

void iso_json_count(iso_json *j, const char *name, uint64_t value) {
    iso_printer out = begin(j, name);
    iso_print(&out, "%" PRIu64, value);
}

void iso_json_real(iso_json *j, const char *name, double value) {
    iso_printer out = begin(j, name);
    if (isfinite(value)) {
        iso_print(&out, "%.6g", value);
    } else {
        iso_print(&out, "null");
    }
}

void iso_json_flag(iso_json *j, const char *name, bool value) {
    iso_printer out = begin(j, name);
    iso_print_markup(&out, value ? ISO_MARKUP("true") : ISO_MARKUP("false"));
}

void iso_json_number(iso_json *j, const char *name, const char *digits) {
    iso_printer out = begin(j, name);
    const char *first = digits + (*digits == '-');
    bool number = *first != '\0' && first[strspn(first, "0123456789")] == '\0';
    iso_print_markup(&out, number ? (iso_markup){digits} : ISO_MARKUP("null"));
}

void iso_json_end(iso_json *j) {
    iso_printer out = printer(j);
    iso_print(&out, "\n");
    j->comma = false;
}
