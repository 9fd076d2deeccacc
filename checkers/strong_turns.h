/* What strong_execute.c and strong_turns.c share. */
#ifndef ISOLAB_CHECKERS_STRONG_TURNS_H
#define ISOLAB_CHECKERS_STRONG_TURNS_H

#include "checkers/strong_execute.h"

void strong_note_wrong(strong_execution *x, uint32_t read);

#endif
