#!/bin/sh
# VeriStrong's evaluation on this machine: figures 5, 10 to 15 and 19, tables 1 and 2.
set -e
. "$(dirname "$0")/../common.sh"
suite figure5.suite
suite figure10.suite
# Checkers that reach their limits.
SECONDS_EACH=$((3 * SECONDS_EACH / 2)) suite figure11.suite
suite figure12.suite
suite figure14.suite
suite figure15.suite
# Hundreds of histories, and each verdict is proved after all of them were measured.
SECONDS_EACH=$((4 * SECONDS_EACH)) suite table2.suite
published=veristrong,ext:veristrong,ext:cobra,ext:dbcop-2019,ext:polysi,ext:viper
widths=
for w in 1 2 3 4 "5 and more"; do
    widths="$widths${widths:+,}counter:conflicts of width $w"
done
plot figure5 mean --suite figure5 -y "$widths"
for x in sessions transactions operations keys reads duplicates; do
    case $x in operations) by=ops ;; *) by=$x ;; esac
    plot figure10-$x line --suite figure10 --family $x -x $by -y net -c veristrong,baseline-P,baseline,ext:veristrong
    plot figure19-$x line --suite figure10 --family $x -x $by -y peak -c veristrong,baseline-P,baseline,ext:veristrong
done
for keys in 10k 2k; do
    plot figure11-ser-$keys line --suite figure11 --history "ser-$keys,*" -l ser -y net
    plot figure11-si-$keys line --suite figure11 --history "si-$keys,*" -l si -y net
done
plot figure11-process mean --suite figure11 -y wall -c $published
plot figure11-memory mean --suite figure11 -y peak -c $published
plot figure12-ser line --suite figure12 -l ser -y net
plot figure12-si line --suite figure12 -l si -y net
plot figure12-memory line --suite figure12 -l ser -y peak
plot figure13 stages --suite figure14 --family "[!b]*" -c veristrong,ext:veristrong
plot figure14 ablation --suite figure14 --family "[!b]*" -c veristrong,w-o-H,w-o-HC,w-o-HCP -y check
plot figure15 ablation --suite figure15 -c width-2,width-1,width-3,width-4 -y check
plot table1 mean --suite figure14 --family "[!b]*" -c veristrong,w-o-H -y counter:conflicts
plot table2 mean --suite table2 -y net --pool
plot table2-process mean --suite table2 -y wall --pool
plot table2-memory mean --suite table2 -y peak --pool
plot table2-verdicts verdicts --suite table2
finish
