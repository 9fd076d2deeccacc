/* The histories of the gallery. See gallery.h. */
#include "explain/gallery.h"

const char ISO_IS_MINI[] = "";

static const iso_specimen table[ISO_A_KINDS] = {
    [ISO_A_THIN_AIR] = {ISO_A_THIN_AIR, ISO_INT,
                        "session A\n"
                        "t1 commit: r x 1\n",
                        ISO_IS_MINI},
    [ISO_A_ABORTED_READ] = {ISO_A_ABORTED_READ, ISO_INT,
                            "session A\n"
                            "t1 abort: w x 1\n"
                            "session B\n"
                            "t2 commit: r x 1\n",
                            "session A\n"
                            "t1 abort: r x nil, w x 1\n"
                            "session B\n"
                            "t2 commit: r x 1\n"},
    [ISO_A_FUTURE_READ] = {ISO_A_FUTURE_READ, ISO_INT,
                           "session A\n"
                           "t1 commit: r x 1, w x 1\n",
                           ISO_IS_MINI},
    [ISO_A_NOT_MY_OWN_WRITE] = {ISO_A_NOT_MY_OWN_WRITE, ISO_INT,
                                "session A\n"
                                "t1 commit: w x 1, r x nil\n",
                                "session A\n"
                                "t1 commit: r x nil, w x 1, r x nil\n"},
    [ISO_A_NOT_MY_LAST_WRITE] = {ISO_A_NOT_MY_LAST_WRITE, ISO_INT,
                                 "session A\n"
                                 "t1 commit: w x 1, w x 2, r x 1\n",
                                 "session A\n"
                                 "t1 commit: r x nil, w x 1, w x 2, r x 1\n"},
    [ISO_A_INTERMEDIATE_READ] = {ISO_A_INTERMEDIATE_READ, ISO_INT,
                                 "session A\n"
                                 "t1 commit: w x 1, w x 2\n"
                                 "session B\n"
                                 "t2 commit: r x 1\n",
                                 "session A\n"
                                 "t1 commit: r x nil, w x 1, w x 2\n"
                                 "session B\n"
                                 "t2 commit: r x 1\n"},
    [ISO_A_CYCLIC_CO] = {ISO_A_CYCLIC_CO, ISO_G1,
                         "session A\n"
                         "t1 commit: r x 1\n"
                         "t2 commit: w x 1\n",
                         "session A\n"
                         "t1 commit: r x 1\n"
                         "t2 commit: r x nil, w x 1\n"},
    [ISO_A_NON_MONO_READ_CO] = {ISO_A_NON_MONO_READ_CO, ISO_RC_PLUME,
                                "session A\n"
                                "t1 commit: w x 1, w y 1\n"
                                "session B\n"
                                "t2 commit: r y 1, r x nil\n",
                                "session A\n"
                                "t1 commit: r x nil, r y nil, w x 1, w y 1\n"
                                "session B\n"
                                "t2 commit: r y 1, r x nil\n"},
    [ISO_A_NON_MONO_READ_CM] = {ISO_A_NON_MONO_READ_CM, ISO_RC_PLUME,
                                "session A\n"
                                "t1 commit: w x 1, w y 1\n"
                                "session B\n"
                                "t2 commit: w x 2, w z 2\n"
                                "session C\n"
                                "t3 commit: r z 2, r x 1\n"
                                "session D\n"
                                "t4 commit: r y 1, r x 2\n",
                                "session A\n"
                                "t1 commit: r x nil, r y nil, w x 1, w y 1\n"
                                "session B\n"
                                "t2 commit: r x nil, r z nil, w x 2, w z 2\n"
                                "session C\n"
                                "t3 commit: r z 2, r x 1\n"
                                "session D\n"
                                "t4 commit: r y 1, r x 2\n"},
    [ISO_A_NON_REPEATABLE_READ] = {ISO_A_NON_REPEATABLE_READ, ISO_CI,
                                   "session A\n"
                                   "t1 commit: w x 1\n"
                                   "session B\n"
                                   "t2 commit: r x nil, r x 1\n",
                                   "session A\n"
                                   "t1 commit: r x nil, w x 1\n"
                                   "session B\n"
                                   "t2 commit: r x nil, r x 1\n"},
    [ISO_A_FRACTURED_READ_CO] = {ISO_A_FRACTURED_READ_CO, ISO_RA,
                                 "session A\n"
                                 "t1 commit: w x 1, w y 1\n"
                                 "session B\n"
                                 "t2 commit: r x nil, r y 1\n",
                                 "session A\n"
                                 "t1 commit: r x nil, r y nil, w x 1, w y 1\n"
                                 "session B\n"
                                 "t2 commit: r x nil, r y 1\n"},
    [ISO_A_FRACTURED_READ_CM] = {ISO_A_FRACTURED_READ_CM, ISO_RA,
                                 "session A\n"
                                 "t1 commit: w x 1, w y 1\n"
                                 "t2 commit: r x 1, r y 2\n"
                                 "session B\n"
                                 "t3 commit: w x 2, w y 2\n",
                                 "session A\n"
                                 "t1 commit: r x nil, r y nil, w x 1, w y 1\n"
                                 "t2 commit: r x 1, r y 2\n"
                                 "session B\n"
                                 "t3 commit: r x nil, r y nil, w x 2, w y 2\n"},
    [ISO_A_CO_CONFLICT_CM] = {ISO_A_CO_CONFLICT_CM, ISO_CC,
                              "session A\n"
                              "t1 commit: w x 1, w y 1\n"
                              "session B\n"
                              "t2 commit: r y 1\n"
                              "t3 commit: r x nil\n",
                              "session A\n"
                              "t1 commit: r x nil, r y nil, w x 1, w y 1\n"
                              "session B\n"
                              "t2 commit: r y 1\n"
                              "t3 commit: r x nil\n"},
    [ISO_A_CONFLICT_CM] = {ISO_A_CONFLICT_CM, ISO_CC,
                           "session A\n"
                           "t1 commit: w x 1\n"
                           "t2 commit: r x 2\n"
                           "t3 commit: r x 1\n"
                           "session B\n"
                           "t4 commit: w x 2\n",
                           "session A\n"
                           "t1 commit: r x nil, w x 1\n"
                           "t2 commit: r x 2\n"
                           "t3 commit: r x 1\n"
                           "session B\n"
                           "t4 commit: r x nil, w x 2\n"},
    [ISO_A_G0] = {ISO_A_G0, ISO_G1,
                  "session A\n"
                  "t1 commit: append k 1, append l 1\n"
                  "session B\n"
                  "t2 commit: append k 2, append l 2\n"
                  "session C\n"
                  "t3 commit: rl k [1 2]\n"
                  "session D\n"
                  "t4 commit: rl l [2 1]\n",
                  NULL},
    [ISO_A_G_SINGLE] = {ISO_A_G_SINGLE, ISO_SI,
                        "session A\n"
                        "t1 commit: w x 1\n"
                        "t2 commit: r x 2\n"
                        "session B\n"
                        "t3 commit: r x nil, w x 2\n",
                        NULL},
    [ISO_A_G_NONADJACENT] = {ISO_A_G_NONADJACENT, ISO_SI,
                             "session A\n"
                             "t1 commit: w x 1\n"
                             "t2 commit: r x 2\n"
                             "session B\n"
                             "t3 commit: r y nil, w x 2\n"
                             "session C\n"
                             "t4 commit: w y 1\n"
                             "t5 commit: r x nil\n",
                             NULL},
    [ISO_A_G2_ITEM] = {ISO_A_G2_ITEM, ISO_SER,
                       "session A\n"
                       "t1 commit: w x 1\n"
                       "t2 commit: r y nil\n"
                       "session B\n"
                       "t3 commit: r x nil, w y 1\n",
                       "session A\n"
                       "t1 commit: r x nil, w x 1\n"
                       "t2 commit: r y nil\n"
                       "session B\n"
                       "t3 commit: r x nil, r y nil, w y 1\n"},
    [ISO_A_LOST_UPDATE] = {ISO_A_LOST_UPDATE, ISO_SI,
                           "session A\n"
                           "t1 commit: r x nil, w x 1\n"
                           "session B\n"
                           "t2 commit: r x nil, w x 2\n",
                           ISO_IS_MINI},
    [ISO_A_WRITE_SKEW] = {ISO_A_WRITE_SKEW, ISO_SER,
                          "session A\n"
                          "t1 commit: r x nil, w y 1\n"
                          "session B\n"
                          "t2 commit: r y nil, w x 1\n",
                          "session A\n"
                          "t1 commit: r x nil, r y nil, w y 1\n"
                          "session B\n"
                          "t2 commit: r x nil, r y nil, w x 1\n"},
    [ISO_A_LONG_FORK] = {ISO_A_LONG_FORK, ISO_PC,
                         "session A\n"
                         "t1 commit: w x 1\n"
                         "session B\n"
                         "t2 commit: w y 1\n"
                         "session C\n"
                         "t3 commit: r x 1, r y nil\n"
                         "session D\n"
                         "t4 commit: r x nil, r y 1\n",
                         "session A\n"
                         "t1 commit: r x nil, w x 1\n"
                         "session B\n"
                         "t2 commit: r y nil, w y 1\n"
                         "session C\n"
                         "t3 commit: r x 1, r y nil\n"
                         "session D\n"
                         "t4 commit: r x nil, r y 1\n"},
    [ISO_A_PREFIX] = {ISO_A_PREFIX, ISO_PC,
                      "session A\n"
                      "t1 commit: w x 1\n"
                      "t2 commit: r y nil\n"
                      "session B\n"
                      "t3 commit: w y 1\n"
                      "t4 commit: r x nil\n",
                      "session A\n"
                      "t1 commit: r x nil, w x 1\n"
                      "t2 commit: r y nil\n"
                      "session B\n"
                      "t3 commit: r y nil, w y 1\n"
                      "t4 commit: r x nil\n"},
    [ISO_A_READ_SKEW] = {ISO_A_READ_SKEW, ISO_SER,
                         "session A\n"
                         "t1 commit: w x 1, w y 1\n"
                         "session B\n"
                         "t2 commit: r x nil, r y 1\n",
                         "session A\n"
                         "t1 commit: r x nil, r y nil, w x 1, w y 1\n"
                         "session B\n"
                         "t2 commit: r x nil, r y 1\n"},
    [ISO_A_READ_YOUR_WRITES] = {ISO_A_READ_YOUR_WRITES, ISO_RA,
                                "session A\n"
                                "t1 commit: w x 1\n"
                                "t2 commit: r x nil\n",
                                "session A\n"
                                "t1 commit: r x nil, w x 1\n"
                                "t2 commit: r x nil\n"},
    [ISO_A_MONOTONIC_READS] = {ISO_A_MONOTONIC_READS, ISO_CC,
                               "session A\n"
                               "t1 commit: w x 1\n"
                               "session B\n"
                               "t2 commit: r x 1\n"
                               "t3 commit: r x nil\n",
                               "session A\n"
                               "t1 commit: r x nil, w x 1\n"
                               "session B\n"
                               "t2 commit: r x 1\n"
                               "t3 commit: r x nil\n"},
    [ISO_A_MONOTONIC_WRITES] = {ISO_A_MONOTONIC_WRITES, ISO_CC,
                                "session A\n"
                                "t1 commit: w x 1\n"
                                "t2 commit: w y 1\n"
                                "session B\n"
                                "t3 commit: r y 1, r x nil\n",
                                "session A\n"
                                "t1 commit: r x nil, w x 1\n"
                                "t2 commit: r y nil, w y 1\n"
                                "session B\n"
                                "t3 commit: r y 1, r x nil\n"},
    [ISO_A_WRITES_FOLLOW_READS] = {ISO_A_WRITES_FOLLOW_READS, ISO_CC,
                                   "session A\n"
                                   "t1 commit: w x 1\n"
                                   "session B\n"
                                   "t2 commit: r x 1, w y 1\n"
                                   "session C\n"
                                   "t3 commit: r y 1, r x nil\n",
                                   "session A\n"
                                   "t1 commit: r x nil, w x 1\n"
                                   "session B\n"
                                   "t2 commit: r x 1, r y nil, w y 1\n"
                                   "session C\n"
                                   "t3 commit: r y 1, r x nil\n"},
    [ISO_A_KEY_TIME] = {ISO_A_KEY_TIME, ISO_LSER,
                        "session A\n"
                        "t1 commit @1..2: w x 1\n"
                        "session B\n"
                        "t2 commit @3..4: r x nil\n",
                        "session A\n"
                        "t1 commit @1..2: r x nil, w x 1\n"
                        "session B\n"
                        "t2 commit @3..4: r x nil\n"},
    [ISO_A_KEY_CLOCK] = {ISO_A_KEY_CLOCK, ISO_LSER,
                         "session A\n"
                         "t1 commit @3..4: r x nil\n"
                         "t2 commit @1..2: r x nil\n",
                         ISO_IS_MINI},
    [ISO_A_REAL_TIME] = {ISO_A_REAL_TIME, ISO_SSER,
                         "session A\n"
                         "t1 commit @1..2: w x 1\n"
                         "session B\n"
                         "t2 commit @3..4: w y 1\n"
                         "session C\n"
                         "t3 commit @1..4: r y 1, r x nil\n",
                         "session A\n"
                         "t1 commit @1..2: r x nil, w x 1\n"
                         "session B\n"
                         "t2 commit @3..4: r y nil, w y 1\n"
                         "session C\n"
                         "t3 commit @1..4: r y 1, r x nil\n"},
    [ISO_A_CLOCK] = {ISO_A_CLOCK, ISO_SSER,
                     "session A\n"
                     "t1 commit @3..4: r x nil\n"
                     "t2 commit @1..2: r y nil\n",
                     ISO_IS_MINI},
    [ISO_A_DUPLICATE_APPEND] = {ISO_A_DUPLICATE_APPEND, ISO_G1,
                                "session A\n"
                                "t1 commit: append k 1\n"
                                "session B\n"
                                "t2 commit: rl k [1 1]\n",
                                NULL},
    [ISO_A_INCOMPATIBLE_ORDER] = {ISO_A_INCOMPATIBLE_ORDER, ISO_G1,
                                  "session A\n"
                                  "t1 commit: append k 1\n"
                                  "session B\n"
                                  "t2 commit: append k 2\n"
                                  "session C\n"
                                  "t3 commit: rl k [1 2]\n"
                                  "session D\n"
                                  "t4 commit: rl k [2 1]\n",
                                  NULL},
    [ISO_A_LOST_ELEMENT] = {ISO_A_LOST_ELEMENT, ISO_G1,
                            "session A\n"
                            "t1 commit: append k 1, append k 2\n"
                            "session B\n"
                            "t2 commit: rl k [2]\n",
                            NULL},
};

const iso_specimen *iso_gallery(iso_anomaly_kind kind) { return table[kind].history != NULL ? &table[kind] : NULL; }
