/* Pieces of isolab text (formats/isolab.c), for files that show a history to people. */
#ifndef ISOLAB_FORMATS_TEXT_H
#define ISOLAB_FORMATS_TEXT_H

#include "formats/format.h"

/* Writes `nil`, an integer, a plain word, or a string in quotes. Reading it gives the same atom again. */
void iso_put_txn(FILE *out, const isolab_history *h, uint32_t txn); /* one line, without its newline */

#endif
