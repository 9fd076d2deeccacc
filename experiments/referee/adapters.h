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
    const char *program;   /* names to look for on the PATH, separated by spaces, or one path */
    const char *arguments; /* words; {file} {files} {folder} {level} {format} {model} {config} are replaced */
    const char *serve;  /* arguments of a persistent start: one path in each line of input, one verdict in each line of
                         * output; empty: not supported */
    const char *config; /* another file that the tool needs: {config} */
    const char *environment; /* words `NAME=value`; {megabytes} is the memory limit */
    const char *formats;     /* formats that it reads, best first; `cobra=cobra-uv`: the tool's own word */
    const char *file;        /* required name of the history's file; empty: any */
    const char *levels;      /* `rc=read-committed ra=read-atomic` */
    const char
        *initial; /* first: as in isolab; the other two are written in a first session: written (it has none), own (it
                   * has some that are not before everything) */
    const char *sessions;   /* yes, no: whether session order counts (si, ser) */
    const char *duplicates; /* yes, no: values with several writers */
    const char *lists;      /* yes, no, only */
    const char *pack;       /* yes, no: one file may hold many independent histories (iso_adapter_pack) */
    const char *cannot;     /* features that it answers wrongly or not at all: words of iso_trait_word */
    const char *trust; /* both; violated: it proves nothing when it finds no anomaly; satisfied: nothing when it finds
                             * one */
    const char *limit; /* address: memory is limited by RLIMIT_AS; none: only by the environment */
    const char *satisfied; /* extended regular expressions on the lines that it prints; {file} and {name} are */
    const char *violated;  /* the history's path and its last part */
    const char *unknown;
    const char *refused;
    const char *anomaly;  /* its first group is the names of anomalies */
    const char *phases;   /* the same; its groups are the name of a stage, its time, and the unit */
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
/* `NAME=PATH`: the program of a known adapter. Several, separated by commas. Throws ISOLAB_E_USAGE. */
void iso_adapters_place(iso_adapters *a, const char *name_and_path);
const iso_adapter *iso_adapters_find(const iso_adapters *a, const char *name); /* NULL: no adapter has this name */

/* Returns the path of its program; NULL: it is not installed. */
const char *iso_adapter_program(iso_pool *pool, const iso_adapter *adapter);
/* Return the tool's word for a level (NULL: it does not answer it) and for a format, copied to the pool. */
const char *iso_adapter_level(iso_pool *pool, const iso_adapter *adapter, iso_level level);
const char *iso_adapter_format_word(iso_pool *pool, const iso_adapter *adapter, const iso_format *format);
/* Returns the first format of its list that isolab writes. */
const iso_format *iso_adapter_format(const iso_adapter *adapter);
bool iso_adapter_is(const char *field, const char *word);

/* Features of a history that a tool does not support. For the first ones the history gets another form with the same
 * verdict: initial values are written, and times, aborted transactions and sessions without committed ones are left out
 * (a read from them is then a thin-air read, which is also an offence). If the history has one of the others, the tool
 * is not asked. */
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

/* Returns whether the history can be told as calls of registers: each transaction is one, begins after the last one of
 * its session ended, and has no end if it is indeterminate. */
bool iso_adapter_calls(const isolab_history *h);

/* Returns the traits of a history that the tool does not support, as bits. */
uint32_t iso_adapter_traits(const iso_adapter *adapter, const isolab_history *h);

/* Returns the traits that it gets once unchanged, as bits, to confirm what the table says about it. */
uint32_t iso_adapter_offers(const iso_adapter *adapter);

/* Returns, in words, why the tool cannot be asked this question; NULL if it can. plain: traits, as bits, that it gets
 * unchanged. */
const char *iso_adapter_refuses(const iso_adapter *adapter, const isolab_history *h, iso_level level, uint32_t plain,
                                char *buffer, size_t size);

/* Returns how many histories one start of the program takes: 1, or SIZE_MAX for any number. */
size_t iso_adapter_batch(const iso_adapter *adapter);

/* Returns the argv of a persistent start. */
const char *const *iso_adapter_serve(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                     const iso_format *format, bool lists);

/* Returns the argv of one start, program first. All files of a batch are in one folder if the tool reads folders.
 * memory: for the environment; 0 = no limit. */
const char *const *iso_adapter_command(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                       const iso_format *format, bool lists, const char *const *files, size_t n);
const char *const *iso_adapter_environment(iso_pool *pool, const iso_adapter *adapter, uint64_t memory);

/* Returns the history in the form that the tool needs, in the pool: numbers for names, only included transactions and,
 * if the format can hold them, aborted ones. If the tool has no initial values and the history reads one, a first
 * session writes them, and a key that only it writes and every other session reads first. So this session comes first
 * in every commit order, and the answer is the same at every level. plain: traits that stay unchanged. */
isolab_history *iso_adapter_history(iso_pool *pool, const iso_adapter *adapter, const isolab_history *h,
                                    uint32_t plain);

/* Returns one history that holds several, as iso_adapter_history() made them: with keys, values and sessions of their
 * own. It satisfies a level exactly if each of them does, unless real time concerns the level and they have times. */
isolab_history *iso_adapter_pack(iso_pool *pool, const isolab_history *const *told, size_t n);
/* Returns whether the tool may be asked about a history together with others in one pack. */
bool iso_adapter_packs(const iso_adapter *adapter, const isolab_history *h, iso_level level);

/* How a run of a published tool ended, from its output alone. What the run counts as in the results of a suite is an
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
    isolab_verdict verdict; /* ISO_TOOL_OK; otherwise unknown */
    char anomalies[160];    /* in the tool's words */
    char reason[240];       /* why it is not OK, or unknown */
} iso_judgement;

/* Reads the answer about one file from a completed job. */
void iso_adapter_judge(iso_pool *pool, const iso_adapter *adapter, const iso_job *job, const char *file,
                       iso_judgement *judgement);

/* The time of a stage that the tool printed. */
typedef struct iso_adapter_phase {
    const char *name;
    double ms;
} iso_adapter_phase;

/* Finds the times of stages in what a completed job printed; those of one name are added up. Returns their number. */
size_t iso_adapter_phases(iso_pool *pool, const iso_adapter *adapter, const iso_job *job, iso_adapter_phase **list);

/* A field of an adapter, for `like`, the file's reader and documentation. */
typedef struct iso_adapter_field {
    const char *name, *initial, *help;
    size_t offset;
} iso_adapter_field;
extern const iso_adapter_field iso_adapter_fields[]; /* ended by a NULL name */

#endif
