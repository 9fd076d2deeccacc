/* Reserves processors of this machine, so that no two measurements share one.
 *
 * Every measuring process reserves the processors to which it pins its runs until it ends, in whatever way it ends: the
 * reservation is an abstract socket, which the system removes with the process. It works for all users of a machine,
 * but not across containers. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_CLAIM_H
#define ISOLAB_EXPERIMENTS_RUNNER_CLAIM_H

/* Reserves n neighbouring processors that this process may use: the last free ones, because the first ones handle most
 * interrupts. Returns the number of the last of them; -1: there are not enough. */
int iso_reserve_processors(unsigned n);

/* Returns the last processor that this process may use. */
int iso_last_processor(void);

#endif
