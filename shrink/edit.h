/* Internal to the minimiser: a copy of a history with a part left out or simplified. See shrink.h. */
#ifndef ISOLAB_SHRINK_EDIT_H
#define ISOLAB_SHRINK_EDIT_H

#include "history/builder.h"

/* One edit. A field that is ISO_NONE: no edit of this kind. */
typedef struct iso_edit {
    const uint8_t *no_txn, *no_op; /* marked transactions and operations are left out; NULL: none */
    bool orphans;                  /* reads stay even if the write that they read from is left out */
    uint32_t merge, follows;       /* the transactions of session `merge` come after those of session `follows` */
    uint32_t key, same_as;         /* `key` becomes `same_as`; their values stay different */
    uint32_t no_key;
    uint32_t nil_op;              /* this read reads nil */
    uint32_t nil_version;         /* all reads of this version read nil, and its writes are left out */
    uint32_t fresh_op;            /* this write writes a new value, which no read returns */
    uint32_t list_op, no_element; /* this element of the list that this read shows is left out */
    uint32_t no_time;             /* the times of this transaction are left out */
    bool no_times;
    /* No value is changed, and what violates a level does so for a reason that the whole has, too: every read that
     * stays keeps all included writes from which it may be; a list read is left out if one of its elements is. So an
     * order of the whole that satisfies a level has an order of the slice in it that does. An unnamed item gets its
     * number as its name. */
    bool slice;
    uint32_t commit; /* this indeterminate transaction is committed */
} iso_edit;

#define ISO_NO_EDIT                                                                                                    \
    ((iso_edit){NULL, NULL, false, ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE, ISO_NONE,     \
                ISO_NONE, ISO_NONE, ISO_NONE, false, false, ISO_NONE})

isolab_history *iso_edited(iso_pool *pool, const isolab_history *h, const iso_edit *e);

#endif
