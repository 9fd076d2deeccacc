/* An atom: one key, value or label as the input had it. nil, a 64-bit integer (signed, or unsigned where it
 * does not fit), or a string interned in the history's string table. Keywords of EDN are strings that begin
 * with a colon. Two atoms are equal when both fields are. */
#ifndef ISOLAB_BASE_ATOM_H
#define ISOLAB_BASE_ATOM_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { ISO_ATOM_NIL, ISO_ATOM_INT, ISO_ATOM_UINT, ISO_ATOM_STRING } iso_atom_kind;

typedef struct iso_atom {
    uint64_t bits; /* the integer, or the number of the string; 0 for nil */
    uint8_t kind;
} iso_atom;

static inline iso_atom iso_atom_nil(void) { return (iso_atom){0, ISO_ATOM_NIL}; }
static inline iso_atom iso_atom_int(int64_t v) { return (iso_atom){(uint64_t)v, ISO_ATOM_INT}; }
/* One number has one atom: unsigned only above INT64_MAX. */
static inline iso_atom iso_atom_uint(uint64_t v) {
    return (iso_atom){v, v > (uint64_t)INT64_MAX ? ISO_ATOM_UINT : ISO_ATOM_INT};
}
static inline iso_atom iso_atom_string(uint32_t number) { return (iso_atom){number, ISO_ATOM_STRING}; }
static inline bool iso_atom_equal(iso_atom a, iso_atom b) { return a.bits == b.bits && a.kind == b.kind; }

#endif
