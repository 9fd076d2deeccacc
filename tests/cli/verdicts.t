#!/bin/sh
# `isolab referee --verdicts`: tables of recorded verdicts are parties. What agrees is counted; each kind of difference is a
# report about the whole file, with the proof of the right verdict; a table that is damaged is refused with its line.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
tab=$(printf '\t')
mkdir -p set/deep
cat >set/lost.txt <<'H'
session A
t1 commit: r x nil, w x 1
session B
t2 commit: r x nil, w x 2
H
cat >set/deep/good.txt <<'H'
session A
t1 commit: w x 1
session B
t2 commit: r x 1
H
printf 'not a history\n' >set/README
table() { tr ' ' '\t' >"$1"; }

# cc is satisfied by a lost update, si is not; so are both by the other history.
table set/right.tsv <<'T'
file format level verdict seconds source
lost.txt isolab cc satisfied 0.5 paper
lost.txt isolab si violated 1.25 paper
deep/good.txt isolab si satisfied 2 paper
lost.txt isolab si violated 0.1 tool
deep/good.txt isolab ser timeout 60 tool
T
t 0 "a table that is right" "$isolab" referee --verdicts set/right.tsv --out right --json
same "2 3 0" "$(jq -r '"\(.histories) \(.comparisons) \(.disagreements)"' out)" "its files are the histories, each once, and each question was compared"
same "auto,recorded:paper,recorded:tool" "$(jq -r '[.checkers[].checker] | join(",")' out)" "every source is a party, and isolab's default checkers are one"
same "1 1" "$(jq -r '.checkers[] | select(.checker == "recorded:tool") | "\(.violated) \(.states.timeout)"' out)" "a recorded time-out is no verdict"

same "paper 3.75 tool 0.1" "$(jq -r '[.checkers[] | select(.seconds_recorded) | "\(.checker | sub("recorded:"; "")) \(.seconds_recorded)"] | join(" ")' out)" "recorded seconds of the verdicts that were compared are added up"
t 0 "recorded verdicts are compared with checkers" "$isolab" referee --verdicts set/right.tsv --out right
out_like '^recorded:paper .* 3.75 s recorded for 3 of them$'

# A history that cannot be read is told and skipped.
printf 'session A\nt1 commit: r x\n' >set/cut.txt
table set/unreadable.tsv <<'T'
file format level verdict
lost.txt isolab si violated
cut.txt isolab si satisfied
deep/good.txt isolab si satisfied
T
t 65 "a table about a damaged history" "$isolab" referee --verdicts set/unreadable.tsv --out unreadable --json
err_like '^isolab: set/cut.txt: line 2: .* \(skipped\)$'
same "1 2 2 0" "$(jq -r '"\(.unreadable) \(.histories) \(.comparisons) \(.disagreements)"' out)" "is told; the others are compared"
t 65 "also when it is continued" "$isolab" referee --verdicts set/unreadable.tsv --out unreadable --resume
out_like '^files that could not be read, and were skipped: 1$'
sed -i 's/lost.txt\tisolab\tsi\tviolated/lost.txt\tisolab\tsi\tsatisfied/' set/unreadable.tsv
t 65 "with mutants, and with a difference" "$isolab" referee --verdicts set/unreadable.tsv --mutants 3 --out unreadable2 --json
same "1 8 11 1" "$(jq -r '"\(.unreadable) \(.histories) \(.next - 1) \(.disagreements)"' out)" "which is found"
rm set/cut.txt set/unreadable.tsv

table set/wrong.tsv <<'T'
file level verdict
lost.txt si satisfied
deep/good.txt ser violated
T
t 1 "a table that is wrong" "$isolab" referee --checkers brute,strong --verdicts set/wrong.tsv -l si,ser --out wrong
report=$(ls -d wrong/si-recorded_wrong.tsv-lost-update-*)
same "violated true verified by isolab-verify" "$(jq -r '"\(.truth) \(.repeatable) \(.certificate)"' "$report/verdicts.json")" "violated, with a proof"
same "recorded:wrong.tsv satisfied" "$(jq -r '.verdicts[] | select(.wrong) | "\(.checker) \(.verdict)"' "$report/verdicts.json")" "the table alone is wrong"
matches 'recorded:wrong.tsv is a recorded verdict: `set/wrong.tsv, line 2`' "$report/report.md" "the report names the line of the table"
matches 'The whole file: a recorded verdict is about it alone' "$report/report.md" "and that nothing was shrunk"
same 2 "$(grep -c ' commit:' "$report/history.txt")" "so both transactions are there"
(cd "$report" && PATH=$(dirname "$isolab"):$PATH sh commands.sh) >again 2>&1
matches 'violated si' again "its commands run"
report=$(ls -d wrong/ser-recorded_wrong.tsv-*)
same "satisfied verified by isolab-verify" "$(jq -r '"\(.truth) \(.certificate)"' "$report/verdicts.json")" "a wrong violated is one, too, with an order as the proof"
matches "[-]-verdicts $tmp/set/wrong.tsv" "$report/report.md" "the command of the run has the table"

# The printed command asks the same parties: `auto` stands beside the tables where no checkers were named.
t 1 "without checkers" "$isolab" referee --verdicts set/wrong.tsv -l si,ser --run-timeout 7 --out alone
matches "^    isolab referee -l si,ser --seed 1 --verdicts $PWD/set/wrong.tsv --run-timeout 7( |\$)" "$(ls alone/*/report.md | head -1)" "its command"

t 0 "a folder stands for its histories" "$isolab" referee --verdicts set/right.tsv --out folder --json set
same "2 3" "$(jq -r '"\(.histories) \(.comparisons)"' out)" "at any depth; what is no history is left out"
t 0 "FILEs choose among the rows" "$isolab" referee --verdicts set/right.tsv --out one --json set/deep/../lost.txt
same "1 2" "$(jq -r '"\(.histories) \(.comparisons)"' out)" "by the file, whatever it is called"
cp set/deep/good.txt other.txt
t 64 "a table that is about none of the FILEs" "$isolab" referee --checkers brute,strong --verdicts set/right.tsv -l si --out none other.txt
printf 'verdict\tfile\r\nviolated\tlost.txt\r\n' >set/level.tsv
t 0 "one level of --level for a table without levels, and ends of lines of another system" "$isolab" referee --verdicts set/level.tsv -l si --out level

bad() { # WHAT MESSAGE: the table on standard input
    table bad.tsv
    t 65 "$1" "$isolab" referee --verdicts bad.tsv --out bad
    err_like "$2"
}
bad "no header" 'bad.tsv: line 1: expected a first line that names the columns' <<'T'
set/lost.txt si satisfied
T
bad "no level" 'bad.tsv: line 1: no column is called level' <<'T'
file verdict
T
bad "an unknown level" 'bad.tsv: line 3: expected a level, found "sii"' <<'T'
file level verdict
set/lost.txt si violated
set/lost.txt sii violated
T
bad "an unknown verdict" 'bad.tsv: line 2: expected satisfied, violated, unknown or timeout, found "yes"' <<'T'
file level verdict
set/lost.txt si yes
T
bad "a missing file" 'bad.tsv: line 2: there is no file, found "set/gone.txt"' <<'T'
file level verdict
set/gone.txt si violated
T
bad "two verdicts" 'bad.tsv: line 3: line 2 says another verdict of this file and level' <<'T'
file level verdict
set/lost.txt si violated
set/lost.txt si satisfied
T
bad "no seconds" 'bad.tsv: line 2: expected seconds, found "-1"' <<'T'
file level verdict seconds
set/lost.txt si violated -1
T
printf 'file\tlevel\tverdict\nset/lost.txt\tsi\tviolated\0\n' >zero.tsv
t 65 "a zero byte" "$isolab" referee --verdicts zero.tsv --out bad
err_like 'a zero byte'
finish
