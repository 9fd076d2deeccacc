/* See heap.h. */
#define _GNU_SOURCE
#include "cli/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define LARGE ((off_t)1 << 20) /* size of a large file */
#define MOST (32 << 20)        /* no block of the heap is larger */
#define STRETCH ((size_t)31 << 20)
#define PAGE ((uintptr_t)4096)

void iso_heap_prepare(const iso_cli *cli, const char *path) {
    static bool done;
    struct stat s;
    if (done || cli->memory != 0 || stat(path, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size < LARGE) {
        return;
    }
    done = true;
    mallopt(M_MMAP_THRESHOLD, MOST);             /* blocks up to the size of the stretch also come from the heap */
    mallopt(M_TRIM_THRESHOLD, 2 * (int)STRETCH); /* freed memory is kept */
    char *p = malloc(STRETCH);
    if (p != NULL) {
        uintptr_t skip = (PAGE - (uintptr_t)p % PAGE) % PAGE;
        madvise(p + skip, (STRETCH - skip) / PAGE * PAGE, MADV_HUGEPAGE);
        free(p);
    }
}
