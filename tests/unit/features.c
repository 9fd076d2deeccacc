/* Tests generators/features.h: a smallest history with a feature has the feature; a plain history has none. */
#include <string.h>

#include "formats/format.h"
#include "generators/features.h"
#include "tests/guarded.h"

static iso_env env;
static iso_pool *pool; /* of the whole run */

static const struct {
    iso_feature feature;
    const char *text;
} smallest[] = {
    {ISO_F_REREAD_SAME, "session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1, r x 1\n"},
    {ISO_F_REREAD_OTHER, "session A\nt1 commit: w x 1\nsession B\nt2 commit: r x nil, r x 1\n"},
    {ISO_F_OWN_BETWEEN, "session A\nt1 commit: r x nil, w x 1, r x nil\n"},
    {ISO_F_OWN_READ, "session A\nt1 commit: w x 1, r x 1\n"},
    {ISO_F_TWO_KEYS_OF_ONE, "session A\nt1 commit: w x 1, w y 1\nsession B\nt2 commit: r x 1, r y 1\n"},
    {ISO_F_BACK_TO_WRITER,
     "session A\nt1 commit: w x 1, w y 1\nt2 commit: w x 2\nsession B\nt3 commit: r x 1, r x 2, r y 1\n"},
    {ISO_F_SESSION_NEXT, "session A\nt1 commit: w x 1\nt2 commit: r x 1\n"},
    {ISO_F_SESSION_FAR, "session A\nt1 commit: w x 1\nt2 commit: w y 1\nt3 commit: r x 1\n"},
    {ISO_F_INITIAL_FIRST, "session A\nt1 commit: r x nil\n"},
    {ISO_F_INITIAL_LATER, "session A\nt1 commit: w y 1\nt2 commit: r x nil\n"},
    {ISO_F_INITIAL_AFTER, "session A\nt1 commit: w y 1\nsession B\nt2 commit: r y 1, r x nil\n"},
    {ISO_F_INITIAL_LOST, "session A\nt1 commit: w x 1\nt2 commit: r x nil\n"},
    {ISO_F_READ_ONLY, "session A\nt1 commit: r x nil\n"},
    {ISO_F_WRITE_ONLY, "session A\nt1 commit: w x 1\n"},
    {ISO_F_EMPTY, "session A\nt1 commit:\n"},
    {ISO_F_UNCOMMITTED_SESSION, "session A\nt1 abort: w x 1\n"},
    {ISO_F_ABORTED, "session A\nt1 abort: w x 1\n"},
    {ISO_F_ABORTED_READ, "session A\nt1 abort: w x 1\nsession B\nt2 commit: r x 1\n"},
    {ISO_F_INDETERMINATE_READ, "session A\nt1 maybe: w x 1\nsession B\nt2 commit: r x 1\n"},
    {ISO_F_WRITTEN_TWICE, "session A\nt1 commit: w x 1, w x 2\n"},
    {ISO_F_INTERMEDIATE_READ, "session A\nt1 commit: w x 1, w x 2\nsession B\nt2 commit: r x 1\n"},
    {ISO_F_THIN_AIR, "session A\nt1 commit: r x 9\n"},
    {ISO_F_READ_THEN_WRITE, "session A\nt1 commit: r x nil, w x 1\n"},
    {ISO_F_SAME_VALUE_TWICE, "session A\nt1 commit: r x nil, w x 1\nsession B\nt2 commit: r x nil, w x 2\n"},
    {ISO_F_TWO_READERS, "session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1\nsession C\nt3 commit: r x 1\n"},
    {ISO_F_READ_BACK, "session A\nt1 commit: r y 1, w x 1\nsession B\nt2 commit: r x 1, w y 1\n"},
    {ISO_F_LONG, "session A\nt1 commit: w a 1, w b 1, w c 1, w d 1, w e 1\n"},
    {ISO_F_MANY_SESSIONS, "session A\nt1 commit: w x 1\nsession B\nt2 commit: w x 2\nsession C\nt3 commit: w x 3\n"
                          "session D\nt4 commit: w x 4\nsession E\nt5 commit: w x 5\n"},
    {ISO_F_LONG_SESSION,
     "session A\nt1 commit: w a 1\nt2 commit: w b 1\nt3 commit: w c 1\nt4 commit: w d 1\nt5 commit: w e 1\n"},
    {ISO_F_BETWEEN, "session A\nt1 commit: w x 1\nt2 abort: w x 2\nt3 commit: w x 3\n"},
    {ISO_F_LIST, "session A\nt1 commit: rl x []\n"},
    {ISO_F_REPEATED_APPEND, "session A\nt1 commit: append x 1, append x 2\n"},
};

static uint32_t features_of(const char *text) {
    return iso_features(iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab")));
}

static void test(void *arg) {
    pool = arg;
    uint32_t plain = features_of("session A\nt1 commit: w x 1\n"),
             other = features_of("session A\nt1 commit: r x nil\n");
    cmp_ok(plain & other, "==", 0, "no feature is in everything");
    cmp_ok(sizeof smallest / sizeof *smallest, "==", ISO_FEATURES, "every feature is tested");
    for (size_t i = 0; i < sizeof smallest / sizeof *smallest; i++) {
        iso_feature f = smallest[i].feature;
        ok((features_of(smallest[i].text) & ISO_FEATURE_BIT(f)) != 0, "%s", iso_feature_text[f]);
        cmp_ok(smallest[i].feature, "==", i, "row %zu of the table is the row of its feature", i);
    }
    /* A history in which nearly everything is missing. */
    uint32_t bare = features_of("session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1, w y 1\n");
    cmp_ok(bare, "==", ISO_FEATURE_BIT(ISO_F_WRITE_ONLY), "one writer and one reader have one feature");
}

int main(void) { return run_guarded(&env, test); }
