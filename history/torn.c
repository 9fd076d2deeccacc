/* See torn.h. */
#include "history/torn.h"

#include <inttypes.h>
#include <stdio.h>

#include "history/copy.h"

/* Returns whether an operation is a write, or a read that no lost transaction can explain. */
static bool is_sure(const isolab_history *h, uint32_t op) {
    if (iso_is_write(h->op_kind[op])) {
        return true;
    }
    bool list = h->op_kind[op] == ISO_LIST_READ, unique = h->torn == ISO_TORN_UNIQUE && h->twin_b == ISO_NONE;
    if (iso_op_is_negation(h, op) || (!unique && (list || iso_write_before(h, op) == ISO_NONE))) {
        return false;
    }
    if (!list) {
        return h->op_writer[op] != ISO_NONE;
    }
    uint32_t at = h->list_first[h->op_version[op]], end = h->list_first[h->op_version[op] + 1];
    while (at < end && h->version_writer[h->list_version[at]] != ISO_NONE) {
        at++;
    }
    return at == end;
}

isolab_history *iso_torn_settle(iso_pool *pool, isolab_history *h) {
    if (h->torn == ISO_WHOLE) {
        return h;
    }
    isolab_history *rest = iso_copy_some(pool, h, is_sure);
    rest->torn = h->torn;
    rest->torn_reads = h->n_ops - rest->n_ops;
    rest->taken = h->taken;
    rest->first_txn = h->first_txn;
    return rest;
}

const char *iso_torn_text(const isolab_history *h, char buffer[ISO_TORN_SIZE]) {
    buffer[0] = '\0';
    bool said = h->taken.last_line != 0 && h->torn_reads == 0; /* iso_taken_text() says that the end is missing */
    if (h->torn != ISO_WHOLE && !said) {
        snprintf(buffer, ISO_TORN_SIZE,
                 "torn: %s, and later transactions are missing; %" PRIu32 " read%s of values that these may have "
                 "written %s left out, and verdicts are about the rest",
                 h->taken.last_line != 0 ? "its end is cut off"
                                         : "it has no end mark, so its recorder was killed or still runs",
                 h->torn_reads, h->torn_reads == 1 ? "" : "s", h->torn_reads == 1 ? "is" : "are");
    }
    return buffer;
}
