/* A published checker that is installed: where its files are, how it is started, and how its answers are read. */
#ifndef ISOLAB_EXPERIMENTS_ASKING_TOOL_H
#define ISOLAB_EXPERIMENTS_ASKING_TOOL_H

#include "experiments/asking/adapters.h"
#include "experiments/asking/party.h"
#include "experiments/asking/served.h"

typedef struct iso_tool {
    const iso_adapter *adapter;
    const iso_format *format;
    const char *path; /* NULL: it is not installed */
    /* Of a party: */
    iso_pool *pool;             /* lives as long as the party */
    unsigned number;            /* its files are in the folder p<number> */
    bool has_folder;            /* this folder exists */
    uint32_t plain;             /* traits (adapters.h) that the next history keeps, although it does not support them */
    iso_adapter_reader *reader; /* of its answers; NULL: none came yet */
    /* Persistent programs, by level and by whether the histories have lists; NULL: not started. */
    iso_served *served[ISO_MOST_LEVELS][2];
    size_t pack_most[ISO_MOST_LEVELS]; /* limit of histories in one file, halved after each `unlike` pack; 0 = none */
    uint64_t packed;                   /* number of histories answered in a pack */
    uint64_t unlike; /* number of packs that were not called satisfied, while all their members were */
} iso_tool;

/* Returns the program of an adapter. */
iso_tool iso_tool_of(iso_pool *pool, const iso_adapter *adapter);

/* Returns the path of a history's file: FOLDER/STEM.EXTENSION, or FOLDER/NAME if the tool requires a name. */
const char *iso_tool_file(iso_pool *pool, const iso_tool *program, const char *folder, const char *stem);

/* Returns the argv of one start with n files; of a program that stays, without them. */
const char *const *iso_tool_argv(iso_pool *pool, const iso_tool *program, iso_level level, bool lists,
                                 const char *const *files, size_t n);

/* Returns a job with this argv and a limit of memory in bytes; 0 = none. */
iso_job iso_tool_job(iso_pool *pool, const iso_tool *program, const char *const *argv, uint64_t memory);

static inline bool iso_tool_stays(const iso_tool *p) { return *p->adapter->serve != '\0'; }

#endif
