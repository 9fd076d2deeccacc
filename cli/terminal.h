/* How to draw and write on standard output: as wide as $COLUMNS or the window says (80 columns if neither does), in
 * ASCII where the locale or the terminal has no other characters, in colour only on a terminal and without NO_COLOR. */
#ifndef ISOLAB_CLI_TERMINAL_H
#define ISOLAB_CLI_TERMINAL_H

#include "explain/draw.h"

iso_drawing iso_terminal_drawing(void);

/* Waits for the return key on a terminal; returns false if the user has enough (q, or the end of the input). Otherwise
 * returns true at once. */
bool iso_terminal_next(void);

#endif
