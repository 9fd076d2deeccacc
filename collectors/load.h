/* Libraries of databases, loaded when their database is opened: a run of isolab that opens none starts as fast as
 * before. A collector lists the functions that it calls:
 *
 *     #define FUNCTIONS(F) F(mdb_env_create) F(mdb_env_open) F(mdb_strerror)
 *     ISO_LIBRARY(lmdb, "liblmdb.so.0 liblmdb.so", FUNCTIONS)
 *
 *     lmdb.mdb_env_create(&env);   // after lmdb_load(why) has returned true
 *
 * The first library of the list that exists is loaded. */
#ifndef ISOLAB_COLLECTORS_LOAD_H
#define ISOLAB_COLLECTORS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct iso_symbol {
    const char *name;
    size_t offset; /* of the pointer in the structure of functions */
} iso_symbol;

/* Loads one of several libraries (their file names, separated by spaces) and fills in the functions, once. Returns
 * false and writes why if none can be loaded. Threads may call it. */
bool iso_library_load(const char *files, const iso_symbol *symbols, size_t n, void *functions, char why[256]);

/* Writes the version of the library that has a function, by the name of its file: libNAME.so.VERSION. */
void iso_library_version(const void *function, char version[64]);

#define ISO_LIBRARY_POINTER(name) __typeof__(name) *name;
#define ISO_LIBRARY_SYMBOL(name) {#name, 0},

/* Defines the structure `library` of the functions, and `bool library_load(char why[256])`. All members are pointers,
 * in the order of the list, so a member's offset follows from its place. */
#define ISO_LIBRARY(library, files, functions)                                                                         \
    static struct { functions(ISO_LIBRARY_POINTER) } library;                                                          \
    static bool library##_load(char why[256]) {                                                                        \
        static iso_symbol symbols[] = {functions(ISO_LIBRARY_SYMBOL)};                                                 \
        const size_t n = sizeof symbols / sizeof *symbols;                                                             \
        for (size_t i = 0; i < n; i++) {                                                                               \
            symbols[i].offset = i * sizeof(void *);                                                                    \
        }                                                                                                              \
        return iso_library_load(files, symbols, n, &library, why);                                                     \
    }

#endif
