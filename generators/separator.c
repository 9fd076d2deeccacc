/* The generator of separators: a history that satisfies one level and violates another. See separate.h. */
#include <inttypes.h>
#include <string.h>

#include "generators/generator.h"
#include "generators/separate.h"
#include "history/copy.h"

static iso_level level_of(const iso_args *args, const char *name) {
    const char *why, *text = iso_arg_text(args, name);
    iso_level level = iso_level_find(text, &why);
    if (level == ISO_NO_LEVEL) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--%s: %s", name, why != NULL ? why : "there is no such level");
    }
    return level;
}

static void make_separator(iso_args *args, iso_builder *b) {
    iso_env *env = args->pool->env;
    iso_level a = level_of(args, "satisfies"), v = level_of(args, "violates");
    const char *a_name = iso_level_get(a)->name, *v_name = iso_level_get(v)->name;
    if (!iso_separable(a, v)) {
        iso_throw(env, ISOLAB_E_USAGE, "every history that satisfies %s satisfies %s too", a_name, v_name);
    }
    uint64_t size = iso_arg_count(args, "size"), seed = iso_arg_count(args, "seed"),
             tries = iso_arg_count(args, "tries");
    bool exhaustive = size == 0 && iso_arg_is(args, "method", "exhaustive");
    iso_args_refuse(args, size != 0, "method", "is for smallest ones: without --size");
    iso_args_refuse_unread(args);
    isolab_history *h = NULL;
    if (exhaustive) {
        iso_levels wanted[ISO_MOST_LEVELS] = {0};
        iso_separators found;
        wanted[a] = ISO_LEVEL_BIT(v);
        iso_separate(args->pool, wanted, &found);
        h = found.h[a][v];
    }
    if (h == NULL) {
        h = iso_separate_randomly(args->pool, a, v, size == 0 ? 12 : size, seed, tries, size == 0);
    }
    if (h == NULL) {
        iso_throw(env, ISOLAB_E_LIMIT, "no history that satisfies %s and violates %s in %" PRIu64 " tries", a_name,
                  v_name, tries);
    }
    iso_copy_all(args->pool, b, h);
}

static const iso_option options[] = {
    {ISO_TEXT("satisfies", "si", "level that the history satisfies")},
    {ISO_TEXT("violates", "ser", "level that it violates")},
    {ISO_COUNT("size", "0", 0, 1e8, "transactions of a random one; 0: a smallest one")},
    {ISO_WORD("method", "exhaustive", "exhaustive random",
              "how a smallest one is found: by all histories, or by shrinking a random one")},
    {ISO_COUNT("tries", "1000", 1, 1e9, "random histories looked at")},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "of random histories")},
    ISO_END};

const iso_generator iso_generator_separator = {
    .name = "separator",
    .summary = "a history that satisfies one level and violates another, as small as possible",
    .options = options,
    .run = make_separator,
};
