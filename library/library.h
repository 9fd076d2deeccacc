/* What the files of the public interface share. */
#ifndef ISOLAB_LIBRARY_LIBRARY_H
#define ISOLAB_LIBRARY_LIBRARY_H

#include "base/env.h"
#include "history/builder.h"

/* Sets the limits of the options; NULL: no limits. */
void iso_library_limits(iso_limits *limits, const isolab_options *options);
iso_reading
iso_library_reading(const isolab_options *options /* may be NULL */); /* valid as long as the options exist */
void iso_library_error(isolab_error *to /* may be NULL */, const isolab_error *from);

#endif
