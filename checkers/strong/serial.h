/* A serial order of a history, without any model of it: an order is guessed, executed (execute.h), and
 * mended where reads were wrong, until none is. Histories of stores that keep their promises are explained
 * so, in linear time but for what is mended. */
#ifndef ISOLAB_CHECKERS_STRONG_SERIAL_H
#define ISOLAB_CHECKERS_STRONG_SERIAL_H

#include "checkers/checker.h"

/* Is it found? Then a certificate, if one is wanted, is in the result. False: there is none, or it was given up.
 * iso_strong_executable() must hold, and real time does not count. */
bool iso_strong_serial(const isolab_history *h, const iso_request *request, iso_result *result);

#endif
