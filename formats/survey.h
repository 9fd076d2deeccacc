/* What a history has that formats may be unable to hold: helpers for survey() and for lossy writing. */
#ifndef ISOLAB_FORMATS_SURVEY_H
#define ISOLAB_FORMATS_SURVEY_H

#include "formats/format.h"

/* Sessions without a name are written as their number plus this: 0, unless a named session has one of these
 * numbers as its name. */
uint64_t iso_session_base(const isolab_history *h);

/* The name of a session as a format without unnamed sessions writes it. */
static inline iso_atom iso_session_label(const isolab_history *h, uint32_t session, uint64_t base) {
    iso_atom name = h->session_name[session];
    return name.kind == ISO_ATOM_NIL ? iso_atom_uint(base + session) : name;
}

bool iso_session_is_empty(const isolab_history *h, uint32_t session);
uint64_t iso_count_unnamed(const isolab_history *h);   /* sessions without a name */
uint64_t iso_count_bad_text(const isolab_history *h);  /* strings that are not UTF-8 */

#endif
