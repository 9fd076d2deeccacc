/* The lists of a history (docs/lists.md, "The form that programs use"): the elements of other transactions in every
 * list read, the order of appends that the reads of a key prove, and contradictions between reads.
 *
 * Only for histories in which no element was appended twice to a list. All memory belongs to the given pool. */
#ifndef ISOLAB_HISTORY_LISTS_H
#define ISOLAB_HISTORY_LISTS_H

#include "history/history.h"

/* A list read of an included transaction. Its external part is its elements before the reader's own appends: the
 * versions [first, first + length) of h->list_version. */
typedef struct iso_list_read {
    uint32_t op;
    uint32_t first, length;
    uint32_t writer; /* the append of the last element of the external part; the read reads from its transaction.
                      * ISO_INIT: the part is empty; ISO_NONE: no transaction appended that element */
} iso_list_read;

typedef enum {
    ISO_LIST_INCOMPATIBLE, /* two reads show different orders */
    ISO_LIST_DUPLICATE,    /* a read shows an element twice */
    ISO_LIST_LOST          /* a read shows one append of a transaction to the key, but not another one that belongs
                            * there */
} iso_list_fault_kind;

typedef struct iso_list_fault {
    iso_list_fault_kind kind;
    uint32_t key;
    uint32_t read_op;
    uint32_t other_op; /* INCOMPATIBLE: the longest read; DUPLICATE: the append; LOST: the missing append */
    uint32_t position; /* in read_op's list: of the first difference (or the end of one list), of the second copy, or of
                        * the gap */
} iso_list_fault;

typedef void iso_list_report(void *arg, const iso_list_fault *fault);

typedef struct iso_lists {
    /* in the order of operations, without the reads that do not end in the reader's own appends, which iso_check_int()
     * reports */
    iso_list_read *read;
    uint32_t n_reads;
    uint64_t n_faults;

    /* by key: the first of the reads with the longest external part; ISO_NONE if the list was not read */
    uint32_t *longest;
    /* the transactions whose appends the longest read shows, in its order: block_txn[block_first[k] ..
     * block_first[k+1]); and rest_txn, the other included writers of the key, which come after all of these */
    uint32_t *block_first, *block_txn; /* n_keys + 1 */
    uint32_t *rest_first, *rest_txn;   /* n_keys + 1 */
} iso_lists;

/* Reports every contradiction by key (report may be NULL). If there is none, and iso_check_int() finds nothing, a
 * commit order agrees with the lists exactly if it has the blocks of each key in their order and the other writers
 * after them. Linear in the number of operations and of elements read. */
iso_lists *iso_lists_infer(const isolab_history *h, iso_pool *pool, iso_list_report *report, void *arg);

/* The external part of one list read: versions [first, first + length) of h->list_version. */
typedef struct iso_list_part {
    uint32_t first, length;
    uint32_t writer; /* the append of its last element; ISO_INIT: it is empty */
    uint32_t torn;   /* an append that is shown twice, or without the others of its transaction; ISO_NONE: none */
} iso_list_part;

/* Finds the external part of a read of an optional transaction. Returns false if no order makes the read right, by INT.
 * Quadratic in the length of the list, since such reads are few. */
bool iso_list_part_of(const isolab_history *h, uint32_t read, iso_list_part *part);

#endif
