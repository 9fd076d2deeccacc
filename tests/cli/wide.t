#!/bin/sh
# Histories of hundreds of transactions, of long and of many short sessions, from a store that keeps its level and from one that does not: `strong` agrees with
# `veristrong`, and its certificates are valid.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

seeds="1 2 3 4 5 6 7 8"
[ -z "$ISOLAB_QUICK" ] || seeds="1 2"

# OPTIONS LEVELS: each seed gives a history, which both decide at each level.
agree() {
    bad=0
    for seed in $seeds; do
        "$isolab" generate random $1 --seed "$seed" -o h.jsonl 2>/dev/null || bad=1
        for level in $2; do
            "$isolab" check -l $level -c veristrong h.jsonl >/dev/null 2>&1
            expected=$?
            for options in guess=yes,stay=20 guess=no,clocks=no guess=no,clocks=no,direct=no,serial=no,window=100; do
                rm -f c.txt
                "$isolab" check -l $level -c strong --option $options --certificate c.txt h.jsonl >out 2>&1
                got=$?
                if [ $got -ge 2 ] || [ $got != $expected ] || ! "$verify" h.jsonl c.txt >out 2>&1; then
                    echo "# generate random $1 --seed $seed, level $level, $options: $got, not $expected: $(head -1 out)"
                    bad=1
                fi
            done
        done
    done
    ok $bad "strong and veristrong agree: $1"
}

for sessions in 8 40 400; do
    agree "--txns 400 --sessions $sessions --keys 150 --ops 6" "ser si"
    agree "--txns 400 --sessions $sessions --keys 400 --ops 8 --overlap 40 --level si" "ser si"
    agree "--txns 300 --sessions $sessions --keys 60 --ops 6 --overlap 20 --level cc" "ser si"
done
for bug in write-skew lost-update long-fork fractured-read-co; do
    agree "--txns 400 --sessions 200 --keys 200 --bug $bug --bug-rate 0.005" "ser si"
done

# A history of a serializable store is explained by a guess that is mended, and nothing is saturated.
"$isolab" generate ycsb --sessions 50 --txns 3000 --ops 8 --keys 10000 --duplicates 0.5 --level ser -o y.jsonl 2>err
for level in ser si; do
    "$isolab" check -l $level -c strong --json --no-digest --certificate c.txt y.jsonl >out 2>err
    ok $? "a store's history satisfies $level"
    ok "$(jq '.milliseconds | has("saturate")' out | grep -c true)" "by a guess"
    "$verify" y.jsonl c.txt >out 2>&1
    ok $? "and the certificate is valid"
done
finish
