/* isolab: does this history satisfy this isolation level?
 *
 * The public interface. Every handle is opaque and owned by the caller, who frees it with the function of
 * its name; strings that a handle gives live as long as the handle. There is no global state. A history never
 * changes once it is made, any number of threads may use one at once; every other handle belongs to one thread at a
 * time, except that any thread may interrupt. Functions that can fail take an isolab_error (which may be
 * NULL) and return NULL or its code.
 *
 * Example (compiled and run as a test):
 *
 *     #include <isolab.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         isolab_error error;
 *         isolab_builder *b = isolab_builder_new();
 *         uint32_t alice = isolab_builder_session(b, isolab_text("alice"));
 *         uint32_t bob = isolab_builder_session(b, isolab_text("bob"));
 *         uint32_t t1 = isolab_builder_transaction(b, alice, isolab_text("t1"), ISOLAB_COMMITTED);
 *         uint32_t t2 = isolab_builder_transaction(b, bob, isolab_text("t2"), ISOLAB_COMMITTED);
 *         isolab_builder_operation(b, t1, ISOLAB_WRITE, isolab_text("x"), isolab_int(1));
 *         isolab_builder_operation(b, t1, ISOLAB_WRITE, isolab_text("y"), isolab_int(1));
 *         isolab_builder_operation(b, t2, ISOLAB_READ, isolab_text("x"), isolab_int(1));
 *         isolab_builder_operation(b, t2, ISOLAB_READ, isolab_text("y"), isolab_nil());
 *         isolab_history *h = isolab_builder_finish(b, &error);
 *         isolab_result *r = h != NULL ? isolab_check(h, "read atomic", NULL, &error) : NULL;
 *         if (r == NULL) {
 *             fprintf(stderr, "%s\n", error.message);
 *             return 1;
 *         }
 *         printf("%s\n", isolab_result_verdict(r) == ISOLAB_VIOLATED ? "violated" : "not violated");
 *         for (size_t i = 0; i < isolab_result_anomalies(r); i++) {
 *             printf("%s:\n%s", isolab_anomaly_name(r, i), isolab_anomaly_words(r, i));
 *             for (size_t k = 0; k < isolab_anomaly_transactions(r, i); k++) {
 *                 const isolab_txn *t = isolab_anomaly_transaction(r, i, k);
 *                 int number = (int)t->number_in_session;
 *                 printf("where: %s is transaction %d of session %s\n", t->name, number, t->session);
 *             }
 *         }
 *         isolab_result_free(r);
 *         isolab_history_free(h);
 *         return 0;
 *     }
 */
#ifndef ISOLAB_H
#define ISOLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISOLAB_VERSION "0.1.0"
#define ISOLAB_VERSION_NUMBER 100 /* for #if: 10000 * major + 100 * minor + patch */

/* Codes are also the exit statuses of the programs. */
enum {
    ISOLAB_OK = 0,
    ISOLAB_E_LIMIT = 2,     /* a time or memory limit was reached: the answer is unknown */
    ISOLAB_E_USAGE = 64,    /* the caller asked for something that does not exist */
    ISOLAB_E_INPUT = 65,    /* malformed input: the error says where */
    ISOLAB_E_INTERNAL = 70, /* a bug in isolab */
    ISOLAB_E_IO = 74        /* the system refused to read or write */
};

#define ISOLAB_NO_OFFSET UINT64_MAX

/* The error type of all functions. line counts from 1; 0 means that the input has no lines, or that the error has no
 * place. offset counts bytes from 0; ISOLAB_NO_OFFSET means that it is not known. */
typedef struct isolab_error {
    int code;
    uint64_t line;
    uint64_t offset;
    char file[256];
    char message[512];
} isolab_error;

typedef enum { ISOLAB_SATISFIED = 0, ISOLAB_VIOLATED = 1, ISOLAB_UNKNOWN = 2 } isolab_verdict;

typedef struct isolab_history isolab_history;
typedef struct isolab_builder isolab_builder;
typedef struct isolab_options isolab_options;
typedef struct isolab_result isolab_result;
typedef struct isolab_levels isolab_levels;

const char *isolab_version(void);
const char *isolab_code_text(int code); /* the meaning of a code, in words */

/* The names of levels, checkers and formats, numbered from 0; NULL after the last one. */
const char *isolab_level_name(size_t number);
const char *isolab_checker_name(size_t number);
const char *isolab_format_name(size_t number);

/* ---- Histories ---- */

/* Reads a file, a folder or standard input (`-`), also compressed with gzip, xz or zstd. format: a name of
 * isolab_format_name(); NULL: detect it. Returns NULL on failure. A first transaction that only writes initial values
 * is the initial one (docs/formats.md): it is not among the transactions of the history. */
isolab_history *isolab_open(const char *path, const char *format, isolab_error *error);
/* The same with the options initial and initial-transaction (see below; NULL: none), and within the timeout and memory
 * of the options, which may also interrupt it. If a limit is reached, it fails with ISOLAB_E_LIMIT. */
isolab_history *isolab_open_with(const char *path, const char *format, const isolab_options *options,
                                 isolab_error *error);
isolab_history *isolab_read(const void *bytes, size_t size, const char *format, isolab_error *error);
/* Writes the history to a path (`-`: standard output; .gz, .xz, .zst: compressed) in a format, as a whole or not at
 * all. If the format cannot hold all of it, that is an error (ISOLAB_E_INPUT) with the parts and their numbers, unless
 * lossy is not 0. Returns the error's code. */
int isolab_save(const isolab_history *history, const char *path, const char *format, int lossy, isolab_error *error);
void isolab_history_free(isolab_history *history); /* NULL is ignored, as in every function that frees */

uint64_t isolab_history_sessions(const isolab_history *history);
uint64_t isolab_history_transactions(const isolab_history *history);
uint64_t isolab_history_operations(const isolab_history *history);
uint64_t isolab_history_keys(const isolab_history *history);
uint64_t isolab_history_initial_transactions(const isolab_history *history); /* that were read as the initial one */

/* Where times contradict sessions: how many transactions began, by their times, before an earlier one of their session
 * had ended. A clock ran backwards, or the recorder mixed times up. words: the first place in one sentence, cut at
 * size; NULL: nowhere. */
uint64_t isolab_history_clock(const isolab_history *history, char *words, size_t size);
int isolab_history_is_unique(const isolab_history *history); /* is no value of a key written twice? */

/* ---- Building a history by calls ----
 *
 * A session is added when it is first named. The transactions of a session are in the order in which they are added,
 * and so are operations. After a failure the calls do nothing and return 0; isolab_builder_finish() reports the first
 * failure. */

typedef enum { ISOLAB_READ, ISOLAB_WRITE, ISOLAB_APPEND, ISOLAB_LIST_READ } isolab_kind;
typedef enum { ISOLAB_COMMITTED, ISOLAB_ABORTED, ISOLAB_INDETERMINATE } isolab_status;

/* A key, value or name: nil (as a value: the initial one), a number, or a text (copied when it is used). */
enum { ISOLAB_NIL, ISOLAB_NUMBER, ISOLAB_TEXT };
typedef struct isolab_value {
    int kind; /* ISOLAB_NIL ... */
    int64_t number;
    const char *text;
} isolab_value;

static inline isolab_value isolab_nil(void) {
    isolab_value v = {ISOLAB_NIL, 0, NULL};
    return v;
}
static inline isolab_value isolab_int(int64_t number) {
    isolab_value v = {ISOLAB_NUMBER, number, NULL};
    return v;
}
static inline isolab_value isolab_text(const char *text) {
    isolab_value v = {ISOLAB_TEXT, 0, text};
    return v;
}

isolab_builder *isolab_builder_new(void);                              /* NULL: out of memory */
uint32_t isolab_builder_session(isolab_builder *b, isolab_value name); /* nil: always a new session */
uint32_t isolab_builder_transaction(isolab_builder *b, uint32_t session, isolab_value name, isolab_status status);
void isolab_builder_times(isolab_builder *b, uint32_t transaction, int64_t start, int64_t end); /* nanoseconds */
void isolab_builder_operation(isolab_builder *b, uint32_t transaction, isolab_kind kind, isolab_value key,
                              isolab_value value);
void isolab_builder_list_read(isolab_builder *b, uint32_t transaction, isolab_value key, const isolab_value *elements,
                              size_t n);
isolab_history *isolab_builder_finish(isolab_builder *b, isolab_error *error); /* frees the builder */
void isolab_builder_free(isolab_builder *b);                                   /* for a builder that was not finished */

/* ---- Looking at a history ----
 *
 * What the numbers of transactions and operations mean:
 *
 *     isolab_reader *look = isolab_reader_new(history);
 *     const isolab_txn *t;
 *     for (uint64_t i = 0; (t = isolab_reader_transaction(look, i)) != NULL; i++) {
 *         const isolab_op *op;
 *         for (size_t k = 0; (op = isolab_reader_operation(look, k)) != NULL; k++) {
 *             printf("%s: %s\n", t->name, op->text);
 *         }
 *     }
 *     isolab_reader_free(look);
 *
 * Later versions may append members to both structures, so do not copy them into an array of your own, and do not
 * depend on their sizes. */

#define ISOLAB_NO_TIME INT64_MIN
#define ISOLAB_NO_INDEX UINT64_MAX

typedef struct isolab_txn {
    uint64_t number;                            /* in the history, from 0 */
    const char *name;                           /* the id of the input, else an invented name; never NULL */
    isolab_value id;                            /* of the input; nil: it had none */
    const char *session;                        /* its name, else its number; never NULL */
    uint64_t session_number, number_in_session; /* from 0; from 1 */
    uint64_t line, index; /* in the file, from 1 (0: not known); :index of a Jepsen log, or ISOLAB_NO_INDEX */
    isolab_status status;
    int64_t start, end;    /* ISOLAB_NO_TIME: not known */
    const char *time_unit; /* `ns`; `index` or `place` of events in a log without a clock; NULL: no times */
} isolab_txn;

typedef struct isolab_op {
    isolab_kind kind;
    isolab_value key, value;
    int is_not;                   /* of a read: all that is known is that it did not return this value */
    const isolab_value *elements; /* of a list read: n_elements values; else NULL */
    size_t n_elements;
    const char *text; /* in isolab text: `w x 1`; a long list is shortened */
} isolab_op;

typedef struct isolab_reader isolab_reader; /* several threads may each have a reader of one history */
isolab_reader *isolab_reader_new(const isolab_history *history); /* NULL: out of memory. The history must outlive it. */
/* Goes to a transaction, numbered from 0. What the reader gave before is not valid any more. NULL: the history has no
 * such transaction, or there is no memory. */
const isolab_txn *isolab_reader_transaction(isolab_reader *reader, uint64_t number);
/* Returns an operation of this transaction, numbered from 0 in program order; NULL: it has no such operation. */
const isolab_op *isolab_reader_operation(const isolab_reader *reader, size_t number);
void isolab_reader_free(isolab_reader *reader);

/* ---- Checking ---- */

isolab_options *isolab_options_new(void); /* NULL: out of memory */
/* Sets an option. name and value are as on the command line of `isolab check`, without the dashes: checker, timeout,
 * memory (in bytes; only what isolab itself allocates, not its libraries), all, limit, threads, no-session-order,
 * count, require-evidence, option, initial and initial-transaction (both for isolab_open_with()); and the flag
 * certificate. A flag is "yes" or "no" ("1" and "0" are also accepted). A refused option (ISOLAB_E_USAGE) changes
 * nothing. isolab_check() and isolab_ladder() refuse options that would be ignored: options for one level in a ladder,
 * no-session-order at levels other than si and ser, count by a checker that does not count. threads read the input
 * (isolab_open_with()), and check if the checker can use them; the answer is the same for every number. */
int isolab_options_set(isolab_options *options, const char *name, const char *value, isolab_error *error);
void isolab_options_free(isolab_options *options);

/* Ends every check that runs with these options soon, with ISOLAB_UNKNOWN for the reason "interrupted" (or with
 * ISOLAB_VIOLATED and the anomalies found so far). isolab_open_with() then fails. Later calls end in the same way,
 * until isolab_options_resume(). Any thread and any signal handler may call both functions at any time. */
void isolab_options_interrupt(isolab_options *options);
void isolab_options_resume(isolab_options *options);

/* For very many anomalies: with the option all, isolab_check() calls each() for each anomaly as soon as it is found,
 * and keeps none of them, so that memory does not grow with their number. The anomaly is number 0 of `found`, which is
 * valid during the call only: isolab_anomaly_words(found, 0). each() may call isolab_options_interrupt(). Checkers that
 * find one anomaly at a time (levels above cc) keep theirs in the result as usual. NULL: no such function. The limit is
 * the option `limit`. */
typedef void isolab_each(void *arg, const isolab_result *found);
void isolab_options_each(isolab_options *options, isolab_each *each, void *arg);
uint64_t isolab_result_told(const isolab_result *result); /* for how many anomalies each() was called */

/* Checks a level, given by any of its names. NULL options: the defaults. The history must outlive the result. If a
 * limit is reached, the result is ISOLAB_UNKNOWN, which is not a failure. Returns NULL on failure. */
isolab_result *isolab_check(const isolab_history *history, const char *level, const isolab_options *options,
                            isolab_error *error);
isolab_verdict isolab_result_verdict(const isolab_result *result);
/* Why the verdict is unknown; for a violation, the limit that stopped the search for more anomalies; for a satisfied
 * level, a remark: strict serializability of a history without times is serializability; otherwise "". */
const char *isolab_result_reason(const isolab_result *result);
/* The reason as a word for programs: `time`, `memory`, `interrupted`, `size` (more items than the checker can number),
 * `effort` (a bound on the search), `level` (the checker does not support the level), `refused` (it does not take this
 * history or these options), `times` (the history has no times); NULL if there is no reason. */
const char *isolab_result_reason_code(const isolab_result *result);
const char *isolab_result_level(const isolab_result *result);
const char *isolab_result_checker(const isolab_result *result);   /* the checker that answered; NULL: none did */
const char *isolab_result_witnesses(const isolab_result *result); /* for count: a number in decimal; else NULL */
double isolab_result_milliseconds(const isolab_result *result);
uint64_t isolab_result_peak_memory(const isolab_result *result); /* in bytes, without the history */

/* The evidence for a satisfied level. A case is a place in the history where the level could have been violated, and
 * was not; docs/evidence.md defines the cases of each level. If there are 0 cases, the satisfied level proves nothing,
 * and with the option require-evidence its verdict is unknown. ISOLAB_NO_EVIDENCE_COUNT: cases were not counted,
 * because the level is not satisfied, or a limit was reached. For large histories the number is a lower bound, unless
 * it is exact. */
#define ISOLAB_NO_EVIDENCE_COUNT UINT64_MAX
uint64_t isolab_result_evidence(const isolab_result *result);
int isolab_result_evidence_is_exact(const isolab_result *result);
const char *isolab_result_evidence_words(const isolab_result *result); /* the meaning of a case; NULL: not counted */
/* The evidence for all levels, in words: reads, reads from other sessions, keys with several writers, transactions that
 * overlapped in time; NULL: not counted. */
const char *isolab_result_rests_on(const isolab_result *result);

size_t isolab_result_anomalies(const isolab_result *result);
int isolab_result_is_first_only(
    const isolab_result *result); /* of the option all: the checker looks for one anomaly only */
/* Of the option all, where anomalies are found one by one, each in what the ones before it leave of the history: what
 * is known of the rest, which may have anomalies that share transactions with these. "satisfied": the rest satisfies
 * the level; "limit", "unknown": that was not decided; "violated": it does not, but without transactions to name. NULL:
 * they were not found in this way. */
const char *isolab_result_rest(const isolab_result *result);
const char *isolab_anomaly_name(const isolab_result *result, size_t anomaly);  /* `read-your-writes` */
const char *isolab_anomaly_adya(const isolab_result *result, size_t anomaly);  /* `G-single`; NULL: none */
const char *isolab_anomaly_plume(const isolab_result *result, size_t anomaly); /* `TAP-k`; NULL: none */
const char *isolab_anomaly_words(const isolab_result *result, size_t anomaly); /* sentences, one in each line */

/* An anomaly as a graph, for programs: the transactions that its words name, and its edges, which are the steps of the
 * words. Both structures belong to the result. Later versions may append members, so do not copy them into an array of
 * your own, and do not depend on their sizes.
 *
 *     for (size_t i = 0; i < isolab_anomaly_edges(r, 0); i++) {
 *         const isolab_edge *e = isolab_anomaly_edge(r, 0, i);
 *         printf("%s %s: ", e->number, e->depth == 0 ? "of the cycle" : "a reason");
 *         printf("%s --%s--> %s\n", e->from_name, e->kind, e->to_name);
 *     }
 */
#define ISOLAB_INITIAL UINT64_MAX /* as the number of a transaction: the initial one, before all others */

typedef struct isolab_edge {
    const char *number; /* of the step: `2`, `2.1` is its first reason */
    unsigned depth;     /* 0: an edge of the cycle; else a reason of the last edge that is one less deep */
    const char *kind; /* `so`, `wr`, `rt`, `axiom`, `rw`, `ww`, `list` (docs/json.md); later versions may have others */
    uint64_t from, to; /* numbers of transactions; from may be ISOLAB_INITIAL */
    const char *from_name, *to_name;
    const char *key;                       /* NULL: none */
    uint64_t from_operation, to_operation; /* at its ends, numbered in their transactions from 1; 0: none */
    const char *text;                      /* the sentence of the step */
} isolab_edge;

/* An anomaly that is one offending read may have no edges. NULL: there is no such transaction or edge. */
size_t isolab_anomaly_transactions(const isolab_result *result, size_t anomaly);
const isolab_txn *isolab_anomaly_transaction(const isolab_result *result, size_t anomaly, size_t number);
size_t isolab_anomaly_edges(const isolab_result *result, size_t anomaly);
const isolab_edge *isolab_anomaly_edge(const isolab_result *result, size_t anomaly, size_t number);

/* The proof, as isolab-verify reads it. NULL: the option certificate was not set, or the checker gave no proof. */
const char *isolab_result_certificate(const isolab_result *result);
void isolab_result_free(isolab_result *result);

/* ---- The ladder ----
 *
 * All levels of a history, as `isolab check` without --level shows them: few are asked about, others follow.
 *
 *     isolab_levels *all = isolab_ladder(history, NULL, &error);
 *     for (size_t i = 0; isolab_levels_result(all, i) != NULL; i++) {
 *         const isolab_result *r = isolab_levels_result(all, i);
 *         printf("%s: %d\n", isolab_result_level(r), isolab_result_verdict(r));
 *     }
 *     printf("strongest: %s\n", isolab_levels_strongest(all, 0)); // NULL: none is satisfied
 *     isolab_levels_free(all);
 */

/* Asks about all levels. The timeout of the options is for all levels together. Returns NULL on failure. The history
 * must outlive the result. */
isolab_levels *isolab_ladder(const isolab_history *history, const isolab_options *options, isolab_error *error);
/* The results from the strongest level (number 0, sser) to the weakest (int), then NULL. They belong to the ladder. */
const isolab_result *isolab_levels_result(const isolab_levels *levels, size_t number);
/* Names of levels, numbered from 0, the strongest first; NULL after the last one. strongest: satisfied levels that no
 * satisfied level implies. broken_first: violated levels that imply no violated level. unknown: unknown levels that may
 * belong to the strongest ones. */
const char *isolab_levels_strongest(const isolab_levels *levels, size_t number);
const char *isolab_levels_broken_first(const isolab_levels *levels, size_t number);
const char *isolab_levels_unknown(const isolab_levels *levels, size_t number);
/* Violated if any level is; else unknown if any level has no answer, except one that was left open without a timeout
 * because its share of the time ended; else satisfied. */
isolab_verdict isolab_levels_verdict(const isolab_levels *levels);
void isolab_levels_free(isolab_levels *levels);

/* For a result of a ladder: the level from which the verdict follows; NULL: it does not follow from another level. */
const char *isolab_result_follows_from(const isolab_result *result);
/* 0: no checker was asked, so the verdict is unknown, and the reason says why: strict serializability of a history
 * without times, or a level that the checker named in the options does not support. */
int isolab_result_was_asked(const isolab_result *result);

#ifdef __cplusplus
}
#endif
#endif
