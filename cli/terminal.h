/* The form of drawings and text on standard output: its width is $COLUMNS or else the window's (80 columns if neither
 * is known); it is ASCII if the locale or the terminal has no other characters; it has colours only on a terminal and
 * without NO_COLOR. */
#ifndef ISOLAB_CLI_TERMINAL_H
#define ISOLAB_CLI_TERMINAL_H

#include "explain/draw.h"

iso_drawing iso_terminal_drawing(void);

/* Waits for the return key on a terminal; returns false if the user has enough (q, or the end of the input). Otherwise
 * returns true at once. */
bool iso_terminal_next(void);

#endif
