#!/bin/sh
# The recorder makes no violations of its own: cut recordings are torn, stalls end, kills without --durable are named, servers keep what is
# not ours, and folders of killed runs go.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
chmod 755 .
mkdir t
export TMPDIR="$tmp/t"
have() { command -v "$1" >/dev/null 2>&1; }

# ---- torn recordings ----
cat >whole.jsonl <<'END'
{"isolab":1,"recording":"unique"}
{"session":0,"id":"writer","ops":[["w","x",1]]}
{"session":2,"id":"reader","ops":[["r","x",2],["r","y",null]]}
{"session":1,"id":"late","ops":[["w","x",2]]}
{"recording":"ended"}
END
t 0 "a whole recording" "$isolab" check -l ser whole.jsonl
err_is "" "says nothing about its end"
head -3 whole.jsonl >torn.jsonl
t 0 "a torn recording does not accuse the database of the lost writer" "$isolab" check -l ser --certificate proof torn.jsonl
err_like '^isolab: torn.jsonl: torn: it has no end mark.*; 1 read of values that these may have written is left out'
t 0 "its certificate is valid" "$verify" torn.jsonl proof
err_like '^isolab-verify: torn.jsonl: torn: ' "the verifier reads the file in the same way"
"$isolab" check --json -l ser torn.jsonl >out 2>/dev/null
same 1 "$(jq .torn.reads out)" "the same as JSON"
"$isolab" check --json -l ser whole.jsonl >out 2>/dev/null
same null "$(jq .torn out)" "whole: no such member"
for command in "stats torn.jsonl" "report torn.jsonl -o page.html" "convert torn.jsonl --to isolab copy.txt"; do
    t 0 "$command" "$isolab" $command
    err_like 'torn: it has no end mark' "$command says it, too"
done
(cat torn.jsonl && echo '{"recording":"ended"}') >wrong.jsonl
t 1 "the same lines as a whole recording violate it" "$isolab" check -l ser wrong.jsonl
printf '%s' '{"session":0,"ops":[["w","x",9],["r","x",9' >>torn.jsonl
t 0 "a last line that is cut is left out" "$isolab" stats torn.jsonl
out_like 'transactions +2:'
printf '{"session":0,"ops":[["w","x"\n' >>torn.jsonl
t 65 "a malformed line in the middle is not" "$isolab" stats torn.jsonl
cat >repeated.jsonl <<'END'
{"isolab":1,"recording":"begun"}
{"session":0,"id":"a","ops":[["w","x",5],["w","y",3]]}
{"session":0,"id":"b","ops":[["w","x",6]]}
{"session":1,"id":"c","ops":[["r","x",6]]}
{"session":1,"id":"d","ops":[["r","x",5],["w","y",1],["r","y",1]]}
END
t 0 "values may repeat: a lost writer of a written value is possible, too" "$isolab" check -l ser repeated.jsonl
err_like '2 reads of values'
sed -i 's/"r","y",1/"r","y",3/' repeated.jsonl
t 1 "an own write that is lost stays a violation" "$isolab" check -l int repeated.jsonl
t 0 "a recording ends with its mark" "$isolab" collect sqlite -w mini --keys 6 --txns 400 -o r.jsonl
same '{"recording":"ended"}' "$(tail -1 r.jsonl)" "the last line"
same unique "$(head -1 r.jsonl | jq -r .recording)" "and says that its values are unique"
same begun "$("$isolab" collect sqlite -w mini --values 3 --txns 9 2>/dev/null | head -1 | jq -r .recording)" "or not"
same "durable no" "$(head -1 r.jsonl | jq -r .about)" "its configuration"
bad=0
for n in $(seq 300 997 "$(wc -c <r.jsonl)"); do
    head -c "$n" r.jsonl >cut.jsonl
    "$isolab" check -l sser cut.jsonl >out 2>err || { bad=$n && break; }
done
same 0 $bad "a recording cut at any byte is satisfied"

# ---- configurations that lose commits ----
cat >lost.jsonl <<'END'
{"isolab":1,"recording":"unique","about":"database x; durable no; faults kill; kill may-lose-commits"}
{"session":0,"ops":[["w","x",1]]}
{"note":"kill","start":1,"end":2}
{"session":0,"ops":[["r","x",null]]}
{"recording":"ended"}
END
t 1 "a lost commit is a violation" "$isolab" check -l ra lost.jsonl
out_like 'possible recording error: the server was killed, and was recorded without --durable.*: record again with --durable'
"$isolab" check --json -l ra lost.jsonl >out
same lost-commits "$(jq -r '.suspects[].name' out)" "the same as JSON"
sed 's/; kill may-lose-commits//' lost.jsonl >kept.jsonl
t 1 "without this pair" "$isolab" check -l ra kept.jsonl
same 0 "$(grep -c 'without --durable' out)" "nothing is suspected"

# ---- limits and spelling ----
t 2 "memory for the stacks of sessions is memory" "$isolab" collect sqlite --txns 100000 --memory 10M -o m.jsonl
err_like 'memory limit reached'
t 74 "too many open files are an error of the system" \
    sh -c 'ulimit -n 8; exec "$0" bench "$1" -o x.results' "$isolab" "$root/experiments/suites/smoke.suite"
err_like 'Too many open files'
for level in "READ UNCOMMITTED" read_uncommitted Read-Uncommitted; do
    t 0 "level $level" "$isolab" collect sqlite -l "$level" --txns 20 -o l.jsonl
    same read-uncommitted "$(head -1 l.jsonl | jq -r .level)" "is the database's own name"
done

# ---- folders of killed runs ----
"$isolab" collect sqlite -w mini --txns 1e9 -o k.jsonl 2>/dev/null &
killed=$!
wait_for 'ls -d t/isolab-collect-*/isolab-open-*'
kill -KILL $killed
wait $killed 2>/dev/null
same 1 "$(ls -d t/isolab-* | wc -l)" "a killed run leaves its folder"
mkdir t/isolab-of-a-user
"$isolab" collect sqlite -w mini --txns 1e9 --seconds 3 -o live.jsonl 2>err.live &
live=$!
wait_for 'ls -d t/isolab-collect-*/isolab-open-*/db'
t 0 "another run" "$isolab" collect sqlite -w mini --txns 20 -o other.jsonl
same 2 "$(ls -d t/isolab-* | wc -l)" "removes it, but no folder of a run that lives, nor of a user"
wait $live
same 0 $? "which is not disturbed"
same t/isolab-of-a-user "$(ls -d t/isolab-*)" "each run removes its own"

# ---- servers: a private one, and one of a user ----
"$isolab" collect sqlite --folder nowhere -o h.jsonl 2>/dev/null
same 74 $? "a folder that does not exist"
mkdir data
chmod 777 data
if have redis-server; then
    port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
    mkdir own
    redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$tmp/own" >own.log 2>&1 &
    server=$!
    trap 'kill -CONT $server; kill $server; rm -rf "$tmp"' EXIT
    wait_for "redis-cli -p $port ping | grep PONG"
    redis-cli -p "$port" set isolab:1 precious >/dev/null
    "$isolab" collect redis --port "$port" -w mini --keys 10 --txns 3000 --seed 2 -o two.jsonl 2>err.two &
    two=$!
    t 0 "one of two recorders of one server" "$isolab" collect redis --port "$port" -w mini --keys 10 --txns 3000 -o one.jsonl
    wait $two
    same 0 $? "and the other"
    t 0 "do not meet" "$isolab" check -l ser one.jsonl two.jsonl
    same precious "$(redis-cli -p "$port" get isolab:1)" "a key of the user stays"
    same 1 "$(redis-cli -p "$port" dbsize)" "and no other"
    "$isolab" collect redis --port "$port" -w mini --keys 10 --txns 1e9 --patience 1 -o stall.jsonl 2>err &
    stalled=$!
    wait_for '[ "$(wc -l <stall.jsonl)" -gt 100 ]'
    kill -STOP $server
    wait $stalled
    same 74 $? "a database that answers no session any more ends the recording"
    err_like 'Redis at watch does not answer a session any more \(--patience 1\); what was recorded is kept'
    kill -CONT $server
    t 0 "which is whole" "$isolab" check -l ser stall.jsonl
    err_is ""
    "$isolab" collect redis --spawn --folder data -w mini --keys 10 --txns 1e9 --seconds 4 --faults kill --fault-every 1 -o f.jsonl 2>err &
    running=$!
    wait_for 'ls -d data/isolab-redis-*'
    same 1 "$(ls -d data/isolab-redis-* | wc -l)" "--folder holds for a private server"
    wait $running
    err_like '--faults kill without --durable: the server may lose commits' "collect warns of kills"
    same "" "$(ls data)" "its folder is removed"
else
    skip "a server" "no redis-server"
fi
if [ "$("$isolab" list --json databases | jq -r '.[] | select(.name == "rocksdb").missing')" = null ]; then
    "$isolab" collect rocksdb --folder data -w mini --txns 1e9 --seconds 2 -o disk.jsonl 2>err &
    running=$!
    wait_for 'ls data/*/*/CURRENT'
    same 1 "$(ls data/*/*/CURRENT | wc -l)" "with --folder RocksDB has files"
    wait $running
else
    skip "RocksDB in files" "no RocksDB"
fi
finish
