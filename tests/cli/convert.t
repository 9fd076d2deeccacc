#!/bin/sh
# isolab convert, and what every output has in common: temporary names, zstd, losses, standard input and output.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >a.isolab <<'H'
session 0
commit: r 1 nil, w 1 5
commit: w 2 6
session 1
commit: r 1 5, r 2 6
H
for f in jsonl plume dbcop dbcop-json dbcop-hist cobra cobra-duplicate elle elle-json; do
    t 0 "isolab text to $f" "$isolab" convert --to $f a.isolab "b.$f"
    t 0 "and back, detected" "$isolab" convert --to isolab "b.$f"
    same 3 "$(grep -c commit out)" "$f: as many transactions"
    same "r 1 nil, w 1 5" "$(sed -n 's/.*: \(r 1 nil.*\)/\1/p' out)" "$f: the same operations"
done
t 0 "isolab text to test, which has no initial value" "$isolab" convert --lossy --to test a.isolab b.test
same "w 1 0 ===== r 1 0 w 1 5 ----- w 2 6 ===== r 1 5 r 2 6" "$(tr '\n' ' ' <b.test | sed 's/ $//')" "the initial value is written as a first transaction that writes 0"
printf '// session 1\n[x:=1 y:=1] [z==? y==1][q==0]\n\n[x:=2]!\n  ---\n-\n// session 3\r\n[x==1 7:=0 7==0]\r\n' >a.hist
t 0 "dbcop's text, with all that it has" "$isolab" convert --to isolab a.hist
same "session commit: w x 1, w y 1 commit: r z nil, r y 1 commit: r q nil abort: w x 2 session session \
commit: r x 1, w 7 0, r 7 0" "$(tr '\n' ' ' <out | sed 's/ $//')" "is read"
t 0 "and written" "$isolab" convert --to dbcop-hist a.hist
same "[x:=1 y:=1] [z==? y==1] [q==?] [x:=2]! --- --- [x==1 7:=0 7==0]" "$(tr '\n' ' ' <out | sed 's/ $//')" "all operations are written as dbcop writes them"
cat >a.json <<'J'
[[{"events":[["r",1,0],["w",1,5]],"committed":true},{"committed":false,"events":[{"Write":{"variable":2,"version":0}}]}],
 [{"events":[[ "r" , 1 , null ],["r",2,0],{"Read":{"variable":3,"version":0}},["w",3,7]],"committed":true}]]
J
t 0 "dbcop's JSON, with short events and reads of 0" "$isolab" convert --to isolab a.json
same "session commit: r 1 nil, w 1 5 abort: w 2 0 session commit: r 1 nil, r 2 0, r 3 nil, w 3 7" \
    "$(tr '\n' ' ' <out | sed 's/ $//')" "0 is initial where no one writes it, committed or not"
t 0 "and written" "$isolab" convert --to dbcop-json a.json
same 3 "$(grep -o '"version":null' out | wc -l)" "with null for what is initial"
cat >zero.isolab <<'H'
session
commit: r 1 0, w 2 0
H
for f in dbcop-json dbcop-hist; do
    t 65 "$f: a 0 that no one wrote would be initial" "$isolab" convert --to $f zero.isolab
    t 0 "$f: so all zeros become other numbers" sh -c "'$isolab' convert --lossy --to $f zero.isolab |
        '$isolab' convert --format $f --to isolab -"
    out_like '^commit: r 1 [1-9][0-9]*, w 2 [1-9][0-9]*$' "and it is a thin-air read still"
done
t 0 "by extension, compressed" "$isolab" convert a.isolab c.jsonl.zst
t 0 "a compressed file is zstd" zstd -q -t c.jsonl.zst
t 0 "and read again" "$isolab" convert c.jsonl.zst d.isolab
same "$(cat a.isolab)" "$(cat d.isolab)" "the same text comes back"
t 0 "standard input to standard output" sh -c "'$isolab' convert --to jsonl - - <a.isolab"
same "$("$isolab" convert a.isolab --to jsonl)" "$(cat out)" "what a file gives"
same 3 "$(wc -l <out)" "standard output has three lines"

cat >lost.isolab <<'H'
session A
t1 commit @1..2: w x 1
t2 abort @3..4: w x 2
t3 maybe: append l 1
H
t 65 "losses are an error" "$isolab" convert --to test lost.isolab lost.test
err_is "isolab: format test cannot hold 1 string, 1 list operation, 1 aborted transaction, 1 indeterminate \
transaction, 2 transactions with times, 4 names: use --lossy, or another format"
[ ! -e lost.test ]
ok $? "and nothing is written"
t 0 "--lossy converts what the format cannot hold" "$isolab" convert --to test --lossy lost.isolab lost.test
err_like "^isolab: not kept by format test: 1 string, 1 list operation,"
same "w 1 1" "$(cat lost.test)" "the rest of the history is written"

t 64 "an extension of two formats" "$isolab" convert a.isolab x.txt
err_like "x.txt could be of format plume, test or another: say which with --to, such as --to isolab"
t 64 "an unknown extension" "$isolab" convert a.isolab x.bla
t 64 "an unknown format" "$isolab" convert --to jsonk a.isolab x.jsonl
t 64 "a folder format on standard output" "$isolab" convert --to cobra a.isolab
t 74 "no such file" "$isolab" convert nothing.isolab x.jsonl
t 74 "no such folder" "$isolab" convert a.isolab no/where/x.jsonl
t 74 "a full disk" "$isolab" convert --to jsonl a.isolab /dev/full
t 74 "a folder where a file should be" sh -c "mkdir folder.jsonl; '$isolab' convert a.isolab folder.jsonl"
mkdir c.cobra.isolab-123456 c.cobra.isolab-654321 && touch c.cobra.isolab-123456/T0.log c.cobra.isolab-654321/T0.log
(exec 9<c.cobra.isolab-654321 && flock 9 && : >locked && exec sleep 30) &
holder=$!
wait_for '[ -e locked ]'
t 0 "a folder again whose writer was killed" "$isolab" convert --to cobra a.isolab c.cobra
same "c.cobra c.cobra.isolab-654321" "$(echo c.cobra*)" "what the killed one left goes, what another one fills does not"
kill $holder
wait $holder 2>/dev/null
rm -r c.cobra.isolab-654321
t 74 "a folder that is not empty is not replaced" "$isolab" convert --to cobra a.isolab b.cobra
same "2" "$(ls b.cobra | wc -l | tr -d ' ')" "and keeps its files"
mkdir empty && t 0 "an empty one is" "$isolab" convert --to cobra a.isolab empty
printf 'session A\nt1 commit: w x\n' >bad.isolab
cp a.isolab keep.jsonl
t 65 "malformed input leaves the output file as it was" "$isolab" convert bad.isolab keep.jsonl
err_is "isolab: bad.isolab: line 2: byte 24: expected a space and a value, found the end of the line"
same "$(cat a.isolab)" "$(cat keep.jsonl)" "leaves what was there"
ln -s a.isolab link.isolab
t 0 "writing through a link" "$isolab" convert d.isolab link.isolab
[ -L link.isolab ]
ok $? "writing through a symbolic link keeps the link"
chmod 600 d.isolab
t 0 "replacing a file" "$isolab" convert a.isolab d.isolab
same "-rw-------" "$(ls -l d.isolab | cut -c1-10)" "keeps its permissions"
same "" "$(ls -A | grep -e tmp -e isolab-)" "no temporary file stays"

# A killed program leaves nothing either; or everything, if it had finished.
awk 'BEGIN { for (s = 0; s < 20; s++) { print "session", s; for (i = 0; i < 20000; i++) print "commit: w", s, i } }' >large.isolab
mkdir killed && "$isolab" convert large.isolab whole.jsonl
for signal in TERM KILL; do
    "$isolab" convert large.isolab killed/large.jsonl &
    pid=$!
    sleep 0.1
    kill -$signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    cmp -s whole.jsonl killed/large.jsonl && rm killed/large.jsonl
    same "" "$(ls -A killed)" "a signal $signal in the middle leaves nothing ($status)"
done
# Members of jsonl in any order, unknown ones between them, CRLF, empty lines: the same history.
printf '%s\n' '{"session":"A","id":"t1","status":"aborted","start":1,"end":9,"ops":[["w","x",1]]}' \
    '{"session":"B","id":"t2","status":"committed","ops":[["r","x",null],["append","l",2]]}' >usual.jsonl
printf '%s\r\n' '{"ops":[["w","x",1]],"end":9,"what":{"ops":[[]],"x":[1.5e3,true]},"status":"aborted","id":"t1","start":1,"session":"A"}' '' \
    '{"id":"t2","ops":[["r","x",null],["append","l",2]],"sessions":[7],"session":"B"}' >other.jsonl
"$isolab" convert --to isolab usual.jsonl usual.isolab
t 0 "jsonl with its members in another order" "$isolab" convert --to isolab other.jsonl other.isolab
same "$(cat usual.isolab)" "$(cat other.isolab)" "is the same history"
printf '{"ops":[["w","x",]],"session":1}\n' >late.jsonl
t 65 "an error in members that are read late" "$isolab" convert --to isolab late.jsonl
err_like '^isolab: late.jsonl: line 1: byte 17: expected '
printf '{"isolab":1,"sessions":[]}\n' >none.jsonl
t 0 "a header that names no sessions" "$isolab" stats --json none.jsonl
same "0 0" "$(jq -r '"\(.sessions) \(.transactions)"' out)" "is a history without any"

# Characters and their escapes are the same keys: two, three and four bytes of UTF-8.
printf '%s\n' '{"session":1,"ops":[["w","\u00e9\u20ac\ud83d\ude00",1],["r","é€😀",1]]}' >escaped.jsonl
printf 'session 1\ncommit: w "\\u00e9\\u20ac\\ud83d\\ude00" 1, r "é€😀" 1\n' >escaped.isolab
printf '{:type :ok, :process 1, :f :txn, :value [[:w "\\u00e9\\u20ac\\ud83d\\ude00" 1] [:r "é€😀" 1]]}\n' >escaped.edn
printf '[{"type":"ok","process":1,"f":"txn","value":[["w","\\u00e9\\u20ac\\ud83d\\ude00",1],["r","é€😀",1]]}]\n' >escaped.json
for file in escaped.jsonl escaped.isolab escaped.edn escaped.json; do
    t 0 "escapes in $file" "$isolab" stats --json $file
    same "1 true" "$(jq -r '"\(.keys) \(.offending_reads == null or (.offending_reads | add) == 0)"' out)" "name the same key, and the read sees the write"
    "$isolab" convert --to jsonl --lossy $file escaped.out 2>err
    same "é€😀" "$(jq -r '.ops[0][1]' escaped.out)" "whose name goes on as it is"
done

# Cobra's folders: numbers in names count, and only files are logs.
"$isolab" convert --to cobra a.isolab folder
mv folder/T0.log folder/T10.log && mv folder/T1.log folder/T9.log
t 0 "logs in the order of their numbers" "$isolab" convert --to isolab folder
same "9 10" "$(sed -n 's/^session //p' out | tr '\n' ' ' | sed 's/ $//')" "9 before 10"
mv folder/T9.log folder/T009.log
t 0 "zeros before a number mean nothing" "$isolab" convert --to isolab folder
same 2 "$(sed -n 's/^session //p' out | wc -l)" "there are still two sessions"
same "r 1 5, r 2 6" "$(sed -n 's/.*: \(r 1 5.*\)/\1/p' out | head -1)" "with their transactions"
mkdir folder/T11.log
t 65 "a folder among the logs" "$isolab" check folder
err_like '^isolab: folder/T11.log: .*expected a file, found a folder'
# A history without sessions, in every format that can be written.
echo '# isolab: nothing' >nothing.isolab
for f in $("$isolab" list formats --json | jq -r '.[] | select(.writes).name'); do
    rm -rf nothing
    t 0 "a history without sessions as $f" "$isolab" convert --to "$f" nothing.isolab nothing
    t 0 "$f: and back" "$isolab" stats --json --format "$f" nothing
    same '0 0' "$(jq -r '"\(.sessions) \(.transactions)"' out)" "$f: is one"
done
rm -rf nothing
"$isolab" convert --to cobra nothing.isolab nothing
t 0 "a folder of cobra without logs is detected" "$isolab" check -l ser nothing
mkdir -p piped
mkfifo piped/T0.log
t 2 "a log that is a pipe without a writer" timeout 20 "$isolab" check -l ser --timeout 0.2 piped
# dbcop reads two dates after the parameters and refuses what is no date of RFC 3339.
"$isolab" convert --to dbcop nothing.isolab nothing.bincode
perl -e 'local $/; $_ = <STDIN>; print "$_\n" for unpack("x40 (Q</a)3", $_)' <nothing.bincode >dates
same isolab "$(head -n 1 dates)" "the info of a file for dbcop"
same 2 "$(sed 1d dates | grep -cE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$')" "its start and its end are dates"
"$isolab" convert --to dbcop nothing.isolab again.bincode
cmp -s nothing.bincode again.bincode
ok $? "and the same each time"

# Transformations: the verdicts of a weak store's history stay, at the levels that are named.
"$isolab" generate --txns 40 --sessions 4 --keys 6 --level rc --seed 3 -o weak.jsonl
for word in shuffle relabel repeat pad=20; do
    t 0 "$word" "$isolab" convert -T "$word" --seed 5 weak.jsonl changed.jsonl
    err_like "^isolab: transformed by $word; the answer stays the same at every level\$"
    for level in rc ra cc ser; do
        "$isolab" check -l $level weak.jsonl >out
        before=$?
        "$isolab" check -l $level changed.jsonl >out
        same $before $? "$word: $level"
    done
done
t 0 "two words, by two options" "$isolab" convert -T pad=3 -T split --seed 5 weak.jsonl changed.jsonl
err_like '^isolab: transformed by pad=3,split; the answer stays the same at ser$'
same 'pad=3,split --seed 5' "$("$isolab" stats --json changed.jsonl | jq -r .about.transformed)" "the history says so"
t 64 "an unknown transformation is refused" "$isolab" convert -T mirror weak.jsonl -
err_like 'there is no transformation "mirror": expected shuffle, relabel, repeat, pad, split or merge'
t 64 "a transformation needs a number" "$isolab" convert -T pad=x weak.jsonl -
err_like 'pad: expected a number, found "x"'
for word in shuffle=3 relabel= repeat=1 pad= merge=0; do
    t 64 "wrong: $word" "$isolab" convert -T $word weak.jsonl -
    err_like "^isolab: ${word%=*}.* (takes no|expected a|expected at least 1) (number|session)"
done
t 0 "they are listed" "$isolab" list transformations
same '[null,null,null,10,0,1]' "$("$isolab" list transformations --json | jq -c 'map(.number)')" "with the numbers that they take"
t 0 "as families of graphs are" "$isolab" list graphs
finish
