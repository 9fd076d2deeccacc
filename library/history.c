/* The public interface: histories and the builder. See include/isolab.h.
 *
 * A public history is the internal one. Its pool is in a box with its environment. The box is found from the pool, so
 * no second structure must be kept consistent. */
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "formats/format.h"
#include "history/builder.h"
#include "history/clock.h"
#include "library/library.h"

typedef struct box {
    iso_env env;
    iso_pool pool;
    /* the arguments and results of one guarded call */
    const char *path, *format;
    iso_reading how;
    const void *bytes;
    size_t size;
    isolab_history *history;
} box;

struct isolab_builder {
    box *box;
    iso_builder *builder;
    uint32_t n_sessions, n_txns; /* number added so far */
    bool failed;
};

const char *isolab_version(void) { return ISOLAB_VERSION; }

const char *isolab_code_text(int code) {
    switch (code) {
    case ISOLAB_OK:
        return "success";
    case ISOLAB_E_LIMIT:
        return "a time or memory limit was reached";
    case ISOLAB_E_USAGE:
        return "wrong use";
    case ISOLAB_E_INPUT:
        return "malformed input";
    case ISOLAB_E_INTERNAL:
        return "internal error";
    case ISOLAB_E_IO:
        return "reading or writing failed";
    default:
        return "unknown code";
    }
}

const char *isolab_level_name(size_t number) {
    return number < (size_t)iso_n_levels ? iso_level_get((iso_level)number)->name : NULL;
}

/* Tables end with NULL, and an index after the end must not be read. */
const char *isolab_checker_name(size_t number) {
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        if (i == number) {
            return iso_checkers[i]->name;
        }
    }
    return NULL;
}

const char *isolab_format_name(size_t number) {
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        if (i == number) {
            return iso_formats[i]->name;
        }
    }
    return NULL;
}

void iso_library_error(isolab_error *to, const isolab_error *from) {
    if (to != NULL) {
        *to = *from;
    }
}

static void no_memory(isolab_error *error) {
    if (error != NULL) {
        *error = (isolab_error){.code = ISOLAB_E_LIMIT, .offset = ISOLAB_NO_OFFSET, .message = "out of memory"};
    }
}

static box *new_box(isolab_error *error) {
    box *b = calloc(1, sizeof *b); /* freed with the history; everything else in it comes from its pool */
    if (b == NULL) {
        no_memory(error);
        return NULL;
    }
    iso_env_init(&b->env);
    iso_pool_init(&b->pool, &b->env);
    return b;
}

static void free_box(box *b) {
    iso_pool_free(&b->pool);
    free(b);
}

static void load(void *arg) {
    box *b = arg;
    const iso_format *format = b->format != NULL ? iso_format_find(b->format) : NULL;
    if (format == NULL && b->format != NULL) {
        iso_throw(&b->env, ISOLAB_E_USAGE, "there is no format \"%s\"", b->format);
    }
    b->history = b->path != NULL ? iso_load_as(&b->pool, b->path, format, &b->how)
                                 : iso_load_bytes_as(&b->pool, b->bytes, b->size, format, &b->how);
}

static isolab_history *loaded(box *b, const isolab_options *options, isolab_error *error) {
    if (b == NULL) {
        return NULL;
    }
    iso_library_limits(b->env.limits, options);
    b->how = iso_library_reading(options);
    if (iso_guard(&b->env, load, b) != ISOLAB_OK) {
        iso_library_error(error, &b->env.error);
        free_box(b);
        return NULL;
    }
    iso_library_limits(b->env.limits, NULL); /* the history may outlive the options */
    return b->history;
}

isolab_history *isolab_open_with(const char *path, const char *format, const isolab_options *options,
                                 isolab_error *error) {
    box *b = new_box(error);
    if (b != NULL) {
        b->path = path;
        b->format = format;
    }
    return loaded(b, options, error);
}

isolab_history *isolab_open(const char *path, const char *format, isolab_error *error) {
    return isolab_open_with(path, format, NULL, error);
}

isolab_history *isolab_read(const void *bytes, size_t size, const char *format, isolab_error *error) {
    box *b = new_box(error);
    if (b != NULL) {
        b->bytes = bytes;
        b->size = size;
        b->format = format;
    }
    return loaded(b, NULL, error);
}

typedef struct saving {
    iso_env env;
    iso_pool pool; /* a pool of its own: threads that read the history share the history's pool */
    const isolab_history *h;
    const char *path, *format;
    bool lossy;
} saving;

static void save(void *arg) {
    saving *s = arg;
    const iso_format *format = s->format != NULL ? iso_format_find(s->format) : NULL;
    if (format == NULL) {
        iso_throw(&s->env, ISOLAB_E_USAGE, "there is no format \"%s\"", s->format != NULL ? s->format : "NULL");
    }
    if (format->write == NULL) {
        iso_throw(&s->env, ISOLAB_E_USAGE, "format %s can only be read", s->format);
    }
    iso_losses losses;
    if (!s->lossy && iso_survey(s->h, format, &losses) > 0) {
        char text[400];
        iso_loss_report(&losses, text, sizeof text);
        iso_throw(&s->env, ISOLAB_E_INPUT, "format %s cannot hold %s", s->format, text);
    }
    iso_save(&s->pool, s->h, s->path, format);
}

int isolab_save(const isolab_history *h, const char *path, const char *format, int lossy, isolab_error *error) {
    saving s = {.h = h, .path = path, .format = format, .lossy = lossy != 0};
    iso_env_init(&s.env);
    iso_pool_init(&s.pool, &s.env);
    int code = iso_guard(&s.env, save, &s);
    if (code != ISOLAB_OK) {
        iso_library_error(error, &s.env.error);
    }
    iso_pool_free(&s.pool);
    return code;
}

void isolab_history_free(isolab_history *h) {
    if (h != NULL) {
        free_box((box *)((char *)h->pool - offsetof(box, pool)));
    }
}

uint64_t isolab_history_sessions(const isolab_history *h) { return h->n_sessions; }
uint64_t isolab_history_transactions(const isolab_history *h) { return h->n_txns; }
uint64_t isolab_history_operations(const isolab_history *h) { return h->n_ops; }
uint64_t isolab_history_keys(const isolab_history *h) { return h->n_keys; }
uint64_t isolab_history_initial_transactions(const isolab_history *h) { return h->taken.n_txns; }
uint64_t isolab_history_clock(const isolab_history *h, char *words, size_t size) {
    char text[ISO_CLOCK_SIZE];
    iso_clock c = iso_clock_of(h);
    if (words != NULL && size > 0) {
        snprintf(words, size, "%s", iso_clock_text(h, &c, text));
    }
    return c.places;
}

int isolab_history_is_unique(const isolab_history *h) { return h->unique; }

/* One call of the builder. All calls share one guard. */
typedef struct call {
    isolab_builder *b;
    enum { NEW, SESSION, TRANSACTION, TIMES, OPERATION, LIST_READ, FINISH } what;
    uint32_t in, out;
    int choice; /* the status or the kind */
    isolab_value name, value;
    int64_t start, end;
    const isolab_value *elements;
    size_t n;
} call;

static iso_atom atom(isolab_builder *b, isolab_value v) {
    switch (v.kind) {
    case ISOLAB_NIL:
        return iso_atom_nil();
    case ISOLAB_NUMBER:
        return iso_atom_int(v.number);
    case ISOLAB_TEXT:
        if (v.text != NULL) {
            return iso_builder_string(b->builder, v.text, strlen(v.text));
        }
    }
    iso_throw(&b->box->env, ISOLAB_E_USAGE, "expected nil, a number or a text");
}

static void within(const call *c, const char *what, uint32_t n) {
    if (c->in >= n) {
        iso_throw(&c->b->box->env, ISOLAB_E_USAGE, "there is no %s %u yet", what, c->in);
    }
}

static void dispatch(void *arg) {
    call *c = arg;
    isolab_builder *b = c->b;
    if (c->what == TRANSACTION) {
        within(c, "session", b->n_sessions);
    } else if (c->what == TIMES || c->what == OPERATION || c->what == LIST_READ) {
        within(c, "transaction", b->n_txns);
    }
    switch (c->what) {
    case NEW:
        b->builder = iso_builder_new(&b->box->pool);
        break;
    case SESSION:
        c->out = iso_builder_session(b->builder, atom(b, c->name));
        b->n_sessions = c->out >= b->n_sessions ? c->out + 1 : b->n_sessions;
        break;
    case TRANSACTION:
        if (c->choice < ISO_COMMITTED || c->choice > ISO_INDETERMINATE) {
            iso_throw(&b->box->env, ISOLAB_E_USAGE, "there is no status %d", c->choice);
        }
        c->out = iso_builder_txn(b->builder, c->in, atom(b, c->name), (iso_status)c->choice);
        b->n_txns = c->out + 1;
        break;
    case TIMES:
        iso_builder_times(b->builder, c->in, c->start, c->end);
        break;
    case OPERATION:
        if (c->choice < ISO_READ || c->choice > ISO_APPEND) {
            iso_throw(&b->box->env, ISOLAB_E_USAGE, "there is no kind of operation %d", c->choice);
        }
        iso_builder_op(b->builder, c->in, (iso_op_kind)c->choice, iso_builder_key(b->builder, atom(b, c->name)),
                       atom(b, c->value));
        break;
    case LIST_READ: {
        iso_atom *elements = ISO_NEW(&b->box->pool, iso_atom, c->n);
        for (size_t i = 0; i < c->n; i++) {
            elements[i] = atom(b, c->elements[i]);
        }
        iso_builder_list_read(b->builder, c->in, iso_builder_key(b->builder, atom(b, c->name)), elements, c->n);
        iso_free(&b->box->pool, elements);
        break;
    }
    case FINISH:
        b->box->history = iso_builder_finish(b->builder);
        break;
    }
}

static uint32_t guarded(call c) {
    if (c.b == NULL || c.b->failed) {
        return 0;
    }
    c.b->failed = iso_guard(&c.b->box->env, dispatch, &c) != ISOLAB_OK;
    return c.b->failed ? 0 : c.out;
}

isolab_builder *isolab_builder_new(void) {
    isolab_builder *b = calloc(1, sizeof *b);
    if (b != NULL && (b->box = new_box(NULL)) == NULL) {
        free(b);
        return NULL;
    }
    guarded((call){.b = b, .what = NEW});
    return b;
}

uint32_t isolab_builder_session(isolab_builder *b, isolab_value name) {
    return guarded((call){.b = b, .what = SESSION, .name = name});
}

uint32_t isolab_builder_transaction(isolab_builder *b, uint32_t session, isolab_value name, isolab_status status) {
    return guarded((call){.b = b, .what = TRANSACTION, .in = session, .name = name, .choice = (int)status});
}

void isolab_builder_times(isolab_builder *b, uint32_t transaction, int64_t start, int64_t end) {
    guarded((call){.b = b, .what = TIMES, .in = transaction, .start = start, .end = end});
}

void isolab_builder_operation(isolab_builder *b, uint32_t transaction, isolab_kind kind, isolab_value key,
                              isolab_value value) {
    guarded((call){.b = b, .what = OPERATION, .in = transaction, .choice = (int)kind, .name = key, .value = value});
}

void isolab_builder_list_read(isolab_builder *b, uint32_t transaction, isolab_value key, const isolab_value *elements,
                              size_t n) {
    guarded((call){.b = b, .what = LIST_READ, .in = transaction, .name = key, .elements = elements, .n = n});
}

isolab_history *isolab_builder_finish(isolab_builder *b, isolab_error *error) {
    if (b == NULL) {
        no_memory(error);
        return NULL;
    }
    guarded((call){.b = b, .what = FINISH});
    isolab_history *h = b->failed ? NULL : b->box->history;
    if (h == NULL) {
        iso_library_error(error, &b->box->env.error);
        free_box(b->box);
    }
    free(b);
    return h;
}

void isolab_builder_free(isolab_builder *b) {
    if (b != NULL) {
        free_box(b->box);
        free(b);
    }
}
