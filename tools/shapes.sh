#!/bin/sh
# A table of histories of unusual shapes: processor time of whole processes, as multiples of the floor's, and peak memory.
#
#     shapes.sh BUILD [SHAPE...]       a shape: part of its name
set -eu
build=$1
shift

shape() {
    name=$1
    shift
    [ -z "$wanted" ] || case $name in *"$wanted"*) ;; *) return 0 ;; esac
    "$build/bench/bench" --repeat 1 --brief "$name" -- "$@"
}

table() {
    shape 'a million of 8, 50 sessions' --txns 1000000
    shape '1,000 sessions' --txns 1000000 --sessions 1000
    shape '100,000 sessions of 1' --txns 100000 --sessions 100000
    shape '100,000 sessions of 10' --txns 1000000 --sessions 100000
    shape 'one session of a million' --txns 1000000 --sessions 1
    shape 'one key' --txns 1000000 --keys 1
    shape 'one key, 100,000 sessions of 1' --txns 100000 --sessions 100000 --keys 1
    shape 'a million keys' --txns 1000000 --keys 1000000
    shape 'transactions of 1,000' --txns 8000 --ops 1000
    shape 'one key read 999 times in each' --txns 8000 --ops 1000 --reads same
    shape 'few writers a key, 110 sessions' --txns 80000 --ops 50 --sessions 110 --keys 400000
    shape '2,000 anomalies' --txns 1000000 --broken 2000
}

printf '%-34s %9s %16s %16s %16s\n' 'shape' 'floor ms' 'rc: x, MiB' 'ra: x, MiB' 'cc: x, MiB'
wanted=
[ $# -gt 0 ] || table
for wanted; do
    table
done
