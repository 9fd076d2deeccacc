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
 *         uint32_t alice = isolab_session(b, isolab_text("alice"));
 *         uint32_t bob = isolab_session(b, isolab_text("bob"));
 *         uint32_t t1 = isolab_transaction(b, alice, isolab_text("t1"), ISOLAB_COMMITTED);
 *         uint32_t t2 = isolab_transaction(b, bob, isolab_text("t2"), ISOLAB_COMMITTED);
 *         isolab_operation(b, t1, ISOLAB_WRITE, isolab_text("x"), isolab_int(1));
 *         isolab_operation(b, t1, ISOLAB_WRITE, isolab_text("y"), isolab_int(1));
 *         isolab_operation(b, t2, ISOLAB_READ, isolab_text("x"), isolab_int(1));
 *         isolab_operation(b, t2, ISOLAB_READ, isolab_text("y"), isolab_nil());
 *         isolab_history *h = isolab_builder_finish(b, &error);
 *         isolab_result *r = h != NULL ? isolab_check(h, "read atomic", NULL, &error) : NULL;
 *         if (r == NULL) {
 *             fprintf(stderr, "%s\n", error.message);
 *             return 1;
 *         }
 *         printf("%s\n", isolab_result_verdict(r) == ISOLAB_VIOLATED ? "violated" : "not violated");
 *         for (size_t i = 0; i < isolab_result_anomalies(r); i++) {
 *             printf("%s:\n%s", isolab_anomaly_name(r, i), isolab_anomaly_words(r, i));
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

/* One error type for everything. line counts from 1, and 0 means that the input has no lines or the error
 * no place; offset counts bytes from 0, and ISOLAB_NO_OFFSET means that it is not known. */
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
const char *isolab_code_text(int code); /* what a code means, in words */

/* The tables: names of levels, checkers and formats; NULL after the last one. */
const char *isolab_level_name(size_t number);
const char *isolab_checker_name(size_t number);
const char *isolab_format_name(size_t number);

/* ---- Histories ---- */

/* Reads a file, a folder or standard input (`-`), zstd-compressed or not. format: a name of
 * isolab_format_name(); NULL: detect it. NULL on failure. A first transaction that writes initial values only is the
 * initial one (docs/formats.md): it is not among the transactions of the history. */
isolab_history *isolab_open(const char *path, const char *format, isolab_error *error);
/* The same with the options initial and initial-transaction (see below; NULL: none), and within their timeout and
 * memory. They may interrupt it. A limit that is reached is a failure: ISOLAB_E_LIMIT. */
isolab_history *isolab_open_with(const char *path, const char *format, const isolab_options *options,
                                 isolab_error *error);
isolab_history *isolab_read(const void *bytes, size_t size, const char *format, isolab_error *error);
/* Writes a path (`-`: standard output; .zst: compressed) as format, whole or not at all. What the format cannot hold
 * is an error (ISOLAB_E_INPUT) that says what and how much, unless lossy is not 0. Returns the error's code. */
int isolab_save(const isolab_history *history, const char *path, const char *format, int lossy, isolab_error *error);
void isolab_history_free(isolab_history *history); /* NULL is ignored, as by every function that frees */

uint64_t isolab_history_sessions(const isolab_history *history);
uint64_t isolab_history_transactions(const isolab_history *history);
uint64_t isolab_history_operations(const isolab_history *history);
uint64_t isolab_history_keys(const isolab_history *history);
uint64_t isolab_history_initial_transactions(const isolab_history *history); /* that were read as the initial one */
int isolab_history_is_unique(const isolab_history *history);                 /* is no value of a key written twice? */

/* ---- Building a history by calls ----
 *
 * Sessions are made when they are first named. Transactions of a session are in the order in which they are
 * made, operations in the order in which they are added. After a failure the calls do nothing and return 0;
 * isolab_builder_finish() tells the first one. */

typedef enum { ISOLAB_READ, ISOLAB_WRITE, ISOLAB_APPEND } isolab_kind;
typedef enum { ISOLAB_COMMITTED, ISOLAB_ABORTED, ISOLAB_INDETERMINATE } isolab_status;

/* A key, value or name: nothing (as a value: the initial one), a number, or a string (copied when used). */
typedef struct isolab_value {
    int kind; /* 0 nil, 1 number, 2 text */
    int64_t number;
    const char *text;
} isolab_value;

static inline isolab_value isolab_nil(void) {
    isolab_value v = {0, 0, NULL};
    return v;
}
static inline isolab_value isolab_int(int64_t number) {
    isolab_value v = {1, number, NULL};
    return v;
}
static inline isolab_value isolab_text(const char *text) {
    isolab_value v = {2, 0, text};
    return v;
}

isolab_builder *isolab_builder_new(void);                      /* NULL: out of memory */
uint32_t isolab_session(isolab_builder *b, isolab_value name); /* nil: always a new one */
uint32_t isolab_transaction(isolab_builder *b, uint32_t session, isolab_value name, isolab_status status);
void isolab_times(isolab_builder *b, uint32_t transaction, int64_t start, int64_t end); /* nanoseconds */
void isolab_operation(isolab_builder *b, uint32_t transaction, isolab_kind kind, isolab_value key, isolab_value value);
void isolab_list_read(isolab_builder *b, uint32_t transaction, isolab_value key, const isolab_value *elements,
                      size_t n);
isolab_history *isolab_builder_finish(isolab_builder *b, isolab_error *error); /* frees the builder */
void isolab_builder_free(isolab_builder *b);                                   /* one that was not finished */

/* ---- Checking ---- */

isolab_options *isolab_options_new(void); /* NULL: out of memory */
/* name and value as on the command line of `isolab check`, without the dashes: checker, timeout, memory
 * (bytes; what isolab allocates itself, its libraries left out), all, limit, threads, no-session-order, count,
 * require-evidence, option, initial and initial-transaction (both of isolab_open_with()); and the flag certificate. A flag
 * is "yes" or "no" ("1" and "0" are understood, too). What is refused (ISOLAB_E_USAGE) changes nothing. isolab_check() and
 * isolab_ladder() refuse options that would be ignored: those of a level for the ladder, no-session-order at other levels
 * than si and ser, count by a checker that does not count. threads are used where the checker can. */
int isolab_options_set(isolab_options *options, const char *name, const char *value, isolab_error *error);
void isolab_options_free(isolab_options *options);

/* Every check that runs with these options ends soon, ISOLAB_UNKNOWN for the reason "interrupted" (or
 * ISOLAB_VIOLATED with what was found until then), isolab_open_with() fails, and so does every later one,
 * until isolab_options_resume(). Both may be called by any thread at any time, and by a signal handler. */
void isolab_options_interrupt(isolab_options *options);
void isolab_options_resume(isolab_options *options);

/* level: a name or another name of a level. NULL options: the defaults. The history must outlive the result.
 * A limit that is reached is a result (ISOLAB_UNKNOWN), not a failure. NULL on failure. */
isolab_result *isolab_check(const isolab_history *history, const char *level, const isolab_options *options,
                            isolab_error *error);
isolab_verdict isolab_result_verdict(const isolab_result *result);
/* Why it is unknown; of a violation, the limit that ended the search for more of it; of a satisfied level, what must be
 * said besides: that strict serializability of a history without times is serializability; else "". */
const char *isolab_result_reason(const isolab_result *result);
/* The same as one word for programs: `time`, `memory`, `interrupted`, `size` (more than the checker can number), `effort`
 * (a bound on searching), `level` (the checker does not know the level), `refused` (it does not take this history or
 * these options), `times` (the history has no times); NULL where there is no reason. */
const char *isolab_result_reason_code(const isolab_result *result);
const char *isolab_result_level(const isolab_result *result);
const char *isolab_result_checker(const isolab_result *result);   /* the one that answered; NULL: none did */
const char *isolab_result_witnesses(const isolab_result *result); /* of count: a number in decimal; else NULL */
double isolab_result_milliseconds(const isolab_result *result);
uint64_t isolab_result_peak_memory(const isolab_result *result); /* bytes, the history left out */

/* What a satisfied level rests on. A case is a place of the history where the level could have been violated, and was not;
 * docs/evidence.md says what that is at each level. Of 0 cases: the level proves nothing by being satisfied, and with
 * the option require-evidence its verdict is unknown. ISOLAB_NO_EVIDENCE_COUNT: cases were not counted, since the level is not
 * satisfied, or a limit was reached. Of large histories the number is a lower bound, unless it is exact. */
#define ISOLAB_NO_EVIDENCE_COUNT UINT64_MAX
uint64_t isolab_result_evidence(const isolab_result *result);
int isolab_result_evidence_is_exact(const isolab_result *result);
const char *isolab_result_evidence_words(const isolab_result *result); /* what a case is; NULL: not counted */
/* What all levels rest on, in words: reads, those from other sessions, keys with several writers, transactions that
 * overlapped in time; NULL: not counted. */
const char *isolab_result_rests_on(const isolab_result *result);

size_t isolab_result_anomalies(const isolab_result *result);
int isolab_result_is_first_only(
    const isolab_result *result); /* of the option all: the checker looks for one anomaly only */
const char *isolab_anomaly_name(const isolab_result *result, size_t anomaly);  /* `fractured-read-co` */
const char *isolab_anomaly_adya(const isolab_result *result, size_t anomaly);  /* `G-single`; NULL: none */
const char *isolab_anomaly_plume(const isolab_result *result, size_t anomaly); /* `TAP-k`; NULL: none */
const char *isolab_anomaly_words(const isolab_result *result, size_t anomaly); /* sentences, one a line */
/* The proof, as isolab-verify reads it; NULL: the option certificate was not set, or the checker gave none. */
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

/* The timeout of the options is one for all levels. NULL on failure; the history must outlive it. */
isolab_levels *isolab_ladder(const isolab_history *history, const isolab_options *options, isolab_error *error);
/* From the strongest level (number 0, sser) to the weakest one (int); NULL after that. They belong to the ladder. */
const isolab_result *isolab_levels_result(const isolab_levels *levels, size_t number);
/* Names of levels, numbered from 0, the strongest first; NULL after the last one. strongest: satisfied levels with no
 * satisfied level above them. broken_first: violated levels with no violated level below them. unknown: levels that might
 * be satisfied, so that one of them might be the strongest. */
const char *isolab_levels_strongest(const isolab_levels *levels, size_t number);
const char *isolab_levels_broken_first(const isolab_levels *levels, size_t number);
const char *isolab_levels_unknown(const isolab_levels *levels, size_t number);
/* Violated if any level is; else unknown if isolab_levels_unknown() has any; else satisfied. */
isolab_verdict isolab_levels_verdict(const isolab_levels *levels);
void isolab_levels_free(isolab_levels *levels);

/* Of a ladder's results. The level that the verdict follows from; NULL: it does not follow from another one. */
const char *isolab_result_follows_from(const isolab_result *result);
/* 0: no checker was asked, so that the verdict is unknown, and the reason says why: strict serializability where the history
 * has no times, or what the checker that the options name does not support. */
int isolab_result_was_asked(const isolab_result *result);

#ifdef __cplusplus
}
#endif
#endif
