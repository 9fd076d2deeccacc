#!/bin/sh
# Scripts played on databases: the table of hermitage, replay of scripts and histories, faults. SQLite is always there;
# PostgreSQL, MariaDB, Redis and etcd are used where they are installed.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
chmod 711 "$tmp" # servers run as accounts of their own
export TMPDIR="$tmp"

mkfifo pipe
t 74 "a script that is a pipe is not opened" timeout 20 "$isolab" hermitage -s pipe sqlite
rm pipe

cat >lost.script <<'S'
script lost: two sessions add 1
forbids si
setup x 0, y 5
A begin
A read x
B begin
B read x
A write x 1 # a comment
A commit
B write x 2
B commit
S

# --- hermitage ---

t 0 "SQLite keeps what it promises" "$isolab" hermitage sqlite
out_like '^G2-item +ser +refused +refused' "write skew is refused at both serializable levels"
out_like '^G1a +rc +prevented +prevented +allowed' "and uncommitted values are read where that is allowed"
printf 'forbids si\nA begin\nA write x 1\nB begin\nB write x 2\n' >stuck.script
t 2 "a limit of time ends a wait for a lock" \
    timeout 20 "$isolab" hermitage sqlite -s stuck.script --level rollback --lock-wait 600000 --timeout 0.5
err_like 'time limit reached'
t 0 "hermitage prints JSON" "$isolab" hermitage sqlite --level wal --json
same '["wal"] 12 true' "$(jq -r '[([.cells[].level] | unique | tojson), (.cells | length), all(.cells[]; .verdict != "unknown")] | join(" ")' out)" \
    "one level, twelve scripts, and every history has a verdict"
mkdir kept
t 0 "histories are kept" "$isolab" hermitage sqlite --level read-uncommitted --scripts lost.script --keep kept
"$isolab" check -l si kept/sqlite-read-uncommitted-lost.jsonl >checked 2>&1
same "$(grep -c '^lost .*allowed' out)" "$?" "and a kept history says what the table says"
t 65 "a step that is none" sh -c "printf 'A begin\nA jump x\n' >bad.script; '$isolab' hermitage sqlite --scripts bad.script"
err_like 'bad.script.*2.*expected begin, read, write, append, commit or abort' "is named with its line"
t 65 "a commit outside of a transaction" sh -c "printf 'forbids si\nA commit\n' >bad.script; '$isolab' hermitage sqlite --scripts bad.script"
t 65 "names that could be more than names" sh -c "printf 'A begin\nA read x;DROP\n' >bad.script; '$isolab' replay sqlite bad.script --print sql"
t 64 "hermitage refuses a client of whole transactions" "$isolab" hermitage exec --command true
err_like 'exec runs whole transactions; hermitage needs a client that takes steps' "and says why"
t 64 "a server that there is not" "$isolab" hermitage sqlite --spawn
t 64 "a database that there is not" "$isolab" hermitage postgrse

# --- replay ---

t 0 "a script against SQLite" "$isolab" replay sqlite lost.script --level wal --times 3
out_like '^SQLite .* at wal: 0 of 3 plays violate si' "SQLite at wal loses no update"
out_like 'B +write x 2.*refused' "the second write was refused"
t 64 "replay refuses a client of whole transactions" "$isolab" replay exec --command true lost.script
err_like 'exec runs whole transactions; replay needs a client that takes steps' "and says why"
t 0 "the script of a script" "$isolab" replay sqlite lost.script --print script
cp out again.script
t 0 "is read back" "$isolab" replay sqlite again.script --print script
same "" "$(diff out again.script)" "the script that was printed is the script that was read"
t 64 "no level to check" sh -c "grep -v forbids lost.script >quiet.script; '$isolab' replay sqlite quiet.script"

# A history without times: both transactions read before either one writes.
cat >skew.txt <<'H'
session A
t1 commit: r x nil, w y 1
session B
t2 commit: r y nil, w x 2
H
t 0 "a history becomes a script" "$isolab" replay sqlite skew.txt --print script
same "read read write write" "$(awk '$2 == "read" || $2 == "write" { print $2 }' out | tr '\n' ' ' | sed 's/ $//')" "in which reads come first"
printf 'session A\nt1 commit @5..6: w x 1\nsession B\nt2 commit @1..2: r x nil\n' >timed.txt
t 0 "replay prints the script of a history with times" "$isolab" replay sqlite timed.txt --print script
same "B" "$(awk '$2 == "begin" { print $1; exit }' out)" "the earlier transaction comes first"

# Values come before times. By its times each transaction of lost.jsonl is over before the next one begins to overlap it,
# but both read what t0 wrote; of dirty.jsonl, a transaction read what another one wrote and took back.
printf '%s\n' '{"session":0,"id":0,"status":"committed","start":1,"end":2,"ops":[["w","x",7]]}' \
    '{"session":1,"id":1,"status":"committed","start":10,"end":40,"ops":[["r","x",7],["w","x",8]]}' \
    '{"session":2,"id":2,"status":"committed","start":30,"end":1000,"ops":[["r","x",7],["w","x",9]]}' >lost.jsonl
t 0 "replay prints the script of a lost update" "$isolab" replay sqlite lost.jsonl --print script
same "read read commit commit" "$(awk '$1 != "s0" && ($2 == "read" || $2 == "commit") { print $2 }' out | tr '\n' ' ' | sed 's/ $//')" \
    "in which both transactions read before either one commits"
printf '%s\n' '{"session":0,"id":0,"status":"aborted","start":1,"end":2,"ops":[["w","x",7]]}' \
    '{"session":1,"id":1,"status":"committed","start":1,"end":9,"ops":[["r","x",7]]}' >dirty.jsonl
t 1 "a read of a value that was taken back is played again" "$isolab" replay sqlite dirty.jsonl --level read-uncommitted --check int --times 20
t 0 "and not where it cannot be" "$isolab" replay sqlite dirty.jsonl --level wal --check int --times 20
out_like 'at wal: 0 of 20 plays violate int'

# What a database did, it does again: the counterexamples of recordings.
again() { # DATABASE LEVEL WORKLOAD CHECKED
    "$isolab" list --json databases | jq -e ".[] | select(.name == \"$1\" and .missing == null)" >/dev/null || {
        skip "$1 at $2 shows its violation of $4 again" "$1 is not installed"
        return
    }
    for seed in $(seq 20); do
        timeout 60 "$isolab" collect "$1" -l "$2" -w "$3" --keys 6 --txns 600 --aborts 0.2 --pause 20 --seed "$seed" -o again.jsonl 2>/dev/null || continue
        timeout 60 "$isolab" shrink --slice -l "$4" again.jsonl -o small.jsonl >/dev/null 2>&1 && break
    done
    t 1 "$1 at $2 shows its violation of $4 again (seed $seed)" timeout 100 "$isolab" replay "$1" small.jsonl --level "$2" --check "$4" --times 30
}
again rocksdb pessimistic mini si
again rocksdb optimistic-snapshot mini ser
again wiredtiger snapshot mini ser
again sqlite read-uncommitted random int

# --- servers, if there are any ---

server() { # NAME LEVEL-WITHOUT LEVEL-WITH-PROTECTION PROGRAM...
    database=$1 weak=$2 strong=$3
    if ! ls $4 >/dev/null 2>&1; then
        skip "$database loses an update where it may, and not where it promises" "$database is not installed"
        return
    fi
    t 1 "$database at $weak" "$isolab" replay "$database" --spawn lost.script --level "$weak" --times 2
    out_like "at $weak: 2 of 2 plays violate si" "$database at $weak loses an update in both plays"
    t 0 "$database at $strong" "$isolab" replay "$database" --spawn lost.script --level "$strong" --times 2
    out_like "at $strong: 0 of 2 plays violate si.*in 2 a transaction was refused" "$database at $strong refuses a transaction in both plays and loses no update"
}
server postgres read-committed repeatable-read "/usr/lib/postgresql/*/bin/initdb"
server mariadb repeatable-read snapshot "/usr/sbin/mariadbd"
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    t 74 "a server that is not there" "$isolab" collect postgres --dsn "host=127.0.0.1 port=1" -o none.jsonl
    err_like '^isolab: PostgreSQL: .*Connection refused Is the server running.*--spawn' "is said in one line"
fi
server redis unwatched watch "/usr/bin/redis-server"
server etcd read-committed serializable "/usr/bin/etcd"

# --- faults ---

t 64 "a fault that a database cannot have" "$isolab" collect sqlite --faults explode -o f.jsonl
t 64 "a fault of a server that is not ours" "$isolab" collect redis --faults kill -o f.jsonl
if [ -x /usr/bin/redis-server ]; then
    t 0 "Redis is killed while clients run" "$isolab" collect redis --spawn --durable --faults kill,drop --fault-every 0.3 \
        --seconds 1.5 --txns 1M -w mini --keys 50 -o f.jsonl
    t 0 "what it promised holds" "$isolab" check -l sser f.jsonl
    same true "$("$isolab" stats --json f.jsonl | jq ".notes >= 2")" "and the history notes the faults"
    cp f.jsonl g.jsonl
    t 0 "convert keeps the notes of faults" "$isolab" convert f.jsonl h.jsonl
    same "$(grep -c '"note":"kill"' f.jsonl)" "$(grep -c '"note":"kill"' h.jsonl)" "a conversion to the same format"
    t 65 "a format without notes" "$isolab" convert f.jsonl h.ilb
    err_like '[0-9]+ notes' "says how many it would lose"
else
    skip "faults of Redis" "Redis is not installed"
fi
same "" "$(ls -d "${TMPDIR:-/tmp}"/isolab-redis-* 2>/dev/null | head -1)" "no folder of a server stays"
finish
