/* What the machine has to offer. */
#ifndef ISOLAB_BASE_MACHINE_H
#define ISOLAB_BASE_MACHINE_H

#include <stdint.h>

/* The bytes of memory that the machine has, or that the control group of the process may use, if that is less. 0: not known.
 * Not cheap: it reads files. */
uint64_t iso_machine_memory(void);

#endif
