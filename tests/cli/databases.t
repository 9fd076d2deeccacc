#!/bin/sh
# Every embedded database of collectors.def at each of its levels: what is recorded satisfies what the documentation promises, durable or
# not, and weaker levels show their anomalies. A database that is not installed is skipped, with the package to install.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
export TMPDIR="$tmp"
"$isolab" list --json databases >databases.json
embedded='.[] | select(.server == null and .name != "exec")'

# Records, with a limit: a library that does not return is reported, and is no failure of the recorder.
recorded() { # DATABASE LEVEL OPTION...
    d=$1 l=$2
    shift 2
    timeout -k 1 60 "$isolab" collect "$d" -l "$l" --patience 2 "$@" -o h.jsonl 2>err
    got=$?
    [ $got = 74 ] && grep -q 'does not answer a session any more' err && return 2
    [ $got = 0 ]
}

for database in $(jq -r "$embedded | select(.missing != null) | .name" databases.json); do
    skip "$database" "$(jq -r "$embedded | select(.name == \"$database\") | .missing" databases.json)"
done
for database in $(jq -r "$embedded | select(.missing == null) | .name" databases.json); do
    lists=$(jq -r "$embedded | select(.name == \"$database\") | .lists" databases.json)
    for level in $(jq -r "$embedded | select(.name == \"$database\") | .levels[].name" databases.json); do
        promises=$(jq -r "$embedded | select(.name == \"$database\") | .levels[] | select(.name == \"$level\") | .promises" databases.json)
        # WiredTiger's later manuals say that all updates must be at snapshot: at read-committed it loses own writes (docs/matrix.md)
        [ "$database $level" = "wiredtiger read-committed" ] && promises=none
        for workload in mini list-append random; do
            name="$database at $level, $workload"
            [ $workload = mini ] || { [ $workload = list-append ] && [ "$lists" = true ]; } || { [ $workload = random ] && [ "$lists" = false ]; } || continue
            recorded "$database" "$level" -w $workload --keys 8 --txns 200 --sessions 4 --aborts 0.1
            case $? in
            0) ok 0 "$name" ;;
            2) skip "$name" "$(tail -1 err)" && continue ;;
            *) ok 1 "$name" && sed 's/^/# /' err ;;
            esac
            [ "$promises" = none ] || t 0 "$name: it is $promises, as promised" "$isolab" check -l "$promises" h.jsonl
        done
        recorded "$database" "$level" -w mini --keys 20 --txns 40 --sessions 2 --durable
        case $? in
        0) ok 0 "$database at $level, durable" ;;
        2) skip "$database at $level, durable" "$(tail -1 err)" ;;
        *) ok 1 "$database at $level, durable" && sed 's/^/# /' err ;;
        esac
    done
done

# Weaker levels show what they are known for.
weak() { # DATABASE LEVEL WORKLOAD CHECKED
    jq -e "$embedded | select(.name == \"$1\" and .missing == null)" databases.json >/dev/null || {
        skip "$1 at $2 violates $4" "not installed"
        return
    }
    found=1
    for seed in $(seq 30); do
        recorded "$1" "$2" -w "$3" --keys 6 --txns 600 --aborts 0.2 --pause 20 --seed "$seed" || continue
        "$isolab" check -l "$4" h.jsonl >/dev/null 2>&1
        [ $? = 1 ] && found=0 && break
    done
    ok $found "$1 at $2 violates $4"
}
weak rocksdb pessimistic mini si           # lost updates
weak rocksdb optimistic-snapshot mini ser  # write skew
weak berkeleydb read-uncommitted random int
weak wiredtiger snapshot mini ser
weak wiredtiger read-uncommitted random int

# Two runs of one database are apart: nothing is left between them.
recorded sqlite wal -w mini --keys 5 --txns 50
recorded sqlite wal -w mini --keys 5 --txns 50
t 0 "a second recording begins with an empty database" "$isolab" check -l sser h.jsonl
finish
