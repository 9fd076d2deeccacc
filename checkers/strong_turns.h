/* What those share who find a first order: strong_turns.c, for strong_execute.c, and strong_replay.c. */
#ifndef ISOLAB_CHECKERS_STRONG_TURNS_H
#define ISOLAB_CHECKERS_STRONG_TURNS_H

#include "checkers/strong_execute.h"

/* After how many others one that waits goes on although it should not: half as many as there are sessions, but 40. It
 * is what others will wait for, and the longer it stands still, the farther it will be from where it belongs. With
 * patience without end 100,000 transactions on 50 sessions had a fifth more wrong reads, 16,000 on 25 a third, which
 * took twice as long to mend. */
static inline uint32_t strong_patience(uint32_t n_sessions) { return n_sessions < 80 ? 40 : n_sessions / 2; }

void strong_note_wrong(strong_execution *x, uint32_t read);

#endif
