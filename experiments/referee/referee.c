/* The referee's loop. See referee.h. */
#define _GNU_SOURCE
#include "experiments/referee/referee.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/print.h"
#include "history/copy.h"

#define SAVE_EVERY 1000000000 /* ns: so much work is done again after a kill */

/* Histories that wait for a foreign party: copied, since their pool goes. */
typedef struct loop {
    iso_referee *r;
    iso_pool pool, scratch, source; /* of the histories that wait; of one answer; of one history that comes */
    const isolab_history **h;
    iso_origin *origin;
    iso_said *said;
    size_t n;
    int64_t saved;
} loop;

static void judge(loop *l, unsigned question, const isolab_history *h, const iso_origin *origin, const iso_said *said) {
    iso_referee *r = l->r;
    iso_query *ask = &r->ask[question];
    char signs[ISO_PARTIES + 1];
    unsigned satisfied = 0, violated = 0;
    bool disagree = iso_referee_disagree(r, said, signs);
    for (unsigned i = 0; i < r->n_parties; i++) {
        iso_referee_count(r, i, &said[i]);
        satisfied += signs[i] == 'S';
        violated += signs[i] == 'V';
    }
    if (satisfied + violated > 1) {
        ask->compared++;
        r->comparisons++;
        ask->satisfied += violated == 0;
        ask->violated += satisfied == 0;
    }
    if (!disagree) {
        return;
    }
    ask->disagreed++;
    r->disagreements++;
    iso_class *c = iso_referee_class(r, question, h, signs);
    if (c == NULL) {
        return;
    }
    c->seen++;
    /* Of one kind a few are worth the time: as many as have reports, and some that turn out to be the same. */
    if (c->reported < r->reports && c->shrunk < 4 * r->reports) {
        iso_referee_finding(r, c, h, origin, signs);
    }
}

/* What decides which histories come, and who is asked what about them: a run that goes on must have the same. How many
 * there are is no part of it. */
static void print_identity(const iso_referee *r, iso_printer *out) {
    char text[64];
    iso_print(out, "seed %" PRIu64 "; checkers", r->seed);
    for (unsigned i = 0; i < r->n_parties; i++) {
        iso_print(out, " %s", r->party[i].name);
    }
    iso_print(out, "; levels");
    for (unsigned i = 0; i < r->n_asks; i++) {
        iso_print(out, "%s %s", i > 0 ? "," : "", iso_query_text(&r->ask[i], text));
    }
    iso_print(out, "; exhaustive %u,%u,%u; mutants %" PRIu64 "; random %d, of %u %u %u %u; files", r->exhaustive[0],
              r->exhaustive[1], r->exhaustive[2], r->mutants, r->random, r->shape.txns, r->shape.ops, r->shape.keys,
              r->shape.sessions);
    for (unsigned i = 0; i < r->n_files; i++) {
        iso_print(out, "%s%s", r->files[i], i + 1 < r->n_files ? " " : ";");
    }
}

static void print_state(const iso_referee *r, iso_printer *out) {
    iso_print(out, "isolab-referee 2\nrun ");
    print_identity(r, out);
    iso_print(out, "\nnext %" PRIu64 "\n", r->next);
    for (unsigned i = 0; i < r->n_classes; i++) {
        const iso_class *c = &r->class[i];
        iso_print(out, "class %u %s %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->question, c->signs, (int)c->kind,
                  c->seen, c->shrunk, c->reported);
    }
}

static void save_state(loop *l) {
    char path[4096];
    iso_pool pool;
    iso_pool_init(&pool, l->r->env);
    iso_printer out = {.pool = &pool};
    snprintf(path, sizeof path, "%s/state", l->r->out);
    print_state(l->r, &out);
    iso_file_save(l->r->env, path, iso_printed(&out), out.size);
    iso_pool_free(&pool);
    l->saved = iso_now();
}

static void load_state(iso_referee *r) {
    char path[4096], signs[ISO_PARTIES + 2], *line = NULL;
    size_t room = 0;
    ssize_t length;
    snprintf(path, sizeof path, "%s/state", r->out);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return; /* nothing to go on with: from the beginning */
    }
    uint64_t next = 0;
    iso_printer identity = {.pool = r->pool};
    print_identity(r, &identity);
    const char *own = iso_printed(&identity);
    bool good = getline(&line, &room, f) > 0 && strcmp(line, "isolab-referee 2\n") == 0 &&
                (length = getline(&line, &room, f)) > 5 && strncmp(line, "run ", 4) == 0 && line[length - 1] == '\n';
    bool same = good && strncmp(line + 4, own, strlen(own)) == 0 && strcmp(line + 4 + strlen(own), "\n") == 0;
    char was[512] = "";
    if (good && !same) {
        snprintf(was, sizeof was, "%.*s", (int)(length - 5 < 400 ? length - 5 : 400), line + 4);
    }
    while (same && good && getline(&line, &room, f) > 0) {
        iso_class c = {0};
        unsigned kind = 0;
        if (sscanf(line, "class %u %32s %u %" SCNu64 " %" SCNu64 " %" SCNu64, &c.question, signs, &kind, &c.seen,
                   &c.shrunk, &c.reported) == 6) {
            good = c.question < r->n_asks && strlen(signs) == r->n_parties && r->n_classes < ISO_VERDICT_CLASSES &&
                   kind <= ISO_A_KINDS;
            memcpy(c.signs, signs, sizeof c.signs);
            c.kind = (iso_anomaly_kind)kind;
            if (good) {
                c.reported = iso_referee_told(r, &c);
                r->class[r->n_classes++] = c;
                r->before += c.seen;
            }
        } else {
            good = sscanf(line, "next %" SCNu64, &next) == 1;
        }
    }
    fclose(f);
    free(line);
    if (good && !same) {
        iso_throw(r->env, ISOLAB_E_USAGE, "%s is of another run: %s", path, was);
    }
    if (!good) {
        iso_throw(r->env, ISOLAB_E_INPUT, "%s is damaged: take another folder, or leave out --resume", path);
    }
    r->next = next;
    r->begun_at = next;
}

/* Asks everybody about all histories that wait. */
static void flush(loop *l) {
    iso_referee *r = l->r;
    for (unsigned q = 0; q < r->n_asks && l->n > 0; q++) {
        iso_referee_ask(r, &l->scratch, l->h, l->n, &r->ask[q], UINT32_MAX, l->said);
        iso_pool_free(&l->scratch);
        for (size_t i = 0; i < l->n; i++) {
            judge(l, q, l->h[i], &l->origin[i], &l->said[i * r->n_parties]);
        }
    }
    for (size_t i = 0; i < l->n; i++) {
        r->histories++;
        r->next = l->origin[i].number + 1;
    }
    l->n = 0;
    iso_pool_free(&l->pool);
    if (l->saved == 0 || iso_now() - l->saved > SAVE_EVERY) {
        save_state(l);
    }
}

static bool take(void *arg, const isolab_history *h, const iso_origin *origin) {
    loop *l = arg;
    iso_referee *r = l->r;
    l->h[l->n] = r->batch > 1 ? iso_copy(&l->pool, h) : h;
    l->origin[l->n++] = *origin;
    if (l->n == r->batch) {
        flush(l);
        iso_progress(r->env, "histories", r->histories, r->count);
    }
    return true;
}

static void work(void *arg) {
    loop *l = arg;
    iso_referee_source(l->r, &l->source, take, l);
    flush(l);
}

uint64_t iso_referee_run(iso_referee *r) {
    struct stat status;
    if (mkdir(r->out, 0777) != 0 && (errno != EEXIST || stat(r->out, &status) != 0 || !S_ISDIR(status.st_mode))) {
        iso_throw(r->env, ISOLAB_E_IO, "cannot make the folder %s: %s", r->out, strerror(errno));
    }
    if (r->resume) {
        iso_referee_look(r);
        load_state(r);
    }
    unsigned with_duplicates = 0, with_lists = 0;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        with_duplicates += p->checker != NULL ? (p->checker->can & ISO_CAN_DUPLICATES) != 0
                                              : iso_adapter_is(p->adapter->duplicates, "yes");
        with_lists +=
            p->checker != NULL ? (p->checker->can & ISO_CAN_LISTS) != 0 : !iso_adapter_is(p->adapter->lists, "no");
    }
    r->duplicates = with_duplicates > 1;
    r->lists = with_lists > 1;
    r->batch = r->n_foreign == 0 ? 1 : r->batch;
    r->since = iso_now();
    loop l = {.r = r};
    iso_pool_init(&l.pool, r->env);
    iso_pool_init(&l.scratch, r->env);
    iso_pool_init(&l.source, r->env);
    l.h = ISO_NEW(r->pool, const isolab_history *, r->batch);
    l.origin = ISO_NEW(r->pool, iso_origin, r->batch);
    l.said = ISO_NEW(r->pool, iso_said, r->batch * r->n_parties);
    int code = iso_guard(r->env, work, &l);
    iso_pool_free(&l.pool);
    iso_pool_free(&l.scratch);
    iso_pool_free(&l.source);
    if (r->temporary != NULL) {
        iso_remove_folder(r->temporary);
        r->temporary = NULL;
    }
    if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
        iso_rethrow(r->env);
    }
    r->ended_early = code == ISOLAB_E_LIMIT;
    r->env->limits->deadline = 0; /* what was found is kept */
    r->interrupted = r->ended_early && atomic_exchange(&r->env->limits->interrupted, 0) != 0;
    save_state(&l);
    return r->disagreements + r->before;
}

void iso_referee_summary(const iso_referee *r, FILE *out) {
    char text[64];
    double seconds = (double)(iso_now() - r->since) / 1e9;
    const char *early = !r->ended_early ? "" : r->interrupted ? "; interrupted" : "; ended by a limit";
    iso_say(out,
            "%" PRIu64 " histories, %" PRIu64 " comparisons, %" PRIu64 " disagreements, %" PRIu64
            " reports in %s (%.3g s, %.3g histories an hour)%s\n",
            r->histories, r->comparisons, r->disagreements, r->findings, r->out, seconds,
            seconds > 0 ? (double)r->histories / seconds * 3600 : 0, early);
    if (r->begun_at > 0) {
        iso_say(out, "went on from history %" PRIu64 "\n", r->begun_at);
    }
    if (r->not_repeatable > 0) {
        iso_say(out, "%" PRIu64 " disagreements did not repeat\n", r->not_repeatable);
    }
    iso_say(out, "%-30s %10s %10s %10s %10s\n", "question", "compared", "satisfied", "violated", "disagreed");
    for (unsigned i = 0; i < r->n_asks; i++) {
        const iso_query *a = &r->ask[i];
        iso_say(out, "%-30s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", iso_query_text(a, text),
                a->compared, a->satisfied, a->violated, a->disagreed);
    }
    iso_say(out, "%-30s %10s %10s %10s %10s  %s\n", "checker", "asked", "satisfied", "violated", "unknown", "else");
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        iso_say(out, "%-30s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " ", p->name, p->asked, p->satisfied,
                p->violated, p->unknown);
        for (int s = ISO_STATE_OK + 1; s < ISO_STATES; s++) {
            if (p->states[s] > 0 && s != ISO_STATE_UNSUPPORTED) {
                iso_say(out, " %" PRIu64 " %s", p->states[s], iso_state_text[s]);
            }
        }
        iso_say(out, "\n");
    }
    for (unsigned i = 0; i < r->n_classes; i++) {
        const iso_class *c = &r->class[i];
        iso_say(out, "disagreement at %s:", iso_query_text(&r->ask[c->question], text));
        for (unsigned k = 0; k < r->n_parties; k++) {
            char sign = c->signs[k];
            if (sign != '-') {
                iso_say(out, " %s=%s", r->party[k].name,
                        sign == 'S'   ? "satisfied"
                        : sign == 'V' ? "violated"
                        : sign == 'C' ? "crash"
                                      : "unparsable");
            }
        }
        iso_say(out, "%s%s; seen %" PRIu64 ", reported %" PRIu64 "\n", c->kind == ISO_A_KINDS ? "" : ", ",
                c->kind == ISO_A_KINDS ? "" : iso_anomaly_get(c->kind)->name, c->seen, c->reported);
    }
    if (r->classes_left_out > 0) {
        iso_say(out, "%" PRIu64 " disagreements of further kinds were only counted\n", r->classes_left_out);
    }
}
