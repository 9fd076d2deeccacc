/* `anneal`: a serial order, or an order of pc or si, of a history of few values without times. It answers satisfied, or
 * nothing: where nearly every order of two transactions is possible, edges say little, but what keys hold, and how many
 * reads of an order are stale, leads to an order. The ladder (checkers/ladder.h) gives it turns.
 *
 * A history passes through the stages of a plan (anneal.c) until one of them finds an order:
 *
 *   frugal    short sessions: executes, of the transactions whose reads the keys allow, the one after which the waiting
 *             reads have most chances (frugal.c)
 *   thrifty   the same with more comparisons, and counting which readers are released
 *   beam      many sessions whose transactions read much: a beam of executions (beam.c); if it ends late, its order is
 *             the draft of the next stage
 *   serial    moves transactions in time, at random, while fewer and fewer reads are stale (cool.c)
 *   parts     pc and si: the same for starts and commits
 *
 * docs/anneal.md says what each is worth. */
#ifndef ISOLAB_CHECKERS_ANNEAL_ANNEAL_H
#define ISOLAB_CHECKERS_ANNEAL_ANNEAL_H

#include "checkers/checker.h"

typedef struct iso_annealing {
    const isolab_history *h;
    const iso_question *question;
    iso_level level;
    bool sessions; /* session order counts */
    iso_result *result;
    iso_pool *pool;  /* for everything that lives as long as the run */
    uint32_t *draft; /* a serial order of all included transactions with few stale reads; NULL: none */
} iso_annealing;

/* The work of attempts. */
typedef struct iso_frugal_budget {
    uint32_t attempts, candidates; /* limit of attempts; limit of ready transactions that the first one compares */
    bool thrifty;                  /* prefer values that release readers */
} iso_frugal_budget;

/* Each returns whether it found an order, which is then in the result. parts: of a transaction, 1 or 2. */
bool iso_anneal_frugal(iso_annealing *s, iso_frugal_budget budget);
bool iso_anneal_beam(iso_annealing *s);
bool iso_anneal_cool(iso_annealing *s, uint32_t parts);

/* Executes the included transactions in an order of their parts: of 1 part, transaction t is part t; of 2, its start is
 * part 2 t, and its commit 2 t + 1. If no read is stale, and at si no two transactions overlap that write one key,
 * writes the order to the result, and returns true. */
bool iso_anneal_give_parts(const iso_annealing *s, iso_pool *pool, const uint32_t *part, uint32_t n, uint32_t parts);

#endif
