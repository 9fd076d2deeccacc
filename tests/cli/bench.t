#!/bin/sh
# isolab bench: results that survive being killed, a full disk, broken programs; verdicts that are compared.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >s.suite <<'END'
suite: a test
levels: rc cc
checkers: awdit naive
repeat: 4
timeout: 20
memory: 1G
history: h-{seed}
    generate: random --txns 60 --sessions 4 --keys 10 --level ra --seed {seed}
    vary: seed 1..3
END
t 0 "--plan shows the runs" "$isolab" bench --plan s.suite
out_like '^3 histories, 12 questions, 48 runs$'
[ ! -e s.sqlite ]
ok $? "a plan runs nothing"
t 0 "a suite is run" "$isolab" bench s.suite
out_like '^3 histories, 48 runs: 48 now, 0 before$'
out_like '^ok 48, wrong 0, timeout 0, out of memory 0, crash 0, unsupported 0, refused 0, not installed 0$'
t 0 "the same suite again finds all runs done" "$isolab" bench s.suite
out_like ' 0 now, 48 before$'
t 0 "more repetitions run only what is missing" "$isolab" bench --repeat 5 s.suite
out_like ' 12 now, 48 before$'
[ "$(ls s.sqlite.histories/*.ilb | wc -l)" = 3 ]
ok $? "histories are generated once"

# Killed in the middle: what was over is there, its child is gone, and the rest follows.
cat >slow <<'END'
#!/bin/sh
sleep 0.2
exec "$ISOLAB" "$@"
END
chmod +x slow
ISOLAB=$isolab
export ISOLAB
"$isolab" bench --repeat 2 --program "$tmp/slow" -o killed.sqlite s.suite >log 2>&1 &
victim=$!
wait_for '[ "$(sqlite3 -readonly killed.sqlite "SELECT count(*) FROM run")" -gt 3 ]'
kill -9 $victim
wait $victim 2>/dev/null
wait_for '! ps -eo args | grep "$tmp/sl[o]w"'
ok $? "the running checker dies with the killed bench"
t 0 "after kill -9 the same command continues" "$isolab" bench --repeat 2 --program "$tmp/slow" -o killed.sqlite s.suite
before=$(sed -n 's/.* \([0-9]*\) before.*/\1/p' out)
now=$(sed -n 's/.*: \([0-9]*\) now.*/\1/p' out)
[ "$before" -gt 0 ] && [ "$now" -gt 0 ] && [ $((before + now)) = 24 ]
ok $? "nothing was lost and nothing was run twice ($before before, $now after)"
t 0 "the same suite, never killed" "$isolab" bench --repeat 2 --program "$tmp/slow" -o whole.sqlite s.suite
t 0 "has the same answers" "$isolab" bench --compare whole.sqlite killed.sqlite --measure peak
out_like '^12 questions in both; 0 with more peak, 0 with another answer'

# Two builds in turns: first equal builds, then a slow one.
cp "$isolab" twin
printf x >>twin
sed -e 's/1\.\.3/1/' s.suite >turns.suite
# Four repetitions of four questions are too few to call anything a difference, so noise cannot break this.
t 0 "another build in turns" "$isolab" bench --against "$tmp/twin" --repeat 4 -o turns.sqlite turns.suite
commit=$(sed -n 's/^B: commit \([^,]*\),.*/\1/p' out)
out_like "^A: commit $commit, .*load " "its file says which commit it is"
out_like '^4 questions in both; 0 with more wall, 0 with another answer'
out_like '^1 histories, 32 runs: 32 now, 0 before$'
t 1 "a slower build is reported" "$isolab" bench --program "$tmp/slow" --against "$isolab" --repeat 8 -o turns.sqlite turns.suite
out_like '^4 questions in both; 4 with more wall, 0 with another answer'
out_like '^B: commit unknown,'
# The same program twice is one program, wherever it is; nothing is counted twice.
cp "$isolab" copy
sed -e 's/^checkers:.*/checkers: awdit/' turns.suite >same.suite
t 0 "against the same build" "$isolab" bench --label first --against "$tmp/copy" --repeat 2 -o same.sqlite same.suite
out_like '^both are the same build \(sha256 [0-9a-f]{12}\): it was measured once, and there is nothing to compare$'
once=$(sed -n 's/.* histories, \([0-9]*\) runs: \([0-9]*\) now, 0 before$/\1 \2/p' out)
rows=$(sqlite3 same.sqlite 'SELECT count(*) FROM run')
same "$rows $rows" "$once" "each run is counted once"
t 0 "a set compared with itself" "$isolab" bench --compare same.sqlite same.sqlite
out_like '^both are the same set: there is nothing to compare$'
cp same.sqlite again.sqlite
t 0 "and with its copy" "$isolab" bench --compare same.sqlite again.sqlite
out_like '^both are the same set: there is nothing to compare$'
t 0 "the same questions are measured again under another label" "$isolab" bench --label again --repeat 2 -o same.sqlite same.suite
t 0 "the same build at two times" "$isolab" bench --compare -o same.sqlite first again
out_like "^both are the same build \\(sha256 $(sha256sum "$isolab" | cut -c 1-12)\\): what differs is noise\$"
t 64 "turns are for one machine" "$isolab" bench --engine parallel --against "$isolab" turns.suite
t 64 "a program that does not exist cannot be compared with" "$isolab" bench --against "$tmp/nothing" turns.suite

# Histories that are given: known by name, size and time, and converted where a format is asked for.
mkdir given
for i in 1 2; do "$isolab" generate random --txns 50 --level ra --seed $i -o given/$i.jsonl; done
cat >given.suite <<'END'
suite: given
levels: rc
checkers: awdit naive
repeat: 1
history: mine
    files: given/*.jsonl
    expect: rc satisfied
END
sed '$a\    format: plume' given.suite >plume.suite
for suite in given plume; do
    t 0 "the files of $suite.suite are found" "$isolab" bench -o $suite.sqlite $suite.suite
    out_like '^2 histories, 4 runs: 4 now, 0 before$'
    t 0 "they are known again" "$isolab" bench -o $suite.sqlite $suite.suite
    out_like '^2 histories, 4 runs: 0 now, 4 before$'
done
printf '{"session":0,"ops":[["r",1,7]]}\n' >given/2.jsonl
for suite in given plume; do
    t 1 "a file that was changed ($suite)" "$isolab" bench -o $suite.sqlite $suite.suite
    out_like '^2 histories, 4 runs: 2 now, 2 before$' "is another history"
    out_like '^wrong: .*2.* rc awdit: said violated, expected satisfied$' "with another answer"
done
for patterns in 'given/1.jsonl | given/*.jsonl' 'gone/*.jsonl | given/1.jsonl'; do
    sed "s#files: .*#files: $patterns#" given.suite >either.suite
    rm -f either.sqlite
    t 0 "of the patterns $patterns one has the file" "$isolab" bench -o either.sqlite either.suite
    out_like '^1 histor.*, 2 runs: 2 now, 0 before$'
done
rm given/1.jsonl given/2.jsonl
t 65 "files that are gone" "$isolab" bench -o given.sqlite given.suite

# Interrupted: the same, and it says so.
"$isolab" bench --program "$tmp/slow" -o int.sqlite s.suite >log 2>err &
victim=$!
wait_for '[ "$(sqlite3 -readonly int.sqlite "SELECT count(*) FROM run")" -gt 0 ]'
kill -TERM $victim
wait $victim
same 2 $? "an interrupt ends as unknown"
matches 'the same command goes on' err "and says how to go on"

# Wrong verdicts, and broken checkers.
sed -e '$a expect: rc violated' s.suite >wrong.suite
t 1 "a verdict that is not the expected one" "$isolab" bench --repeat 1 wrong.suite
out_like '^wrong: h-1 rc awdit: said satisfied, expected violated$'
out_like '^ok 6, wrong 6'
broken() { # STATUS NAME STATES SCRIPT
    printf '#!/bin/sh\n%s\n' "$4" >broken
    chmod +x broken
    t "$1" "$2" "$isolab" bench --repeat 1 --program "$tmp/broken" -o "$2.sqlite" one.suite
    out_like "^ok [0-9]+.*$3"
}
sed -e 's/1\.\.3/1/' -e 's/timeout: 20/timeout: 1/' -e 's/^memory.*/memory: 64M/' s.suite >one.suite
broken 2 "a crash" "crash 4" 'kill -SEGV $$'
out_like '^crash: .*Segmentation fault'
broken 2 "nonsense" "crash 4" 'echo nonsense'
broken 2 "half a verdict" "crash 4" 'printf "{\"verdict\":\"satis"'
broken 2 "a verdict with the wrong status" "crash 4" 'echo "{\"verdict\":\"violated\"}"'
broken 2 "an internal error" "crash 4" 'echo "isolab: a bug" >&2; exit 70'
out_like 'exit status 70: isolab: a bug'
broken 0 "an endless one" "timeout 4" 'sleep 100'
broken 0 "a program that refuses" "refused 4" 'exit 65'
# The reason of an unknown verdict is a code; the sentence beside the code is for people, and may say anything.
unknown() { # CODE STATE
    broken 0 "reason-$1" "$2 4" \
        'echo "{\"verdict\":\"unknown\",\"reason_code\":\"'"$1"'\",\"reason\":\"memory limit: does not support level y\"}"; exit 2'
}
unknown level unsupported
unknown time timeout
unknown memory "out of memory"
for code in refused effort size interrupted something; do
    unknown $code refused
done
broken 0 "no-code" "refused 4" 'echo "{\"verdict\":\"unknown\",\"reason\":\"time limit reached\"}"; exit 2'
broken 2 "a flood" "crash 4" 'head -c 50000000 /dev/zero'
printf 'not a program' >broken
t 2 "no program at all" "$isolab" bench --repeat 1 --program "$tmp/broken" -o none.sqlite one.suite
out_like 'crash 4'
t 64 "a program that does not exist" "$isolab" bench --program "$tmp/nothing" one.suite

# A published checker, by its adapter: it is asked in its own words, and its answers are understood. It finds the file from
# any folder: scripts that start Java or Python often go to that of the program.
mkdir bin
cat >bin/awdit <<'END'
#!/bin/sh
cd /
[ "$1 $2 $4 $6" = "check -i -f -s" ] && [ -s "$8" ] || exit 1
case $3 in
read-committed) echo "Consistent." ;;
causal) echo "Inconsistent." ;;
esac
END
chmod +x bin/awdit
sed -e 's/1\.\.3/1/' -e 's/levels:.*/levels: rc ra cc ser/' -e 's/checkers:.*/checkers: ext:awdit ext:plume/' \
    -e '$a expect: rc satisfied, cc satisfied' s.suite >ext.suite
PATH=$tmp/bin:$PATH t 1 "a published checker" "$isolab" bench --repeat 1 ext.suite
out_like '^ok 1, wrong 1, timeout 0, out of memory 0, crash 1, unsupported 1, refused 0, not installed 4$'
out_like '^wrong: h-1 cc ext:awdit: said violated, expected satisfied$'
out_like '^crash: h-1 ra ext:awdit: no verdict'
# Limits of its own.
cat >bin/plume <<'END'
#!/bin/sh
case " $* " in *" RA "*) exec sleep 100 ;; esac
echo ACCEPT
END
chmod +x bin/plume
cat >limits.suite <<'END'
levels: ra cc
checkers: awdit ext:plume
repeat: 3
published-repeat: 2
published-timeout: 1
history: h
    generate: random --txns 20 --sessions 2 --level ser --seed 1
END
PATH=$tmp/bin:$PATH t 0 "limits of published checkers" "$isolab" bench -o limits.sqlite limits.suite
same "awdit|cc|3|ok awdit|ra|3|ok ext:plume|cc|2|ok ext:plume|ra|1|timeout" \
    "$(sqlite3 limits.sqlite "SELECT checker, level, count(*), max(state) FROM run GROUP BY 1, 2" | paste -sd ' ')" \
    "are theirs alone"
rm bin/plume
# A run is pinned to one processor, on which Elle never ends unless it is told that there are two.
cat >bin/elle-cli <<'END'
#!/bin/sh
case $JDK_JAVA_OPTIONS in *-XX:ActiveProcessorCount=2*) ;; *) exec sleep 100 ;; esac
for file; do :; done
printf '%s\tfalse\n' "$file"
exit 1
END
chmod +x bin/elle-cli
cat >elle.suite <<'END'
levels: ser
checkers: ext:elle-cli
repeat: 1
timeout: 5
history: h
    generate: list-append --txns 20 --sessions 2 --level ser --bug aborted-read --bug-rate 0.5 --seed 1
END
PATH=$tmp/bin:$PATH t 0 "Elle on one processor" "$isolab" bench -o elle.sqlite elle.suite
out_like '^ok 1, ' "answers"
rm bin/elle-cli

sed -e 's/ext:plume/ext:nosuch/' ext.suite >ext2.suite
t 64 "an adapter that does not exist" "$isolab" bench --repeat 1 ext2.suite

printf '[mine]\nlike = awdit\nprogram = ./bin/awdit\n' >mine.adapters
sed -e 's/ext:awdit ext:plume/ext:mine/' ext.suite >ext3.suite
mkdir -p below
(cd below && "$isolab" bench --repeat 1 --adapters ../mine.adapters -o mine.sqlite ../ext3.suite) >out 2>err
out_like '^ok 1, wrong 1, .* crash 1, unsupported 1' "one's own checker, by --adapters from another folder"
# One that writes into the folder that is its history, and another program of isolab's.
cat >bin/scribbles <<'END'
#!/bin/sh
for folder; do :; done
case $folder in /*) ;; *) exit 3 ;; esac # as Viper and Cobra, it may be in another folder by now
touch "$folder/scribble"
echo "[[[[ ACCEPT ]]]]"
END
chmod +x bin/scribbles
printf '[scribbles]\nlike = cobra\nprogram = ./bin/scribbles\nconfig =\ncannot =\narguments = {file}\n' >scribbles.adapters
sed -e 's/1\.\.3/1/' -e 's/levels:.*/levels: ser/' -e 's/checkers:.*/checkers: ext:scribbles/' s.suite >scribbles.suite
for label in one two; do
    t 0 "a program that writes into its history, $label" "$isolab" bench --repeat 1 --adapters scribbles.adapters --label $label -o scribbles.sqlite scribbles.suite
    out_like '^ok 1, '
done
# A program that only stays is told one path; the memory of a program is that of all its processes together.
cat >bin/stays <<'END'
#!/usr/bin/perl
$| = 1;
chdir "/";
exit 3 if "@ARGV" ne "serve";
while (<STDIN>) { chomp; print -s $_ ? "satisfied\n" : "no file\n" }
END
cat >bin/forks <<'END'
#!/usr/bin/perl
my $pid = fork;
my ($x, $n) = ("", 60_000_000);
vec($x, $n, 8) = 1;
sleep 1;
exit 0 if $pid == 0;
waitpid $pid, 0;
print "Consistent.\n";
END
chmod +x bin/stays bin/forks
printf '[stays]\nprogram = ./bin/stays\nserve = serve\nlevels = rc\nformats = plume\n[forks]\nlike = awdit\nprogram = ./bin/forks\n' \
    >both.adapters
sed -e 's/1\.\.3/1/' -e 's/levels:.*/levels: rc/' -e 's/checkers:.*/checkers: ext:stays ext:forks/' s.suite >both.suite
t 0 "a program that stays, and one that forks" "$isolab" bench --repeat 1 --adapters both.adapters -o both.sqlite both.suite
out_like '^ok 2, wrong 0'
same "1 1" "$(sqlite3 -separator ' ' both.sqlite 'SELECT max(peak_kib) > 110000, min(peak_kib) < 50000 FROM run')" "all processes of a program count"
t 65 "a file of adapters that is none" "$isolab" bench --repeat 1 --adapters ext.suite ext3.suite

# Limits: the checker's own.
cat >limit.suite <<'END'
levels: cc
checkers: awdit
timeout: 0.001
history: big
    generate: random --txns 30000 --level cc --seed 1
END
t 0 "a suite with a time limit is run" "$isolab" bench limit.suite
out_like 'timeout 1'
out_like '2 repetitions of what gave no verdict left out'
sed -e 's/timeout.*/memory: 2M/' limit.suite >memory.suite
t 0 "a suite with a memory limit is run" "$isolab" bench memory.suite
out_like 'out of memory 1'

# A disk that is full.
(
    ulimit -f 60
    "$isolab" bench -o full.sqlite s.suite >out 2>err
    echo $? >status
)
same 74 "$(cat status)" "a full disk is an I/O error"
[ "$(wc -l <err)" = 1 ]
ok $? "the full disk is reported in one line"
t 0 "and when there is room again, it goes on" "$isolab" bench -o full.sqlite s.suite
before=$(sed -n 's/.* \([0-9]*\) before.*/\1/p' out)
now=$(sed -n 's/.*: \([0-9]*\) now.*/\1/p' out)
[ "$((before + now))" = 48 ] && ! ls full.sqlite.histories/*.ilb.* 2>/dev/null
ok $? "with all its runs ($before before)"

# Wrong use.
printf 'levels: rc\nrepeat: many\n' >bad.suite
t 65 "a malformed suite" "$isolab" bench bad.suite
err_is 'isolab: bad.suite: line 2: expected a whole number from 1 to 1000, found "many"'
printf 'levels: rc\ncheckers: nosuch\nhistory: a\n generate: random\n' >who.suite
t 64 "an unknown checker" "$isolab" bench who.suite
printf 'levels: rc\ncheckers: awdit\nhistory: a\n generate: randum\n' >what.suite
t 65 "an unknown generator" "$isolab" bench what.suite
err_like '^isolab: what.suite: history "a": `isolab generate` failed: .*randum'
t 74 "a suite that does not exist is an I/O error" "$isolab" bench none.suite
t 74 "a folder is none" "$isolab" bench .
t 65 "nor is what never ends" "$isolab" bench /dev/zero
err_like '^isolab: /dev/zero: .*at most 1048576 bytes'

# A suite and a table of verdicts that can be read only once; a history that can is refused: it is read once a run.
printf 'session A\nt1 commit: w x 1\n' >known.txt
printf 'file\tformat\tlevel\tverdict\nknown.txt\tisolab\trc\tsatisfied\n' >table.tsv
printf 'levels: rc\ncheckers: naive\nrepeat: 1\nhistory: k\n files: known.txt\n expected: table.tsv\n' >table.suite
mkfifo piped.suite piped.tsv piped.txt
sed 's/table\.tsv/piped.tsv/' table.suite | timeout 20 tee piped.suite >tee &
timeout 20 tee piped.tsv <table.tsv >tee &
t 0 "a suite from standard input" sh -c "'$isolab' bench - <one.suite && test -s stdin.sqlite"
t 0 "a suite and its table from pipes" "$isolab" bench -o table.sqlite piped.suite
wait
rm table.sqlite
sed -i s/satisfied/violated/ table.tsv
sed 's/table\.tsv/piped.tsv/' table.suite | timeout 20 tee piped.suite >tee &
timeout 20 tee piped.tsv <table.tsv >tee &
t 1 "another table, and the answer is wrong" "$isolab" bench -o table.sqlite piped.suite
wait
out_like 'said satisfied, expected violated'
sed 's/known/piped/' table.suite >fifo.suite
t 65 "a history that is a pipe" timeout 20 "$isolab" bench fifo.suite
err_is 'isolab: ./piped.txt: expected a file or a folder: the history of a suite is read once a run'
t 65 "results that are none" "$isolab" bench -o bad.suite s.suite
printf '#!/bin/sh\necho "{\\"verdict\\":\\"violated\\"}"\nexit 1\n' >liar
chmod +x liar
t 0 "a build that says what is right" "$isolab" bench --repeat 1 -o right.sqlite one.suite
t 0 "a program that always says violated" "$isolab" bench --repeat 1 -o liar.sqlite --program "$tmp/liar" one.suite
t 1 "a checker that lies differs from the right results" "$isolab" bench --compare right.sqlite liar.sqlite
out_like '^h-1 rc awdit: was [a-z]+ [(]satisfied[)], is [a-z]+ [(]violated[)]$' "the line names history, level and checker of the different answer"
out_like 'questions in both; .* 2 with another answer' "the summary counts the different answers"
t 74 "nothing to compare with" "$isolab" bench --compare s.sqlite none.db
t 64 "one side is not enough" "$isolab" bench --compare s.sqlite
t 64 "an unknown label" "$isolab" bench --compare s.sqlite s.sqlite@nosuch
# A frozen suite: the bytes of its histories equal the table's, or it is refused. What they say about themselves, and how
# hard they are, are sizes.
cat >frozen.suite <<'END'
suite: frozen
levels: rc
checkers: awdit
repeat: 1
frozen: frozen.table
history: g
    reduce: triangle {graph} {n}
    vary: graph c5 kneser
    vary: n 2 3 4
END
t 0 "--freeze makes the histories" "$isolab" bench --freeze -o frozen.sqlite frozen.suite
cp out frozen.table
same 6 "$(grep -cE '^g,graph=(c5|kneser),n=[234]	[0-9a-f]{64}$' frozen.table)" "a line for each history"
t 0 "a suite whose histories are the frozen ones is run" "$isolab" bench -o frozen.sqlite frozen.suite
t 0 "numbers of the graph are sizes" "$isolab" plot table frozen.sqlite -x work --to csv
same "g,graph=kneser;n=2 45" "$(sed -n 's/"//g; s/^g,graph=kneser,n=2,\([0-9]*\),.*/g,graph=kneser;n=2 \1/p' out)" "Petersen's graph: 15 edges of degree 3"
t 0 "and so is what stats --hardness counts" "$isolab" plot table frozen.sqlite -x depth --to csv
same "2 2 2" "$(sed -n 's/"//g; s/^g,graph=kneser,n=.,\([0-9]*\),.*/\1/p' out | xargs)" "a writer and a reader"
t 0 "plot predictors reads the results of a frozen suite" "$isolab" plot predictors frozen.sqlite -y cpu --to csv
out_like '^series,best,operations,'
sed -i '2s/.$/x/' frozen.table
t 65 "other bytes than the table has" "$isolab" bench -o frozen2.sqlite frozen.suite
err_like '^isolab: frozen.suite: history "g,graph=c5,n=3": expected SHA-256 [0-9a-f]{63}x \(the suite is frozen\), found [0-9a-f]{64}$'
sed -i 2d frozen.table
t 65 "a frozen suite whose table lacks a history is refused" "$isolab" bench -o frozen3.sqlite frozen.suite
err_like 'which has no such history'

# Histories recorded from databases: once, with the time that it took; and from no other program.
cat >recorded.suite <<'END'
suite: recorded
levels: si
checkers: mtc
repeat: 2
expect: si satisfied
history: {database}-mini
    collect: {database} --workload mini --sessions 2 --txns {n} --keys 20 --seed 1
    vary: database sqlite
    vary: n 20 40
END
t 0 "recordings of a database" "$isolab" bench --work kept -o recorded.sqlite recorded.suite
out_like '^2 histories, 4 runs: 4 now, 0 before$'
same 2 "$(ls kept/*.jsonl | wc -l)" "the histories are kept"
before=$(cat kept/*.jsonl | cksum)
t 0 "and used again" "$isolab" bench --work kept -o again.sqlite recorded.suite
same "$before" "$(cat kept/*.jsonl | cksum)" "as they were"
t 0 "the whole time" "$isolab" plot mean recorded.sqlite -y total --cell si:mean
total=$(cat out)
t 0 "and that of checking" "$isolab" plot mean recorded.sqlite -y wall --cell si:mean
awk -v a="$total" -v b="$(cat out)" 'BEGIN { exit !(a > b && b > 0) }'
ok $? "the mean of checking is shorter than that of the whole"
sed 's/vary: database sqlite/vary: database no-such/' recorded.suite >absent.suite
t 65 "a database that does not exist" "$isolab" bench --work kept -o absent.sqlite absent.suite
echo "    optional: yes" >>absent.suite
t 0 "is left out where it is optional" "$isolab" bench --work kept -o absent.sqlite absent.suite
out_like '^0 histories, 0 runs'
out_like '^left out: no-such-mini,n=20: .*there is no database'
# A given history that cannot be read.
mkdir -p unread/empty
for i in 1 2; do "$isolab" generate random --txns 20 --sessions 2 --level ser --seed $i -o unread/$i.ilb; done
printf 'levels: cc\ncheckers: awdit\nrepeat: 2\nhistory: some\n    files: unread/*\n' >unread.suite
for format in no plume; do
    [ $format = no ] || echo "    format: $format" >>unread.suite
    t 65 "a given history that cannot be read ($format format)" "$isolab" bench -o unread-$format.sqlite unread.suite
    out_like '^2 histories, 4 runs: 4 now, 0 before' "is left out, and the others are measured"
    out_like '^left out: some/empty: .*expected a history, found a folder'
    same 0 "$(sqlite3 unread-$format.sqlite "SELECT sum(repeat) FROM planned WHERE history = 'some/empty'")" "and no run of it is missing"
done
printf 'some/1.ilb\t%064d\nsome/2.ilb\t%064d\nsome/empty\t%064d\n' 0 0 0 >unread.frozen
echo '    frozen: unread.frozen' >>unread.suite
t 65 "a history of a frozen suite" "$isolab" bench -o frozen.sqlite unread.suite
err_like 'expected SHA-256 0000' "is not left out"
for words in "exec --program loot" "sqlite --folder /" "sqlite -o loot.jsonl" "postgres --host elsewhere" "--help"; do
    sed "s|collect: .*|collect: $words|; /vary:/d; s/{database}/x/" recorded.suite >outside.suite
    t 65 "a suite may not record with $words" "$isolab" bench --work kept -o outside.sqlite outside.suite
done
[ ! -e loot.jsonl ] && [ ! -e loot ]
ok $? "and nothing is written"
finish
