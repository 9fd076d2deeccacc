/* See agree.h. */
#define _GNU_SOURCE
#include "tests/agree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "formats/format.h"
#include "tests/changed.h"
#include "tests/seed.h"
#include "tests/tap.h"
#include "verify/verify.h"

/* What went wrong with one history. */
typedef struct finding {
    iso_question question;
    char why[512];
} finding;

static void find_checkers(iso_agreement *a) {
    char names[1024] = "brute";
    for (size_t i = 0; a->checkers == NULL && iso_checkers[i] != NULL; i++) {
        if (strcmp(iso_checkers[i]->name, "brute") != 0) {
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s", iso_checkers[i]->name);
        }
    }
    if (a->checkers != NULL) {
        snprintf(names, sizeof names, "%s", a->checkers);
    }
    char *rest = names;
    for (char *name; (name = strtok_r(rest, " ", &rest)) != NULL;) {
        a->checker[a->n_checkers] = iso_checker_find(name);
        if (a->checker[a->n_checkers++] == NULL) {
            bail_out("there is no checker %s", name);
        }
    }
}

static const char *verdict_name(isolab_verdict v) {
    return v == ISOLAB_SATISFIED ? "satisfied" : v == ISOLAB_VIOLATED ? "violated" : "unknown";
}

static bool certificate_is_good(iso_agreement *a, iso_pool *pool, const isolab_history *h, const iso_checker *checker,
                                const iso_result *result, bool need, finding *f) {
    size_t size;
    char *text = iso_certificate_text(pool, h, &f->question, result, &size);
    if (text == NULL) {
        if (need) {
            snprintf(f->why, sizeof f->why, "%s says %s and gives no certificate", checker->name,
                     verdict_name(result->verdict));
        }
        return !need;
    }
    a->verified++;
    if (iso_verify(pool, h, text, size) != 0) {
        snprintf(f->why, sizeof f->why, "the certificate of %s (%s) is refused: %.200s", checker->name,
                 verdict_name(result->verdict), pool->env->error.message);
        return false;
    }
    return true;
}

/* Compares at one level. */
static bool compare(iso_agreement *a, iso_env *env, const isolab_history *h, finding *f) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    iso_result result[ISO_AGREE_CHECKERS];
    char why[512];
    bool good = true;
    for (unsigned i = 0; good && i < a->n_checkers; i++) {
        f->question.options = i == 0 ? NULL : a->options;
        if (iso_checker_refuses(a->checker[i], h, &f->question, why, sizeof why) != NULL) {
            if (i == 0) {
                break;
            }
            continue;
        }
        iso_result_init(&result[i], &pool);
        iso_check(a->checker[i], h, &f->question, &result[i]);
        isolab_verdict verdict = result[i].verdict, reference = result[0].verdict;
        if (verdict == ISOLAB_UNKNOWN && (a->checker[i]->can & ISO_CAN_ONLY_SATISFY)) {
            continue;
        }
        if (verdict == ISOLAB_UNKNOWN) {
            good = false;
            snprintf(f->why, sizeof f->why, "%s does not know: %.200s", a->checker[i]->name, result[i].reason);
        } else if (verdict != reference) {
            good = false;
            snprintf(f->why, sizeof f->why, "%s says %s, %s says %s", a->checker[0]->name, verdict_name(reference),
                     a->checker[i]->name, verdict_name(verdict));
        } else if (i > 0 && a->same != NULL) {
            good = a->same(h, &f->question, &result[0], &result[i], f->why, sizeof f->why);
        }
        if (good && !a->no_certificates) {
            good = certificate_is_good(a, &pool, h, a->checker[i], &result[i], a->need_certificates && i > 0, f);
        }
        if (i == 0) {
            (verdict == ISOLAB_SATISFIED ? a->level_satisfied : a->level_violated)[f->question.level]++;
        } else {
            a->compared++;
            *(verdict == ISOLAB_SATISFIED ? &a->satisfied : &a->violated) += 1;
        }
    }
    iso_pool_free(&pool);
    return good;
}

static bool compare_all(iso_agreement *a, iso_env *env, const isolab_history *h, finding *f) {
    for (int level = 0; level < iso_n_levels; level++) {
        if (a->levels != 0 && (a->levels & ISO_LEVEL_BIT(level)) == 0) {
            continue;
        }
        bool variant = a->no_sessions && (level == ISO_SI || level == ISO_SER);
        for (int without = 0; without <= variant; without++) {
            f->question = (iso_question){.level = (iso_level)level,
                                         .no_session_order = without != 0,
                                         .all = a->all,
                                         .certificate = !a->no_certificates};
            if (!compare(a, env, h, f)) {
                return false;
            }
        }
    }
    return true;
}

/* Leaves out transactions and operations as long as something is still wrong. */
static const isolab_history *shrink(iso_agreement *a, iso_env *env, iso_pool *pool, const isolab_history *h,
                                    finding *f) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (uint32_t i = 0; i < h->n_txns + h->n_ops; i++) {
            uint32_t op = i < h->n_txns ? ISO_NONE : i - h->n_txns;
            finding found;
            iso_change change = {.without_txn = op == ISO_NONE ? i : ISO_NONE, .without_op = op, .op = ISO_NONE};
            const isolab_history *less = iso_changed(pool, h, change);
            if (!compare_all(a, env, less, &found)) {
                h = less;
                *f = found;
                smaller = true;
                break;
            }
        }
    }
    return h;
}

void iso_agree_print(iso_env *env, const isolab_history *h) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    char *text = NULL;
    size_t size;
    iso_sink sink = {.pool = &pool, .path = "-", .out = open_memstream(&text, &size)};
    iso_format_find("isolab")->write(h, &sink);
    fclose(sink.out);
    for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        diag("    %s", line);
    }
    free(text);
    iso_pool_free(&pool);
}

bool iso_agree(iso_agreement *a, iso_env *env, const isolab_history *h, uint64_t seed) {
    if (!selected(a->what)) {
        return true;
    }
    if (a->n_checkers == 0) {
        find_checkers(a);
    }
    finding f;
    a->histories++;
    if (a->failed || compare_all(a, env, h, &f)) {
        return !a->failed;
    }
    a->failed = true;
    iso_pool pool;
    iso_pool_init(&pool, env);
    iso_agreement quiet = *a;
    h = shrink(&quiet, env, &pool, h, &f);
    diag("level %s%s, seed %" PRIu64 ": %s", iso_level_get(f.question.level)->name,
         f.question.no_session_order ? " without session order" : "", seed, f.why);
    iso_agree_print(env, h);
    iso_pool_free(&pool);
    return false;
}

void iso_agree_random(iso_agreement *a, iso_env *env, uint64_t first, uint64_t rounds, const iso_small_shape *shape) {
    if (!selected(a->what)) {
        return;
    }
    iso_pool pool;
    iso_pool_init(&pool, env);
    for (uint64_t i = 0; i < rounds && iso_agree(a, env, iso_random_small(&pool, first + i, shape), first + i); i++) {
        iso_pool_free(&pool);
    }
    iso_pool_free(&pool);
}

typedef struct stream {
    iso_agreement *a;
    iso_env *env;
} stream;

static bool next(void *arg, const isolab_history *h) {
    stream *s = arg;
    return iso_agree(s->a, s->env, h, 0);
}

void iso_agree_all(iso_agreement *a, iso_env *env, const iso_enumeration *what) {
    if (!selected(a->what)) {
        return;
    }
    iso_pool pool;
    iso_pool_init(&pool, env);
    iso_enumerate(&pool, what, next, &(stream){a, env});
    iso_pool_free(&pool);
}

void iso_agree_report(const iso_agreement *a) {
    if (skip_unselected(a->what)) {
        return;
    }
    ok(!a->failed && a->compared > 0, "%s: %s agree", a->what, a->checkers == NULL ? "all checkers" : a->checkers);
    diag("%s: %" PRIu64 " histories, %" PRIu64 " comparisons (%" PRIu64 " satisfied, %" PRIu64 " violated), %" PRIu64
         " certificates verified",
         a->what, a->histories, a->compared, a->satisfied, a->violated, a->verified);
}

iso_agreement iso_agree_shaped(iso_agreement a, iso_env *env, const char *what, uint64_t rounds,
                               const iso_small_shape *shape) {
    a.what = what;
    iso_agree_random(&a, env, seed_or(1), rounds, shape);
    iso_agree_report(&a);
    return a;
}

/* $ISOLAB_DEEP: 1 for all deep rounds, 0.01 for one in a hundred. */
static double share_of_deep(void) {
    const char *text = getenv("ISOLAB_DEEP");
    double share = text == NULL ? 1 : strtod(text, NULL);
    return share > 0 && share < 1 ? share : 1;
}

uint64_t iso_agree_rounds(uint64_t quick, uint64_t normal, uint64_t deep) {
    uint64_t some = (uint64_t)(share_of_deep() * (double)deep);
    return getenv("ISOLAB_QUICK") != NULL ? quick : getenv("ISOLAB_DEEP") == NULL ? normal : some == 0 ? 1 : some;
}

unsigned iso_agree_parts(unsigned quick, unsigned normal, unsigned deep) {
    double parts = (deep == 0 ? 1 : deep) / share_of_deep();
    return getenv("ISOLAB_QUICK") != NULL  ? quick
           : getenv("ISOLAB_DEEP") == NULL ? normal
           : parts <= 1                    ? 0
           : parts > 1e9                   ? 1000000000
                                           : (unsigned)parts;
}
