#!/bin/sh
# `isolab collect`: what is recorded from real databases is a valid history with exact outcomes, and shows their levels; clients of the
# exec protocol that lie, end, or do not answer; interrupts and kills. `isolab matrix`.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
export TMPDIR="$tmp" # databases, too, are made there

# ---- SQLite, which is always there ----
for level in rollback wal; do
    for workload in mini list-append; do
        t 0 "sqlite at $level, $workload" "$isolab" collect sqlite -l $level -w $workload --keys 8 --txns 500 --aborts 0.1 -o h.jsonl
        err_like "^SQLite [0-9.]+ at $level: [0-9]+ transactions in .*: [0-9]+ committed, [0-9]+ aborted .*, 0 indeterminate\$"
        t 0 "it is strictly serializable" "$isolab" check -l sser h.jsonl
    done
done
same 1 "$(jq -s '[.[] | select(.ops) | select(.start > .end)] | length == 0' h.jsonl | grep -c true)" "times are ordered"
same 0 "$(jq -s '[.[] | select(.ops) | .ops[] | select(.[0] == "append") | .[2]] | (length - (unique | length))' h.jsonl)" "values are unique"
same SQLite "$(head -1 h.jsonl | jq -r .database)" "the first line says what was recorded"
committed=$(sed -n 's/.*: \([0-9]*\) committed.*/\1/p' err)
aborted=$(sed -n 's/.* \([0-9]*\) aborted.*/\1/p' err)
"$isolab" collect sqlite -w mini --txns 300 --aborts 0.2 -o counted.jsonl --json >summary.json 2>err
same 0 $? "a summary as JSON"
same "" "$(cat err)" "then no sentence is printed"
numbers='"\(.transactions) \(.committed) \(.aborted) \(.indeterminate)"'
same "$("$isolab" stats --json counted.jsonl | jq -r "$numbers")" "$(jq -r "$numbers" summary.json)" "its numbers are those of the history"
same true "$(jq '.seconds > 0 and .database == "sqlite"' summary.json)" "it names the database and the time"
t 64 "a summary as JSON and the history cannot both go to standard output" "$isolab" collect sqlite --json
err_like "give -o FILE" "it says what to do"
"$isolab" collect sqlite -w mini --txns 300 --aborts 0.2 -o count.jsonl 2>err
committed=$(sed -n 's/.*: \([0-9]*\) committed.*/\1/p' err)
aborted=$(sed -n 's/.* \([0-9]*\) aborted.*/\1/p' err)
same "$committed $aborted" "$(grep -c '"committed"' count.jsonl) $(grep -c '"aborted"' count.jsonl)" "the counts equal the history's"
found=0
for seed in $(seq 30); do # with pauses nearly every recording shows it
    "$isolab" collect sqlite -l read-uncommitted -w random --keys 6 --txns 1000 --aborts 0.2 --pause 20 --seed $seed -o dirty.jsonl 2>/dev/null
    "$isolab" check -l int dirty.jsonl >out 2>&1 || { found=1 && break; }
done
same 1 $found "read uncommitted shows what is not committed"
t 0 "its counterexample shrinks" "$isolab" shrink -l int dirty.jsonl -o small.jsonl
t 1 "and has a proof" "$isolab" check -l int --certificate proof small.jsonl
t 0 "the certificate of the recording verifies" "$verify" small.jsonl proof

t 0 "shrink --slice keeps names, values and times" "$isolab" shrink --slice -l int dirty.jsonl -o slice.jsonl
t 1 "shows the anomaly, too" "$isolab" check -l int slice.jsonl
same 0 "$(jq -s --slurpfile whole dirty.jsonl '[.[] | select(.ops) as $s | ($whole[] | select(.id == $s.id)) as $w
    | select($s.start != $w.start or ($s.status == "committed" and $s.end != $w.end) or $s.session != $w.session or ($s.ops - $w.ops) != [])] | length' slice.jsonl)" \
    "and changes no name, value or time"

# ---- wrong use ----
t 64 "collect needs the name of a database" "$isolab" collect
t 64 "a database that does not exist" "$isolab" collect sqlit
err_like 'there is no database "sqlit"; did you mean "sqlite"'
t 64 "a level that does not exist" "$isolab" collect sqlite -l snapshot
err_like 'SQLite has no level "snapshot"; it has rollback, wal, read-uncommitted'
t 64 "a workload that does not exist" "$isolab" collect sqlite -w min
t 64 "a generator without requests" "$isolab" collect sqlite -w separator
err_like 'separator makes histories, not requests'
t 64 "collect refuses a format that it does not write" "$isolab" collect sqlite -o h.edn
err_like 'name it \*\.jsonl'
t 74 "a folder that does not exist" "$isolab" collect sqlite --folder /nowhere
t 74 "a file that cannot be written" "$isolab" collect sqlite -o /nowhere/h.jsonl
"$isolab" collect sqlite --txns 100 >piped.jsonl 2>/dev/null
t 0 "to standard output" "$isolab" check -l ser piped.jsonl
same "" "$(ls -d isolab-collect-* 2>/dev/null)" "no temporary folder stays"

# ---- interrupts and kills ----
"$isolab" collect sqlite -w mini --txns 1e9 -o interrupted.jsonl 2>err &
pid=$!
wait_for '[ -s interrupted.jsonl ]'
kill -INT $pid
wait $pid
same 2 $? "an interrupt ends the recording"
t 0 "what was recorded is whole" "$isolab" check -l ser interrupted.jsonl
for round in 1 2 3; do
    rm -f killed.jsonl
    "$isolab" collect sqlite -w mini --txns 1e9 --seed $round -o killed.jsonl 2>/dev/null &
    pid=$!
    wait_for '[ "$(wc -l <killed.jsonl)" -gt $((100 * round)) ]'
    kill -KILL $pid
    wait $pid 2>/dev/null
    t 0 "a killed recording is a valid history" "$isolab" stats killed.jsonl
done
same 1 "$(tail -c 1 killed.jsonl | wc -l)" "its last line is whole"

# ---- the exec protocol ----
if python3 -c 'import sqlite3' 2>/dev/null; then
    t 0 "the example of a client" "$isolab" collect exec --command "python3 '$root/examples/client.py' client.db" -w mini --keys 9 --aborts 0.1 --sessions 3 --txns 150 -o exec.jsonl
    t 0 "the history of an exec client satisfies sser" "$isolab" check -l sser exec.jsonl
else
    skip "the example of a client" "no python3"
fi
t 64 "collect exec needs a command" "$isolab" collect exec
client() {
    t 74 "a client that $1" "$isolab" collect exec --command "$2" -w mini --sessions 1 --txns 9 --answer-wait 200 --patience 1 -o exec.jsonl
    err_like "$3"
    t 0 "the file stays valid" "$isolab" stats exec.jsonl
}
client "echoes" "cat" 'has no "status"'
client "says hello" "echo hello; sleep 1" 'session 0: the client.s answer "hello" is no JSON'
client "says too much" "yes" 'more than one line'
client "answers no read" "while read l; do echo '{\"status\":\"committed\",\"reads\":[]}'; done" '"reads" has 0 results, the transaction [12] reads'
client "answers by text" "while read l; do echo '{\"status\":\"committed\",\"reads\":[\"1\",\"2\"]}'; done" 'is not an integer or null|has 2 results'
client "ends" "true" 'the client has ended'
client "does not answer" "sleep 5" 'did not answer in time'
client "prints zeros" "head -c 9999 /dev/zero; echo; sleep 1" 'is no JSON'
client "prints markup" "printf '\\033[31m<b>\\n'; sleep 1" 'answer "\\u\{1b\}\[31m<b>"'

# ---- defaults meet conflicts ----
for seed in 1 2 3 4; do
    "$isolab" collect sqlite -l read-uncommitted --seed $seed -o usual.jsonl 2>/dev/null
    "$isolab" check -l int,g1 usual.jsonl >out 2>err
    shown=$?
    [ $shown = 0 ] || break
done
if [ $shown = 0 ]; then
    skip "a recording with the usual options" "not reached: no client read what another one had not committed, in four recordings"
else
    same 1 $shown "a recording with the usual options shows reads of uncommitted values"
fi

# ---- the matrix ----
# At the weak level two clients must meet, which only becomes likely with more transactions.
for runs in 6 20 60; do
    t 0 "matrix records every level of SQLite, $runs runs" "$isolab" matrix sqlite --runs $runs --txns 500 --folder m --to json -o m.json
    weak=$(jq -r '.[2].levels.ser.verdict' m.json)
    [ "$weak" = satisfied ] || break
done
same "satisfied satisfied" "$(jq -r '[.[:2][] | .levels.ser.verdict] | join(" ")' m.json)" "promises are kept"
if [ "$weak" = satisfied ]; then
    skip "and a weak level is weak" "not reached: no two clients met in $runs runs"
else
    same violated "$weak" "and a weak level is weak"
fi
same 0 "$(jq '[.[].levels[] | select(.violated > 0) | select(.counterexample == null or .proof == null)] | length' m.json)" "each violation has a smallest history and a verified proof"
for f in $(jq -r '[.[].levels[] | .counterexample // empty] | unique | .[]' m.json); do
    level=$(echo "$f" | sed 's/.*-\([a-z0-9]*\)\.jsonl/\1/')
    t 1 "$f" "$isolab" check -l "$level" "$f"
done
for to in text html latex markdown; do
    t 0 "as $to" "$isolab" matrix sqlite:wal --runs 1 --txns 200 --folder m --to $to
    out_like 'SQLite 3'
done
same "mini --keys 8 --pause 0:1 list-append --keys 5 --pause 0:1 random --keys 6 --pause 0:1" \
    "$(jq -r '.[0].workloads | to_entries[:3] | map("\(.key):\(.value)") | join(" ")' m.json)" "a row says which workloads it rests on"
same true "$(jq '[.[].levels[] | select(.violated > 0) | .replays] | any' m.json)" "and a violation is shown again by replay"
t 0 "the matrix with details" "$isolab" matrix sqlite:wal --runs 2 --txns 200 --folder m --details
out_like '^SQLite 3.*wal +ser +2 \(2\) +yes' "counts runs and workloads"
out_like 'SQLite at wal satisfies ser in 2 of 2 runs; at least [1-9][0-9]* cases could have violated it' "and says what a satisfied cell rests on"
t 64 "a level that it has not" "$isolab" matrix sqlite:ser
t 64 "a client without levels" "$isolab" matrix exec
err_like 'exec has no levels to compare, and needs --command: record by' "is refused, and the message says what to do"
finish
