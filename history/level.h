/* The isolation levels (docs/levels.md), their names, and their implications. One table, from which names, aliases,
 * help and lists come. */
#ifndef ISOLAB_HISTORY_LEVEL_H
#define ISOLAB_HISTORY_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ISO_INT,      /* read consistency alone (awdit.txt definition 2.3) */
    ISO_CI,       /* cut isolation */
    ISO_G1,       /* INT and so|wr acyclic */
    ISO_RC_PLUME, /* plume.txt definition 4 */
    ISO_RC,
    ISO_RA,
    ISO_CC,
    ISO_PC,
    ISO_SI,
    ISO_SER,
    ISO_LSER,
    ISO_SSER,
    ISO_LEVELS
} iso_level;

typedef uint32_t iso_levels; /* a set: bit 1 << level */
#define ISO_LEVEL_BIT(level) ((iso_levels)1 << (level))

/* The levels from int to cc, which need no search. */
#define ISO_WEAK_LEVELS (ISO_LEVEL_BIT(ISO_CC + 1) - 1)

/* The levels that real time concerns. */
#define ISO_TIMED_LEVELS (ISO_LEVEL_BIT(ISO_LSER) | ISO_LEVEL_BIT(ISO_SSER))

typedef struct iso_level_info {
    const char *name;    /* `rc` */
    const char *title;   /* `read committed` */
    const char *aliases; /* separated by spaces */
    const char *meaning; /* one sentence */
    iso_levels implies;  /* all levels that follow from it, and the level itself */
} iso_level_info;

const iso_level_info *iso_level_get(iso_level level);

/* Returns whether real time concerns the level. */
static inline bool iso_level_is_timed(iso_level level) { return (ISO_TIMED_LEVELS & ISO_LEVEL_BIT(level)) != 0; }

/* Returns whether `stronger` is another level than `weaker` and implies it. */
bool iso_level_implies(iso_level stronger, iso_level weaker);

/* Returns whether what a user wrote is the name, of length n, of a level or an anomaly. Ignores case; `_` and blanks
 * count as `-`. */
bool iso_is_name(const char *given, const char *name, size_t n);

/* Finds a level by name or alias, by iso_is_name(). Returns ISO_LEVELS if there is none. Then, if
 * the name is known but refused, *why (if not NULL) is a sentence for the user. */
iso_level iso_level_find(const char *name, const char **why);

#endif
