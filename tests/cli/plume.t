#!/bin/sh
# When `auto` takes plume, what --patterns and --limit do, and the counters of the three.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
who() { sed -n 's/.*"checker": *"\([^"]*\)".*/\1/p' "$tmp/out" | head -1; }

t 1 "a level alone" "$isolab" check --json -l cc tests/patterns/tap-n.txt
same awdit "$(who)" "is awdit's"
t 1 "--all finds every pattern" "$isolab" check --json -l cc --all tests/patterns/tap-n.txt
same plume "$(who)" "is plume's"
t 1 "--patterns searches for some patterns" "$isolab" check --json -l cc --patterns h,k,n tests/patterns/tap-n.txt
same plume "$(who)" "are plume's"
t 1 "lists are checked at rc" "$isolab" check --json -l rc tests/patterns/list-write-cycle.txt
same plume "$(who)" "are plume's"

t 0 "patterns that are not there" "$isolab" check -l cc --patterns h,k,m tests/patterns/tap-n.txt
out_like '^tests/patterns/tap-n.txt: satisfied for patterns TAP-h, TAP-k, TAP-m, plume,' "say nothing of the level"
t 1 "patterns that a level does not forbid" "$isolab" check --json -l rc --patterns n tests/patterns/tap-n.txt
out_like '"patterns": ?\["TAP-n"\].*"levels_also_violated": ?\[\]' "say nothing of it or others either"
t 64 "patterns on the ladder" "$isolab" check --patterns n tests/patterns/tap-n.txt
err_like '^isolab: --patterns needs --level$'
"$isolab" generate --txns 2000 --level rc --keys 20 --seed 4 -o "$tmp/many.jsonl"
t 1 "the first of many instances" "$isolab" check -l cc -c plume --all --limit 7 "$tmp/many.jsonl"
out_like '^  [.][.][.] these are the first 7 [(]--limit[)], of [0-9]{3}'
same 7 "$(grep -c '^  [a-z].*(Plume TAP' "$tmp/out")" "seven are shown"
t 1 "all of them" "$isolab" check -l cc -c plume --all --limit 0 "$tmp/many.jsonl"
same 0 "$(grep -c -e '--limit' "$tmp/out")" "without a last line"
t 1 "one instance of many" "$isolab" check --json -l cc --all --limit 1 tests/patterns/tap-i.txt
out_like '"non-monotonic-read-cm": *2' "all are counted"
same 1 "$(grep -o '"plume": *"TAP' "$tmp/out" | wc -l | tr -d ' ')" "one pattern is reported"
t 1 "several anomalies of a transaction give one verdict" "$isolab" check --json -l cc --all -c plume tests/histories/int/circular-and-non-repeatable.txt
out_like 'cyclic-causality' "does not hide"
out_like 'non-repeatable-read' "the other anomaly is named, too"

# 3000 transactions by 300 sessions are a table of 3.6 MB. Where there is less memory it is made in blocks.
"$isolab" generate --txns 3000 --ops 4 --sessions 300 --keys 12 --level rc --seed 1 -o "$tmp/wide.ilb"
"$isolab" check -l cc -c naive --all --json "$tmp/wide.ilb" | jq -c .instances >"$tmp/naive"
for c in plume plume-vc; do
    "$isolab" check -l cc -c $c --all --json "$tmp/wide.ilb" | jq -c '.instances, .anomalies' >"$tmp/whole"
    same "$(cat "$tmp/naive")" "$(head -n 1 "$tmp/whole")" "$c finds what naive finds"
    for memory in 3M 5M; do
        t 1 "$c with $memory" "$isolab" check -l cc -c $c --all --memory $memory --json "$tmp/wide.ilb"
        jq -c '.instances, .anomalies' "$tmp/out" >"$tmp/blocks"
        same "$(cat "$tmp/whole")" "$(cat "$tmp/blocks")" "finds the same"
    done
done

for c in plume plume-vc plume-dfs; do
    t 1 "the counters of $c" "$isolab" check --json -l cc -c $c tests/patterns/tap-m.txt
    for counter in "graph traversals" "clock comparisons" "clock joins" "clock entries looked at"; do
        out_like "\"$counter\": *[0-9]+" "$c: $counter"
    done
    case $c in
    plume-dfs) out_like '"clock joins": *0[,}]' "$c joins no clocks" ;;
    *) out_like '"clock joins": *[1-9]' "$c joins clocks" ;;
    esac
done
finish
