/* The isolation levels (docs/levels.md), their names, and which implies which. One table: names, aliases,
 * help and lists come from it. */
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
    ISO_SSER,
    ISO_LEVELS
} iso_level;

typedef uint32_t iso_levels; /* a set: bit 1 << level */
#define ISO_LEVEL_BIT(level) ((iso_levels)1 << (level))

/* From int to cc: the levels that need no search. */
#define ISO_WEAK_LEVELS (ISO_LEVEL_BIT(ISO_CC + 1) - 1)

typedef struct iso_level_info {
    const char *name;    /* `rc` */
    const char *title;   /* `read committed` */
    const char *aliases; /* separated by spaces */
    const char *meaning; /* one sentence */
    iso_levels implies;  /* all levels that follow from it, itself included */
} iso_level_info;

const iso_level_info *iso_level_get(iso_level level);

/* Is `stronger` another level than `weaker`, and one that implies it? */
bool iso_level_implies(iso_level stronger, iso_level weaker);

/* Finds a level by name or alias, case-insensitively; _ and space count as -. Returns ISO_LEVELS when there is none,
 * and then *why, if not NULL, is a sentence for the user when the name is known but refused. */
iso_level iso_level_find(const char *name, const char **why);

#endif
