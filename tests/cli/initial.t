#!/bin/sh
# The initial transaction of an input, at every command: which one is taken, that it is said, and that certificates are about
# the history as it was read.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# A lost update, after a transaction that writes the initial value of every key, as many tools' files begin.
printf 'w(1,0,0,0)\nr(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n' >lost.plume
said='transaction 0 of session 0 is taken as the initial one: it writes 1 key'
t 1 "a lost update is one" "$isolab" check lost.plume
out_like "^  $said\$" "the ladder says what was taken"
out_like '^  NO  violated si ' "the history with its initial transaction violates si"
out_like '^  strongest satisfied: pc$'
t 1 "the first transaction is taken as the initial one at one level" "$isolab" check -l si lost.plume
out_like "^lost.plume: $said\$" "one level: the answer says what was taken, too"
t 1 "JSON of one level has the initial transaction" "$isolab" check -l si --json lost.plume
same '{"transactions":1,"first":"0","session":"0","keys":1}' "$(jq -c .initial_transaction out)" "has it as a member"
t 1 "JSON of the ladder" "$isolab" check --json lost.plume
same 1 "$(jq .initial_transaction.keys out)" "JSON of the ladder has the initial transaction, too"
t 0 "stats names the initial transaction" "$isolab" stats lost.plume
out_like "^  read as  *$said\$"
out_like '^  transactions   2: '
t 0 "JSON of stats" "$isolab" stats --json lost.plume
same '1 2' "$(jq -r '"\(.initial_transaction.transactions) \(.transactions)"' out)" "with the same member"
t 1 "the same history with reads of 0 alone has the same verdicts" sh -c "sed 1d lost.plume | '$isolab' check -"
same "$(grep -c '^  NO' out) pc" "4 $(sed -n 's/.*strongest satisfied: //p' out)" "the ladder has the same four violated levels and pc"
t 0 "JSON where nothing is taken" "$isolab" stats --json --initial-transaction no lost.plume
same 'null 3' "$(jq -r '"\(.initial_transaction) \(.transactions)"' out)" "JSON without an initial transaction has null and all transactions"
t 0 "as a transaction like others" "$isolab" check -l si --initial-transaction no lost.plume
grep -q 'initial one' out
same 1 $? "no line says that a transaction was taken"

# Every command reads it the same way, except where an option says otherwise.
t 0 "convert names the initial transaction" "$isolab" convert --to isolab lost.plume -
out_is 'initial 0
session 1
1 commit: r 1 nil, w 1 1
session 2
2 commit: r 1 nil, w 1 2'
err_is "isolab: lost.plume: $said"
t 0 "convert, which takes nothing" "$isolab" convert --initial-transaction no lost.plume kept.jsonl
out_is ''
err_is ''
t 0 "its file is read like that" "$isolab" check -l si kept.jsonl
t 1 "unless an option says otherwise" "$isolab" check -l si --initial-transaction yes kept.jsonl
for f in isolab ilb; do
    t 0 "the same as $f" "$isolab" convert --initial-transaction no lost.plume kept.$f
    t 0 "which is read like that" "$isolab" check -l si kept.$f
    t 1 "unless an option says otherwise" "$isolab" check -l si --initial-transaction yes kept.$f
done
t 65 "Plume text cannot say it" "$isolab" convert --initial-transaction no lost.plume kept.plume
err_like 'cannot hold 1 initial value'
t 0 "shrink names the initial transaction" "$isolab" shrink -l si lost.plume -o small.isolab
err_like "$said"
t 1 "its result is violated, too" "$isolab" check -l si small.isolab
t 65 "and nothing is to be shrunk where it is not taken" "$isolab" shrink -l si --initial-transaction no lost.plume
t 0 "report names the initial transaction" "$isolab" report lost.plume -o page.html
matches "<p>As it was read: $said.</p>" page.html "it is on the page"
matches '<td class="no">violated</td><td><b>si</b>' page.html "with the verdict of check"
t 0 "a report that takes nothing" "$isolab" report --initial-transaction no lost.plume -o page.html
matches '<td class="yes">satisfied</td><td><b>si</b>' page.html "has the verdict of check, too"

# A certificate is about the history as it was read, and the verifier reads it as its own caller says.
for level in rc cc pc si ser; do
    for how in auto no yes; do
        "$isolab" check -l $level --initial-transaction $how --certificate $how.$level lost.plume >out 2>err
        t 0 "the proof of $level, read by $how" "$verify" --initial-transaction $how lost.plume $how.$level
    done
    t 0 "yes and auto are one here" "$verify" lost.plume yes.$level
    t 1 "no is another history" "$verify" lost.plume no.$level
    out_like '^refused: the certificate is for another history, or for this one with other initial values: '
    t 1 "and the other way round" "$verify" --initial-transaction=no lost.plume auto.$level
done
t 0 "the verifier says what it took" "$verify" lost.plume auto.si
err_is "isolab-verify: lost.plume: $said"
t 64 "and knows three words" "$verify" --initial-transaction maybe lost.plume auto.si

# A value that means initial, and that the file does not declare.
printf '{"session":1,"ops":[["r","x",0]]}\n{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","x",1]]}\n' >register.jsonl
t 1 "a register that begins at 0" "$isolab" check -l ser register.jsonl
out_like 'thin-air-read'
err_is 'isolab: register.jsonl: reads of 1 key returned 0, which no transaction wrote: if registers begin at 0, say --initial 0'
sed 's/"x"/"y"/' register.jsonl | cat register.jsonl - >two.jsonl
t 1 "two of them" "$isolab" check two.jsonl
err_like 'reads of 2 keys returned 0, .*say --initial 0$'
for wrong in '["r","z",1]' '["r","x",5]' '["r","z",null]' '["w","z",3]'; do
    { cat register.jsonl; echo "{\"session\":3,\"ops\":[$wrong]}"; } >doubtful.jsonl
    t 1 "with $wrong" "$isolab" check doubtful.jsonl
    err_is '' # one more unwritten value, or nil, or only one of two keys
done
t 0 "--initial 0 makes zeros initial values" "$isolab" check -l ser --initial 0 --certificate zero register.jsonl
t 0 "isolab-verify takes --initial 0, too" "$verify" --initial 0 register.jsonl zero
t 0 "with an equals sign" "$verify" --initial=0 register.jsonl zero
t 1 "is none without it" "$verify" register.jsonl zero
t 0 "convert --initial 0 declares the initial values" "$isolab" convert --initial 0 register.jsonl declared.isolab
t 0 "writes it down" "$isolab" check -l ser declared.isolab
t 0 "stats takes --initial 0, too" "$isolab" stats --json --initial 0 register.jsonl
same 1 "$(jq .initial_reads out)" "stats counts the reads of the initial value"
sed 's/,0\]/,"none"]/' register.jsonl >text.jsonl
t 0 "--initial takes a string" "$isolab" check -l ser --initial none text.jsonl
{ printf '{"session":9,"ops":[["w","x",0],["w","y",0]]}\n'; cat register.jsonl; } >loaded.jsonl
t 0 "and a transaction that loads it" "$isolab" stats --json --initial 0 loaded.jsonl
same '2 null' "$(jq -r '"\(.initial_transaction.keys) \(.initial_transaction.first)"' out)" "stats takes the first transaction as the initial one"

# AWDIT's text, where 0 is initial only as far as the first transaction writes it.
printf 'w 1 0\nw 2 0\n====\nr 1 1\n----\nr 1 0\n====\nw 1 1\n' >stale.test
t 0 "AWDIT's text, with an ordinary first transaction" "$isolab" check --format test -l ser --initial-transaction no stale.test
t 1 "a read that goes back to the initial value" "$isolab" check --format test -l ser stale.test
out_like '^stale.test: the first transaction is taken as the initial one: it writes 2 keys$'
printf 'r 1 1\n----\nr 1 0\n====\nw 1 1\n====\nw 2 0\nw 1 0\n' >last.test
t 0 "an initial transaction elsewhere is not taken" "$isolab" check --format test -l ser last.test
err_like 'last.test: transaction t3 writes the initial value of every key, and is not the first one: .*--initial-transaction yes$'
t 1 "unless an option says so" "$isolab" check --format test -l ser --initial-transaction yes last.test
out_like '^last.test: transaction t3 is taken as the initial one: it writes 2 keys$'
t 0 "and it is written as the first session" "$isolab" convert --format test --initial-transaction yes --to test last.test first.test
same 'w 1 0' "$(head -n 1 first.test)" "it writes the keys that are read"
t 1 "which is known again" "$isolab" check --format test -l ser first.test

t 65 "yes, where the first transaction reads" "$isolab" check --initial-transaction yes register.jsonl
err_is 'isolab: register.jsonl: expected a first transaction that can be the initial one (--initial-transaction yes), found one that does more than write registers'
t 64 "a word that there is not" "$isolab" check --initial-transaction maybe lost.plume
err_like 'expected one of auto no yes'
finish
