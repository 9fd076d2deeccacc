/* The table of formats. See format.h. */
#include <string.h>

#include "formats/format.h"

#define FORMAT(name) extern const iso_format iso_format_##name;
#include "formats/formats.def"
#undef FORMAT

const iso_format *const iso_formats[] = {
#define FORMAT(name) &iso_format_##name,
#include "formats/formats.def"
#undef FORMAT
    NULL};

const char *const iso_loss_text[ISO_LOSS_KINDS] = {
    [ISO_LOSS_STRINGS] = "strings",
    [ISO_LOSS_LISTS] = "list operations",
    [ISO_LOSS_ABORTED] = "aborted transactions",
    [ISO_LOSS_INDETERMINATE] = "indeterminate transactions",
    [ISO_LOSS_TIMES] = "transactions with times",
    [ISO_LOSS_NAMES] = "names",
    [ISO_LOSS_INITIAL] = "initial values",
    [ISO_LOSS_RANGE] = "integers out of range",
    [ISO_LOSS_EMPTY] = "empty transactions or sessions",
    [ISO_LOSS_DUPLICATES] = "values with several writers",
    [ISO_LOSS_SESSIONS] = "sessions that go on behind an indeterminate transaction",
};

const iso_format *iso_format_find(const char *name) {
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        if (strcmp(iso_formats[i]->name, name) == 0) {
            return iso_formats[i];
        }
    }
    return NULL;
}
