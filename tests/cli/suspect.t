#!/bin/sh
# Known mistakes of tests are named, with the first place and what to do, where a level is violated.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

printf 'session A\nt1 abort @1..4: w x 1\nsession B\nt2 commit @5..6: r x 1\n' >timeout.txt
sign='t1 is logged as aborted, and t2, which began later, reads its value of key x'
advice='log a commit without an answer as indeterminate, not as aborted'
t 1 "a timeout logged as an abort" "$isolab" check -l g1 timeout.txt
out_like "possible recording error: $sign: $advice" "names the place and what to do"
t 1 "on the ladder" "$isolab" check timeout.txt
out_like "possible recording error: $sign"
t 1 "the JSON of check names the suspicion" "$isolab" check -l g1 --json timeout.txt
same "timeout-as-abort|$sign|$advice|1|t1 t2|x" \
    "$(jq -r '.suspects[] | "\(.name)|\(.text)|\(.advice)|\(.places)|\(.transactions | join(" "))|\(.key)"' out)" "all members"
t 1 "the ladder as JSON" "$isolab" check --json timeout.txt
same "timeout-as-abort" "$(jq -r '.suspects[].name' out)" "the JSON of the ladder names the suspicion, too"
t 0 "stats names the suspicion" "$isolab" stats timeout.txt
out_like "^  suspect  .*$sign: $advice"
t 0 "stats as JSON" "$isolab" stats --json timeout.txt
same "timeout-as-abort" "$(jq -r '.suspects[].name' out)" "the JSON of stats names the suspicion, too"
t 0 "report names the suspicion" "$isolab" report timeout.txt
out_like "Suspect the test:.*$sign"

# No doubts where nothing is violated, nor about a dirty read.
printf 'session A\nt1 commit @1..4: w x 1\nt2 commit @3..6: r x 1\n' >shared.txt
t 0 "a satisfied level" "$isolab" check -l ser shared.txt
! grep -q 'possible recording error' out
ok $? "gives no reason to possible recording error"
sed 's/@5/@3/' timeout.txt >dirty.txt
t 1 "a dirty read" "$isolab" check --json -l g1 dirty.txt
same "null" "$(jq -r .suspects out)" "is the database's"

# Names are data.
printf '{"session":"A","id":"<b>","status":"aborted","start":1,"end":4,"ops":[["w","<i>",1]]}\n{"session":"B","id":"t2","start":5,"end":6,"ops":[["r","<i>",1]]}\n' >markup.jsonl
t 0 "markup in names" "$isolab" report markup.jsonl
out_like 'Suspect the test:.*&lt;b&gt;.*&lt;i&gt;' "is shown as text"
finish
