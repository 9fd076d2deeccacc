/* Features of a history: checkers were found to give wrong answers when two of them met. A source of random histories
 * aims at pairs of them, and counts the pairs that occurred. Only reads and writes of included transactions are
 * examined, unless the feature says otherwise. */
#ifndef ISOLAB_GENERATORS_FEATURES_H
#define ISOLAB_GENERATORS_FEATURES_H

#include "history/history.h"

#define ISO_EACH_FEATURE(F)                                                                                            \
    F(REREAD_SAME, "a key read again from the same writer")                                                            \
    F(REREAD_OTHER, "a key read again from another writer")                                                            \
    F(OWN_BETWEEN, "an own write between two reads of its key")                                                        \
    F(OWN_READ, "a read of an own write")                                                                              \
    F(TWO_KEYS_OF_ONE, "two keys read from one writer")                                                                \
    F(BACK_TO_WRITER, "a read of one writer, of another one, and of the first one again")                              \
    F(SESSION_NEXT, "a read from the transaction before in the session")                                               \
    F(SESSION_FAR, "a read from an earlier one of the session")                                                        \
    F(INITIAL_FIRST, "a read of an initial value as the first operation of a session")                                 \
    F(INITIAL_LATER, "a read of an initial value in a later transaction of a session")                                 \
    F(INITIAL_AFTER, "a read of an initial value after a read from a writer, in one transaction")                      \
    F(INITIAL_LOST, "a read of an initial value of a key that is written in the same session before")                  \
    F(READ_ONLY, "a transaction that only reads")                                                                      \
    F(WRITE_ONLY, "a transaction that only writes")                                                                    \
    F(EMPTY, "a transaction without operations")                                                                       \
    F(UNCOMMITTED_SESSION, "a session without a committed transaction")                                                \
    F(ABORTED, "an aborted transaction")                                                                               \
    F(ABORTED_READ, "a read from an aborted transaction")                                                              \
    F(INDETERMINATE_READ, "a read from an indeterminate transaction")                                                  \
    F(WRITTEN_TWICE, "a key written twice in one transaction")                                                         \
    F(INTERMEDIATE_READ, "a read of a value that its writer overwrote")                                                \
    F(THIN_AIR, "a read of a value without a writer")                                                                  \
    F(READ_THEN_WRITE, "a key read and then written by one transaction")                                               \
    F(SAME_VALUE_TWICE, "two transactions that read one value and write its key")                                      \
    F(TWO_READERS, "a writer with two readers")                                                                        \
    F(READ_BACK, "two transactions that read from each other")                                                         \
    F(LONG, "a transaction of five operations or more")                                                                \
    F(MANY_SESSIONS, "five sessions or more")                                                                          \
    F(LONG_SESSION, "a session of five transactions or more")                                                          \
    F(BETWEEN, "a transaction that is empty or not committed, between two others of its session")                      \
    F(LIST, "a list that is read")                                                                                     \
    F(REPEATED_APPEND, "two appends to a list in one transaction")

typedef enum {
#define ISO_FEATURE_NAME(name, text) ISO_F_##name,
    ISO_EACH_FEATURE(ISO_FEATURE_NAME)
#undef ISO_FEATURE_NAME
        ISO_FEATURES
} iso_feature;

#define ISO_FEATURE_BIT(f) ((uint32_t)1 << (f))

extern const char *const iso_feature_text[ISO_FEATURES];

/* Returns the features of a history, as bits. Quadratic in the size of a transaction. */
uint32_t iso_features(const isolab_history *h);

#endif
