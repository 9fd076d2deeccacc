/* The store's bugs: scripts of bugs.def, run among the active clients on keys of the workload. While a script runs, no
 * other client moves; the clients whose sessions it uses start their transactions again. In a workload of updates a
 * script reads a key before it writes it: then the order of two writers is known, and some bugs break more. */
#include "base/random.h"
#include "generators/store_internal.h"

#include <ctype.h>
#include <string.h>

const iso_bug iso_bugs[] = {
#define BUG(name, keeps, breaks, anomaly, script, meaning) {name, keeps, breaks, anomaly, script, meaning, false},
#define LIST_BUG(name, keeps, breaks, anomaly, script, meaning) {name, keeps, breaks, anomaly, script, meaning, true},
#include "generators/bugs.def"
#undef BUG
#undef LIST_BUG
    {NULL, NULL, NULL, NULL, NULL, NULL, false}};

#define ROLES 6
#define KEYS 26 /* by letter; a script uses at most 6 */
#define VALUES 10
#define SKEW 1000000000 /* lag of a skewed clock, in ns */

typedef struct play {
    iso_store *s;
    uint32_t role[ROLES];  /* clients */
    uint32_t key[KEYS];    /* ISO_NONE: not used yet */
    uint32_t before[KEYS]; /* the version before the script */
    int64_t value[KEYS][VALUES];
    int64_t start; /* of the transactions that overlap now */
    uint32_t n_txns;
} play;

static unsigned roles_of(const char *script) {
    unsigned n = 0;
    for (const char *at = script; *at != '\0'; at++) {
        if (isupper((unsigned char)*at) && (unsigned)(*at - 'A') >= n) {
            n = (unsigned)(*at - 'A') + 1;
        }
    }
    return n;
}

static unsigned keys_of(const char *script) {
    bool seen[KEYS] = {false};
    unsigned n = 0;
    for (const char *at = script; *at != '\0'; at++) {
        if (strchr("rwal+", *at) != NULL && islower((unsigned char)at[1])) {
            n += !seen[at[1] - 'a'];
            seen[at[1] - 'a'] = true;
            at += 2;
        }
    }
    return n;
}

void iso_bug_check(const iso_store *s) {
    unsigned roles = roles_of(s->bug->script), keys = keys_of(s->bug->script);
    if (s->n_clients < roles || s->workload->n_keys < keys) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "bug %s needs at least %u sessions and %u keys", s->bug->name, roles,
                  keys);
    }
}

const iso_bug *iso_bug_find(const iso_store *s, const char *name) {
    const iso_bug *other = NULL;
    for (const iso_bug *bug = iso_bugs; bug->name != NULL; bug++) {
        if (strcmp(bug->name, name) == 0) {
            if (bug->lists == s->workload->lists) {
                return bug;
            }
            other = bug;
        }
    }
    if (other == NULL) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "there is no bug `%s`: see isolab list bugs", name);
    }
    iso_throw(s->pool->env, ISOLAB_E_USAGE, "bug %s is one of %s, and this workload has %s: see isolab list bugs", name,
              other->lists ? "lists" : "registers", other->lists ? "registers" : "lists");
}

/* Returns a random number below n that is not in the list of numbers that are taken. */
static uint32_t choose(iso_rng *rng, uint64_t n, const uint32_t *taken, unsigned n_taken) {
    for (;;) {
        uint32_t x = (uint32_t)iso_random_below(rng, n);
        bool fresh = true;
        for (unsigned i = 0; i < n_taken; i++) {
            fresh = fresh && taken[i] != x;
        }
        if (fresh) {
            return x;
        }
    }
}

static uint32_t version_now(const play *p, uint32_t key) {
    return iso_store_replicated(p->s) ? iso_replicas_read(p->s, 0, key) : p->s->current[key];
}

static uint32_t key_of(play *p, char letter) {
    unsigned k = (unsigned)(letter - 'a');
    if (p->key[k] == ISO_NONE) {
        uint32_t key = choose(&p->s->rng, p->s->workload->n_keys, p->key, KEYS);
        p->key[k] = key;
        p->before[k] = version_now(p, key);
        if (iso_store_stamped(p->s)) { /* no other client may write between the script's reads and writes */
            p->s->read_at[p->before[k]] = iso_store_next_timestamp(p->s);
        }
    }
    return p->key[k];
}

static int64_t value_of(play *p, char key, char digit) {
    unsigned k = (unsigned)(key - 'a');
    if (digit == '?') {
        return ++p->s->fresh;
    }
    int64_t *value = &p->value[k][digit - '0'];
    if (digit == '0') {
        *value = p->s->value[p->before[k]];
    } else if (*value == 0) {
        *value = ++p->s->fresh;
    }
    return *value;
}

static void record(play *p, uint32_t txn, iso_op_kind kind, uint32_t key, int64_t value) {
    iso_builder_op(p->s->b, txn, kind, iso_store_key(p->s, key),
                   value == ISO_NIL_VALUE ? iso_atom_nil() : iso_atom_int(value));
}

/* Returns whether the key of an operation occurs earlier in its transaction. ops: the text of the transaction's
 * operations. */
static bool occurs_before(const char *ops, const char *at) {
    bool found = false;
    for (const char *op = ops; op < at; op++) {
        if (strchr("rwl", *op) != NULL) {
            found |= op[1] == at[1];
            op += 2;
        }
    }
    return found;
}

/* Records an operation. Returns the last byte of its text. */
static const char *play_op(play *p, uint32_t txn, const char *at) {
    iso_store *s = p->s;
    uint32_t key = key_of(p, at[1]);
    if (!s->workload->lists || *at != 'r') {
        int64_t value = value_of(p, at[1], at[2]);
        record(p, txn, *at == 'r' ? ISO_READ : s->workload->lists ? ISO_APPEND : ISO_WRITE, key, value);
        return at + 2;
    }
    iso_atom list[VALUES];
    uint32_t n = 0, before = ISO_NONE;
    const char *digit = at + 2;
    for (; isdigit((unsigned char)*digit) || *digit == '?'; digit++) {
        if (*digit == '0') {
            before = p->before[at[1] - 'a'];
        } else if (n < VALUES) {
            list[n++] = iso_atom_int(value_of(p, at[1], *digit));
        }
    }
    iso_store_record_list(s, txn, key, before, list, n);
    return digit - 1;
}

/* Runs one transaction `A!: ops`. Returns the text after it. */
static const char *play_txn(play *p, const char *at) {
    iso_store *s = p->s;
    uint32_t client = p->role[*at++ - 'A'];
    bool aborted = *at == '!', skewed = *at == '-';
    at += aborted || skewed;
    uint32_t txn = iso_builder_txn(s->b, s->session[client], iso_atom_nil(), aborted ? ISO_ABORTED : ISO_COMMITTED);
    const char *ops = ++at; /* after the colon */
    for (; *at != ';' && *at != '|' && *at != '\0'; at++) {
        if (strchr("rwal", *at) != NULL) {
            if (s->workload->updates && (*at == 'w' || *at == 'l') && !occurs_before(ops, at)) {
                uint32_t key = key_of(p, at[1]);
                record(p, txn, ISO_READ, key, s->value[version_now(p, key)]);
            }
            at = play_op(p, txn, at);
        }
    }
    iso_store_install_begin(s, client);
    for (const char *op = ops; !aborted && op < at; op++) {
        if (*op == 'w' || *op == 'a') {
            bool last = true;
            for (const char *later = op + 3; later < at; later++) {
                last = last && !(*later == 'w' && later[1] == op[1]); /* an append is never overwritten */
            }
            if (last) {
                iso_store_install(s, key_of(p, op[1]), value_of(p, op[1], op[2]));
            }
            op += 2;
        } else if (*op == 'r' || *op == 'l') {
            op += 2;
        }
    }
    iso_store_install_end(s, client);
    if (s->times) {
        int64_t end = iso_store_pass(s);
        int64_t late = skewed ? SKEW : 0;
        iso_builder_times(s->b, txn, p->start - late, end - late);
    }
    return at;
}

void iso_bug_play(iso_store *s) {
    play p = {.s = s, .start = 0};
    for (unsigned k = 0; k < KEYS; k++) {
        p.key[k] = ISO_NONE;
    }
    if (iso_store_replicated(s)) {
        iso_replicas_sync(s);
    }
    unsigned n_roles = roles_of(s->bug->script);
    for (unsigned i = 0; i < n_roles; i++) {
        p.role[i] = choose(&s->rng, s->n_clients, p.role, i);
        iso_store_stop(s, p.role[i]); /* it begins again later */
    }
    p.start = iso_store_pass(s);
    for (const char *at = s->bug->script; *at != '\0';) {
        if (*at == '+') {
            iso_store_install_begin(s, p.role[0]);
            iso_store_install(s, key_of(&p, at[1]), value_of(&p, at[1], at[2]));
            iso_store_install_end(s, p.role[0]);
            at += 3;
        } else if (isupper((unsigned char)*at)) {
            at = play_txn(&p, at);
        } else {
            if (*at == ';') {
                p.start = iso_store_pass(s);
            }
            at++;
        }
    }
    if (iso_store_stamped(s)) { /* later timestamps must be after all timestamps of the script */
        iso_store_settle(s);
    }
}
