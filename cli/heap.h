/* Huge pages for the heap.
 *
 * Blocks of 4 MB and more are mapped separately, in huge pages if they fit (base/env.c). Smaller blocks come from
 * malloc(), and nearly all memory of a history of a hundred thousand operations does. With huge pages one page fault
 * brings 2 MB instead of 4 KB, which saves a fifth of the time of a run. So before such a history is read, the heap
 * gets a range of addresses with huge pages. Untouched pages cost nothing. */
#ifndef ISOLAB_CLI_HEAP_H
#define ISOLAB_CLI_HEAP_H

#include "cli/command.h"

/* Prepares the heap if the file is large and there is no --memory, which also counts addresses. Later calls do
 * nothing. */
void iso_heap_prepare(const iso_cli *cli, const char *path);

#endif
