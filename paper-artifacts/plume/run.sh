#!/bin/sh
# Plume's evaluation on this machine: tables 4 to 6, figures 8 to 13.
set -e
. "$(dirname "$0")/../common.sh"
SECONDS_EACH=$((2 * SECONDS_EACH)) suite table4.suite
suite table5.suite
# Five axes, and slow published checkers.
SECONDS_EACH=$((2 * SECONDS_EACH)) suite figure8.suite
suite figure10.suite
suite figure11.suite
suite figure12.suite
suite figure13.suite
published=plume,ext:plume,ext:dbcop-2019,ext:polysi,ext:viper,ext:asp
patterns=
for p in thin-air-read aborted-read future-read not-my-own-write not-my-last-write intermediate-read cyclic-causality non-monotonic-read-co \
    non-monotonic-read-cm non-repeatable-read fractured-read-co fractured-read-cm causal-conflict-co causal-conflict-cm; do
    patterns=$patterns${patterns:+,}counter:$p
done
plot table4 mean --suite table4 -c plume-all -y "$patterns" --pool
plot table5 matrix --suite table5 --family 'T*'
plot table5-published matrix --suite table5 --family case
plot table5-verdicts verdicts --suite table5 --family 'T*'
"$BUILD/isolab" list checkers >"$OUT/$name/table6.txt"
for x in sessions transactions operations reads keys; do
    case $x in operations) by=ops ;; *) by=$x ;; esac
    plot figure8-$x line --suite figure8 --family $x -x $by -y net
    plot figure9-$x line --suite figure8 --family $x -x $by -y peak
done
plot figure8-distribution table --suite figure8 --family distribution -y net
plot figure8-stronger line --suite figure8 --family stronger -y net
plot figure8-process mean --suite figure8 -y wall -c $published
plot figure9-memory mean --suite figure8 -y peak -c $published
plot figure10-sessions line --suite figure10 --family lists-sessions -x sessions -y net
plot figure10-transactions line --suite figure10 --family lists-transactions -y net
plot figure10-violated mean --suite figure10 --family lists-violated -y net
plot figure11 stages --suite figure11 --family 'stages*'
plot figure11-published stages --suite figure11 --family published
plot figure12-sessions line --suite figure12 --family sessions -x sessions -c plume,plume-vc,plume-dfs
plot figure12-transactions line --suite figure12 --family transactions -c plume,plume-vc,plume-dfs
plot figure12 ablation --suite figure12 -c plume,plume-vc,plume-dfs
plot figure13-operations line --suite figure13 --family operations -x ops -c plume,ext:plume -y net
plot figure13-reads line --suite figure13 --family reads -x reads -c plume,ext:plume -y net
plot figure13-million table --suite figure13 --family million
plot figure13-memory memory --suite figure13
finish
