#!/bin/sh
# `check --all` where a checker finds one anomaly at a time: further ones, each with a certificate for the whole history.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# A lost update (t3, t4) and two write skews (t1, t2; t6, t7). t6 reads from t3, and its write skew does not need that.
cat >three.txt <<'H'
session A
t1 commit: r x nil, w y 1
t3 commit: r a 0, w a 1
session B
t2 commit: r y nil, w x 1
t4 commit: r a 0, w a 2
session C
t5 commit: w a 0
t6 commit: r q nil, w p 2, r a 1
session D
t7 commit: r p nil, w q 3
H

t 1 "three anomalies at ser" "$isolab" check -l ser --all --certificate c.proof three.txt
same 3 "$(grep -c 'These form a cycle' out)" "all are shown"
out_like '3 anomalies, each found in what the ones before it leave. Without them the history satisfies ser.'
out_like 'Others that share transactions with them may exist'
for file in c.proof c-2.proof c-3.proof; do
    t 0 "$file" "$isolab-verify" --level ser --verdict violated three.txt $file
done
same 3 "$(cat c.proof c-2.proof c-3.proof | grep -v '^history' | sort -u | grep -c '^rw [136] ')" "each about other transactions"
[ ! -e c-4.proof ]
ok $? "no fourth one"

t 1 "--all --json counts the anomalies of one level" "$isolab" check -l ser --all --json three.txt
same 'false satisfied 3 1 2' "$(jq -r '"\(.all) \(.rest) \(.anomalies | length) \(.instances["lost-update"]) \(.instances["write-skew"])"' out)" "the JSON has the verdict, its remainder, and the numbers of anomalies by name"
t 1 "at most two" "$isolab" check -l ser --all --limit 2 --json three.txt
same 'limit 2' "$(jq -r '"\(.rest) \(.anomalies | length)"' out)" "the limit is said"
t 1 "check --all -l si finds the one anomaly of si" "$isolab" check -l si --all three.txt
out_like 'one anomaly. Without it the history satisfies si.'
t 1 "without --all nothing is said of it" "$isolab" check -l ser three.txt
! grep -q 'each found' out
ok $? "no word of it"
t 1 "on the ladder" "$isolab" check --all three.txt
out_like 'one anomaly. Without it the history satisfies si.'
out_like '3 anomalies, .* Without them the history satisfies ser.'
t 1 "every checker: the first one is compared, and further ones follow" "$isolab" check -l ser -c all --all --certificate e.proof three.txt
out_like '3 anomalies, each found in what the ones before it leave. Without them the history satisfies ser.'
for file in e.proof e-2.proof e-3.proof; do
    t 0 "$file" "$isolab-verify" --level ser --verdict violated three.txt $file
done

t 1 "pictures of all" "$isolab" check -l ser --all --svg p.svg three.txt
ls p.svg p-2.svg p-3.svg >/dev/null
ok $? "each of the three anomalies has a picture"
t 0 "the page has all anomalies" "$isolab" report -o page.html three.txt
same 3 "$(grep -c '<article class="card anomaly' page.html)" "has three pictures"
grep -q 'At ser: 3 anomalies, each found in what the ones before it leave' page.html
ok $? "and says what is known"

# Reads of what no transaction wrote: the read is left out, and not its transaction.
printf 'session\ncommit: r x 7, r y 8\ncommit: r x 9, w x 1\n' >thin.txt
t 1 "reads that offend" "$isolab" check -l ser --all --json thin.txt
same 'satisfied 3' "$(jq -r '"\(.rest) \(.anomalies | length)"' out)" "each is one"

# More than the time allows: what was found stays, and the reason is said.
"$isolab" generate random --ops 6 --keys 100 --level si --txns 10000 --seed 3 --to ilb -o many.ilb
t 1 "a limit of time" "$isolab" check -l ser --all --timeout 2 --json many.ilb
[ "$(jq '(.anomalies | length > 0) and (.rest == "unknown" or .rest == "satisfied")' out)" = true ]
ok $? "what was found is shown"
# Very many: above the default limit anomalies are printed when they are found, so memory does not grow with their number.
"$isolab" reduce triangle gnp 20 .5 --construction ra2 -o dense.jsonl
for checker in plume naive; do
    t 1 "$checker: kept" "$isolab" check -l ra -c $checker --all --json dense.jsonl
    jq -c '.anomalies[]' out >kept
    most=$(jq .peak_memory out)
    t 1 "$checker: without a limit" "$isolab" check -l ra -c $checker --all --limit 0 --json dense.jsonl
    jq -c '.anomalies[]' out >streamed
    least=$(jq .peak_memory out)
    same "violated ra $checker" "$(jq -r '"\(.verdict) \(.level) \(.checker)"' out)" "the other members are there"
    cmp -s kept streamed && [ "$(wc -l <kept)" -gt 500 ]
    ok $? "the same anomalies: $(wc -l <streamed)"
    [ $((most - least)) -gt 100000 ]
    ok $? "in less memory: $least bytes instead of $most"
done
n=$(wc -l <streamed)
t 1 "as text" "$isolab" check -l ra --all --limit 0 dense.jsonl
out_like '^dense.jsonl: anomalies as they are found$'
out_like "these are all $n: "
same "$n" "$(grep -c '^  fractured-read' out)" "each is shown"
t 1 "a greater limit than what there is" "$isolab" check -l ra --all --limit 10001 dense.jsonl
out_like "these are all $n: "
t 1 "several histories" "$isolab" check -l ra --all --limit 0 --json dense.jsonl three.txt dense.jsonl
same "$n 0 $n" "$(jq '.anomalies | length' out | tr '\n' ' ' | sed 's/ $//')" "an object for each"

# A triangle of a graph is six instances of the general pattern (the two writers and the reader, each node in turn), and igraph
# counted the triangles. Most inferred edges repeat others, and are dropped.
"$isolab" reduce triangle gnp 170 .5 --construction ra2 -o denser.jsonl
triangles=$("$isolab" stats --json denser.jsonl | jq .about.triangles)
t 1 "instances beyond count" "$isolab" check -l ra --all --limit 1 --certificate dense.proof --json denser.jsonl
same $((6 * triangles)) "$(jq '.instances["fractured-read-cm"]' out)" "are six for each of $triangles triangles"
[ "$triangles" -gt 50000 ] && [ "$(jq '.counters["inferred edges, atomic"]' out)" -lt $((2 * triangles)) ]
ok $? "by fewer edges"
t 0 "the first has a proof" "$isolab-verify" --level ra --verdict violated denser.jsonl dense.proof

# A pipe gives its bytes once, so a page of one must not look into it first.
mkfifo pipe
cat three.txt >pipe &
t 0 "a page about a history from a pipe" "$isolab" report -o pipe.html pipe
contains=$(grep -c 'lost update\|lost-update' pipe.html)
[ "$contains" -gt 0 ]
ok $? "it has the anomaly"
finish
