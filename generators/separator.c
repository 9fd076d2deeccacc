/* The generator of separators: a history that satisfies one level and violates another. See separate.h. */
#include <string.h>

#include "generators/generator.h"
#include "generators/separate.h"
#include "history/copy.h"

static iso_level level_of(const iso_args *args, const char *name) {
    const char *why, *text = iso_arg_text(args, name);
    iso_level level = iso_level_find(text, &why);
    if (level == ISO_LEVELS) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--%s: %s", name, why != NULL ? why : "there is no such level");
    }
    return level;
}

static void run(iso_args *args, iso_builder *b) {
    iso_env *env = args->pool->env;
    iso_level a = level_of(args, "satisfies"), v = level_of(args, "violates");
    const char *a_name = iso_level_get(a)->name, *v_name = iso_level_get(v)->name;
    if (!iso_separable(a, v)) {
        iso_throw(env, ISOLAB_E_USAGE, "every history that satisfies %s satisfies %s too", a_name, v_name);
    }
    uint64_t size = iso_arg_int(args, "size"), seed = iso_arg_int(args, "seed"), tries = iso_arg_int(args, "tries");
    bool exhaustive = size == 0 && iso_arg_is(args, "method", "exhaustive");
    iso_args_refuse(args, size != 0, "method", "is for smallest ones: without --size");
    iso_args_refuse_unread(args);
    isolab_history *h = NULL;
    if (exhaustive) {
        iso_levels wanted[ISO_LEVELS] = {0};
        iso_separators found;
        wanted[a] = ISO_LEVEL_BIT(v);
        iso_separate(args->pool, wanted, &found);
        h = found.h[a][v];
    }
    if (h == NULL) {
        h = iso_separate_randomly(args->pool, a, v, size == 0 ? 12 : size, seed, tries, size == 0);
    }
    if (h == NULL) {
        iso_throw(env, ISOLAB_E_LIMIT, "no history that satisfies %s and violates %s in %llu tries", a_name, v_name,
                  (unsigned long long)tries);
    }
    iso_copy_all(args->pool, b, h);
}

static const iso_param params[] = {
    {"satisfies", ISO_PARAM_TEXT, "si", 0, 0, NULL, "level that the history satisfies"},
    {"violates", ISO_PARAM_TEXT, "ser", 0, 0, NULL, "level that it violates"},
    {"size", ISO_PARAM_INT, "0", 0, 1e8, NULL, "transactions of a random one; 0: a smallest one"},
    {"method", ISO_PARAM_WORD, "exhaustive", 0, 0, "exhaustive random",
     "how a smallest one is found: by all histories, or by shrinking a random one"},
    {"tries", ISO_PARAM_INT, "1000", 1, 1e9, NULL, "random histories looked at"},
    {"seed", ISO_PARAM_INT, "1", 0, 1.8e19, NULL, "of random histories"},
    {NULL, ISO_PARAM_INT, NULL, 0, 0, NULL, NULL}};

const iso_generator iso_generator_separator = {
    .name = "separator",
    .summary = "a history that satisfies one level and violates another, as small as possible",
    .params = params,
    .run = run,
};
