#!/bin/sh
# Times that contradict sessions are called that, with the first place, wherever strict serializability is asked about.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >back.txt <<'H'
session A
t1 commit @1..4: w x 1
t2 commit @3..6: r x 1
t3 commit @8..9: r x 1
t4 commit @5..7: r x 1
session B
t5 commit @10..11: r x 1
H
first='in session A, t4 comes after t3, but ended \(7\) before t3 began \(8\); the first of 2 such places'
t 1 "a session against its clock" "$isolab" check -l sser back.txt
out_like "suspect the times: a clock ran backwards.*$first" "names the first place that contradicts"
out_like 'clock-contradiction: .*suspect the clock' "and is not only called a violation"
t 1 "the ladder of a session against its clock is violated" "$isolab" check back.txt
out_like "suspect the times: .*$first"
t 1 "sser is violated in JSON" "$isolab" check -l sser --json back.txt
same "2 1 t3 t4" "$(jq -r '.clock | "\(.places) \(.contradictions) \(.earlier) \(.later)"' out)" "numbers and transactions"
t 1 "the ladder as JSON" "$isolab" check --json back.txt
same "2" "$(jq -r .clock.places out)" "JSON has the two places of the clock"
t 0 "other levels do without times" "$isolab" check -l ser back.txt
! grep -q suspect out
ok $? "and say nothing of them"
t 0 "stats reads a history with a clock that runs backward" "$isolab" stats back.txt
out_like "^  clock .*$first"
t 0 "stats writes it as JSON" "$isolab" stats --json back.txt
same "2" "$(jq -r .clock.places out)" "JSON of stats has the two places of the clock"
t 0 "report reads a history with a clock that runs backward" "$isolab" report back.txt
out_like "Suspect the times:.*$first"

# Overlapping in a session is no violation, and yet no client does it.
printf 'session A\nt1 commit @1..4: w x 1\nt2 commit @3..6: r x 1\n' >overlap.txt
t 0 "an overlap in a session" "$isolab" check -l sser overlap.txt
out_like 'in session A, t2 comes after t1, but began \(3\) before t1 ended \(4\); 1 such place'
printf 'session A\nt1 commit @1..4: w x 1\nt2 commit @4..4: r x 1\nt3 commit @4..: r x 1\nt4 commit: r x 1\nt5 commit @..9: r x 1\n' >ties.txt
t 0 "ties, no duration, missing times" "$isolab" check -l sser ties.txt
! grep -q suspect out
ok $? "are no reason to suspect anything"

# A transaction that reads from a transaction that had not begun has a wrong clock, too.
printf 'session A\nt1 commit @5..6: w x 1\nsession B\nt2 commit @1..2: r x 1\n' >early.txt
t 1 "a read before the write" "$isolab" check -l sser early.txt
out_like 'clock-contradiction'

# An indeterminate transaction may happen after its client gave up, in whatever format its end was written.
printf 'session A\nt1 maybe @1..2: w x 1\nsession B\nt2 commit @3..4: r x nil\nsession C\nt3 commit @5..6: r x 1\n' >maybe.txt
t 0 "an indeterminate transaction has no end" "$isolab" check -l sser -c all maybe.txt
cat >maybe.jsonl <<'H'
{"session":"A","id":"t1","status":"indeterminate","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"B","id":"t2","start":3,"end":4,"ops":[["r","x",null]]}
{"session":"C","id":"t3","start":5,"end":6,"ops":[["r","x",1]]}
H
t 0 "in JSON lines, too, an indeterminate transaction has no end" "$isolab" check -l sser maybe.jsonl
"$isolab" convert maybe.txt maybe.ilb
t 0 "in the binary form" "$isolab" check -l sser maybe.ilb
sed 's/maybe/commit/' maybe.txt >commit.txt
t 1 "a committed one has" "$isolab" check -l sser commit.txt

printf 'session A\nt1 commit @5..4: w x 1\n' >turned.txt
t 65 "an end before the start is malformed" "$isolab" check turned.txt
err_like 'turned.txt: line 2: .*found start 5 and end 4: a clock ran backwards'
finish
