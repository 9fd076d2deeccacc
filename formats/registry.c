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

const iso_format *iso_format_find(const char *name) {
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        if (strcmp(iso_formats[i]->name, name) == 0) {
            return iso_formats[i];
        }
    }
    return NULL;
}
