#!/bin/sh
# `isolab run`: what it generates is what `generate` generates, what it says is what `check` says, and it ends at the first
# violation, which it keeps. Workloads of mini-transactions and registers, with every bug of the store.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

t 0 "run generates and checks one history" "$isolab" run mini --level sser --txns 300 --seed 3 -o one.jsonl
out_like '^seed 3: satisfied sser \(strict serializability\), mtc, '
"$isolab" generate mini --level sser --txns 300 --seed 3 -o same.jsonl
t 0 "it is the one of generate" cmp one.jsonl same.jsonl
t 1 "until one violates its level" "$isolab" run mini --level ser --sessions 6 --keys 20 --txns 200 --check sser --rounds 50 -o stale.jsonl
out_like '^[0-9]+ histor(y|ies): [0-9]+ satisfied sser, 1 violated it, 0 unknown$'
seed=$(sed -n 's/^seed \([0-9]*\): violated sser.*/\1/p' out)
"$isolab" generate mini --level ser --sessions 6 --keys 20 --txns 200 --times yes --seed "$seed" -o again.jsonl
t 0 "the violated one is kept, and its seed told" cmp stale.jsonl again.jsonl
t 1 "check says the same" "$isolab" check -l sser stale.jsonl
t 2 "a checker that refuses" "$isolab" run random -c mtc
out_like 'checker mtc needs mini-transactions'
t 64 "a generator without levels" "$isolab" run separator
err_like 'generator separator delivers no level: say which to check by --check'
t 64 "formats are of outputs" "$isolab" run mini --to plume
t 64 "shapes that do not exist" "$isolab" generate mini --shapes rw=1,ww=1
err_like '^isolab: --shapes: expected one of r rR rw .*, found "ww"$'
t 64 "shares that are all 0" "$isolab" generate mini --shapes rw=0
t 64 "a share of readers beside them" "$isolab" generate mini --shapes rw=1 --readers 0.5
t 0 "shapes by their shares" "$isolab" generate mini --shapes rw=1 --txns 50
same 50 "$(grep -Ec '^commit: r ([0-9]+) (nil|[0-9]+), w \1 [0-9]+$' out)" "one shape alone"

# Every bug leaves mini-transactions, and breaks what it is to break: mtc and strong say so alike.
for workload in mini registers; do
    bad=0
    for bug in $("$isolab" list --json bugs | jq -r '.[] | select(.workload == "registers") | .name'); do
        "$isolab" generate $workload --level sser --sessions 6 --keys 20 --txns 100 --bug "$bug" --bug-rate 0.1 --times yes -o h.jsonl
        for level in si ser lser sser; do
            "$isolab" check -l $level -c mtc h.jsonl >mtc 2>&1
            got=$?
            "$isolab" check -l $level -c strong h.jsonl >strong 2>&1
            [ $? = $got ] && [ $got -lt 2 ] || { bad=1 && echo "# $bug, $level" && head -1 mtc strong; }
        done
        [ $got = 1 ] || { bad=1 && echo "# $bug breaks nothing"; }
    done
    ok $bad "every bug on $workload"
done
finish
