/* Results as BenchExec's result XML (its doc/result.dtd), both ways, so that its table-generator reads ours, and
 * figures and claims read its.
 *
 *   | here                          | in the XML                                                        |
 *   | suite, checker, repetition    | a file: benchmarkname, tool, and the column `repetition`          |
 *   | history, level                | a run: name, properties                                           |
 *   | satisfied, violated           | status true, false; expectedVerdict likewise                      |
 *   | timeout, out of memory, crash | status TIMEOUT, OUT OF MEMORY, ERROR                              |
 *   | refused, unsupported, absent  | status unknown                                                    |
 *   | wall, user and system, peak   | walltime, cputime, memory                                         |
 *   | phases                        | columns by their names, in seconds                                |
 *
 * Sizes of the history are columns, too; its SHA-256, source and family are hidden ones. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_BENCHEXEC_H
#define ISOLAB_EXPERIMENTS_RUNNER_BENCHEXEC_H

#include "experiments/runner/results.h"

/* Writes a file for each suite, checker and repetition into the folder, which must exist: SUITE.CHECKER.N.results.xml.
 * environment: only its runs. Returns the number of files. */
size_t iso_benchexec_write(iso_pool *pool, iso_results *results, int64_t environment, const char *folder);

/* Adds the runs of a result file. Returns their number. Throws ISOLAB_E_INPUT with the line. */
size_t iso_benchexec_read(iso_pool *pool, iso_results *results, const char *path, const char *label);

#endif
