/* Reads Plume text by a builder: all of it (plume.c), or pieces by threads (plume_pieces.c). */
#ifndef ISOLAB_FORMATS_PLUME_READER_H
#define ISOLAB_FORMATS_PLUME_READER_H

#include "formats/number_map.h"
#include "history/builder.h"

typedef struct iso_plume_reader {
    iso_pool *pool;
    iso_builder *b;
    const unsigned char *begin, *at, *end;
    uint64_t skipped;         /* number of lines without an operation */
    iso_number_map ids, keys; /* to the builder's transactions and keys */

    /* by session of the builder: its current aborted transaction; ISO_NONE: none */
    uint32_t *aborted;
    uint32_t sessions_room;

    /* the transaction of the last line */
    bool has_last;
    uint64_t last_session, last_id;
    uint32_t last_session_number, last_txn;
} iso_plume_reader;

/* Prepares to read whole lines from begin to end. */
void iso_plume_begin(iso_plume_reader *r, iso_pool *pool, iso_builder *b, const unsigned char *begin,
                     const unsigned char *end);
void iso_plume_lines(iso_plume_reader *r);

/* Makes room for the aborted transactions of the builder's sessions. */
void iso_plume_sessions(iso_plume_reader *r, uint32_t session);

/* Reads the input as n pieces at a time, and joins them to what a single reader would make of it. Returns false, with
 * nothing read, if something is wrong with the input: a single reader then says what. */
bool iso_plume_pieces(iso_plume_reader *r, unsigned n);

#endif
