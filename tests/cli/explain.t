#!/bin/sh
# isolab-verify tells a proof in the same sentences as check, from the history and the certificate alone.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

"$isolab" explain --json all | jq -r '.[] | "\(.name) \(.shown_at)"' >names
n=0 cycles=0 reads=0
while read -r name level; do
    "$isolab" explain --history "$name" >h.txt
    "$isolab" check -l "$level" --certificate c.txt h.txt >said 2>err </dev/null
    "$isolab-verify" --explain h.txt c.txt >told 2>>err </dev/null
    [ "$(head -1 told)" = valid ] || { n=$((n + 1)); echo "# $name: $(head -1 told)"; continue; }
    grep '^    ' said >a
    grep '^    ' told >b
    grep -q 'These form a cycle' said && cycles=$((cycles + 1)) || reads=$((reads + 1))
    cmp -s a b || { n=$((n + 1)); echo "# $name at $level"; diff a b | sed 's/^/# /'; }
done <names
same 0 "$n" "both say the same of every anomaly"
[ "$cycles" -gt 15 ] && [ "$reads" -gt 5 ]
ok $? "cycles ($cycles) and reads that offend ($reads)"

"$isolab" explain --history write-skew >h.txt
"$isolab" check -l ser --certificate c.txt h.txt >said
sed 's/^rw 0 1/rw 1 0/' c.txt >bad.txt
t 1 "a proof that is refused is not told" "$isolab-verify" --explain h.txt bad.txt
out_like '^refused'
! grep -q 'cycle' "$tmp/out"
ok $? "no step of a refused proof is told"
"$isolab" check -l si --certificate c.txt h.txt >said
t 0 "a satisfied level" "$isolab-verify" --explain h.txt c.txt
out_like 'has a commit order'

t 0 "a verdict without an anomaly is explained, too" "$isolab" explain no-commit-order
out_like 'This is no anomaly'
t 64 "it has no history" "$isolab" explain --history no-commit-order

# 999.999994 ms have more than three digits: they are 1000 ms, and not 1e+03 ms.
cat >span.txt <<'END'
session A
t1 commit @0..5: r x nil, w x 1
session B
t2 commit @999999999..1999999999: r x nil
END
t 1 "a long second" "$isolab" check -l sser span.txt
out_like 't1 had ended 1000 ms before t2 '
finish
