/* The gallery: for every anomaly with a name, a smallest history that shows it. No transaction and no operation can be
 * left out, and no smaller history is known. tests/exhaustive/gallery.c tests all of this. */
#ifndef ISOLAB_EXPLAIN_GALLERY_H
#define ISOLAB_EXPLAIN_GALLERY_H

#include "checkers/result.h"

typedef struct iso_specimen {
    iso_anomaly_kind kind;
    iso_level level;     /* the weakest level at which a checker uses this name */
    const char *history; /* isolab text */
    /* A smallest history of mini-transactions: at most two reads and two writes, each write after a read of its key.
     * ISO_IS_MINI: `history` is one; NULL: mini-transactions do not have this anomaly. */
    const char *mini;
} iso_specimen;

extern const char ISO_IS_MINI[];

/* Returns the specimen of a kind; NULL for ISO_A_NO_ORDER, which is not a name. */
const iso_specimen *iso_gallery(iso_anomaly_kind kind);

#endif
