#!/bin/sh
# Logs as they are found: compressed, with a byte order mark, as an array, cut off, of a database that was filled before; and
# what the errors say where isolab does not read what it found.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >a.jsonl <<'END'
{"session":0,"id":"t1","ops":[["w","x",1]]}
{"session":1,"id":"t2","ops":[["r","x",1],["w","x",2]]}
END
cat >a.isolab <<'END'
session 0
t1 commit: w x 1
session 1
t2 commit: r x 1, w x 2
END

# ---- compressed ----
for tool in gzip:gz xz:xz zstd:zst; do
    end=${tool#*:} tool=${tool%:*}
    command -v "$tool" >/dev/null 2>&1 || { skip "$tool" "there is no $tool program"; continue; }
    "$tool" -qc <a.jsonl >"in.jsonl.$end"
    t 0 "$tool is read" "$isolab" convert "in.jsonl.$end" -
    same "$(cat a.isolab)" "$(cat out)" "$tool: the same history"
    t 0 "$tool on standard input" sh -c "'$isolab' convert - - <in.jsonl.$end"
    same "$(cat a.isolab)" "$(cat out)" "$tool: the same history from standard input"
    t 0 "$tool is written" "$isolab" convert a.isolab "out.jsonl.$end"
    t 0 "$tool: and its own program reads it" "$tool" -qt "out.jsonl.$end"
    t 0 "$tool: so does isolab" "$isolab" convert "out.jsonl.$end" back.isolab
    same "$(cat a.isolab)" "$(cat back.isolab)" "$tool: it comes back"
    head -c 40 "in.jsonl.$end" >"cut.$end"
    t 65 "$tool that is cut" "$isolab" stats "cut.$end"
    err_like "^isolab: cut.$end: byte 40: expected more $tool data, found the end of the file"
done
mkdir logs
"$isolab" convert a.jsonl logs/c --to cobra --lossy 2>/dev/null
gzip -q logs/c/*.log
t 0 "a folder of compressed logs" "$isolab" stats logs/c
out_like 'transactions   2: '

# ---- what texts begin with ----
for f in a.jsonl a.isolab; do
    { printf '\357\273\277'; cat $f; } >"bom.${f#a.}"
    t 0 "a byte order mark before $f" "$isolab" convert "bom.${f#a.}" -
    same "$(cat a.isolab)" "$(cat out)" "$f: it changes nothing"
done
{ printf '\357\273\277'; printf '{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}\n'; } >bom.edn
t 0 "a byte order mark before EDN" "$isolab" convert bom.edn -
out_like 'w :x 1'
printf '\357\273\277w(1,2,0,1)\nr(1,x,0,1)\n' >bom.plume
t 65 "an error after a byte order mark" "$isolab" stats bom.plume
err_is "isolab: bom.plume: line 2: byte 18: expected a value, found 'x'"
for code in UTF-16LE UTF-16BE UTF-16; do
    iconv -t $code a.jsonl >wide.jsonl
    t 65 "$code" "$isolab" stats wide.jsonl
    err_is 'isolab: wide.jsonl: byte 0: expected UTF-8 text, found UTF-16: convert with iconv -f UTF-16 -t UTF-8'
done
printf 'session,txn,op\n1,2,r\n' >a.csv
t 65 "CSV" "$isolab" check a.csv
err_is 'isolab: a.csv: byte 0: expected a history, found a table (CSV), which isolab does not read: write a line of JSON for each transaction (docs/formats.md#jsonl; `isolab list formats` has the others)'

# ---- jsonl ----
{ printf '[\n'; sed 's/,"ops"/,\n "ops"/; 1s/$/,/' a.jsonl; printf ']\n'; } >array.json
t 0 "an array of transactions" "$isolab" convert array.json -
same "$(cat a.isolab)" "$(cat out)" "an array: the same history"
sed 's/,1\]/,3]/2; s/"x",1\],\["w"/"x",9],["w"/' array.json >bad.json
t 1 "a violated one" "$isolab" check -l rc bad.json
out_like 't2  line 4, session 1' "an array: the line of a transaction"
sed '$d' array.json >open.json
t 65 "an array without its end" "$isolab" check open.json
err_like "expected ',' or '\]', found the end of the file"

ops() { printf '{"session":0,%s"ops":[%s]}\n' "${2-}" "$1"; }
same "commit: r x 2, w x 3" "$(ops '["inc","x",1,3]' | "$isolab" convert - - | tail -n 1)" "an increment is a read and a write"
same "commit: r x 5, w x 3" "$(ops '["inc","x",-2,3]' | "$isolab" convert - - | tail -n 1)" "a decrement, too"
same "commit: w x nil, w y nil" "$(ops '["del","x"],["delete","y"]' | "$isolab" convert - - | tail -n 1)" "to delete is to write nil"
refused() { # OPS MEMBERS MESSAGE
    ops "$1" "$2" >refused.jsonl
    t 65 "refused: $2$1" "$isolab" check refused.jsonl
    err_like "$3"
}
refused '["inc","x",1]' '' 'expected the value after the increment, \["inc",KEY,1,RESULT\], found none: without it'
refused '["inc","x",1,-9223372036854775808]' '' 'expected a value before the increment of 64 signed bits'
refused '["upsert","x",1]' '' 'expected "r", "w", "append", "rl", "inc" or "del", found "upsert"$'
refused '["w","x",1.5]' '' 'found 1.5: write it as a string: "1.5"$'
refused '["w","x",-2e3]' '' 'found -2e3: write it as a string: "-2e3"$'
refused '["r","x",true]' '' 'found true: write it as a string: "true"$'
refused '["w",{"a":1},1]' '' "expected a key .*, found '{': write a key or value of several parts as one string: \"table:id\"$"
refused '["w","x",1]' '"status":"ok",' 'expected "committed", "aborted" or "indeterminate", found "ok"$'
refused '["w","x",1]' '"start":"2026-01-01T00:00:00Z",' 'expected an instant .nanoseconds as an integer., found "2026-01-01T00:00:00Z"$'
refused '["w","x",1]' '"start":1.5,' 'expected an instant .nanoseconds as an integer., found a number that is not an integer'
printf 'session A\nt1 commit: w x 1.5\n' >f.isolab
t 65 "a fraction in isolab text" "$isolab" check f.isolab
err_like 'found 1.5: write it as a string: "1.5"$'
printf '{:type :ok, :process 0, :f :txn, :value [[:inc :x 1]]}\n' >inc.edn
t 65 "an unknown operation in EDN" "$isolab" check inc.edn
err_like "found ':inc'$"
printf '[{"sid":1,"ops":[{"t":"incr","k":1,"v":1}]}]' >inc.json
t 65 "and in Chronos's JSON" "$isolab" check inc.json
err_like 'expected "r" or "w", found "incr"$'

# ---- Plume text ----
printf '\n# by a script\nw(1, 2, 0, 1)\n\n  r( 1 ,2,1,2 ) \r\n   # the last one\nr(1,2,1,3)\n\n' >spaced.plume
printf 'w(1,2,0,1)\nr(1,2,1,2)\nr(1,2,1,3)\n' >plain.plume
t 0 "empty lines, comments and spaces in Plume text" "$isolab" convert spaced.plume -
same "$("$isolab" convert plain.plume -)" "$(cat out)" "are the same history"
printf 'r(1,3,1,4)\n' >>spaced.plume
t 1 "its violations have" "$isolab" check -l rc spaced.plume
out_like '  line 9, session 1'

# ---- cut off ----
{ cat a.jsonl; printf '{"session":1,"id":"t3","ops":[["r","x",1]'; } >cut.jsonl
t 65 "a cut last line" "$isolab" check cut.jsonl
err_is "isolab: cut.jsonl: line 3: byte 141: expected ',' or ']', found the end of the file (if the end is missing: --truncated leaves the last line out)"
t 0 "--truncated leaves it out" "$isolab" check -l ser --truncated --certificate cut.cert cut.jsonl
out_like '^cut.jsonl: the input is cut off: it is judged up to line 2$'
same 2 "$("$isolab" check -l ser --json --truncated cut.jsonl | jq .truncated)" "JSON has the last line"
same null "$("$isolab" check -l ser --json a.jsonl | jq .truncated)" "or null"
t 0 "isolab-verify --truncated" "$verify" --truncated cut.jsonl cut.cert
err_is 'isolab-verify: cut.jsonl: the input is cut off: it is judged up to line 2'
printf '{"session":1,"id":"t3","ops":[["r","x",77]]}\n{"session":2,"id":"t4","ops":[["w","x",77' >lost
{ cat a.jsonl lost; } >reads.jsonl
t 0 "a value that a lost line may have written is no accusation" "$isolab" check -l int --truncated --certificate cut.cert reads.jsonl
err_like 'torn: its end is cut off, and later transactions are missing; 1 read of values'
t 0 "nor for the verifier" "$verify" --truncated reads.jsonl cut.cert
t 0 "stats --truncated" "$isolab" stats --truncated cut.jsonl
t 0 "a text that ends with a line stays whole" "$isolab" convert --truncated a.jsonl -
same "$(cat a.isolab)" "$(cat out)" "nothing is cut"
# the rest of the line would be a transaction: it is cut all the same, since 12 may be the beginning of 123
printf 'session A\nt1 commit: w x 1\nt2 commit: w x 12' >half.isolab
t 0 "a last line that could be one" "$isolab" convert --truncated half.isolab -
same "$(head -n 2 half.isolab)" "$(cat out)" "is left out, too"
i=0
while [ $i -lt 2000 ]; do echo "{\"session\":0,\"id\":$i,\"ops\":[[\"w\",\"x\",$i]]}"; i=$((i + 1)); done >long.jsonl
gzip -c long.jsonl | head -c 3000 >long.gz
t 65 "a cut gzip" "$isolab" stats long.gz
err_like '[(]if the end is missing: --truncated leaves the last line out[)]$'
t 0 "cut and compressed" "$isolab" convert --truncated long.gz --to jsonl short.jsonl
lines=$(wc -l <short.jsonl)
ok $(($([ "$lines" -gt 100 ]; echo $?) + $([ "$lines" -lt 2000 ]; echo $?))) "some lines are there: $lines"
same "$(head -n "$lines" long.jsonl | jq -c .ops)" "$(jq -c .ops short.jsonl)" "they are the first ones"
printf '{"session":0' >one.jsonl
t 65 "one line, which is cut" "$isolab" check --truncated one.jsonl
err_like 'expected a text of several lines .--truncated., found no whole line$'
"$isolab" convert a.jsonl a.ilb
t 65 "a binary file has no lines" "$isolab" check --truncated a.ilb
err_like 'expected a text of several lines .--truncated., found '
t 65 "nor has a folder" "$isolab" check --truncated logs/c
err_like 'found a folder$'

# ---- a database that was filled before ----
cat >filled.jsonl <<'END'
{"session":0,"ops":[["r","x",7],["r","y",8],["w","x",1]]}
{"session":1,"ops":[["r","x",1],["r","y",8]]}
{"session":2,"ops":[["r","x",7]]}
END
t 1 "values that no transaction wrote" "$isolab" check -l ser filled.jsonl
out_like 'or say --initial unwritten: the database was filled before$'
t 0 "--initial unwritten" "$isolab" check -l ser --initial unwritten --certificate filled.cert filled.jsonl
out_like '^filled.jsonl: values of 2 keys that no transaction wrote are taken as initial ones$'
same 2 "$("$isolab" check -l ser --json --initial unwritten filled.jsonl | jq .initial_unwritten)" "JSON has the number of keys"
t 0 "isolab-verify --initial unwritten" "$verify" --initial unwritten filled.jsonl filled.cert
t 1 "without it, the certificate is about another history" "$verify" filled.jsonl filled.cert
err_is ''
unwritten() { # STATUS LINE NAME
    { cat filled.jsonl; echo "{\"session\":9,\"ops\":[$2]}"; } >more.jsonl
    t "$1" "$3" "$isolab" check -l ser --initial unwritten more.jsonl
}
unwritten 1 '["r","x",9]' "a key has one initial value"
unwritten 1 '["r","x",null]' "which is not nil then"
unwritten 0 '["w","x",null],["r","x",null]' "nil is then what a delete leaves"
unwritten 1 '["r","x",1],["r","x",7]' "the initial value comes first"
unwritten 0 '["r","z",null]' "another key begins with nil"
printf '{"session":3,"status":"aborted","ops":[["w","y",8]]}\n' | cat filled.jsonl - >aborted.jsonl
t 1 "what an aborted transaction wrote was written" "$isolab" check -l ser --initial unwritten aborted.jsonl
out_like 'aborted-read'
printf '{"session":3,"status":"aborted","ops":[["r","y",6]]}\n' | cat filled.jsonl - >aborted.jsonl
t 0 "what an aborted transaction read does not count" "$isolab" check -l ser --initial unwritten aborted.jsonl
printf 'w(1,5,0,0)\nr(1,5,1,1)\nr(2,9,1,1)\nr(2,9,2,2)\n' >filled.plume
t 0 "in other formats" "$isolab" check -l ser --initial unwritten filled.plume
t 0 "with an initial transaction" "$isolab" check -l ser --initial unwritten --initial-transaction yes filled.plume
out_like 'values of 1 key that no transaction wrote are taken as initial ones; transaction 0 of session 0 is taken as the initial one: it writes 1 key$'
for level in ser si cc rc; do
    t 0 "written as it was read, at $level" sh -c "'$isolab' convert --initial unwritten filled.jsonl - | '$isolab' check -l $level -"
done
mkdir viper
printf '{"value":[["r","1","70"],["w","1","1"]]}\n' >viper/J1.log
printf '{"value":[["r","2","71"],["r","1","70"]]}\n' >viper/J2.log
t 1 "a folder of Viper's logs" "$isolab" check --format viper -l si viper
t 0 "of a database that was filled" "$isolab" check --format viper -l si --initial unwritten viper
finish
