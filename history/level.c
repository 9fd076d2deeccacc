/* The table of levels. See level.h. */
#include "history/level.h"

#include <ctype.h>
#include <string.h>

#define B(level) ISO_LEVEL_BIT(level)
#define DOWN_INT B(ISO_INT)
#define DOWN_G1 (DOWN_INT | B(ISO_G1))
#define DOWN_RC_PLUME (DOWN_G1 | B(ISO_RC_PLUME))
#define DOWN_RC (DOWN_RC_PLUME | B(ISO_RC))
#define DOWN_RA (DOWN_RC | B(ISO_CI) | B(ISO_RA))
#define DOWN_CC (DOWN_RA | B(ISO_CC))
#define DOWN_PC (DOWN_CC | B(ISO_PC))
#define DOWN_SI (DOWN_PC | B(ISO_SI))
#define DOWN_SER (DOWN_SI | B(ISO_SER))
#define DOWN_LSER (DOWN_SER | B(ISO_LSER))
#define DOWN_SSER (DOWN_LSER | B(ISO_SSER))

static const iso_level_info table[ISO_LEVELS] = {
    [ISO_INT] = {"int", "read consistency", "internal read-consistency",
                 "Every read returns the latest write of its own transaction, or the last write of a "
                 "committed one.",
                 DOWN_INT},
    [ISO_CI] = {"ci", "cut isolation", "cut-isolation item-cut-isolation i-ci",
                "No transaction reads two values of one key from other transactions.", B(ISO_CI)},
    [ISO_G1] = {"g1", "Adya's PL-2", "pl-2 adya-pl-2",
                "Read consistency, and no cycle of session order and reads-from.", DOWN_G1},
    [ISO_RC_PLUME] = {"rc-plume", "read committed as Plume defines it", "plume-rc",
                      "As rc, but only reads of two different keys count.", DOWN_RC_PLUME},
    [ISO_RC] = {"rc", "read committed", "read-committed",
                "What a transaction reads is never older than what it read before.", DOWN_RC},
    [ISO_RA] = {"ra", "read atomic", "read-atomic read-atomicity", "A transaction sees all writes of another or none.",
                DOWN_RA},
    [ISO_CC] = {"cc", "transactional causal consistency",
                "tcc causal causal-consistency transactional-causal-consistency",
                "A transaction sees everything that what it sees depends on.", DOWN_CC},
    [ISO_PC] = {"pc", "prefix consistency", "prefix prefix-consistency",
                "A transaction reads from a prefix of the commit order.", DOWN_PC},
    [ISO_SI] = {"si", "snapshot isolation", "pl-si snapshot snapshot-isolation",
                "A transaction reads from a prefix of the commit order, and no other transaction writes what it "
                "writes meanwhile.",
                DOWN_SI},
    [ISO_SER] = {"ser", "serializability", "pl-3 serializable serializability serializable-isolation",
                 "The transactions could have run one after the other.", DOWN_SER},
    [ISO_LSER] = {"lser", "serializability, linearizable per key",
                  "linearizable-per-key per-key-linearizable single-key-linearizable single-key-linearizability",
                  "Serializable in an order that respects the real time of transactions that access a common key.",
                  DOWN_LSER},
    [ISO_SSER] = {"sser", "strict serializability",
                  "pl-ss strict strict-serializable strict-serializability strong-serializability "
                  "strong-serializable linearizable linearizability",
                  "Serializable in an order that respects real time.", DOWN_SSER},
};

/* Names that people use for different levels: refused, with the reason. */
static const struct {
    const char *name, *why;
} refused[] = {
    {"repeatable-read",
     "\"repeatable read\" means different levels in different databases: say ci (cut isolation), ra, si or "
     "ser instead"},
    {"pl-2.99", "PL-2.99 speaks of predicates, which histories do not have: say ci, si or ser instead"},
    {"pl-1", "PL-1 allows dirty reads and asks only for an order of writes, which a history cannot refute"},
    {"read-uncommitted", "read uncommitted asks only for an order of writes, which a history cannot refute"},
};

const iso_level_info *iso_level_get(iso_level level) { return &table[level]; }

bool iso_level_implies(iso_level stronger, iso_level weaker) {
    return stronger != weaker && (table[stronger].implies & ISO_LEVEL_BIT(weaker)) != 0;
}

static char plain(char c) { return c == '_' || c == ' ' ? '-' : (char)tolower((unsigned char)c); }

bool iso_is_name(const char *given, const char *name, size_t n) {
    size_t i = 0;
    while (i < n && plain(given[i]) == plain(name[i])) {
        i++;
    }
    return i == n && given[n] == '\0';
}

iso_level iso_level_find(const char *name, const char **why) {
    if (why != NULL) {
        *why = NULL;
    }
    for (int level = 0; level < ISO_LEVELS; level++) {
        if (iso_is_name(name, table[level].name, strlen(table[level].name))) {
            return (iso_level)level;
        }
        for (const char *alias = table[level].aliases; *alias != '\0';) {
            size_t n = strcspn(alias, " ");
            if (iso_is_name(name, alias, n)) {
                return (iso_level)level;
            }
            alias += n + (alias[n] == ' ');
        }
    }
    for (size_t i = 0; why != NULL && i < sizeof refused / sizeof *refused; i++) {
        if (iso_is_name(name, refused[i].name, strlen(refused[i].name))) {
            *why = refused[i].why;
        }
    }
    return ISO_LEVELS;
}
