/* Tests history/level.h: what follows from what, and names of levels. */
#include "history/level.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

/* The README's diagram: sser > lser > ser > si > pc > cc > ra > rc > rc-plume > g1 > int, and ra > ci. */
static void implications(void) {
    static const iso_level chain[] = {ISO_SSER, ISO_LSER, ISO_SER,      ISO_SI, ISO_PC, ISO_CC,
                                      ISO_RA,   ISO_RC,   ISO_RC_PLUME, ISO_G1, ISO_INT};
    enum { N = sizeof chain / sizeof *chain };
    bool good = true;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            good &= iso_level_implies(chain[i], chain[k]) == (i < k);
        }
        good &= iso_level_implies(chain[i], ISO_CI) == (chain[i] >= ISO_RA) && !iso_level_implies(ISO_CI, chain[i]);
    }
    ok(good && !iso_level_implies(ISO_CI, ISO_CI), "what implies what");
}

/* The level in all ways of writing its name, and not of a part of it or of more than it. */
static bool is_found(const char *name, size_t n, iso_level level) {
    char as_is[64], upper[64], spaces[64], more[80], less[64];
    snprintf(as_is, sizeof as_is, "%.*s", (int)n, name);
    snprintf(more, sizeof more, "%sx", as_is);
    snprintf(less, sizeof less, "%.*s", (int)n - 1, name);
    for (size_t i = 0; i <= n; i++) {
        upper[i] = as_is[i] == '-' ? '_' : (char)toupper((unsigned char)as_is[i]);
        spaces[i] = as_is[i] == '-' ? ' ' : as_is[i];
    }
    const char *why = "";
    return iso_level_find(as_is, NULL) == level && iso_level_find(upper, NULL) == level &&
           iso_level_find(spaces, &why) == level && why == NULL && iso_level_find(more, NULL) == ISO_NO_LEVEL &&
           iso_level_find(less, NULL) != level;
}

static void names(void) {
    for (int level = 0; level < iso_n_levels; level++) {
        const iso_level_info *info = iso_level_get(level);
        bool good = is_found(info->name, strlen(info->name), level);
        for (const char *alias = info->aliases; *alias != '\0';) {
            size_t n = strcspn(alias, " ");
            good &= is_found(alias, n, level);
            alias += n + (alias[n] == ' ');
        }
        ok(good, "%s and its aliases", info->name);
    }
}

static void refusals(void) {
    static const char *const refused[][2] = {{"repeatable-read", "different levels in different databases"},
                                             {"Repeatable Read", "different levels in different databases"},
                                             {"PL-2.99", "predicates"},
                                             {"pl-1", "dirty reads"},
                                             {"READ_UNCOMMITTED", "order of writes"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *why = NULL;
        ok(iso_level_find(refused[i][0], &why) == ISO_NO_LEVEL && why != NULL && strstr(why, refused[i][1]) != NULL,
           "%s is refused, and the reason is given", refused[i][0]);
    }
    static const char *const none[] = {"", "r", "serial", "pl-1x", "read-uncommitte", "rc ", " rc"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *why = "";
        ok(iso_level_find(none[i], &why) == ISO_NO_LEVEL && why == NULL, "\"%s\" is no level", none[i]);
    }
}

int main(void) {
    plan(NO_PLAN);
    implications();
    names();
    refusals();
    return done_testing();
}
