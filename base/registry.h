/* Tables of named items: formats, checkers, generators, reductions. */
#ifndef ISOLAB_BASE_REGISTRY_H
#define ISOLAB_BASE_REGISTRY_H

#include <stddef.h>
#include <string.h>

/* Defines `const type *find(const char *name)`: returns the item with this name in a table of pointers that ends with
 * NULL; NULL: none. */
#define ISO_FIND_BY_NAME(find, type, table)                                                                            \
    const type *find(const char *name) {                                                                               \
        size_t i = 0;                                                                                                  \
        while (table[i] != NULL && strcmp(table[i]->name, name) != 0) {                                                \
            i++;                                                                                                       \
        }                                                                                                              \
        return table[i];                                                                                               \
    }

#endif
