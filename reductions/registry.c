/* The table of reductions. See reduction.h. */
#include <string.h>

#include "reductions/reduction.h"

#include "base/registry.h"

#define REDUCTION(name) extern const iso_reduction iso_reduction_##name;
#include "reductions/reductions.def"
#undef REDUCTION

const iso_reduction *const iso_reductions[] = {
#define REDUCTION(name) &iso_reduction_##name,
#include "reductions/reductions.def"
#undef REDUCTION
    NULL};

ISO_FIND_BY_NAME(iso_reduction_find, iso_reduction, iso_reductions)

void iso_reduction_args(const iso_reduction *reduction, iso_pool *pool, iso_args *args) {
    const iso_option *tables[ISO_ARG_TABLES] = {reduction->options, NULL, NULL, NULL};
    iso_args_init(args, pool, reduction->name, tables);
}

isolab_verdict iso_reduce_ask(const iso_reduce *r, iso_pool *pool, const isolab_history *h, iso_level level,
                              iso_result *result) {
    iso_question question = {.level = level, .certificate = true, .limit = 1};
    const iso_checker *c =
        strcmp(r->checker, "auto") == 0 ? iso_checker_auto(h, &question) : iso_checker_find(r->checker);
    if (c == NULL) {
        bool known = strcmp(r->checker, "auto") != 0;
        iso_throw(pool->env, ISOLAB_E_USAGE, "no checker%s%s can answer for this history at level %s", known ? " " : "",
                  known ? r->checker : "", iso_level_get(level)->name);
    }
    iso_result_init(result, pool);
    iso_check(c, h, &question, result);
    if (result->verdict == ISOLAB_UNKNOWN) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "checker %s: %s", c->name, result->reason);
    }
    return result->verdict;
}
