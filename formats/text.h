/* Pieces of isolab text (formats/isolab.c), for whoever shows a history to people. */
#ifndef ISOLAB_FORMATS_TEXT_H
#define ISOLAB_FORMATS_TEXT_H

#include "formats/format.h"

/* `nil`, an integer, a plain word, or a string in quotes: reading it gives the same atom again. */
void iso_put_atom(FILE *out, const isolab_history *h, iso_atom atom);
void iso_put_op(FILE *out, const isolab_history *h, uint32_t op);   /* the whole operation, lists uncut */
void iso_put_txn(FILE *out, const isolab_history *h, uint32_t txn); /* one line, without its end */

#endif
