/* What execution.c and turns.c share. */
#ifndef ISOLAB_CHECKERS_STRONG_TURNS_H
#define ISOLAB_CHECKERS_STRONG_TURNS_H

#include "checkers/strong/execution.h"

void iso_strong_note_wrong(strong_execution *x, uint32_t read);

#endif
