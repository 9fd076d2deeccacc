/* How a Jepsen log becomes a history: types and functions of both passes (docs/formats-elle.md).
 *
 * The first pass makes an event of each map or line, without its value, and pairs invocations with completions by
 * process (elle_events.c, and elle_quick.c for the usual form of EDN; jepsen_log.c and jepsen_timeline.c do the same
 * for their texts). After it the processes are known, so that sessions are numbered in their order, and also the clock
 * of the history, and whether it is a log of registers (elle_registers.c) or of strings (elle_strings.c). The second
 * pass (elle.c) reads the values, session by session. Linear, except for sorting the processes. */
#ifndef ISOLAB_FORMATS_ELLE_READING_H
#define ISOLAB_FORMATS_ELLE_READING_H

#include "base/index.h"
#include "formats/elle.h"

#define ELLE_NO_NUMBER INT64_MIN

enum { ELLE_INVOKE, ELLE_OK, ELLE_FAIL, ELLE_INFO };
enum {
    ELLE_F_NONE,
    ELLE_F_TXN,
    ELLE_F_READ,
    ELLE_F_WRITE,
    ELLE_F_APPEND,
    ELLE_F_GET, /* this and the next one: of a string */
    ELLE_F_PUT,
    ELLE_F_CAS,
    ELLE_F_ACQUIRE, /* of a mutex: a compare-and-set from nil to held */
    ELLE_F_RELEASE  /* the reverse */
};

/* The fields of a map. */
enum {
    ELLE_FIELD_TYPE,
    ELLE_FIELD_PROCESS,
    ELLE_FIELD_F,
    ELLE_FIELD_VALUE,
    ELLE_FIELD_KEY,
    ELLE_FIELD_TIME,
    ELLE_FIELD_INDEX,
    ELLE_FIELDS
};
extern const char *const iso_elle_fields[ELLE_FIELDS];

/* The shape of a value. */
enum {
    ELLE_SHAPE_NIL,   /* or missing */
    ELLE_SHAPE_ONE,   /* an integer, a word, or another value without parts */
    ELLE_SHAPE_PAIR,  /* a vector of two such values; either may be nil */
    ELLE_SHAPE_KEYED, /* a vector of one such value and a vector */
    ELLE_SHAPE_OTHER
};

/* Workloads that are not read. */
#define ELLE_LOG_BANK "a bank log (:read, :transfer)"
#define ELLE_LOG_SET "a set log (:add, :read)"
#define ELLE_LOG_QUEUE "a queue log (:enqueue, :dequeue, :drain)"
#define ELLE_LOG_STRINGS "a log of strings (:get, :put, :append), as Porcupine checks"

/* One map or line of the log. */
typedef struct elle_event {
    const unsigned char *at, *value, *key; /* value, key: NULL for nil or missing */
    int64_t time, index;                   /* ELLE_NO_NUMBER: none */
    uint32_t process;                      /* ISO_NONE: none */
    uint32_t line;                         /* of the input; ISO_NONE: not known */
    uint8_t type, f, shape;
} elle_event;

/* An invocation and its completion: events; ISO_NONE: missing. */
typedef struct elle_pair {
    uint32_t process, invoked, completed;
} elle_pair;

typedef struct elle_process {
    iso_atom number;
    uint32_t open; /* its pair without a completion; ISO_NONE: none */
} elle_process;

typedef struct elle_strings elle_strings;

typedef struct elle_reading {
    iso_elle_lexer l; /* for values of the second pass */
    bool quick;       /* the quick readers may be asked first */
    iso_pool *pool;
    iso_builder *b;

    elle_event *events;
    uint32_t n_events, events_room;
    elle_pair *pairs;
    uint32_t n_pairs, pairs_room;
    elle_process *processes;
    uint32_t n_processes, processes_room;
    iso_index by_number;    /* of processes */
    uint32_t open;          /* the open pair without a process */
    const elle_pair *first; /* of the log; NULL: not known yet */
    bool has_time;
    bool observes;         /* a failed compare-and-set observes that the value was another one */
    bool registers, keyed; /* it is a log of registers: of one, or of one for each key */
    bool has_strings;      /* it is a log of strings */
    elle_strings *strings; /* of such a log */
    enum { ELLE_CLOCK_TIME, ELLE_CLOCK_INDEX, ELLE_CLOCK_PLACE } clock;

    uint8_t *key_use; /* by key: 0 not known, else ISO_WRITE + 1 or ISO_APPEND + 1 */
    uint32_t keys_room;
    iso_atom *element;
    size_t elements_room;
} elle_reading;

/* Tokens. */
iso_elle_token iso_elle_next(elle_reading *r);
bool iso_elle_is_word(iso_elle_token t);
uint8_t iso_elle_shape(elle_reading *r, iso_elle_token t);                   /* returns its shape and skips it */
unsigned iso_elle_find(iso_text word, const char *const *words, unsigned n); /* returns its index; n: not found */
_Noreturn void iso_elle_expected(const elle_reading *r, iso_elle_token t, const char *what);
void iso_elle_begin_value(elle_reading *r, const elle_event *e); /* the next token is the first one of its value */

/* Events. */
uint32_t iso_elle_process(elle_reading *r, iso_atom number);
uint8_t iso_elle_f(const elle_reading *r, iso_elle_token f);
uint8_t iso_elle_known_f(iso_text f); /* ELLE_F_NONE: not known */
const char *iso_elle_f_name(uint8_t f);
void iso_elle_add_event(elle_reading *r, const elle_event *e); /* also pairs it with its invocation */
void iso_elle_read_maps(elle_reading *r);                      /* the first pass over EDN and JSON */
/* Refuses a log of another kind, and says what isolab reads instead. */
_Noreturn void iso_elle_refuse_workload(const elle_reading *r, const unsigned char *at, const char *expected,
                                        const char *found, size_t length, const char *workload);

/* Registers. */
void iso_elle_find_registers(elle_reading *r);
void iso_elle_emit_call(elle_reading *r, const elle_pair *p, uint32_t txn, iso_status status);

/* Strings. */
void iso_elle_find_strings(elle_reading *r);
void iso_elle_join_strings(elle_reading *r); /* between the passes */
void iso_elle_emit_string_call(elle_reading *r, const elle_pair *p, uint32_t txn);

/* The second pass. Returns an atom; `what` describes it in the error message. */
iso_atom iso_elle_value(elle_reading *r, iso_elle_token t, const char *what);
isolab_history *iso_elle_finish(elle_reading *r, iso_source *source);

/* What is known about the operations of one transaction. */
typedef struct elle_knowledge {
    uint32_t txn;
    bool reads; /* the results of reads are known: not in invocations */
    bool nils;  /* nil is a result: only in completions by :ok; elsewhere it means not known */
} elle_knowledge;

/* Records that a key is a register or a list; it may not be both. at: the operation that says it. */
void iso_elle_use_key(elle_reading *r, uint32_t key, const unsigned char *at, iso_op_kind as);

/* Quick readers for the usual form of EDN: of a map, and of an operation in a value. If they answer false, nothing has
 * changed. */
bool iso_elle_quick_event(elle_reading *r);
bool iso_elle_quick_operation(elle_reading *r, const elle_knowledge *of);

#endif
