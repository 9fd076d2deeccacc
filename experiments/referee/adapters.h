/* Foreign checkers: how each published tool is called, what it reads, what its answers mean. A table
 * (adapters.def) with one entry a tool, which a configuration file can add to and change (docs/referee.md).
 *
 * An adapter is data only: it neither runs anything nor knows a history's files. Its user
 *   1. asks iso_adapter_takes() whether the tool can be asked at all,
 *   2. writes iso_adapter_history() in the adapter's format (what the tool's conventions need is written out),
 *   3. runs iso_adapter_command() as a job (process.h), and
 *   4. has iso_adapter_judge() read the verdict from what it printed.
 * isolab's own checkers go through the same door: `isolab-NAME` is the adapter of the checker NAME.
 *
 * All fields are text, so that the table and the file have one form; the default of each is in adapters.c. */
#ifndef ISOLAB_EXPERIMENTS_REFEREE_ADAPTERS_H
#define ISOLAB_EXPERIMENTS_REFEREE_ADAPTERS_H

#include "experiments/runner/process.h"
#include "formats/format.h"
#include "history/level.h"

typedef struct iso_adapter {
    const char *name;
    const char *summary;
    const char *program;     /* names to look for on the PATH, separated by spaces, or one path */
    const char *arguments;   /* words; {file} {files} {folder} {level} {format} {model} {config} are replaced */
    const char *config;      /* a file that the tool wants besides: {config} */
    const char *environment; /* words `NAME=value`; {megabytes} is the memory limit */
    const char *formats;     /* names of formats that it reads, the best first; `cobra=cobra-uv`: its word */
    const char *file;        /* what the history's file must be called; empty: anything */
    const char *levels;      /* `rc=read-committed ra=read-atomic` */
    const char *initial;     /* first: as isolab; written: it must be written out as a first session */
    const char *sessions;    /* yes, no: does session order count (si, ser)? */
    const char *duplicates;  /* yes, no: values with several writers */
    const char *lists;       /* yes, no, only */
    const char *trust;       /* both, violated: `violated` where a tool that finds nothing has not proved anything */
    const char *limit;       /* address: memory is limited by RLIMIT_AS; none: by the environment alone */
    const char *satisfied;   /* extended regular expressions on the lines that it prints; {file} and {name} are */
    const char *violated;    /* the history's path and its last part */
    const char *unknown;
    const char *refused;
    const char *anomaly;  /* its first group is the names of anomalies */
    const char *statuses; /* exit statuses with which it prints a verdict */
    const char *refusals; /* exit statuses that mean that it refused */
} iso_adapter;

typedef struct iso_adapters {
    iso_pool *pool;
    iso_adapter *list;
    size_t n, room;
} iso_adapters;

/* The table, and isolab's own checkers as `isolab-NAME`. */
void iso_adapters_init(iso_adapters *a, iso_pool *pool);
/* Adds what a configuration file says: sections `[NAME]` of lines `field = text`; `like = NAME` copies another
 * adapter first. Throws ISOLAB_E_INPUT with the line. */
void iso_adapters_read(iso_adapters *a, const char *path);
/* Reads the file that the environment variable ISOLAB_ADAPTERS names, if it is set. */
void iso_adapters_read_default(iso_adapters *a);
/* `NAME=PATH`: where a known adapter's program is. Several, separated by commas. Throws ISOLAB_E_USAGE. */
void iso_adapters_place(iso_adapters *a, const char *name_and_path);
const iso_adapter *iso_adapters_find(const iso_adapters *a, const char *name); /* NULL: none of that name */

/* The path of its program; NULL: it is not here. */
const char *iso_adapter_program(iso_pool *pool, const iso_adapter *adapter);
/* The tool's word for a level (NULL: it does not answer it) and for a format. Copied to the pool. */
const char *iso_adapter_level(iso_pool *pool, const iso_adapter *adapter, iso_level level);
const char *iso_adapter_format_word(iso_pool *pool, const iso_adapter *adapter, const iso_format *format);
/* The first format of its list that isolab writes. */
const iso_format *iso_adapter_format(const iso_adapter *adapter);
bool iso_adapter_is(const char *field, const char *word);

/* Why it cannot be asked this, in words; NULL when it can. */
const char *iso_adapter_refuses(const iso_adapter *adapter, const isolab_history *h, iso_level level, char *buffer,
                                size_t size);

/* How many histories one start of the program takes: 1, or SIZE_MAX where it takes any number. */
size_t iso_adapter_batch(const iso_adapter *adapter);

/* The argv of one start, program first. All files of a batch are in one folder if the tool reads folders. memory is
 * for the environment (0: no limit). */
const char *const *iso_adapter_command(iso_pool *pool, const iso_adapter *adapter, const char *program, iso_level level,
                                       const iso_format *format, bool lists, const char *const *files, size_t n);
const char *const *iso_adapter_environment(iso_pool *pool, const iso_adapter *adapter, uint64_t memory);

/* The history as the tool has to be told it: numbers for names, only what takes part and, where the format can hold
 * it, what aborted; where the tool has no initial values of its own and the history reads one, a first session that
 * writes them, and a key that it alone writes and every other session reads first. That makes it come first in
 * every commit order, so the answer is the same at every level. Of the pool. */
isolab_history *iso_adapter_history(iso_pool *pool, const iso_adapter *adapter, const isolab_history *h);

/* How a run ended. */
typedef enum {
    ISO_STATE_OK, /* the verdict is satisfied, violated or unknown */
    ISO_STATE_TIMEOUT,
    ISO_STATE_MEMORY,
    ISO_STATE_CRASH,
    ISO_STATE_UNSUPPORTED, /* not asked: the level or the history is beyond it */
    ISO_STATE_REFUSED,     /* it was asked and refused */
    ISO_STATE_UNPARSABLE,  /* it printed no verdict, or both */
    ISO_STATE_MISSING,     /* the program could not be started */
    ISO_STATES
} iso_state;

extern const char *const iso_state_text[ISO_STATES];

typedef struct iso_judgement {
    iso_state state;
    isolab_verdict verdict; /* ISO_STATE_OK; else unknown */
    char anomalies[160];    /* as the tool names them */
    char reason[240];       /* what is not OK, and unknown: why */
} iso_judgement;

/* Reads what a completed job says of one of its files. */
void iso_adapter_judge(iso_pool *pool, const iso_adapter *adapter, const iso_job *job, const char *file,
                       iso_judgement *judgement);

/* The fields of an adapter, for `like`, the file's reader and documentation. */
typedef struct iso_adapter_field {
    const char *name, *initial, *help;
    size_t offset;
} iso_adapter_field;
extern const iso_adapter_field iso_adapter_fields[]; /* ended by a NULL name */

#endif
