/* Processors of this machine, so that no two measurements share one.
 *
 * Every measuring process claims the processors that it pins its runs to, and holds them until it ends, however it
 * ends: the claim is an abstract socket, of which the system forgets by itself. It reaches all users of a machine,
 * but not from one container into another. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_CLAIM_H
#define ISOLAB_EXPERIMENTS_RUNNER_CLAIM_H

/* Claims n neighbouring processors that this process may use, the last ones that are free: the first ones have most
 * of the interrupts. Returns the number of the last of them; -1: there are fewer. */
int iso_claim_processors(unsigned n);

/* The last one that this process may use. */
int iso_last_processor(void);

#endif
