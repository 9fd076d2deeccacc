/* Pictures as PDF, without any other program: one page of the picture's size, with the caption below it. */
#ifndef ISOLAB_EXPLAIN_PDF_H
#define ISOLAB_EXPLAIN_PDF_H

#include "base/print.h"
#include "explain/layout.h"

void iso_picture_pdf(FILE *out, iso_pool *pool, iso_picture *p, const iso_result *result);

#endif
