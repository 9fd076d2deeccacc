#!/bin/sh
# The checker `mtc`: what it refuses and how it says so, that it is taken where it applies, and its certificates on histories of the
# simulated store, whose level is known.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >three.txt <<'H'
session A
t1 commit: r x nil, w x 1
t2 commit: r x 1, r x 1, r x 1
t3 commit: w y 2
t4 abort: w z 1, w z 2, w z 3
H
t 2 "three reads are too many" "$isolab" check -c mtc -l ser three.txt
out_like 'checker mtc needs mini-transactions, but t2 has more than two reads: `r x 1` is the third$'
t 2 "they are counted if that is wanted" "$isolab" check -c mtc -l ser --option count=yes three.txt
out_like '; 2 of 3 transactions are none: 1 with more than two reads, 1 with a write of a key that they did not read before$'
t 0 "another checker takes the history" "$isolab" check -l ser --json three.txt
same '"strong"' "$(jq .checker out)" "strong answers in place of mtc"
printf 'session A\nt1 commit: r x nil, w y 1\n' >blind.txt
t 2 "another key was read" "$isolab" check -c mtc -l si blind.txt
out_like 'but `w y 1` of t1 writes a key that it did not read before$'
printf 'session A\nt1 commit: r x nil, w x 1, w x 2, w x 3\n' >writes.txt
t 2 "three writes are too many" "$isolab" check -c mtc -l si writes.txt
out_like 't1 has more than two writes: `w x 3` is the third$'
printf 'session A\nt1 commit: r x nil, w x 1\nsession B\nt2 commit: r x nil, w x 1\n' >twice.txt
t 2 "values must be unique" "$isolab" check -c mtc -l si twice.txt
out_like 'checker mtc needs unique values, but `w x 1` is written by both t1 and t2$'

printf 'session A\nt1 commit: r x nil, w x 1\nsession B\nt2 commit: r x nil, w x 2\n' >lost.txt
t 1 "a lost update" "$isolab" check -l si --json lost.txt
same '"mtc" "lost-update"' "$(jq -r '[.checker, .anomalies[0].name] | map("\"\(.)\"") | join(" ")' out)" "by name, from mtc"

# LEVEL OF THE STORE, BUG (or none), and the levels that hold and that do not.
store() {
    bad=0
    broken=
    [ "$2" = none ] || broken="--bug $2 --bug-rate 0.05"
    for seed in 1 2 3; do
        "$isolab" generate mini --txns 300 --sessions 6 --keys 30 --level "$1" $broken --times yes --seed $seed -o h.jsonl
        for level in $3; do
            "$isolab" check -c mtc -l $level --certificate c h.jsonl >out && "$verify" h.jsonl c >out2 || bad=1
        done
        for level in $4; do
            "$isolab" check -c mtc -l $level --certificate c h.jsonl >out
            [ $? = 1 ] && "$verify" h.jsonl c >out2 || bad=1
        done
    done
    ok $bad "a store at $1 with $2 satisfies '$3' and violates '$4'"
}
store sser none "sser lser ser si" ""
store lser none "lser ser si" ""
store ser none "ser si" ""
store si none "si" ""
store pc none "" "si ser"
store cc none "" "si ser"
store sser lost-update "" "si ser lser sser"
store sser write-skew "si" "ser lser sser"
store sser long-fork "" "si ser lser sser"
store sser aborted-read "" "si ser lser sser"
finish
