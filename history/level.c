/* The table of levels. See level.h. */
#include "history/level.h"

#include <ctype.h>
#include <string.h>

#include "base/assert.h"

/* Rows after the named ones need no enumerator. */
static const iso_level_info table[] = {
    [ISO_INT] = {"int", "read consistency", "internal read-consistency",
                 "Every read returns the latest write of its own transaction, or the last write of a "
                 "committed one.",
                 ISO_RULE_INT},
    [ISO_CI] = {"ci", "cut isolation", "cut-isolation item-cut-isolation i-ci",
                "No transaction reads two values of one key from other transactions.", ISO_RULE_CUT},
    [ISO_G1] = {"g1", "Adya's PL-2", "pl-2 adya-pl-2",
                "Read consistency, and no cycle of session order and reads-from.", ISO_RULES_G1},
    [ISO_RC_PLUME] = {"rc-plume", "read committed as Plume defines it", "plume-rc",
                      "As rc, but only reads of two different keys count.", ISO_RULES_G1 | ISO_SEES_OTHER_KEY},
    [ISO_RC] = {"rc", "read committed", "read-committed",
                "What a transaction reads is never older than what it read before.", ISO_RULES_RC},
    [ISO_RA] = {"ra", "read atomic", "read-atomic read-atomicity", "A transaction sees all writes of another or none.",
                ISO_RULES_RA},
    [ISO_CC] = {"cc", "transactional causal consistency",
                "tcc causal causal-consistency transactional-causal-consistency",
                "A transaction sees everything that what it sees depends on.", ISO_RULES_RA | ISO_SEES_CAUSE},
    [ISO_PC] = {"pc", "prefix consistency", "prefix prefix-consistency",
                "A transaction reads from a prefix of the commit order.", ISO_RULES_PC},
    [ISO_SI] = {"si", "snapshot isolation", "pl-si snapshot snapshot-isolation",
                "A transaction reads from a prefix of the commit order, and no other transaction writes what it "
                "writes meanwhile.",
                ISO_RULES_PC | ISO_SEES_CONFLICT},
    [ISO_SER] = {"ser", "serializability", "pl-3 serializable serializability serializable-isolation",
                 "The transactions could have run one after the other.", ISO_RULES_SER},
    [ISO_LSER] = {"lser", "serializability, linearizable per key",
                  "linearizable-per-key per-key-linearizable single-key-linearizable single-key-linearizability",
                  "Serializable in an order that respects the real time of transactions that access a common key.",
                  ISO_RULES_SER | ISO_TIME_KEYS},
    [ISO_SSER] = {"sser", "strict serializability",
                  "pl-ss strict strict-serializable strict-serializability strong-serializability "
                  "strong-serializable linearizable linearizability",
                  "Serializable in an order that respects real time.", ISO_RULES_SSER},
};

_Static_assert(sizeof table / sizeof *table <= ISO_MOST_LEVELS, "a set of levels has a bit for each row");

const int iso_n_levels = sizeof table / sizeof *table;

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

const iso_level_info *iso_level_get(iso_level level) {
    iso_assert((int)level >= 0 && (int)level < iso_n_levels);
    return &table[level];
}

bool iso_level_has(iso_level level, iso_rules rules) { return (iso_level_get(level)->rules & rules) == rules; }

bool iso_level_rules_good(iso_rules rules) {
    static const iso_rules needs[][2] = {
        {ISO_SEES_OTHER_KEY, ISO_RULES_G1},
        {ISO_SEES_READ_BEFORE, ISO_SEES_OTHER_KEY},
        {ISO_SEES_READ, ISO_SEES_READ_BEFORE | ISO_RULE_CUT},
        {ISO_SEES_SESSION, ISO_RULES_G1},
        {ISO_SEES_CAUSE, ISO_SEES_READ | ISO_SEES_SESSION},
        {ISO_SEES_PREFIX, ISO_SEES_CAUSE},
        {ISO_SEES_CONFLICT, ISO_SEES_PREFIX},
        {ISO_SEES_BEFORE, ISO_SEES_CONFLICT},
        {ISO_TIME_KEYS, ISO_RULE_ORDER},
        {ISO_TIME_ALL, ISO_TIME_KEYS},
        {ISO_RULE_ORDER, ISO_RULE_INT},
    };
    bool good = rules != 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        good &= (rules & needs[i][0]) == 0 || (rules & needs[i][1]) == needs[i][1];
    }
    return good;
}

bool iso_level_implies(iso_level stronger, iso_level weaker) {
    return stronger != weaker && iso_level_has(stronger, iso_level_get(weaker)->rules);
}

iso_levels iso_level_and_weaker(iso_level level) {
    iso_levels weaker = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        weaker |= iso_level_has(level, table[l].rules) ? ISO_LEVEL_BIT(l) : 0;
    }
    return weaker;
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
    for (int level = 0; level < iso_n_levels; level++) {
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
    return ISO_NO_LEVEL;
}
