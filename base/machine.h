/* The resources of the machine. */
#ifndef ISOLAB_BASE_MACHINE_H
#define ISOLAB_BASE_MACHINE_H

#include <stdint.h>

/* Returns the bytes of memory of the machine, or of the process's control group if that allows less; 0: not known.
 * It reads files, so do not call it often. */
uint64_t iso_machine_memory(void);

#endif
