#!/bin/sh
# What the header of a recording says: which database at which level, and whether it keeps what its documentation promises.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

skew='{"session":0,"id":"a","ops":[["r","x",null],["r","y",null],["w","x",1]]}
{"session":1,"id":"b","ops":[["r","x",null],["r","y",null],["w","y",2]]}'
history() { printf '%s\n' "{\"isolab\":1$1}" "$skew" >h.jsonl; }
promise() { grep '^  promised' out; }

history ',"database":"PostgreSQL","version":"15.18","level":"serializable"'
t 1 "a write skew" "$isolab" check h.jsonl
same "  promised ser (PostgreSQL at serializable): BROKEN" "$(promise)" "breaks serializable"
out_like 'docs/record.md' "and it is said where to look first"
t 1 "one level" "$isolab" check -l ser h.jsonl
same "  promised ser (PostgreSQL at serializable): BROKEN" "$(promise)" "is enough if it decides"
t 0 "a weaker one" "$isolab" check -l si h.jsonl
same "" "$(promise)" "is not if it does not"
t 1 "without session order" "$isolab" check -l ser --no-session-order h.jsonl
same "" "$(promise)" "a level is another one than the promised"

history ',"database":"postgres","level":"repeatable-read"'
t 1 "the same, recorded at repeatable read" "$isolab" check h.jsonl
same "  promised si (PostgreSQL at repeatable-read): kept" "$(promise)" "keeps the promise"
same "" "$(grep docs/record.md out)" "and no database is suspected"
for format in isolab ilb jsonl; do
    "$isolab" convert h.jsonl --to $format "copy.$format"
    "$isolab" check -l si "copy.$format" >out
    same "  promised si (PostgreSQL at repeatable-read): kept" "$(promise)" "$format keeps the header"
done
t 0 "a smaller history" "$isolab" shrink --slice -l ser h.jsonl -o small.jsonl
"$isolab" check -l si small.jsonl >out
same "  promised si (PostgreSQL at repeatable-read): kept" "$(promise)" "has it, too"

for header in '' ',"database":"Nothing","level":"serializable"' ',"database":"PostgreSQL","level":"none such"' ',"level":"serializable"' \
    ',"database":["PostgreSQL"],"level":{"a":1}' ',"database":"SQLite","level":"read-uncommitted"'; do
    history "$header"
    t 1 "the header $header" "$isolab" check h.jsonl
    same "" "$(promise)" "has no promise"
done
printf '%s\n' '{"session":0,"database":"SQLite","level":"wal","ops":[["w","x",1]]}' >h.jsonl
t 0 "a transaction with such members" "$isolab" check h.jsonl
same "" "$(promise)" "is no header"

history ''
t 1 "levels that are asked for" "$isolab" check -l ser,sser h.jsonl
out_like 'strongest satisfied: none of those asked$' "may all be violated though weaker ones hold"
t 1 "among all levels" "$isolab" check h.jsonl
out_like 'strongest satisfied: si$' "one holds"
finish
