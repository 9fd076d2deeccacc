/* The referee's loop. See referee.h. */
#define _GNU_SOURCE
#include "experiments/referee/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/print.h"
#include "formats/format.h"
#include "history/copy.h"

#define SAVE_EVERY 1000000000 /* in ns: this much work is repeated after a kill */

#define BATCH_NS 1000000000        /* intended time of asking about one batch, so that every level has its turn */
#define PACKED_BATCH_NS 4000000000 /* the same if a tool is asked about packs: larger packs save more time */
#define QUEUED 64 /* limit of disagreements of a class that wait to be shrunk: most have the cause of the first one */
#define KNOWN 64  /* one in this many disagreements whose cause seems to be known is shrunk nevertheless */
#define OFFERS 8  /* number of histories for which a tool gets an unsupported trait unchanged, by trait and question */

/* A disagreement that waits to be explained, with its history. */
typedef struct waiting {
    iso_pool pool; /* of its history */
    iso_class *class;
    const isolab_history *h;
    iso_origin origin;
    unsigned
        causes; /* number of causes of its class when it was queued: it has none of them, or is shrunk nevertheless */
    char signs[ISO_PARTIES + 1];
    const iso_judgement *answers; /* by party */
} waiting;

/* A run: the current batch of histories, which are copies, since a source frees its own; and the disagreements to be
 * explained. */
typedef struct loop {
    iso_referee *r;
    iso_pool pool, scratch, source; /* for the batch; for one answer; for one new history */
    const isolab_history **h;
    iso_origin *origin;
    iso_judgement *answers; /* answers[i * n_parties + party]: the answer about history i */
    size_t n, want;         /* want: the batch size that takes about the intended time */
    waiting *waiting;
    size_t n_waiting, room_waiting;
    int64_t saved, told; /* the time at which the state was saved, and counts were printed */
} loop;

/* Adds the recorded seconds of the verdicts that are compared to the sums of their parties. */
static void add_seconds(loop *l, const iso_referee_question *asked, size_t at, const char *signs) {
    for (unsigned i = 0; i < l->r->n_parties; i++) {
        const iso_records *records = l->r->party[i].records;
        bool counts = records != NULL && signs[i] != '-';
        const iso_record *record = counts ? iso_recorded(records, l->origin[at].at, asked->level) : NULL;
        if (record != NULL && record->seconds >= 0) {
            l->r->tally[i].seconds += record->seconds;
            l->r->tally[i].n_timed++;
        }
    }
}

static bool is_wanted(const iso_referee *r, const iso_class *c) {
    return c->reported < (c->plain_party < 0 ? r->options.reports : 1) && c->shrunk < 4 * r->options.reports;
}

/* Compares the answers about one history. plain_party: the party for which the history kept an unsupported trait; -1:
 * none. */
static void compare_answers(loop *l, unsigned question, size_t at, const iso_judgement *answers, int plain_party,
                            iso_trait trait) {
    iso_referee *r = l->r;
    iso_referee_question *asked = &r->questions[question];
    char signs[ISO_PARTIES + 1];
    unsigned satisfied = 0, violated = 0;
    bool disagree = iso_referee_disagree(r, answers, signs);
    for (unsigned i = 0; i < r->n_parties && plain_party < 0; i++) {
        iso_referee_count(r, i, &answers[i]);
        satisfied += signs[i] == 'S';
        violated += signs[i] == 'V';
    }
    if (satisfied + violated > 1) {
        asked->compared++;
        r->outcome.comparisons++;
        asked->satisfied += violated == 0;
        asked->violated += satisfied == 0;
        add_seconds(l, asked, at, signs);
    }
    if (!disagree) {
        return;
    }
    asked->disagreed++;
    r->outcome.disagreements++;
    iso_class *c = iso_referee_class(r, question, l->h[at], signs, plain_party, trait);
    if (c == NULL) {
        return;
    }
    c->seen++;
    bool known = iso_class_explains(c, iso_features(l->h[at])) && ++c->known % KNOWN != 0;
    /* Of each class a few disagreements are shrunk: as many as may have reports, and some that become equal to a
     * report. Most disagreements with the features of a known cause have this cause, so the other ones come first. */
    if (is_wanted(r, c) && !known && c->queued < QUEUED) {
        c->queued++;
        ISO_GROW(r->pool, l->waiting, l->n_waiting, l->room_waiting);
        waiting *w = &l->waiting[l->n_waiting++];
        *w = (waiting){.class = c, .origin = l->origin[at], .causes = c->n_causes};
        memcpy(w->signs, signs, sizeof signs);
        iso_pool_init(&w->pool, r->env);
        w->h = iso_copy(&w->pool, l->h[at]);
        w->answers = memcpy(ISO_NEW(&w->pool, iso_judgement, r->n_parties), answers, r->n_parties * sizeof *answers);
    }
}

/* Returns the limit in ns for explaining the next disagreement; 0: not now. With a limit of time the findings get about
 * half of it, so that a slow tool is asked about more than the first histories. */
static int64_t time_for_findings(const loop *l) {
    int64_t deadline = l->r->env->limits->deadline, now = iso_now(), left = deadline - now,
            spent = now - l->r->outcome.since;
    if (deadline == 0) {
        return INT64_MAX;
    }
    bool last = left < (deadline - l->r->outcome.since) * 2 / 5;
    return last || l->r->outcome.on_findings < spent / 3 ? left / 3 + 1 : 0;
}

/* Shrinks the waiting disagreements in order. Skips classes that have enough reports meanwhile, and causes that became
 * known meanwhile. */
static void work_on_findings(loop *l) {
    size_t done = 0;
    for (int64_t may; done < l->n_waiting && (may = time_for_findings(l)) > 0; done++) {
        waiting w = l->waiting[done];
        l->waiting[done].h = NULL;
        w.class->queued--;
        bool known = w.class->n_causes > w.causes && iso_class_explains(w.class, iso_features(w.h));
        if (is_wanted(l->r, w.class) && !known) {
            w.class->shrunk++;
            iso_referee_finding(l->r, w.class, w.h, &w.origin, w.signs, w.answers, may == INT64_MAX ? 0 : may);
        }
        iso_pool_free(&w.pool);
    }
    if (done > 0) {
        memmove(l->waiting, l->waiting + done, (l->n_waiting - done) * sizeof *l->waiting);
    }
    l->n_waiting -= done;
}

/* Returns whether a party's format can hold the history in the form that the party gets. */
static bool holds(iso_pool *scratch, const iso_tool *p, const isolab_history *h) {
    iso_losses losses;
    iso_survey(iso_adapter_history(scratch, p->adapter, h, p->plain), p->format, &losses);
    return losses.count[ISO_LOSS_INITIAL] + losses.count[ISO_LOSS_ABORTED] + losses.count[ISO_LOSS_LISTS] == 0;
}

/* Asks a tool about a few histories with an unsupported trait unchanged. This confirms the table of adapters, or shows
 * that the tool was corrected. */
static void offer(loop *l, unsigned question, unsigned party, iso_trait trait, iso_judgement *answers) {
    iso_referee *r = l->r;
    iso_tool *p = r->party[party].tool;
    uint8_t *offered = &r->tally[party].offered[question][trait];
    for (size_t i = 0; i < l->n && *offered < OFFERS; i++) {
        p->plain = ISO_TRAIT_BIT(trait);
        bool fits = (iso_adapter_traits(p->adapter, l->h[i]) & p->plain) != 0 && holds(&l->scratch, p, l->h[i]);
        if (fits) {
            iso_judgement own[ISO_PARTIES];
            iso_referee_ask(r, &l->scratch, &l->h[i], NULL, 1, &r->questions[question], (uint32_t)1 << party, own);
            iso_judgement plain = own[party];
            memcpy(own, answers + i * r->n_parties, r->n_parties * sizeof *own);
            own[party] = plain;
            ++*offered;
            uint64_t before = r->outcome.disagreements;
            compare_answers(l, question, i, own, (int)party, trait);
            *offered = r->outcome.disagreements > before ? OFFERS : *offered;
        }
        p->plain = 0;
        iso_pool_free(&l->scratch);
    }
}

static void make_offers(loop *l, unsigned question, iso_judgement *answers) {
    iso_referee *r = l->r;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
        uint32_t offers = adapter != NULL ? iso_adapter_offers(adapter) : 0;
        for (int t = 0; t < ISO_TRAITS; t++) {
            if (offers & ISO_TRAIT_BIT(t)) {
                offer(l, question, i, (iso_trait)t, answers);
            }
        }
    }
}

/* Prints the identity of a run: the options that determine its histories and questions, except the number of histories.
 * Only a run of the same identity can continue it. */
static void print_identity(const iso_referee *r, iso_printer *out) {
    char text[64];
    iso_print(out, "seed %" PRIu64 "; checkers", r->options.seed);
    for (unsigned i = 0; i < r->n_parties; i++) {
        iso_print(out, " %s", r->party[i].name);
    }
    iso_print(out, "; levels");
    for (unsigned i = 0; i < r->n_questions; i++) {
        iso_print(out, "%s %s", i > 0 ? "," : "", iso_referee_question_text(&r->questions[i], text));
    }
    iso_print(out, "; exhaustive %u,%u,%u; mutants %" PRIu64 "; random %d, of %u %u %u %u; files",
              r->options.exhaustive[0], r->options.exhaustive[1], r->options.exhaustive[2], r->options.mutants,
              r->options.random, r->options.shape.txns, r->options.shape.ops, r->options.shape.keys,
              r->options.shape.sessions);
    for (unsigned i = 0; i < r->options.files.n; i++) {
        iso_print(out, "%s%s", r->options.files.list[i], i + 1 < r->options.files.n ? " " : ";");
    }
}

static void print_state(const iso_referee *r, uint64_t next, iso_printer *out) {
    iso_print(out, "isolab-referee 3\nrun ");
    print_identity(r, out);
    iso_print(out, "\nnext %" PRIu64 "\nunreadable %" PRIu64 "\n", next, r->outcome.unreadable);
    for (unsigned i = 0; i < r->classes.n; i++) {
        const iso_class *c = &r->classes.at[i];
        iso_print(out, "class %u %s %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->question, c->signs,
                  (int)c->kind, c->plain_party, (int)c->plain_trait, c->seen, c->shrunk, c->reported);
    }
}

/* Writes the path of the state of the last run in the folder (identity NULL), or of an earlier run, whose name has the
 * hash of its identity. */
static void state_path(const iso_referee *r, const char *identity, char path[4096]) {
    if (identity == NULL) {
        snprintf(path, 4096, "%s/state", r->options.out);
    } else {
        snprintf(path, 4096, "%s/state-%016llx", r->options.out,
                 (unsigned long long)XXH3_64bits(identity, strlen(identity)));
    }
}

static const char *identity_of(const iso_referee *r, iso_pool *pool) {
    iso_printer out = {.pool = pool};
    print_identity(r, &out);
    return iso_printed(&out);
}

/* Cuts the next whole line off a text and returns it; NULL: there is none. */
static char *next_line(char **at) {
    char *line = *at, *end = strchr(line, '\n');
    if (end == NULL) {
        return NULL;
    }
    *end = '\0';
    *at = end + 1;
    return line;
}

/* Returns the identity of the run of a state file; NULL: the file is damaged. *rest: the lines after the identity. */
static const char *identity_in(iso_pool *pool, const char *path, char **rest) {
    size_t size;
    *rest = iso_source_text(pool, path, 0, &size);
    const char *line = next_line(rest);
    bool good = line != NULL && strcmp(line, "isolab-referee 3") == 0 && (line = next_line(rest)) != NULL &&
                strncmp(line, "run ", 4) == 0;
    return good ? line + 4 : NULL;
}

/* Renames the state of another run, so that both runs can continue. */
static void set_aside(iso_referee *r) {
    char path[4096], other[4096], *rest;
    iso_pool pool;
    iso_pool_init(&pool, r->env);
    state_path(r, NULL, path);
    const char *was = access(path, F_OK) == 0 ? identity_in(&pool, path, &rest) : NULL;
    if (was != NULL && strcmp(was, identity_of(r, &pool)) != 0) {
        state_path(r, was, other);
        if (rename(path, other) != 0) {
            iso_throw(r->env, ISOLAB_E_IO, "cannot rename %s: %s", path, strerror(errno));
        }
    }
    iso_pool_free(&pool);
}

static void save_state(loop *l) {
    char path[4096];
    iso_pool pool;
    iso_pool_init(&pool, l->r->env);
    iso_printer out = {.pool = &pool};
    state_path(l->r, NULL, path);
    /* Waiting histories are asked about again. */
    print_state(l->r, l->n_waiting > 0 && l->waiting[0].h != NULL ? l->waiting[0].origin.number : l->r->outcome.next,
                &out);
    iso_file_save(l->r->env, path, iso_printed(&out), out.size);
    iso_pool_free(&pool);
    l->saved = iso_now();
}

/* Reads one line of a state. Returns whether it is well formed. */
static bool load_line(iso_referee *r, const char *line) {
    char signs[ISO_PARTIES + 2];
    iso_class c = {0};
    unsigned kind = 0, trait = 0;
    if (sscanf(line, "class %u %32s %u %d %u %" SCNu64 " %" SCNu64 " %" SCNu64, &c.question, signs, &kind,
               &c.plain_party, &trait, &c.seen, &c.shrunk, &c.reported) != 8) {
        return sscanf(line, "next %" SCNu64, &r->outcome.next) == 1 ||
               sscanf(line, "unreadable %" SCNu64, &r->outcome.unreadable) == 1;
    }
    if (c.question >= r->n_questions || strlen(signs) != r->n_parties || r->classes.n == ISO_VERDICT_CLASSES ||
        kind > ISO_A_KINDS || c.plain_party < -1 || c.plain_party >= (int)r->n_parties || trait >= ISO_TRAITS) {
        return false;
    }
    c.plain_trait = (iso_trait)trait;
    memcpy(c.signs, signs, strlen(signs) + 1);
    c.kind = (iso_anomaly_kind)kind;
    iso_referee_told(r, &c);
    r->classes.at[r->classes.n++] = c;
    r->outcome.before += c.seen;
    return true;
}

static void load_state(iso_referee *r) {
    char path[4096], aside[4096], *rest, *line;
    const char *own = identity_of(r, r->pool), *was = NULL;
    state_path(r, NULL, path);
    state_path(r, own, aside);
    bool there = access(path, F_OK) == 0;
    if (there && (was = identity_in(r->pool, path, &rest)) != NULL && strcmp(was, own) != 0 &&
        access(aside, F_OK) == 0) {
        was = identity_in(r->pool, aside, &rest);
    } else if (!there) {
        return; /* nothing to continue: start from the beginning */
    }
    if (was != NULL && strcmp(was, own) != 0) {
        iso_throw(r->env, ISOLAB_E_USAGE, "%s is of another run: %.400s", path, was);
    }
    bool good = was != NULL;
    while (good && (line = next_line(&rest)) != NULL) {
        good = load_line(r, line);
    }
    if (!good) {
        iso_throw(r->env, ISOLAB_E_INPUT, "%s is damaged: take another folder, or leave out --resume", path);
    }
    r->outcome.begun_at = r->outcome.next;
}

/* Asks all parties about the batch, question by question, compares the answers, and then explains disagreements. */
static void ask_batch(loop *l) {
    iso_referee *r = l->r;
    int64_t began = iso_now();
    for (unsigned q = 0; q < r->n_questions && l->n > 0; q++) {
        iso_referee_ask(r, &l->scratch, l->h, l->origin, l->n, &r->questions[q], UINT32_MAX, l->answers);
        iso_pool_free(&l->scratch);
        for (size_t i = 0; i < l->n; i++) {
            compare_answers(l, q, i, &l->answers[i * r->n_parties], -1, (iso_trait)0);
        }
        make_offers(l, q, l->answers);
    }
    int64_t took = iso_now() - began;
    int64_t wanted = BATCH_NS;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
        bool packs = adapter != NULL && iso_adapter_is(adapter->pack, "yes") && *adapter->serve == '\0';
        wanted = packs ? PACKED_BATCH_NS : wanted;
    }
    l->want = took > 2 * wanted && l->want > 1 ? l->want / 2 : took < wanted / 2 ? 2 * l->want : l->want;
    l->want = l->want > r->options.batch ? r->options.batch : l->want;
    for (size_t i = 0; i < l->n; i++) {
        r->outcome.histories++;
        r->outcome.next = l->origin[i].number + 1;
    }
    l->n = 0;
    iso_pool_free(&l->pool);
    iso_ahead_done(r->ahead);
    work_on_findings(l);
    if (l->saved == 0 || iso_now() - l->saved > SAVE_EVERY) {
        save_state(l);
    }
}

/* Prints counts on standard error from time to time, for a user without a terminal. */
static void print_counts(loop *l) {
    const iso_referee *r = l->r;
    if (r->options.tell_every > 0 && iso_now() - l->told > r->options.tell_every) {
        iso_say(stderr,
                "isolab: %" PRIu64 " histories, %" PRIu64 " comparisons, %" PRIu64 " disagreements, %" PRIu64
                " reports\n",
                r->outcome.histories, r->outcome.comparisons, r->outcome.disagreements, r->outcome.findings);
        l->told = iso_now();
    }
}

/* A source calls this with each history. */
static bool add_to_batch(void *arg, const isolab_history *h, const iso_origin *origin) {
    loop *l = arg;
    iso_referee *r = l->r;
    bool lasts = r->options.batch == 1 || (r->random_only && r->ahead != NULL);
    l->h[l->n] = lasts ? h : iso_copy(&l->pool, h);
    l->origin[l->n++] = *origin;
    if (l->n == l->want) {
        ask_batch(l);
        iso_progress(r->env, "histories", r->outcome.histories, r->options.count);
        print_counts(l);
    }
    return true;
}

static void ask_about_all(void *arg) {
    loop *l = arg;
    iso_referee_source(l->r, &l->source, add_to_batch, l);
    ask_batch(l);
    while (l->n_waiting > 0) {
        work_on_findings(l);
    }
}

/* Decides whether random histories have repeated values, and lists: only if two parties support them; and if published
 * parties are asked, one of these must be published. */
static void choose_shapes(iso_referee *r) {
    unsigned duplicates[2] = {0, 0}, lists[2] = {0, 0}; /* numbers of isolab's checkers, of published ones */
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_checker *checker = r->party[i].checker;
        const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
        if (adapter != NULL) {
            duplicates[1] += iso_adapter_is(adapter->duplicates, "yes");
            lists[1] += !iso_adapter_is(adapter->lists, "no");
        } else if (checker != NULL) {
            duplicates[0] += (checker->can & ISO_CAN_DUPLICATES) != 0;
            lists[0] += (checker->can & ISO_CAN_LISTS) != 0;
        }
    }
    r->duplicates = duplicates[0] + duplicates[1] > 1 && (r->n_foreign == 0 || duplicates[1] > 0);
    r->lists = lists[0] + lists[1] > 1 && (r->n_foreign == 0 || lists[1] > 0);
}

uint64_t iso_referee_run(iso_referee *r) {
    struct stat status;
    if (mkdir(r->options.out, 0777) != 0 &&
        (errno != EEXIST || stat(r->options.out, &status) != 0 || !S_ISDIR(status.st_mode))) {
        iso_throw(r->env, ISOLAB_E_IO, "cannot make the folder %s: %s", r->options.out, strerror(errno));
    }
    if (r->options.resume) {
        iso_referee_read_reports(r);
        load_state(r);
    }
    set_aside(r);
    choose_shapes(r);
    r->options.batch = r->n_foreign == 0 ? 1 : r->options.batch;
    iso_cache_begin(r->env);
    r->outcome.since = iso_now();
    loop l = {.r = r, .told = r->outcome.since};
    iso_pool_init(&l.pool, r->env);
    iso_pool_init(&l.scratch, r->env);
    iso_pool_init(&l.source, r->env);
    iso_pool_init(&r->steering.pool, r->env);
    l.h = ISO_NEW(r->pool, const isolab_history *, r->options.batch);
    l.origin = ISO_NEW(r->pool, iso_origin, r->options.batch);
    l.answers = ISO_NEW(r->pool, iso_judgement, r->options.batch * r->n_parties);
    l.want = r->options.batch < 16 ? r->options.batch : 16;
    int code = iso_guard(r->env, ask_about_all, &l);
    for (unsigned i = 0; i < r->n_parties; i++) {
        r->party[i].close(&r->party[i]);
    }
    for (size_t i = 0; i < l.n_waiting; i++) {
        if (l.waiting[i].h != NULL) {
            iso_pool_free(&l.waiting[i].pool);
        }
    }
    iso_pool_free(&l.pool);
    iso_pool_free(&l.scratch);
    iso_pool_free(&l.source);
    iso_pool_free(&r->steering.pool);
    iso_ahead_end(r->ahead);
    iso_cache_end(r->env);
    if (r->temporary != NULL) {
        iso_remove_folder(r->temporary);
    }
    if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
        iso_rethrow(r->env);
    }
    r->outcome.ended_early = code == ISOLAB_E_LIMIT;
    r->outcome.interrupted = iso_end_time_limit(r->env) && r->outcome.ended_early; /* the results are saved */
    save_state(&l);
    return r->outcome.disagreements + r->outcome.before;
}
