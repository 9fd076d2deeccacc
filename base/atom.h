/* An atom is one key, value or name of the input: nil, a 64-bit integer (unsigned only where it does not fit a
 * signed one), or a string that is interned in the history's string table. An EDN keyword is a string that begins
 * with a colon. Two atoms are equal when both fields are equal. */
#ifndef ISOLAB_BASE_ATOM_H
#define ISOLAB_BASE_ATOM_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { ISO_ATOM_NIL, ISO_ATOM_INT, ISO_ATOM_UINT, ISO_ATOM_STRING } iso_atom_kind;

/* Added to the kind of a value: every value except that one, which is what some reads returned (docs/model.md). No key,
 * name or written value has it. */
#define ISO_ATOM_NOT 4

typedef struct iso_atom {
    uint64_t bits; /* the integer, or the number of the string; 0 for nil */
    uint8_t kind;
} iso_atom;

static inline iso_atom iso_atom_nil(void) { return (iso_atom){0, ISO_ATOM_NIL}; }
static inline iso_atom iso_atom_int(int64_t v) { return (iso_atom){(uint64_t)v, ISO_ATOM_INT}; }
/* Each number has exactly one atom: the unsigned kind is used only above INT64_MAX. */
static inline iso_atom iso_atom_uint(uint64_t v) {
    return (iso_atom){v, v > (uint64_t)INT64_MAX ? ISO_ATOM_UINT : ISO_ATOM_INT};
}
static inline iso_atom iso_atom_string(uint32_t number) { return (iso_atom){number, ISO_ATOM_STRING}; }
static inline iso_atom iso_atom_not(iso_atom a) { return (iso_atom){a.bits, a.kind | ISO_ATOM_NOT}; }
static inline bool iso_atom_is_not(iso_atom a) { return (a.kind & ISO_ATOM_NOT) != 0; }
static inline iso_atom iso_atom_excluded(iso_atom a) { return (iso_atom){a.bits, a.kind & (ISO_ATOM_NOT - 1)}; }
static inline bool iso_atom_equal(iso_atom a, iso_atom b) { return a.bits == b.bits && a.kind == b.kind; }

#endif
