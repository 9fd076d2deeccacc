#!/bin/sh
# What happens around the referee's questions: where programs are, what they inherit, the messages while they run, and which run
# a folder belongs to.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
export isolab

# A program named relative to the file of adapters, or to the current folder, is found from wherever isolab is started.
mkdir -p tools/bin elsewhere
cat >tools/bin/mine <<'S'
#!/bin/sh
for file; do :; done
"$isolab" check -l ra -c naive --format isolab "$file" >/dev/null
[ $? = 0 ] && echo satisfied || echo violated
S
chmod +x tools/bin/mine
printf '[mine]\nprogram = ./bin/mine\nlevels = ra\n' >tools/my.adapters
few='-l ra --random --count 3 --txns 3'
for folder in . tools elsewhere; do
    path=$(cd $folder && realpath --relative-to=. "$tmp/tools/my.adapters")
    (cd $folder && "$isolab" referee --checkers naive,ext:mine --adapters "$path" $few --out "$tmp/relative" --json) >out 2>err
    same "0 3" "$? $(jq .comparisons out)" "from $folder, by $path"
done
(cd tools && "$isolab" referee --checkers naive,ext:plume --adapter plume=bin/mine -l ra --random --count 2 --txns 2 --out "$tmp/place") >out 2>err
grep -q 'No such file' out err
same 1 $? "--adapter NAME=PATH with a relative path"
(cd tools/bin && PATH=.:$PATH "$isolab" referee --checkers naive,ext:mine --adapters "$tmp/tools/plain.adapters" $few --out "$tmp/onpath") >out 2>err
same 74 $? "a file of adapters that is not there"
printf '[mine]\nprogram = mine\nlevels = ra\n' >tools/plain.adapters
(cd tools/bin && PATH=.:$PATH "$isolab" referee --checkers naive,ext:mine --adapters "$tmp/tools/plain.adapters" $few --out "$tmp/onpath") >out 2>err
same 0 $? "a relative folder of the PATH"

# Our own limit of memory is not theirs.
cat >tools/bin/limited <<'S'
#!/bin/sh
echo "limit $(ulimit -d)" >&2
[ "$(ulimit -d)" = "$wanted" ] && exec "$(dirname "$0")/mine" "$@"
exit 9
S
chmod +x tools/bin/limited
printf '[limited]\nprogram = ./bin/limited\nlevels = ra\n' >>tools/my.adapters
wanted=$(ulimit -d) t 0 "a program does not inherit --memory" env wanted="$(ulimit -d)" "$isolab" referee --memory 200M --checkers naive,ext:limited \
    --adapters tools/my.adapters $few --out memory
(ulimit -S -d 3000000 && wanted=3000000 "$isolab" referee --checkers naive,ext:limited --adapters tools/my.adapters $few --out memory) >out 2>err
same 0 $? "but what isolab itself was started with"

# A run that ends while a finding is looked into: the report has the answers of the first time.
cat >tools/bin/interrupts <<'S'
#!/bin/sh
[ -e asked ] && kill -INT $PPID && sleep 60
: >asked
[ "$1" = crash ] && exit 9
echo "no: all of it is wrong"
S
chmod +x tools/bin/interrupts
printf '[interrupts]\nprogram = ./bin/interrupts\nlevels = ra\nviolated = ^no\nanomaly = ^no: (.*)\n' >>tools/my.adapters
printf '[dies-once]\nlike = interrupts\narguments = crash {file}\n' >>tools/my.adapters
printf 'session A\nt1 commit: w x 1\n\nsession B\nt2 commit: r x 1, r y nil\n' >fine.txt
"$isolab" referee --checkers naive,ext:interrupts --adapters tools/my.adapters -l ra --out interrupted fine.txt >out 2>err
report=$(ls interrupted/ra-interrupts-*/report.md)
matches '^| ext:interrupts | violated | all of it is wrong' "$report" "the published checker keeps what it said"
matches '^| naive | satisfied |' "$report" "and ours"
matches 'a limit came before the parties could be asked again' "$report" "and the report says that they were not asked again"
rm -f asked
"$isolab" referee --checkers naive,ext:dies-once --adapters tools/my.adapters -l ra --out once fine.txt >out 2>err
same "" "$(ls once | grep dies-once)" "a crash that was not confirmed is not reported"

# Nothing compared is no agreement.
printf '[refuses]\nprogram = ./bin/refuses\nlevels = ra\nrefusals = 4\n' >>tools/my.adapters
printf '#!/bin/sh\nexit 4\n' >tools/bin/refuses
chmod +x tools/bin/refuses
t 2 "a checker that refuses everything" "$isolab" referee --checkers naive,ext:refuses --adapters tools/my.adapters $few --out refused
out_like 'nothing was compared with ext:refuses: it gave no verdict'
out_like ' 0 comparisons, 0 disagreements'
t 64 "a level that only one of them answers" "$isolab" referee --checkers naive,ext:mine --adapters tools/my.adapters -l cc --random --count 3 --out level
err_like '^isolab: --level: only one of the checkers answers cc, and two have to be compared$'
t 64 "a level that none answers" "$isolab" referee --checkers naive,ext:mine --adapters tools/my.adapters -l ser --random --count 3 --out level
err_like 'none of the checkers answers ser'

# Two runs in one folder: each goes on where it was.
one() { "$isolab" referee --checkers naive,awdit -l ra --random --seed 1 --out both --json "$@"; }
other() { "$isolab" referee --checkers naive,plume -l ra --random --seed 1 --out both --json "$@"; }
t 0 "a run of thirty histories ends" one --count 30
t 0 "another run in its folder" other --count 20
t 0 "the first one goes on" one --count 50 --resume
same "20 50" "$(jq -r '"\(.histories) \(.next)"' out)" "from where it was"
t 0 "and the other one" other --count 50 --resume
same "30 50" "$(jq -r '"\(.histories) \(.next)"' out)" "from where that was"
t 0 "and the first one again" one --count 60 --resume
same "10 60" "$(jq -r '"\(.histories) \(.next)"' out)" "and nothing was lost"
t 64 "a third one has nothing to go on with" "$isolab" referee --checkers brute,plume -l ra --random --seed 1 --out both --resume
err_like 'both/state is of another run: seed 1; checkers naive awdit'

# Without a terminal, counts and reports are printed while it runs.
cat >tools/bin/wrong <<'S'
#!/bin/sh
echo satisfied
S
chmod +x tools/bin/wrong
printf '[wrong]\nprogram = ./bin/wrong\nlevels = ra\n' >>tools/my.adapters
t 1 "a wrong checker" "$isolab" referee --checkers naive,ext:wrong --adapters tools/my.adapters -l ra --random --count 40 --txns 3 --ops 2 --keys 2 \
    --sessions 2 --seed 5 --batch 10 --reports 1 --progress 0.000001 --run-memory 1G --out wrong
err_like '^isolab: 10 histories, [0-9]+ comparisons, [0-9]+ disagreements, [0-9]+ reports$'
err_like '^isolab: a disagreement: wrong/ra-'
t 1 "every minute, if nothing else is said" "$isolab" referee --checkers naive,ext:wrong --adapters tools/my.adapters -l ra --random --count 40 \
    --txns 3 --ops 2 --keys 2 --sessions 2 --seed 5 --reports 1 --out wrong2
! grep -q 'histories,' err
ok $? "no progress is told in the first minute"

# The command in a report finds the same again.
report=$(ls -d wrong/ra-wrong-* | head -n 1)
command=$(sed -n 's/^ *\(isolab referee .*\)/\1/p' "$report/report.md" | head -n 1)
for word in "--adapters $tmp/tools/my.adapters" '--count 40' '--txns 3' '--ops 2' '--keys 2' '--sessions 2' '--seed 5' '--batch 10' '--reports 1' '--run-memory 1073741824'; do
    case $command in *" $word"*) true ;; *) false ;; esac
    ok $? "the command has $word"
done
(cd elsewhere && PATH=$(dirname "$isolab"):$PATH sh -c "$command --out again") >out 2>err
same "1 $(cat wrong/*/history.txt | sort | sha256sum)" "$? $(cat elsewhere/again/*/history.txt | sort | sha256sum)" "and finds the same histories from elsewhere"

# Also that of a run that ended with its time.
t 1 "a run that a limit of time ends" "$isolab" referee --checkers naive,ext:wrong --adapters tools/my.adapters -l ra --random --timeout 1.5 --txns 3 --ops 2 --keys 2 \
    --seed 6 --reports 1 --out timed
report=$(ls -d timed/ra-wrong-* | tail -n 1)
command=$(sed -n 's/^ *\(isolab referee .*\)/\1/p' "$report/report.md" | head -n 1)
number=$(sed -n 's/^Number \([0-9]*\) of this run.*/\1/p' "$report/report.md")
case $command in *" --count $((number + 1))"*) true ;; *) false ;; esac
ok $? "the command goes as far as the finding's number"
(cd elsewhere && PATH=$(dirname "$isolab"):$PATH sh -c "$command --out timed") >out 2>err
again=$(grep -l "^Number $number of" elsewhere/timed/*/report.md | head -n 1)
same "$(cat "$report/original.txt")" "$(cat "$(dirname "$again")/original.txt")" "and finds the same history" # shrinking may have had less time

# A party that could not be asked about the large history, and answers about the small one, is on its side.
cat >tools/bin/dies <<'S'
#!/bin/sh
echo 'Picked up JAVA_TOOL_OPTIONS: -Xmx100m' >&2
echo 'Exception in thread "main" java.lang.IllegalStateException: queue' >&2
exit 3
S
chmod +x tools/bin/dies
printf '[dies]\nprogram = ./bin/dies\nlevels = ra\n' >>tools/my.adapters
"$isolab" generate random --txns 40 --sessions 4 --keys 4 --ops 3 --level rc --seed 2 -o large.txt --to isolab
t 1 "a crash on a history that is too large for brute" "$isolab" referee --checkers brute,ext:dies --adapters tools/my.adapters -l ra --reports 1 --out dies large.txt
report=$(ls -d dies/ra-dies-* | head -n 1)
truth=$(jq -r .truth "$report/verdicts.json")
side=$(echo "$truth" | sed 's/^./\U&/')
matches "$side, say: brute\." "$report/report.md" "brute is named with its verdict ($truth)"
matches 'java.lang.IllegalStateException: queue' "$report/report.md" "what a Java program said is kept"
! grep -q 'Picked up' "$report/report.md"
ok $? "and not what its run-time system said before"
cat >tools/bin/dies <<'S'
#!/bin/sh
printf 'Traceback (most recent call last):\n  File "mine.py", line 3, in <module>\nKeyError: 17\n' >&2
exit 1
S
printf 'statuses = 0\n' >>tools/my.adapters
t 1 "a program in Python that fails" "$isolab" referee --checkers naive,ext:dies --adapters tools/my.adapters $few --reports 1 --out python
matches 'exit status 1: KeyError: 17' "$(ls -d python/ra-dies-* | head -n 1)/report.md" "the report says why the program died"
finish
