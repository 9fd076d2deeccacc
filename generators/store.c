/* The simulated store: the loop over its clients, and the recording of what they saw. See store.h.
 *
 * Every step lets one client, chosen at random, do one thing: begin (and, with snapshots, read everything), read or
 * write one key (rc), or end. A step takes O(1) besides its operations, so a million transactions take a few
 * seconds. */
#include "base/random.h"
#include "generators/store_internal.h"

#include <string.h>

#define LEVELS "sser lser ser si pc cc ra rc ci rc-plume g1 int"

const iso_option iso_store_options[] = {
    {ISO_WORD("store", "sim", "sim", "what runs the transactions: the simulated store")},
    {ISO_COUNT("sessions", "10", 1, 1 << 20, "clients, one session each")},
    {ISO_COUNT("txns", "1000", 0, 1e9, "transactions in all, retries of aborted ones not counted")},
    {ISO_WORD("level", "ser", LEVELS, "isolation level that the store delivers (ci as ra; rc-plume, g1, int as rc)"),
     .of = ISO_OF_SOME_LEVELS, .letter = 'l'},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of all random choices")},
    {ISO_COUNT("overlap", "5", 1, 1e6, "transactions that run at once, on average")},
    {ISO_WORD("aborted", "auto", "auto keep drop",
              "record aborted transactions, or leave them out (auto: keep with --aborts)")},
    {ISO_REAL("aborts", "0", 0, 1, "share of transactions that their clients give up")},
    {ISO_REAL("unknown", "0", 0, 1, "share of commits whose outcome the client never learns")},
    {ISO_COUNT("retries", "10", 0, 1e6,
               "attempts after the store aborted a transaction; the last one is made alone, and commits")},
    {ISO_WORD("times", "auto", "auto yes no",
              "record when transactions began and ended (auto: at sser and lser, and for bugs that only times show)")},
    {ISO_COUNT("replicas", "3", 1, 64, "copies of the store at cc and ra")},
    {ISO_COUNT("lag", "20", 0, 1e6, "transactions by which a replica (cc, ra) or a clock (ser) is late, on average")},
    {ISO_WORD("preload", "no", "no yes",
              "begin with a transaction that writes every key, for formats and tools without initial values")},
    {ISO_TEXT("bug", "none", "breaks the store: a name of `isolab list bugs`")},
    {ISO_REAL("bug-rate", "0.01", 0, 1, "how often the bug strikes, per transaction")},
    ISO_END};

int64_t iso_store_pass(iso_store *s) { return s->now += 1 + (int64_t)iso_random_below(&s->rng, 1999); }

uint32_t iso_store_version(iso_store *s, uint32_t key, int64_t value, uint64_t at, uint32_t prev) {
    uint32_t v = s->n_versions++;
    if (v >= ISO_ID_MAX) {
        iso_throw(s->pool->env, ISOLAB_E_LIMIT, "more than %u versions", ISO_ID_MAX);
    }
    ISO_GROW(s->pool, s->value, v, s->value_room);
    ISO_GROW(s->pool, s->at, v, s->at_room);
    ISO_GROW(s->pool, s->prev, v, s->prev_room);
    ISO_GROW(s->pool, s->version_key, v, s->key_room);
    s->value[v] = value;
    s->at[v] = at;
    s->prev[v] = prev;
    s->version_key[v] = key;
    if (iso_store_stamped(s)) {
        ISO_GROW(s->pool, s->read_at, v, s->read_room);
        s->read_at[v] = 0;
    }
    return v;
}

uint32_t iso_store_key(iso_store *s, uint32_t key) {
    if (s->key[key] == ISO_NONE) {
        s->key[key] = iso_builder_key(s->b, iso_atom_int(key));
    }
    return s->key[key];
}

/* Computes what depends only on the program: values to write, reads of own writes, last writes. */
static void prepare(iso_store *s, iso_client *c) {
    const iso_program *p = &c->program;
    if (p->n > c->trace_room) {
        c->trace = iso_resize(s->pool, c->trace, p->room, sizeof *c->trace);
        c->trace_room = p->room;
    }
    c->updates = false;
    for (uint32_t i = 0; i < p->n; i++) {
        s->stamp[p->op[i].key] = 0;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t *has_read = &s->stamp[p->op[i].key];
        *has_read |= !iso_is_write(p->op[i].kind);
        c->updates |= *has_read != 0 && iso_is_write(p->op[i].kind);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        s->stamp[p->op[i].key] = ISO_NONE;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const iso_intent *op = &p->op[i];
        iso_trace *t = &c->trace[i];
        t->own = s->stamp[op->key];
        t->seen = ISO_NONE;
        t->last = false;
        if (iso_is_write(op->kind)) {
            t->value = op->value != ISO_FRESH ? op->value : ++s->fresh;
            t->last = true;
            if (t->own != ISO_NONE && op->kind == ISO_WRITE) {
                c->trace[t->own].last = false;
            }
            s->stamp[op->key] = i;
        }
    }
}

void iso_store_install_begin(iso_store *s, uint32_t client) {
    s->first_installed = s->n_versions;
    s->installing = iso_store_replicated(s) ? iso_replicas_tick(s, client)
                    : iso_store_stamped(s)  ? iso_store_next_timestamp(s)
                                            : ++s->commits;
}

void iso_store_install(iso_store *s, uint32_t key, int64_t value) {
    bool one_copy = !iso_store_replicated(s);
    uint32_t v = iso_store_version(s, key, value, s->installing, one_copy ? s->current[key] : ISO_NONE);
    if (one_copy) {
        s->current[key] = v;
    }
}

void iso_store_install_end(iso_store *s, uint32_t client) {
    if (iso_store_replicated(s) && s->n_versions > s->first_installed) {
        iso_replicas_publish(s, client, s->first_installed);
        iso_replicas_sync(s);
    }
}

void iso_store_settle(iso_store *s) {
    uint64_t now = iso_store_next_timestamp(s);
    for (uint32_t i = 0; i < s->n_clients; i++) {
        s->client[i].latest = now;
    }
}

uint64_t iso_store_next_timestamp(iso_store *s) { return (++s->commits + 1) * s->n_clients; }

static uint32_t read_version(iso_store *s, uint32_t client, uint32_t key) {
    return iso_store_replicated(s) ? iso_replicas_read(s, client, key) : iso_single_read(s, &s->client[client], key);
}

static void element(iso_store *s, uint32_t place, iso_atom value) {
    while (place >= s->elements_room) {
        ISO_GROW(s->pool, s->elements, s->elements_room, s->elements_room);
    }
    s->elements[place] = value;
}

void iso_store_record_list(iso_store *s, uint32_t txn, uint32_t key, uint32_t version, const iso_atom *more,
                           uint32_t n_more) {
    uint32_t n = 0, first = (uint32_t)s->workload->n_keys;
    for (uint32_t v = version; v != ISO_NONE && v >= first; v = s->prev[v]) {
        n++;
    }
    uint32_t to = n;
    for (uint32_t v = version; v != ISO_NONE && v >= first; v = s->prev[v]) {
        element(s, --to, iso_atom_int(s->value[v]));
    }
    for (uint32_t i = 0; i < n_more; i++) {
        element(s, n++, more[i]);
    }
    iso_builder_list_read(s->b, txn, iso_store_key(s, key), s->elements, n);
}

/* Records a list read: the elements of the version, then the reader's own elements. */
static void record_list(iso_store *s, const iso_client *c, uint32_t txn, uint32_t op) {
    uint32_t key = c->program.op[op].key, n = 0, room = 0;
    iso_atom *own = NULL;
    for (uint32_t i = 0; i < op; i++) {
        if (c->program.op[i].key == key && c->program.op[i].kind == ISO_APPEND) {
            ISO_GROW(s->pool, own, n, room);
            own[n++] = iso_atom_int(c->trace[i].value);
        }
    }
    iso_store_record_list(s, txn, key, c->trace[op].seen, own, n);
    iso_free(s->pool, own);
}

static void record(iso_store *s, uint32_t client, iso_status status) {
    const iso_client *c = &s->client[client];
    if (status == ISO_ABORTED && !s->keep_aborted) {
        return;
    }
    uint32_t txn = iso_builder_txn(s->b, s->session[client], iso_atom_nil(), status);
    if (s->times) {
        iso_builder_times(s->b, txn, c->start, status == ISO_INDETERMINATE ? ISO_NO_TIME : s->now);
    }
    for (uint32_t i = 0; i < c->program.n; i++) {
        const iso_intent *op = &c->program.op[i];
        const iso_trace *t = &c->trace[i];
        if (op->kind == ISO_LIST_READ) {
            record_list(s, c, txn, i);
            continue;
        }
        int64_t value = iso_is_write(op->kind) ? t->value
                        : t->own != ISO_NONE   ? c->trace[t->own].value
                                               : s->value[t->seen];
        iso_atom atom = value == ISO_NIL_VALUE ? iso_atom_nil() : iso_atom_int(value);
        iso_builder_op(s->b, txn, (iso_op_kind)op->kind, iso_store_key(s, op->key), atom);
    }
}

static void begin(iso_store *s, uint32_t client) {
    iso_client *c = &s->client[client];
    if (c->attempts == 0) {
        if (s->bug != NULL && iso_random_unit(&s->rng) < s->bug_rate) {
            iso_bug_play(s);
        }
        c->program.n = 0;
        s->workload->next(s->workload->state, client, &s->rng, &c->program);
        c->left--;
    }
    c->attempts++;
    c->running = true;
    c->at = 0;
    c->start = iso_store_pass(s);
    prepare(s, c);
    if (s->level == ISO_RC) {
        return;
    }
    if (!iso_store_replicated(s)) {
        iso_single_begin(s, client);
    }
    for (uint32_t i = 0; i < c->program.n; i++) {
        const iso_intent *op = &c->program.op[i];
        if (!iso_is_write(op->kind) && (c->trace[i].own == ISO_NONE || op->kind == ISO_LIST_READ)) {
            c->trace[i].seen = read_version(s, client, op->key);
        }
    }
    c->at = c->program.n;
}

/* Decides how the transaction ends. Returns whether the client continues with its next program. */
static bool end(iso_store *s, uint32_t client) {
    iso_client *c = &s->client[client];
    iso_store_pass(s);
    c->running = false;
    if (s->aborts > 0 && iso_random_unit(&s->rng) < s->aborts) {
        record(s, client, ISO_ABORTED);
        return true;
    }
    bool unknown = s->unknown > 0 && iso_random_unit(&s->rng) < s->unknown;
    if (unknown && (iso_random(&s->rng) & 1) != 0) {
        record(s, client, ISO_INDETERMINATE); /* the request to commit was lost, not the answer */
        return true;
    }
    bool done = true;
    if (iso_store_replicated(s)) {
        iso_replicas_commit(s, client);
    } else {
        done = iso_single_commit(s, client);
    }
    record(s, client, unknown ? ISO_INDETERMINATE : done ? ISO_COMMITTED : ISO_ABORTED);
    return done || unknown || c->attempts > s->retries;
}

/* Does one thing for a running client. Returns whether its transaction is over. */
static bool step(iso_store *s, uint32_t client) {
    iso_client *c = &s->client[client];
    if (c->at < c->program.n) { /* rc */
        const iso_intent *op = &c->program.op[c->at];
        iso_trace *t = &c->trace[c->at];
        if (!iso_is_write(op->kind) && (t->own == ISO_NONE || op->kind == ISO_LIST_READ)) {
            t->seen = read_version(s, client, op->key);
        }
        c->at++;
        return false;
    }
    if (end(s, client)) {
        c->attempts = 0;
    }
    return true;
}

/* Returns whether this is the last attempt. It runs alone, as under locks on all its keys, so nothing can abort it. So
 * a client that conflicts often is delayed but does not give up, and the mix of committed transactions is that of the
 * workload. */
static bool last_attempt(const iso_store *s, uint32_t client) {
    return s->retries > 0 && s->client[client].attempts > s->retries;
}

/* Exchanges two places of the array of clients. */
static void swap(iso_store *s, uint32_t i, uint32_t j) {
    uint32_t client = s->active[i];
    s->active[i] = s->active[j];
    s->active[j] = client;
    s->place[s->active[i]] = i;
    s->place[s->active[j]] = j;
}

void iso_store_stop(iso_store *s, uint32_t client) {
    if (s->client[client].running) {
        s->client[client].running = false;
        swap(s, s->place[client], --s->n_running);
    }
}

/* Removes a client from the running ones when its transaction is over, and from the active ones if it was its last. */
static void leave(iso_store *s, uint32_t client) {
    swap(s, s->place[client], --s->n_running);
    if (s->client[client].attempts == 0 && s->client[client].left == 0) {
        swap(s, s->n_running, --s->n_active);
    }
}

/* Returns the store's level for a requested level: the weakest kind of store that provides it. */
static iso_level level_of(const char *name) {
    iso_level level = iso_level_find(name, NULL);
    return level == ISO_CI ? ISO_RA : iso_level_has(level, ISO_RULES_RC) ? level : ISO_RC;
}

/* Refuses values that have no effect. Call it after all values were read, including the workload's. */
static void refuse_ignored(const iso_store *s, const iso_args *args) {
    bool copies = iso_store_replicated(s),
         conflicts = iso_level_has(s->level, ISO_SEES_CONFLICT) || (!copies && s->workload->lists);
    iso_args_refuse(args, s->bug == NULL, "bug-rate", "needs --bug");
    iso_args_refuse(args, !copies, "replicas", "is for cc, ra and ci: other levels have one copy");
    iso_args_refuse(args, !copies && !iso_store_stamped(s), "lag",
                    "is for cc, ra, ci, ser and lser: elsewhere nothing is late");
    iso_args_refuse(args, !conflicts, "retries",
                    "is for si, ser, lser, sser and lists: elsewhere the store aborts nothing");
    iso_args_refuse_unread(args);
}

static void init(iso_store *s, const iso_args *args, const iso_workload *workload, iso_builder *b) {
    memset(s, 0, sizeof *s);
    iso_pool *pool = s->pool = args->pool;
    s->b = b;
    s->workload = workload;
    s->fresh = workload->reserved;
    iso_arg_text(args, "store"); /* there is only one store */
    s->rng.state = iso_arg_count(args, "seed");
    s->level = level_of(iso_arg_text(args, "level"));
    s->n_clients = (uint32_t)iso_arg_count(args, "sessions");
    s->aborts = iso_arg_real(args, "aborts");
    s->unknown = iso_arg_real(args, "unknown");
    s->retries = iso_arg_count(args, "retries");
    s->keep_aborted = iso_arg_is(args, "aborted", "keep") || (iso_arg_is(args, "aborted", "auto") && s->aborts > 0);
    s->overlap = iso_arg_count(args, "overlap");
    s->bug_rate = iso_arg_real(args, "bug-rate");
    const char *bug = iso_arg_text(args, "bug");
    s->bug = strcmp(bug, "none") == 0 ? NULL : iso_bug_find(s, bug);
    s->times = iso_arg_is(args, "times", "yes") ||
               (iso_arg_is(args, "times", "auto") &&
                (iso_level_is_timed(s->level) ||
                 (s->bug != NULL && iso_level_is_timed(iso_level_find(s->bug->breaks, NULL)))));
    if (workload->n_keys == 0 || workload->n_keys > ISO_ID_MAX / 2) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "a store has from 1 to %u keys", ISO_ID_MAX / 2);
    }
    if (workload->lists && iso_store_replicated(s)) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "lists need a store of one copy: sser, lser, ser, si, pc or rc");
    }
    uint32_t n_keys = (uint32_t)workload->n_keys;
    s->key = ISO_NEW(pool, uint32_t, n_keys);
    s->stamp = ISO_NEW(pool, uint32_t, n_keys);
    for (uint32_t k = 0; k < n_keys; k++) {
        s->key[k] = ISO_NONE;
        iso_store_version(s, k, ISO_NIL_VALUE, 0, ISO_NONE);
    }
    if (iso_store_replicated(s)) {
        uint64_t n = iso_arg_count(args, "replicas");
        iso_replicas_init(s, n < s->n_clients ? (uint32_t)n : s->n_clients, iso_arg_count(args, "lag"));
    } else {
        s->current = ISO_NEW(pool, uint32_t, n_keys);
        for (uint32_t k = 0; k < n_keys; k++) {
            s->current[k] = k;
        }
        s->touched = s->level == ISO_LSER ? ISO_ZNEW(pool, uint64_t, n_keys) : NULL;
    }
    uint64_t n_txns = iso_arg_count(args, "txns"), lag = iso_arg_count(args, "lag");
    s->client = ISO_ZNEW(pool, iso_client, s->n_clients);
    s->session = ISO_NEW(pool, uint32_t, s->n_clients);
    s->active = ISO_NEW(pool, uint32_t, s->n_clients);
    s->place = ISO_NEW(pool, uint32_t, s->n_clients);
    for (uint32_t i = 0; i < s->n_clients; i++) {
        iso_client *c = &s->client[i];
        c->program.pool = pool;
        c->left = n_txns / s->n_clients + (i < n_txns % s->n_clients);
        c->lag = iso_random_below(&s->rng, 2 * lag + 1);
        s->session[i] = iso_builder_session(b, iso_atom_int(i));
        if (c->left > 0) {
            s->place[i] = s->n_active;
            s->active[s->n_active++] = i;
        }
    }
    if (s->bug != NULL) {
        iso_bug_check(s);
    }
    s->preload = iso_arg_is(args, "preload", "yes");
    refuse_ignored(s, args);
}

/* Lets the first client write every key before any other client begins. */
static void preload(iso_store *s) {
    uint32_t txn = iso_builder_txn(s->b, s->session[0], iso_atom_nil(), ISO_COMMITTED);
    int64_t start = iso_store_pass(s);
    iso_store_install_begin(s, 0);
    for (uint32_t key = 0; key < s->workload->n_keys; key++) {
        iso_tick(s->pool->env);
        iso_builder_op(s->b, txn, ISO_WRITE, iso_store_key(s, key), iso_atom_int(++s->fresh));
        iso_store_install(s, key, s->fresh);
    }
    iso_store_install_end(s, 0);
    iso_store_settle(s);
    if (s->times) {
        iso_builder_times(s->b, txn, start, iso_store_pass(s));
    }
}

void iso_store_run(const iso_args *args, const iso_workload *workload, iso_builder *b) {
    iso_store s;
    init(&s, args, workload, b);
    if (s.preload) {
        if (workload->lists) {
            iso_throw(s.pool->env, ISOLAB_E_USAGE, "--preload is for registers: this workload has lists");
        }
        preload(&s);
    }
    uint64_t done = 0;
    while (s.n_active > 0) {
        iso_tick(s.pool->env);
        bool idle = s.n_running < s.n_active;
        if (idle && (s.n_running == 0 || s.n_running <= iso_random_below(&s.rng, 2 * s.overlap - 1))) {
            uint32_t i = s.n_running + (uint32_t)iso_random_below(&s.rng, s.n_active - s.n_running);
            uint32_t client = s.active[i];
            begin(&s, client); /* playing a bug first may move clients */
            swap(&s, s.place[client], s.n_running++);
            if (last_attempt(&s, client)) {
                while (!step(&s, client)) {
                    iso_tick(s.pool->env);
                }
                leave(&s, client);
            }
        } else {
            uint32_t i = (uint32_t)iso_random_below(&s.rng, s.n_running), client = s.active[i];
            if (step(&s, client)) {
                leave(&s, client);
            }
        }
        if ((++done & 0xffff) == 0) {
            iso_progress(s.pool->env, "generate", iso_builder_op_count(b), 0);
        }
    }
}
