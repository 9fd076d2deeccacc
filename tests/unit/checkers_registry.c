/* checkers/registry.c: which checker `auto` takes, why a checker or all of them refuse, and what is wrong with options.
 * Each row of the table of checkers is tested by its own fields. */
#include "checkers/checker.h"

#include <stdio.h>
#include <string.h>

#include "tests/generated.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

static void options(void) {
    char why[512], pair[256];
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        for (const iso_option *o = c->options; o != NULL && o->name != NULL; o++) {
            if (o->initial != NULL) {
                snprintf(pair, sizeof pair, "%s=%s", o->name, o->initial);
                ok(iso_options_wrong(pair, c, why, sizeof why) == NULL, "%s takes its own default %s", c->name, pair);
                ok(iso_options_wrong(pair, NULL, why, sizeof why) == NULL, "and so does some checker: %s", pair);
            }
            snprintf(pair, sizeof pair, "%s=?!", o->name);
            bool anything = o->kind == ISO_IS_TEXT && o->words == NULL;
            const char *wrong = iso_options_wrong(pair, c, why, sizeof why);
            ok(anything || (wrong != NULL && strncmp(wrong, o->name, strlen(o->name)) == 0),
               "%s refuses %s, by a message that begins with the option", c->name, pair);
        }
        is(iso_options_wrong("no-such=1", c, why, sizeof why) != NULL ? strstr(why, "no such option") : NULL,
           "no such option", "%s refuses an option that does not exist", c->name);
    }
    is(iso_options_wrong("no-such=1", NULL, why, sizeof why), "no-such: no checker has such an option",
       "an option of no checker is refused");
    ok(iso_options_wrong(NULL, NULL, why, sizeof why) == NULL, "no options are right");
}

static void automatic(const isolab_history *h, const char *what) {
    char why[512];
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_question question = {.level = l};
        const iso_checker *chosen = iso_checker_auto(h, &question);
        const iso_checker *prefers = NULL, *takes = NULL; /* the first ones */
        for (size_t i = 0; iso_checkers[i] != NULL; i++) {
            const iso_checker *c = iso_checkers[i];
            if (iso_checker_refuses(c, h, &question, why, sizeof why) == NULL) {
                prefers = prefers == NULL && (c->preferred & ISO_LEVEL_BIT(l)) ? c : prefers;
                takes = takes == NULL ? c : takes;
            }
        }
        const char *name = iso_level_get(l)->name;
        if (chosen == NULL) {
            ok(takes == NULL, "%s, %s: no checker is chosen only if all refuse", what, name);
            like(iso_why_no_checker(h, &question, why, sizeof why), "^checker |^no checker ",
                 "and the reason is a sentence");
            continue;
        }
        ok(chosen == (prefers != NULL ? prefers : takes), "%s, %s: %s, %s", what, name, chosen->name,
           prefers != NULL ? "the first one that prefers the level" : "the first one that takes the history");
    }
}

static void refusals(const isolab_history *h) {
    char why[512], other[64];
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        const iso_checker *c = iso_checkers[i];
        for (int l = 0; l < iso_n_levels; l++) {
            if (!iso_checker_takes(c, l)) {
                const char *said = iso_checker_refuses(c, h, &(const iso_question){.level = l}, why, sizeof why);
                snprintf(other, sizeof other, "checker %s does not support level", c->name);
                ok(said != NULL && strncmp(said, other, strlen(other)) == 0,
                   "%s refuses level %s, which it does not have", c->name, iso_level_get(l)->name);
            }
        }
        if (c->most_txns != 0 && h->n_txns - h->n_aborted > c->most_txns) {
            ok(iso_checker_refuses(c, h, &(const iso_question){.level = ISO_RC}, why, sizeof why) != NULL,
               "%s refuses %u transactions, more than its limit %u", c->name, h->n_txns, c->most_txns);
        }
    }
}

int main(void) {
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    options();
    isolab_history *plain = generated(&pool, "random", "txns=200 sessions=4 keys=10");
    automatic(plain, "unique values");
    automatic(generated(&pool, "ycsb", "txns=200 sessions=4 keys=10 duplicates=1 values=3"), "repeated values");
    automatic(generated(&pool, "list-append", "txns=200 sessions=4"), "lists");
    automatic(generated(&pool, "mini", "txns=200 sessions=4 keys=10 times=yes"), "mini-transactions");
    refusals(plain);
    done_testing();
    return exit_status();
}
