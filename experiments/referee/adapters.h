/* Published checkers: how each tool is called, what it reads, and what its answers mean. The table (adapters.def) has
 * one entry for each tool; a configuration file can add to it and change it (docs/referee.md).
 *
 * An adapter is only data: it runs nothing and does not know a history's files. Its user
 *   1. calls iso_adapter_takes() to find out whether the tool can be asked,
 *   2. writes iso_adapter_history() in the adapter's format (including what the tool's conventions need),
 *   3. runs iso_adapter_command() as a job (process.h), and
 *   4. calls iso_adapter_judge() to read the verdict from the output, and iso_adapter_phases() the times of stages.
 * isolab's own checkers can be run in the same way: `isolab-NAME` is the adapter of the checker NAME.
 *
 * All fields are text, so that the table and the file have the same form; adapters.c has their defaults. */
#ifndef ISOLAB_EXPERIMENTS_REFEREE_ADAPTERS_H
#define ISOLAB_EXPERIMENTS_REFEREE_ADAPTERS_H

#include "base/process.h"
#include "formats/format.h"
#include "history/level.h"

typedef struct iso_adapter {
    const char *name;
    const char *summary;
    const char *program;     /* names to look for on the PATH, separated by spaces, or one path */
    const char *arguments;   /* words; {file} {files} {folder} {level} {format} {model} {config} are replaced */
    const char *serve;       /* arguments of a persistent program, which reads questions from its input and prints one
                              * answer a line (experiments/runner/served.h); empty: not supported */
    const char *told;        /* path, text: what a question of a persistent program consists of */
    const char *config;      /* another file that the tool needs: {config} */
    const char *environment; /* words `NAME=value`; {megabytes} is the memory limit */
    const char *formats;     /* formats that it reads, best first; `cobra=cobra-uv`: the tool's own word */
    const char *file;        /* required name of the history's file; empty: any */
    const char *levels;      /* `rc=read-committed ra=read-atomic` */
    /* The tool's initial values. first: as in isolab; written: it has none; own: it has some that are not before all
     * transactions. For `written` and `own` a first session writes the initial values. */
    const char *initial;
    const char *sessions;   /* yes, no: whether session order counts (si, ser) */
    const char *duplicates; /* yes, no: values with several writers */
    const char *lists;      /* yes, no, only */
    const char *pack;       /* yes, no: one file may hold many independent histories (iso_adapter_pack) */
    const char *cannot;     /* features that it does not support: words of iso_trait_word */
    const char *trust;      /* the verdicts that are proofs: both, violated, satisfied */
    const char *limit;      /* address: memory is limited by RLIMIT_AS; none: only by the environment */
    /* Extended regular expressions on the lines that it prints; {file} and {name} are the path of the history and its
     * last part. */
    const char *satisfied;
    const char *violated;
    const char *unknown;
    const char *refused;
    const char *anomaly;  /* its first group is the names of anomalies */
    const char *phases;   /* its groups are the name of a stage, its time, and the unit */
    const char *statuses; /* exit statuses with which it prints a verdict */
    const char *refusals; /* exit statuses that mean a refusal */
} iso_adapter;

typedef struct iso_adapters {
    iso_pool *pool;
    iso_adapter *list;
    size_t n, room;
} iso_adapters;

/* Fills in the table, and isolab's own checkers as `isolab-NAME`. */
void iso_adapters_init(iso_adapters *a, iso_pool *pool);
/* Reads a configuration file: sections `[NAME]` of lines `field = text`; `like = NAME` first copies another adapter.
 * Throws ISOLAB_E_INPUT with the line. */
void iso_adapters_read(iso_adapters *a, const char *path);
/* Reads the file named by the environment variable ISOLAB_ADAPTERS, if it is set. */
void iso_adapters_read_default(iso_adapters *a);
/* Sets the programs of known adapters. name_and_path: `NAME=PATH`, or several separated by commas. Throws
 * ISOLAB_E_USAGE. */
void iso_adapters_place(iso_adapters *a, const char *name_and_path);
/* Returns the adapter of a name, or NULL. */
const iso_adapter *iso_adapters_find(const iso_adapters *a, const char *name);

/* Returns the path of an adapter's program; NULL: the program is not installed. */
const char *iso_adapter_program(iso_pool *pool, const iso_adapter *adapter);
/* Return the tool's word for a level (NULL: the tool does not check it) and for a format, copied to the pool. */
const char *iso_adapter_level(iso_pool *pool, const iso_adapter *adapter, iso_level level);
const char *iso_adapter_format_word(iso_pool *pool, const iso_adapter *adapter, const iso_format *format);
/* Returns the first format of the adapter's list that isolab writes. */
const iso_format *iso_adapter_format(const iso_adapter *adapter);
/* Returns whether a field of an adapter is a word. */
bool iso_adapter_is(const char *field, const char *word);

/* Traits: features of histories that some tool does not support. For the traits of ISO_TRAITS_TOLD_OTHERWISE the
 * history gets another form with the same verdict: initial values are written, and times, aborted transactions and
 * sessions without committed ones are left out (a read from an aborted transaction is then a thin-air read, which is
 * also an offence). If the history has one of the other traits, the tool is not asked. */
typedef enum {
    ISO_TRAIT_INITIAL, /* of `initial = written`; the words of the other traits are those of `cannot` */
    ISO_TRAIT_ABORTED,
    ISO_TRAIT_EMPTY_SESSIONS,
    ISO_TRAIT_TIMES,
    ISO_TRAIT_OWN_READS,
    ISO_TRAIT_REREADS,
    ISO_TRAIT_THIN_AIR,
    ISO_TRAIT_BLIND_WRITES,
    ISO_TRAIT_UNTIMED, /* a committed transaction without start or end */
    ISO_TRAIT_MIXED,   /* registers and lists */
    ISO_TRAIT_CALLS,   /* a transaction that is not one call of a register within the time of its session */
    ISO_TRAITS
} iso_trait;
#define ISO_TRAIT_BIT(t) ((uint32_t)1 << (t))
#define ISO_TRAITS_TOLD_OTHERWISE                                                                                      \
    (ISO_TRAIT_BIT(ISO_TRAIT_INITIAL) | ISO_TRAIT_BIT(ISO_TRAIT_ABORTED) | ISO_TRAIT_BIT(ISO_TRAIT_EMPTY_SESSIONS) |   \
     ISO_TRAIT_BIT(ISO_TRAIT_TIMES))

extern const char *const iso_trait_word[ISO_TRAITS];
extern const char *const iso_trait_text[ISO_TRAITS]; /* in a sentence: "a read of an initial value" */

/* Returns the traits of a history that the tool does not support, as bits. */
uint32_t iso_adapter_traits(const iso_adapter *adapter, const isolab_history *h);

/* Returns the traits, as bits, that a tool does not support but gets unchanged in some histories, which confirms the
 * table. */
uint32_t iso_adapter_offers(const iso_adapter *adapter);

/* Returns, in words, why the tool cannot be asked this question; NULL if it can. plain: traits, as bits, that the
 * history keeps although the tool does not support them. */
const char *iso_adapter_refuses(const iso_adapter *adapter, const isolab_history *h, iso_level level, uint32_t plain,
                                char *buffer, size_t size);

/* Returns how many histories one start of the program takes: 1, or SIZE_MAX for any number. */
size_t iso_adapter_batch(const iso_adapter *adapter);

/* Returns the argv of a persistent program. lists: whether the histories have lists. */
const char *const *iso_adapter_serve(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                     const iso_format *format, bool lists);

/* Returns the question of a persistent program about a history: the path of its file and a newline, or the size of the
 * file in bytes, a newline, and these bytes. text, size: the content of the file; NULL: the file is read, if needed.
 * *n: the size of the question in bytes. */
const char *iso_adapter_question(iso_pool *pool, const iso_adapter *adapter, const char *file, const char *text,
                                 size_t size, size_t *n);

/* Returns the argv of one start of a program with n files, which are in one folder if the tool reads folders. lists:
 * whether the histories have lists. */
const char *const *iso_adapter_command(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                       const iso_format *format, bool lists, const char *const *files, size_t n);
/* Returns the words that the adapter adds to the environment. memory: limit in bytes; 0 = none. */
const char *const *iso_adapter_environment(iso_pool *pool, const iso_adapter *adapter, uint64_t memory);

/* Returns the history in the form that the tool needs, in the pool: numbers for names, only included transactions and,
 * if the format can hold them, aborted ones. If the tool has no initial values and the history reads one, a first
 * session writes all initial values and an extra key, which every other session reads first. So the first session is
 * first in every commit order, and the verdict is the same at every level. plain: traits, as bits, that stay
 * unchanged. */
isolab_history *iso_adapter_history(iso_pool *pool, const iso_adapter *adapter, const isolab_history *h,
                                    uint32_t plain);

/* Returns a pack: one history that holds n histories of iso_adapter_history(), each with keys, values and sessions of
 * its own. A pack satisfies a level if and only if each member does, unless the level concerns real time and the
 * members have times. */
isolab_history *iso_adapter_pack(iso_pool *pool, const isolab_history *const *told, size_t n);
/* Returns whether the tool may be asked about a history together with others in one pack. */
bool iso_adapter_packs(const iso_adapter *adapter, const isolab_history *h, iso_level level);

/* How a run of a published tool ended, judged by its output alone. In the results of a suite the run has an
 * iso_run_state (experiments/runner/results.h). */
typedef enum {
    ISO_TOOL_OK, /* the verdict is satisfied, violated or unknown */
    ISO_TOOL_TIMEOUT,
    ISO_TOOL_MEMORY,
    ISO_TOOL_CRASH,
    ISO_TOOL_UNSUPPORTED, /* not asked: the tool does not support the level or the history */
    ISO_TOOL_REFUSED,     /* it refused the question */
    ISO_TOOL_UNPARSABLE,  /* it printed no verdict, or both */
    ISO_TOOL_MISSING,     /* the program could not be started */
    ISO_TOOL_STATES
} iso_tool_state;

extern const char *const iso_tool_state_text[ISO_TOOL_STATES];

typedef struct iso_judgement {
    iso_tool_state state;
    isolab_verdict verdict; /* unknown unless the state is ISO_TOOL_OK */
    char anomalies[160];    /* in the tool's words */
    char reason[240];       /* why the state is not ISO_TOOL_OK or the verdict is unknown */
} iso_judgement;

/* The regular expressions of an adapter that do not mention the history's file, compiled once for many answers. */
typedef struct iso_adapter_reader iso_adapter_reader;
iso_adapter_reader *iso_adapter_reader_new(iso_pool *pool, const iso_adapter *adapter);
void iso_adapter_reader_end(iso_adapter_reader *reader); /* NULL is ignored */

/* Reads the answer about one file from a completed job. reader: the adapter's; NULL: all expressions are compiled
 * now. */
void iso_adapter_judge(iso_pool *pool, const iso_adapter *adapter, const iso_adapter_reader *reader, const iso_job *job,
                       const char *file, iso_judgement *judgement);

/* The time of a stage that the tool printed. */
typedef struct iso_adapter_phase {
    const char *name;
    double ms;
} iso_adapter_phase;

/* Finds the times of stages in the output of a completed job, and adds up the times of equal names. Returns the number
 * of stages. */
size_t iso_adapter_phases(iso_pool *pool, const iso_adapter *adapter, const iso_job *job, iso_adapter_phase **list);

/* A field of an adapter, for iso_adapters_read() and documentation. initial: its default. */
typedef struct iso_adapter_field {
    const char *name, *initial, *help;
    size_t offset;
} iso_adapter_field;
extern const iso_adapter_field iso_adapter_fields[]; /* ended by a NULL name */

#endif
