/* The schedules of `isolab hermitage`. They are the ones that Hermitage made known (https://github.com/ept/hermitage),
 * as far as reads and writes by key can express them, with the names of Adya's thesis and of Fekete and others (a
 * read-only transaction that sees what no serial order allows, SIGMOD Record 33(3), 2004), and two in which a
 * transaction does not read what it has written itself. Each write has a value of its own, except in same-value, so the
 * recorded history decides: the anomaly was allowed if the history violates the level that forbids it. */
#include "collectors/script.h"

const char iso_schedules[] =
    "script G0: two transactions write two keys, and each wins at one of them\n"
    "forbids rc\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\n"
    "A write x 11\nB write x 12\nA write y 21\nA commit\n"
    "B write y 22\nB commit\n"
    "C begin\nC read x\nC read y\nC read x\nC commit\n"

    "script G1a: a transaction reads what another one wrote and took back\n"
    "forbids rc\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\n"
    "A write x 101\nB read x\nB read y\nA abort\nB read x\nB read y\nB commit\n"

    "script G1b: a transaction reads what another one wrote and then changed\n"
    "forbids rc\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\n"
    "A write x 101\nB read x\nA write x 11\nA commit\nB read x\nB commit\n"

    "script G1c: each of two transactions reads what the other one wrote\n"
    "forbids rc\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\n"
    "A write x 11\nB write y 22\nA read y\nB read x\nA commit\nB commit\n"

    "script OTV: a transaction sees another one, and later no longer\n"
    "forbids rc\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\nC begin\n"
    "A write x 11\nA write y 19\nB write x 12\nA commit\nC read x\n"
    "B write y 18\nC read y\nB commit\nC read y\nC read x\nC commit\n"

    "script own-write: a transaction writes, another one overwrites that and commits, and the first one reads\n"
    "forbids int\n"
    "setup x 10\n"
    "A begin\nB begin\n"
    "A write x 11\nB write x 12\nB commit\nA read x\nA commit\n"

    "script same-value: a transaction writes the value that another one has written since it began, and reads\n"
    "forbids int\n"
    "setup x 10\n"
    "A begin\nB begin\n"
    "A read x\nB write x 11\nB commit\nA write x 11\nA read x\nA commit\n"

    "script G-single: a transaction reads one key before, and another one after, a transaction that writes both\n"
    "forbids ra\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\n"
    "A read x\nB read x\nB read y\nB write x 12\nB write y 18\nB commit\nA read y\nA commit\n"

    "script P4: two transactions read a value, and both change it\n"
    "forbids si\n"
    "setup x 10\n"
    "A begin\nB begin\n"
    "A read x\nB read x\nA write x 11\nB write x 12\nA commit\nB commit\n"

    "script P4-late: the same, and the second one writes after the first one has committed\n"
    "forbids si\n"
    "setup x 10\n"
    "A begin\nB begin\n"
    "A read x\nB read x\nA write x 11\nA commit\nB write x 12\nB commit\n"

    "script G2-item: two transactions read two keys, and each changes another one of them\n"
    "forbids ser\n"
    "setup x 10, y 20\n"
    "A begin\nB begin\n"
    "A read x\nA read y\nB read x\nB read y\nA write x 11\nB write y 21\nA commit\nB commit\n"

    "script read-only: a transaction that only reads sees what no serial order allows\n"
    "forbids ser\n"
    "setup x 0, y 0\n"
    "B begin\nB read x\nB read y\n"
    "A begin\nA read y\nA write y 20\nA commit\n"
    "C begin\nC read x\nC read y\nC commit\n"
    "B write x -11\nB commit\n";
