#!/bin/bash
# Jepsen's histories through the programs: levels that follow by hand from docs/levels.md and docs/lists.md,
# conversion there and back, detection, errors.
. "$(dirname "$0")/tap.sh"

# levels FILE NAME SATISFIED... / VIOLATED...
levels() {
    local file=$1 title=$2 want=0
    shift 2
    for level in "$@"; do
        if [ "$level" = / ]; then
            want=1
        else
            t $want "$title: $level $([ $want = 0 ] && echo satisfied || echo violated)" \
                "$isolab" check -c brute -l "$level" "$file"
        fi
    done
}

log() { # FILE PROCESS TYPE VALUE: appends one operation
    echo "{:type :$3, :process $2, :f :txn, :value $4, :index $(($(wc -l <"$1" 2>/dev/null || echo 0) + 0))}" >>"$1"
}
both() { # FILE PROCESS INVOKED COMPLETED
    [ -e "$1" ] || : >"$1"
    log "$1" "$2" invoke "$3"
    log "$1" "$2" ok "$4"
}

# A cycle of ww alone: two lists that show two transactions in opposite orders.
f=$tmp/g0.edn
both $f 0 '[[:append 1 1] [:append 2 1]]' '[[:append 1 1] [:append 2 1]]'
both $f 1 '[[:append 1 2] [:append 2 2]]' '[[:append 1 2] [:append 2 2]]'
both $f 2 '[[:r 1 nil] [:r 2 nil]]' '[[:r 1 [1 2]] [:r 2 [2 1]]]'
levels $f "opposite orders of two lists" int ci / g1 rc ser

# Both saw the list [0] and appended to it; no one read what came of it.
f=$tmp/lost-update.edn
both $f 0 '[[:append 1 0]]' '[[:append 1 0]]'
both $f 1 '[[:r 1 nil] [:append 1 1]]' '[[:r 1 [0]] [:append 1 1]]'
both $f 2 '[[:r 1 nil] [:append 1 2]]' '[[:r 1 [0]] [:append 1 2]]'
levels $f "a lost update" g1 rc ra cc pc / si ser lser sser

# The second transaction misses the first one's append to 2, and comes after it in list 1.
f=$tmp/g-single.edn
both $f 0 '[[:append 1 1] [:append 2 1]]' '[[:append 1 1] [:append 2 1]]'
both $f 1 '[[:append 1 2] [:r 2 nil]]' '[[:append 1 2] [:r 2 []]]'
both $f 2 '[[:r 1 nil]]' '[[:r 1 [1 2]]]'
levels $f "one anti-dependency" g1 rc ra cc pc / si ser

# Its list ends before the appends of process 0 that came before it in time, and of no one else.
f=$tmp/stale.edn
both $f 0 '[[:append 1 1]]' '[[:append 1 1]]'
both $f 1 '[[:r 1 nil]]' '[[:r 1 []]]'
levels $f "a stale read" ser si / lser sser

# elle's issue 27: two independent appends, one after the other; a reader that overlaps both sees the second one alone.
f=$tmp/independent.edn
: >$f
log $f 0 invoke '[[:r 1 nil] [:r 2 nil]]'
both $f 1 '[[:append 1 1]]' '[[:append 1 1]]'
both $f 2 '[[:append 2 1]]' '[[:append 2 1]]'
log $f 0 ok '[[:r 1 []] [:r 2 [1]]]'
levels $f "independent appends out of order" lser ser / sser

# The same by one process: its session forbids it.
sed 's/:process 1/:process 0/' "$tmp/stale.edn" >"$tmp/session.edn"
levels "$tmp/session.edn" "a stale read of one's own session" g1 rc / ra ser

# An append with an unknown outcome is included when it is read.
f=$tmp/info.edn
: >$f
log $f 0 invoke '[[:append 1 1] [:append 2 1]]'
log $f 0 info '[[:append 1 1] [:append 2 1]]'
both $f 1 '[[:r 2 nil] [:r 1 nil]]' '[[:r 2 []] [:r 1 []]]'
levels $f "an unread append of unknown fate" lser sser
both $f 2 '[[:r 2 nil] [:r 1 nil]]' '[[:r 2 []] [:r 1 [1]]]'
levels $f "a read one, with half of its transaction missing" rc / ra ser

t 0 "EDN to JSON" "$isolab" convert "$tmp/info.edn" "$tmp/info.json" --to elle-json
t 0 "JSON to EDN" "$isolab" convert "$tmp/info.json" "$tmp/there.edn" --to elle
t 0 "EDN to EDN" "$isolab" convert "$tmp/info.edn" "$tmp/once.edn" --to elle
t 0 "is the same" cmp "$tmp/there.edn" "$tmp/once.edn"
t 0 "from a pipe, compressed and without a name" sh -c "zstd -qc '$tmp/info.json' | '$isolab' check -c brute -l rc -"
"$isolab" generate list-append --txns 1000 --sessions 500 --seed 2 -o "$tmp/wide.jsonl"
t 0 "five hundred processes" "$isolab" convert "$tmp/wide.jsonl" "$tmp/wide.edn" --to elle --lossy
t 0 "EDN of many sessions is read back" "$isolab" convert --to jsonl "$tmp/wide.edn" "$tmp/back.jsonl"
for file in wide back; do
    "$isolab" stats --json "$tmp/$file.jsonl" | jq -c '[.sessions, .transactions, .operations, .keys]' >"$tmp/$file.stats"
done
matches '^.500,1000,' "$tmp/wide.stats" "the wide log has 500 sessions and 1000 transactions"
same "$(cat "$tmp/wide.stats")" "$(cat "$tmp/back.stats")" "and stay what they are"
printf '{:type :ok, :process 0,\n :value [[:append 1 {}]]}\n' >"$tmp/bad.edn"
t 65 "malformed EDN ends with status 65" "$isolab" check -l ser "$tmp/bad.edn"
err_like 'bad.edn: line 2: byte 44: expected what is written' "says the line and the byte"

real=${ISOLAB_HISTORIES:-$root/../shared/histories}/elle
if [ -e "$real/paper-example.edn" ]; then
    # the third transaction and the last one append to 256 unseen by each other; the last one's reads of 253 and
    # 255 are of one snapshot, before the second
    levels "$real/paper-example.edn" "paper-example" cc pc / si ser sser
    levels "$real/paper-example.json" "paper-example.json" pc / si
    # process 0 read 2 and 3 empty and appended to 4; process 1 appended to 2 and 3 and read 4 empty: write skew
    levels "$real/list-append-gh-30.edn" "list-append-gh-30" pc si / ser
    levels "$real/si-without-g-single.edn" "si-without-g-single" si / ser
    levels "$real/rw-register.edn" "rw-register" ci / int g1
    levels "$real/rw-register.json" "rw-register.json" ci / int g1
else
    skip "real histories" "there are none in ../shared/histories"
fi
finish
