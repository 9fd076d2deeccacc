/* The table of formats. See format.h. */
#include <string.h>

#include "formats/format.h"

#include "base/registry.h"

#define FORMAT(name) extern const iso_format iso_format_##name;
#include "formats/formats.def"
#undef FORMAT

const iso_format *const iso_formats[] = {
#define FORMAT(name) &iso_format_##name,
#include "formats/formats.def"
#undef FORMAT
    NULL};

ISO_FIND_BY_NAME(iso_format_find, iso_format, iso_formats)
