/* How `isolab matrix` prints the verdicts (collectors/matrix.h). */
#ifndef ISOLAB_CLI_MATRIX_PRINT_H
#define ISOLAB_CLI_MATRIX_PRINT_H

#include "base/print.h"
#include "collectors/matrix.h"

/* Prints the table and the list of violations, for people. target: ISO_PLAIN, ISO_HTML, ISO_LATEX or ISO_MARKDOWN.
 * details: also what each satisfied cell rests on. */
void iso_matrix_print(iso_pool *pool, FILE *out, iso_target target, const iso_matrix *m, bool details);
void iso_matrix_json(FILE *out, const iso_matrix *m);

#endif
