#!/bin/sh
# Histories of hundreds of transactions, of long and of many short sessions, from a store that keeps its level and from
# a store that does not: `strong` agrees with `veristrong`, and its certificates are valid.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

seeds="1 2 3 4 5 6 7 8"
[ -z "$ISOLAB_QUICK" ] || seeds="1 2"

# GENERATOR-AND-OPTIONS LEVELS: each seed gives a history, which both decide at each level.
agree() {
    bad=0
    for seed in $seeds; do
        "$isolab" generate $1 --seed "$seed" -o h.jsonl 2>/dev/null || bad=1
        for level in $2; do
            "$isolab" check -l $level -c veristrong h.jsonl >/dev/null 2>&1
            expected=$?
            for options in guess=yes execute=no,guess=no,saturate=stretches execute=no,guess=no,saturate=short,direct=no,serial=no; do
                rm -f c.txt
                "$isolab" check -l $level -c strong --option $options --certificate c.txt h.jsonl >out 2>&1
                got=$?
                if [ $got -ge 2 ] || [ $got != $expected ] || ! "$verify" h.jsonl c.txt >out 2>&1; then
                    echo "# generate $1 --seed $seed, level $level, $options: $got, not $expected: $(head -1 out)"
                    bad=1
                fi
            done
        done
    done
    ok $bad "strong and veristrong agree: $1"
}

for sessions in 8 40 400; do
    agree "random --txns 400 --sessions $sessions --keys 150 --ops 6" "ser si"
    agree "random --txns 400 --sessions $sessions --keys 400 --ops 8 --overlap 40 --level si" "ser si"
    agree "random --txns 300 --sessions $sessions --keys 60 --ops 6 --overlap 20 --level cc" "ser si"
done
for bug in write-skew lost-update long-fork fractured-read-co; do
    agree "random --txns 400 --sessions 200 --keys 200 --bug $bug --bug-rate 0.005" "ser si"
done
for level in ser si cc; do
    agree "ycsb --txns 300 --sessions 150 --keys 200 --ops 6 --duplicates 1 --values 10 --overlap 20 --level $level" "ser si"
done

# A history of a serializable store is explained by a guess that is repaired, and nothing is saturated.
"$isolab" generate ycsb --sessions 50 --txns 3000 --ops 8 --keys 10000 --duplicates 0.5 --level ser -o y.jsonl 2>err
for level in ser si; do
    "$isolab" check -l $level -c strong --json --no-digest --certificate c.txt y.jsonl >out 2>err
    ok $? "a store's history satisfies $level"
    ok "$(jq '.milliseconds | keys | any(startswith("saturate"))' out | grep -c true)" "$level: a guess decides, and nothing is saturated"
    "$verify" y.jsonl c.txt >out 2>&1
    ok $? "and the certificate is valid"
done

# Sessions of one transaction each, of keys with ten values: writers are ruled out without clocks, and conflicts stay local.
# (Taking back 300 decisions a conflict, and ruling nothing out, it took more than 20,000 conflicts.)
for seed in 1 2; do
    "$isolab" generate ycsb --sessions 1500 --txns 1500 --ops 8 --keys 750 --duplicates 1 --values 10 --seed $seed -o z.jsonl \
        2>err
    "$isolab" check -l ser -c strong --timeout 120 --json --no-digest --certificate c.txt z.jsonl >out 2>err
    ok $? "a history of short sessions and few values is decided"
    ok "$(jq '.counters.conflicts > 15000' out | grep -c true)" "without many conflicts"
    "$verify" z.jsonl c.txt >out 2>&1
    ok $? "and the certificate is valid"
done
# Ten keys of few values: no edges help, but what the keys hold does. (`strong` alone does not decide it in 20 s.)
for ops in 2 4; do
    "$isolab" generate ycsb --sessions 5000 --txns 5000 --ops $ops --keys 10 --duplicates 1 --values 5 --distribution uniform \
        -o t.ilb 2>err
    "$isolab" check -l si --timeout 60 --json --no-digest --certificate c.txt t.ilb >out 2>err
    ok $? "a history of ten keys is decided"
    same '["frugal"]' "$(jq -c '.milliseconds | del(.load, .check, .evidence) | keys' out)" "by what its keys hold"
    "$verify" t.ilb c.txt >out 2>&1
    ok $? "and the certificate is valid"
done
# Few events that contradict each other in very many ways: repairs alone did not end within half an hour.
cat >few.txt <<'END'
session
commit: r x 1, r x 1, w x 2, r x 2
commit: r x 1, r x 1
commit: r x 1, r x 1, w x 3
session
commit: r x nil, r x nil, r x nil, r x nil
commit: r x 2, w x 2, r x 2, r x 2
session
commit: r x 1, r x 1, r x 1, r x 1
commit: r x 1, w x 1, r x 1
commit: r x 1, r x 1, r x 1
session
commit: r x 1, r x 1, r x 1, w x 2
commit: r x 2, r x 2, r x 2
commit: r x 1, w x 3, r x 3, r x 3
commit: r x 2, w x 1, r x 1
commit: r x 1, r x 1, r x 1, r x 1
session
commit: r x nil, r x nil, r x nil, r x nil
commit: r x 1, r x 1, w x 1
commit: r x 1, r x 1
session
commit: r x 2, r x 2, w x 2
commit: w x 3, w x 1, r x 1
commit: r x 1, w x 1, r x 1
session
commit: w x 1, r x 1, r x 1, r x 1
commit: r x 1, r x 1, r x 1, r x 1
commit: r x 1, r x 1, w x 1
commit: w x 2, r x 2, r x 2
commit: r x 2, w x 1, r x 1, w x 1
session
commit: r x 1, r x 1, r x 1
commit: r x 2, r x 2
session
commit: r x 1, w x 3, r x 3, r x 3
commit: r x 1, w x 3, r x 3
commit: w x 2, r x 2
END
"$isolab" check -l si -c strong --timeout 300 --certificate c.txt few.txt >out 2>err
same 1 $? "29 transactions on one key are decided"
"$verify" few.txt c.txt >out 2>&1
ok $? "and the proof is valid"
finish
