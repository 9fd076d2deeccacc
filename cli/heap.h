/* Huge pages for the heap.
 *
 * Blocks of 4 MB and more are mapped by themselves, in huge pages where they fit (base/env.c); those below come
 * from malloc(), and of a history of a hundred thousand operations nearly all are. One fault then brings 2 MB instead of
 * 4 KB: a fifth of the time of a run. So before such a history is read, the heap gets a stretch of addresses for
 * which huge pages are asked. Untouched ones cost nothing.
 */
#ifndef ISOLAB_CLI_HEAP_H
#define ISOLAB_CLI_HEAP_H

#include "cli/command.h"

/* Where the file is large and there is no --memory, which counts addresses too. Once; later calls do nothing. */
void iso_heap_prepare(const iso_cli *cli, const char *path);

#endif
