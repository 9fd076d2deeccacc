/* Tests history/builder.h. The builder: renumbering, joining, duplicates, indeterminate transactions. */
#include "history/builder.h"

#include "tests/guarded.h"

static void renumbers_by_session(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_builder_string(b, "x", 1));
    uint32_t s0 = iso_builder_session(b, iso_atom_int(7)), s1 = iso_builder_session(b, iso_atom_int(3));
    uint32_t a = iso_builder_txn(b, s1, iso_atom_int(100), ISO_COMMITTED);
    uint32_t c = iso_builder_txn(b, s0, iso_atom_int(200), ISO_COMMITTED);
    iso_builder_op(b, c, ISO_READ, x, iso_atom_int(1));
    iso_builder_op(b, a, ISO_WRITE, x, iso_atom_int(1)); /* a later operation of an earlier transaction */
    iso_builder_op(b, c, ISO_READ, x, iso_atom_int(9));
    isolab_history *h = iso_builder_finish(b);
    cmp_ok(h->n_txns, "==", 2, "two transactions");
    cmp_ok(iso_txn_name(h, 0).bits, "==", 200, "the first session's comes first");
    cmp_ok(h->op_writer[0], "==", 2, "its read is joined with the write of the other session");
    cmp_ok(h->op_writer[1], "==", ISO_NONE, "and a value without a writer is thin air");
    ok(h->unique, "values are unique");
}

static void finds_twins(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    iso_builder_initial(b, iso_atom_int(0));
    uint32_t x = iso_builder_key(b, iso_atom_int(1));
    uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
    iso_builder_op(b, t, ISO_READ, x, iso_atom_int(0));
    iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(0));
    isolab_history *h = iso_builder_finish(b);
    ok(!h->unique, "writing the initial value makes a duplicate");
    cmp_ok(h->twin_a, "==", ISO_INIT, "of the initial transaction");
    cmp_ok(h->twin_b, "==", 1, "and the write");
    cmp_ok(h->op_writer[0], "==", ISO_MANY, "and its reads have several writers");
}

static void settles_indeterminate(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_atom_int(1)), y = iso_builder_key(b, iso_atom_int(2));
    uint32_t t[4];
    for (int i = 0; i < 4; i++) {
        t[i] = iso_builder_txn(b, iso_builder_session(b, iso_atom_int(i)), iso_atom_nil(),
                               i == 0 ? ISO_COMMITTED : ISO_INDETERMINATE);
    }
    iso_builder_op(b, t[0], ISO_READ, x, iso_atom_int(1));
    iso_builder_op(b, t[1], ISO_WRITE, x, iso_atom_int(1));
    iso_builder_op(b, t[1], ISO_READ, y, iso_atom_int(2));
    iso_builder_op(b, t[2], ISO_WRITE, y, iso_atom_int(2));
    iso_builder_op(b, t[3], ISO_WRITE, y, iso_atom_int(3));
    isolab_history *h = iso_builder_finish(b);
    cmp_ok(h->txn_counts[1], "==", ISO_IN, "an indeterminate transaction counts when a committed one reads it");
    cmp_ok(h->txn_counts[2], "==", ISO_IN, "and one that a counted one reads");
    cmp_ok(h->txn_counts[3], "==", ISO_OUT, "an unread one does not");
}

/* nil is the empty list of a list key; a key that only nil was read from goes with the others. */
static void reads_nil_from_lists(iso_pool *pool) {
    for (int registers = 0; registers < 2; registers++) {
        iso_builder *b = iso_builder_new(pool);
        uint32_t l = iso_builder_key(b, iso_atom_int(1)), y = iso_builder_key(b, iso_atom_int(2));
        uint32_t x = iso_builder_key(b, iso_atom_int(3));
        uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        iso_builder_op(b, t, ISO_READ, l, iso_atom_nil());
        iso_builder_op(b, t, ISO_READ, y, iso_atom_nil());
        iso_builder_op(b, t, ISO_APPEND, l, iso_atom_int(5));
        if (registers) {
            iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(5));
        }
        isolab_history *h = iso_builder_finish(b);
        cmp_ok(h->op_kind[0], "==", ISO_LIST_READ, "a read of nil from a list key is a list read");
        cmp_ok(h->op_writer[0], "==", ISO_INIT, "of the initial transaction");
        cmp_ok(h->list_first[h->op_version[0] + 1] - h->list_first[h->op_version[0]], "==", 0, "and shows no element");
        cmp_ok(h->op_kind[1], "==", registers ? ISO_READ : ISO_LIST_READ,
               "a key only read as nil is a list in a history of lists alone");
        cmp_ok(h->key_is_list[y], "==", !registers, "and says so");
    }
}

static void run(void *arg) {
    renumbers_by_session(arg);
    finds_twins(arg);
    settles_indeterminate(arg);
    reads_nil_from_lists(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
