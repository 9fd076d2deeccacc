/* The isolation levels (docs/levels.md). A level is a row of one table: its names, and the set of rules that it is made
 * of. One level implies another if it has all of its rules, so names, implications, the order in which the ladder asks,
 * help and lists all come from the table.
 *
 * What interprets the rules (`brute`, `sat`, evidence, the verifier) decides a new row without a change. A checker that
 * is made for certain levels names them, and is not asked about others (checkers/checker.h). */
#ifndef ISOLAB_HISTORY_LEVEL_H
#define ISOLAB_HISTORY_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rules. Those from ISO_SEES_OTHER_KEY to ISO_SEES_BEFORE say what a transaction t3 *sees*. They share one axiom:
 * if t3 reads x from t1, sees t2, and t2 writes x, then t2 commits before t1. */
enum {
    ISO_RULE_INT = 1 << 0,         /* read consistency (awdit.txt definition 2.3) */
    ISO_RULE_CUT = 1 << 1,         /* no two values of a key from other transactions (plume.txt definition 3) */
    ISO_RULE_ORDER = 1 << 2,       /* there is a commit order, which contains session order and reads-from */
    ISO_SEES_OTHER_KEY = 1 << 3,   /* what t3 read from before the read of x, by reads of other keys */
    ISO_SEES_READ_BEFORE = 1 << 4, /* what t3 read from before the read of x */
    ISO_SEES_READ = 1 << 5,        /* what t3 reads from */
    ISO_SEES_SESSION = 1 << 6,     /* the earlier transactions of t3's session */
    ISO_SEES_CAUSE = 1 << 7,       /* what a seen transaction read from, or follows in its session; and so on */
    ISO_SEES_PREFIX = 1 << 8,      /* what commits before a seen transaction */
    ISO_SEES_CONFLICT = 1 << 9,    /* what commits before t3 and writes a key of t3, and what commits before that */
    ISO_SEES_BEFORE = 1 << 10,     /* what commits before t3 */
    ISO_TIME_KEYS = 1 << 11,       /* the order contains real time between transactions that access a common key */
    ISO_TIME_ALL = 1 << 12,        /* the order contains real time */
};
typedef uint32_t iso_rules; /* a set of them */

/* Rules that imply others appear with them in a row (iso_level_rules_good()). */
#define ISO_RULES_G1 (ISO_RULE_INT | ISO_RULE_ORDER)
#define ISO_RULES_RC (ISO_RULES_G1 | ISO_SEES_OTHER_KEY | ISO_SEES_READ_BEFORE)
#define ISO_RULES_RA (ISO_RULES_RC | ISO_RULE_CUT | ISO_SEES_READ | ISO_SEES_SESSION)
#define ISO_RULES_PC (ISO_RULES_RA | ISO_SEES_CAUSE | ISO_SEES_PREFIX)
#define ISO_RULES_SER (ISO_RULES_PC | ISO_SEES_CONFLICT | ISO_SEES_BEFORE)
#define ISO_RULES_SSER (ISO_RULES_SER | ISO_TIME_KEYS | ISO_TIME_ALL)

/* The levels that code names: generators, checkers made for them, tables of anomalies. A row of the table needs no name
 * here. */
typedef enum {
    ISO_INT,
    ISO_CI,
    ISO_G1,
    ISO_RC_PLUME, /* plume.txt definition 4 */
    ISO_RC,
    ISO_RA,
    ISO_CC,
    ISO_PC,
    ISO_SI,
    ISO_SER,
    ISO_LSER,
    ISO_SSER,
    ISO_NAMED_LEVELS,
    ISO_MOST_LEVELS = 31,
    ISO_NO_LEVEL = ISO_MOST_LEVELS,
    ISO_LEVELS_ARE_SIGNED = -1 /* for compilers: a level is a number as the int that counts levels in loops */
} iso_level;

extern const int iso_n_levels; /* rows of the table */

typedef uint32_t iso_levels; /* a set: bit 1 << level */
#define ISO_LEVEL_BIT(level) ((iso_levels)1 << (level))
#define ISO_ALL_LEVELS (~ISO_LEVEL_BIT(ISO_NO_LEVEL)) /* also numbers that the table does not have */

/* Levels for which checkers are made. */
#define ISO_WEAK_LEVELS                                                                                                \
    (ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_CI) | ISO_LEVEL_BIT(ISO_G1) | ISO_LEVEL_BIT(ISO_RC_PLUME) |            \
     ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC))
#define ISO_TIMED_LEVELS (ISO_LEVEL_BIT(ISO_LSER) | ISO_LEVEL_BIT(ISO_SSER))
#define ISO_STRONG_LEVELS (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_TIMED_LEVELS)

typedef struct iso_level_info {
    const char *name;    /* `rc` */
    const char *title;   /* `read committed` */
    const char *aliases; /* separated by spaces */
    const char *meaning; /* one sentence */
    iso_rules rules;
} iso_level_info;

const iso_level_info *iso_level_get(iso_level level);

/* Returns whether the level has all of these rules. */
bool iso_level_has(iso_level level, iso_rules rules);

/* Returns whether real time concerns the level. */
static inline bool iso_level_is_timed(iso_level level) { return iso_level_has(level, ISO_TIME_KEYS); }

/* Returns whether a rule that implies another never appears without it, and rules of visibility never without an
 * order. Every row is such a set. */
bool iso_level_rules_good(iso_rules rules);

/* Returns whether `stronger` is another level than `weaker` and implies it. */
bool iso_level_implies(iso_level stronger, iso_level weaker);

/* Returns the level itself and all levels that it implies. */
iso_levels iso_level_and_weaker(iso_level level);

/* Returns whether what a user wrote is the name, of length n, of a level or an anomaly. Ignores case; `_` and blanks
 * count as `-`. */
bool iso_is_name(const char *given, const char *name, size_t n);

/* Finds a level by name or alias, by iso_is_name(). Returns ISO_NO_LEVEL if there is none. Then, if
 * the name is known but refused, *why (if not NULL) is a sentence for the user. */
iso_level iso_level_find(const char *name, const char **why);

#endif
