/* The lists of a history (docs/lists.md, "The form that programs use"): what every list read shows of others, the
 * order of appends that the reads of a key prove, and where they contradict each other.
 *
 * Only where no element of a list was appended twice. Everything is of the pool given. */
#ifndef ISOLAB_HISTORY_LISTS_H
#define ISOLAB_HISTORY_LISTS_H

#include "history/history.h"

/* A list read of a transaction that takes part. Its external part, what it shows before the reader's own appends,
 * are the versions [first, first + length) of h->list_version. */
typedef struct iso_list_read {
    uint32_t op;
    uint32_t first, length;
    uint32_t writer; /* the append that made the last element of the external part: the read is from its
                        transaction. ISO_INIT: it is empty; ISO_NONE: no transaction appended it */
} iso_list_read;

typedef enum {
    ISO_LIST_INCOMPATIBLE, /* two reads show different orders */
    ISO_LIST_DUPLICATE,    /* a read shows an element twice */
    ISO_LIST_LOST          /* a read shows one append of a transaction, and not another in its place */
} iso_list_fault_kind;

typedef struct iso_list_fault {
    iso_list_fault_kind kind;
    uint32_t key;
    uint32_t read_op;
    uint32_t other_op; /* INCOMPATIBLE: the longest read; DUPLICATE: the append; LOST: the append that is missing */
    uint32_t position; /* in read_op's list: where the two differ (or one ends), of the second copy, of the gap */
} iso_list_fault;

typedef void iso_list_report(void *arg, const iso_list_fault *fault);

typedef struct iso_lists {
    /* in the order of operations; reads that do not end in the reader's own appends, which iso_check_int()
     * reports, are left out */
    iso_list_read *read;
    uint32_t n_reads;
    uint64_t n_faults;

    /* By key: the read whose external part is longest (the first of these), ISO_NONE if the list was not read. */
    uint32_t *longest;
    /* The transactions whose appends it shows, in its order: block_txn[block_first[k] .. block_first[k+1]); and the
     * other writers of the key that take part, which all come after these: rest_txn. */
    uint32_t *block_first, *block_txn; /* n_keys + 1 */
    uint32_t *rest_first, *rest_txn;   /* n_keys + 1 */
} iso_lists;

/* Reports every contradiction (report may be NULL) by key. When there is none, and iso_check_int() finds nothing,
 * a commit order fits the lists exactly when it has the blocks of each key in their order and the other appends after them.
 * Linear in the operations and in the elements read. */
iso_lists *iso_lists_infer(const isolab_history *h, iso_pool *pool, iso_list_report *report, void *arg);

#endif
