#!/bin/sh
# The skeleton of a checker in Python is right, and the referee finds what is planted in it. (That in C: stranger.t.)
. "$(dirname "$0")/tap.sh"
command -v python3 >/dev/null || skip_all "there is no python3"
cd "$tmp" || exit 1
mkdir temporary
export TMPDIR="$tmp/temporary"
cp "$root"/examples/skeleton.py "$root"/examples/skeleton.adapters .

t 0 "the skeleton agrees with the definition" "$isolab" referee --checkers brute,ext:skeleton --adapters skeleton.adapters -l ra --random \
    --count 200 --seed 3 --out right --json
same true "$(jq '.comparisons > 120 and .questions[0].violated > 20 and .questions[0].satisfied > 20' out)" "on random histories of both kinds"
mkdir small
for file in "$root"/tests/histories/*/*.txt; do
    "$isolab" convert "$file" "small/$(basename "$(dirname "$file")")-$(basename "$file" .txt).jsonl" >/dev/null 2>&1
done
"$isolab" check -l ra -c brute small/*.jsonl 2>/dev/null | sed -nE 's/^(small[^ ]*): (satisfied|violated) .*/\1 \2/p' | sort >defined
./skeleton.py ra small/*.jsonl | sed -E 's/: (satisfied|violated|unknown).*/ \1/' | sort >answers
join defined answers |
    awk '$3 == "unknown" { next } $2 != $3 { bad++ } { all++ } END { print all + 0, bad + 0 }' >counts
read -r all bad <counts
[ "$all" -gt 30 ]
ok $? "$all histories of tests/histories are decided"
same 0 "$bad" "as brute decides them"

# check asks it, too, as one of isolab's own.
fractured=$root/tests/histories/rc/fractured-read.txt
causal=$root/tests/histories/ra/causality-violation.txt
t 1 "check -c ext:NAME" "$isolab" check -l ra -c ext:skeleton --adapters skeleton.adapters "$causal" "$fractured"
out_like 'causality-violation.txt: satisfied ra \(read atomic\), ext:skeleton'
out_like 'fractured-read.txt: violated ra \(read atomic\), ext:skeleton'
ISOLAB_ADAPTERS=skeleton.adapters t 2 "the ladder, as JSON" "$isolab" check -c ext:skeleton --json "$causal"
same '["satisfied","ext:skeleton"]' "$(jq -c '.ladder[] | select(.level == "ra") | [.verdict, .checker]' out)" "asks about the level that it answers"
t 2 "a history that it does not take" "$isolab" check -l ra -c ext:skeleton --adapters skeleton.adapters "$root/tests/histories/pc/lost-update-of-a-list.txt"
out_like 'unknown ra .*: checker ext:skeleton does not support lists'
t 64 "--adapters without a published checker" "$isolab" check -l ra --adapters skeleton.adapters "$causal"
t 64 "an adapter that is not there" "$isolab" check -l ra -c ext:nosuch "$causal"
err_like 'there is no adapter "nosuch"'
t 0 "a program that stays" "$isolab" check -l g1 -c ext:example --adapters "$root/examples/checker.adapters" "$causal"
out_like 'satisfied g1 .*, ext:example'
t 64 "shrink does not take a checker that is a program" "$isolab" shrink -l ra -c ext:skeleton "$fractured"
printf '#!/bin/sh\nsleep 100\n' >hangs && chmod +x hangs
printf '[hangs]\nprogram = ./hangs\nlevels = ra\n[dies]\nprogram = /bin/false\nlevels = ra\nstatuses = 0\n' >more.adapters
t 2 "a checker that hangs" "$isolab" check --timeout 0.3 -l ra -c ext:hangs --adapters more.adapters "$causal"
out_like 'unknown ra .*: time limit reached'
t 2 "a checker that dies" "$isolab" check -l ra -c ext:dies --adapters more.adapters "$causal"
out_like 'unknown ra .*: crash: exit status 1'
same "" "$(ls -A temporary)" "and nothing stays"

plant() { # NAME WHAT-IT-WAS WHAT-IT-IS
    sed "s/$2/$3/" skeleton.py >"$1.py" && chmod +x "$1.py"
    cmp -s skeleton.py "$1.py"
    same 1 $? "$1: something is planted"
    sed "s/\[skeleton\]/[$1]/; s/skeleton.py/$1.py/" skeleton.adapters >"$1.adapters"
    t 1 "$1: it is found" "$isolab" referee --checkers brute,ext:$1 --adapters "$1.adapters" -l ra --random --txns 3 --ops 2 --keys 2 --sessions 2 --count 300 --seed 3 --reports 1 --out "$1"
    matches 'verified by isolab-verify' "$(ls -d "$1"/ra-"$1"-* | head -n 1)/report.md" "$1: and the right verdict is proved"
}
plant forgets-sessions 'sees = set(before) |' 'sees ='
if [ -n "${ISOLAB_DEEP:-}" ]; then
    plant forgets-own-writes 'elif key in own:' 'elif False:'
    plant believes-aborted-writes 'or not committed\[source\]' ''
fi
# The baseline in answer-set programming answers as the definition does.
cp "$root"/examples/asp.py "$root"/examples/asp.adapters .
if command -v gringo >/dev/null && command -v clasp >/dev/null; then
    t 0 "gringo and clasp agree with the definition" "$isolab" referee --checkers brute,ext:asp --adapters asp.adapters -l cc --random \
        --count 20 --seed 3 --out asp --json
    same true "$(jq '.comparisons > 15 and .questions[0].violated > 3 and .questions[0].satisfied > 3' out)" "on random histories of both kinds"
else
    skip "gringo and clasp agree with the definition" "they are not installed"
fi
PATH=$(only python3 env) t 2 "without them there is no verdict" "$isolab" check -l cc -c ext:asp --adapters asp.adapters "$causal"
finish
