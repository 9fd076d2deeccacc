#!/bin/sh
# What a satisfied verdict rests on, in every output, and --require-evidence.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# t3 reads x from t1 after it has read y from t2, which also writes x: one case of rc. The order t2, t1 is right.
cat >case.txt <<'END'
session A
t1 commit @5..6: r x 2, w x 1
session B
t2 commit @1..2: w x 2, w y 2
session C
t3 commit @7..8: r y 2, r x 1
END
# The same writes, and nothing that could go wrong at rc.
cat >none.txt <<'END'
session A
t1 commit @1..4: w x 1
session B
t2 commit: w x 2, w y 2
session C
t3 commit @3..: r x 1
END
printf 'session A\nt1 commit:\nt2 abort: w x 1, r x 1\nt3 commit:\n' >empty.txt
printf 'session A\n' >nothing.txt
printf 'session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 2\n' >broken.txt

t 0 "a case of rc" "$isolab" check -l rc case.txt
out_like '^case.txt: satisfied rc .* ms; evidence 1$'
out_like '^  evidence of rc: reads of a key after a read from another of its writers$'
out_like '^  rests on 3 reads, 3 from other sessions; 1 key with several writers; 0 pairs of transactions that overlapped in time$'
t 0 "no case of rc" "$isolab" check -l rc none.txt
out_like '^none.txt: satisfied rc .* ms; no evidence$'
out_like '^  rests on 1 read, 1 from other sessions; 1 key with several writers; 0 pairs .*; 1 of 3 transactions without times; 1 of 3 transactions with a start or an end alone$'
t 0 "evidence is there where it is required" "$isolab" check -l rc --require-evidence case.txt
t 2 "without it the verdict is unknown" "$isolab" check -l rc --require-evidence none.txt
out_like '^none.txt: unknown rc .*: no evidence: the history has no reads of a key after a read from another of its writers$'
t 2 "the same by each checker" "$isolab" check -l rc -c all --require-evidence none.txt
same 0 "$(grep -c 'satisfied' out)" "so none says satisfied"
t 1 "what is violated stays violated" "$isolab" check -l rc --require-evidence broken.txt
t 2 "no certificate of what is unknown" "$isolab" check -l rc --require-evidence --certificate proof none.txt
[ ! -e proof ]
ok $? "no certificate of an unknown verdict is written"
t 0 "one of what rests on something" "$isolab" check -l rc --require-evidence --certificate proof case.txt
t 0 "the proof of a satisfied level is valid" "$verify" case.txt proof

# JSON.
"$isolab" check -l rc --json case.txt none.txt broken.txt >out
same '[1,true] [0,true] [null,null]' "$(jq -c '[.evidence, .evidence_exact]' out | tr '\n' ' ' | sed 's/ $//')" "JSON has the number"
same '{"operations":6,"reads":3,"reads_from_other_sessions":3,"keys_with_several_writers":1,"exact":true,"transactions":3,"transactions_without_times":0,"transactions_with_one_time":0,"overlapping_pairs":0,"overlapping_pairs_exact":true}' \
    "$(jq -c 'select(.file == "case.txt").rests_on' out)" "and what it rests on"
same '[3,1,1] [3,1,1]' "$(jq -c 'select(.file == "none.txt").rests_on | [.transactions, .transactions_without_times, .transactions_with_one_time]' out | sed 'p' | tr '\n' ' ' | sed 's/ $//')" \
    "and how many have no times"
same null "$(jq -c 'select(.file == "broken.txt").rests_on' out)" "nothing of what is violated"
t 2 "JSON of what lacks evidence" "$isolab" check -l rc --json --require-evidence none.txt
same 'unknown evidence 0' "$(jq -r '"\(.verdict) \(.reason_code) \(.evidence)"' out)" "JSON has the reason code 'evidence'"

# The ladder: every level has its own number.
"$isolab" check --json case.txt >out
# sser and lser: t1 and t3 began after t2's end, and all access x. From ser to rc-plume: (t3, x, t2), and t2 is before t3 in each way. g1: three reads from
# others. ci: no key twice. int: three reads.
same 'sser 2 lser 2 ser 1 si 1 pc 1 cc 1 ra 1 rc 1 rc-plume 1 g1 3 ci 0 int 3' \
    "$(jq -r '.ladder[] | "\(.level) \(.evidence)"' out | tr '\n' ' ' | sed 's/ $//')" "the numbers of all levels"
t 0 "the ladder shows the evidence of each level" "$isolab" check case.txt
out_like '^  yes satisfied ser .*; evidence 1$'
out_like '^  yes satisfied ci .*; no evidence$'
t 2 "the ladder with evidence only" "$isolab" check --require-evidence case.txt
out_like '^  \?   unknown ci .*: no evidence: '
out_like '^  strongest satisfied: sser$'
t 2 "where there is none" "$isolab" check --require-evidence none.txt
out_like '^  strongest satisfied: '

# Without operations.
for file in empty.txt nothing.txt; do
    t 0 "$file" "$isolab" check $file
    out_like '^  rests on no operations: every level holds vacuously$'
    t 2 "$file, and evidence is required" "$isolab" check -l ser --require-evidence $file
    t 0 "a page about $file" "$isolab" report $file
    out_like 'no operations: every level holds vacuously'
done

# Real time.
printf 'session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1\n' >untimed.txt
t 2 "sser without times" "$isolab" check -l sser --require-evidence untimed.txt
out_like 'unknown sser .*: no evidence: the history has no times$'
printf 'session A\nt1 commit @1..5: w x 1\nsession B\nt2 commit @2..6: r x 1\n' >overlap.txt
t 2 "sser where all overlap" "$isolab" check -l sser --require-evidence overlap.txt
out_like 'no evidence: the history has no transactions that began after one of another session had ended$'
out_like '1 pair of transactions that overlapped in time$'
t 0 "sser where one is after the other" "$isolab" check -l sser --require-evidence case.txt

# The report.
t 0 "the page shows the evidence" "$isolab" report case.txt
out_like '<b>rc</b>.*<i>Evidence: 1 reads of a key after a read from another of its writers\.</i>'
out_like '<b>ci</b>.*<i>No evidence: no second reads of a key by one transaction\.</i>'
out_like '<p>All [0-9]+ operations were checked\. .*: 3 reads, 3 from other sessions; 1 key'

# Large: a lower bound, and an exact 0.
"$isolab" generate random --txns 100k --sessions 20 --keys 100 --level ser -o large.ilb
"$isolab" check -l ra --json large.ilb >out
same 'true false false' "$(jq -r '"\(.evidence > 0) \(.evidence_exact) \(.rests_on.exact)"' out)" "a lower bound of many cases"
t 0 "is reported as a lower bound" "$isolab" check -l ra large.ilb
out_like '; evidence at least [0-9]+$'
"$isolab" generate random --txns 100k --sessions 20 --keys 100 --reads 0 --level ser -o writes.ilb
same '0 true' "$("$isolab" check -l ra --json writes.ilb | jq -r '"\(.evidence) \(.evidence_exact)"')" "JSON: no case of ra, an exact number"
finish
