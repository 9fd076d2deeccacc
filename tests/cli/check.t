#!/bin/sh
# `isolab check` and `isolab stats`: verdicts, statuses, limits, inputs of every kind, JSON.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# Read atomicity is broken: t2 sees x of t1 and not y. Cut isolation and g1 hold by definition.
cat >fractured.txt <<'H'
session A
t1 commit: w x 1, w y 1
session B
t2 commit: r x 1, r y nil
H
# Serial: t1, then t2.
cat >serial.txt <<'H'
session A
t1 commit: w x 1, w y 1
session B
t2 commit: r x 1, r y 1
H
{ echo session; i=0; while [ $i -lt 13 ]; do i=$((i + 1)); echo "commit: w x $i"; done; } >many.txt
cat >thin.txt <<'H'
session A
t1 commit: r x 7
H
cat >twins.txt <<'H'
session A
t1 commit: w x 1
session B
t2 commit: w x 1
t3 commit: r x 1
H
printf 'session A\nt1 commit: w x 1, q\n' >broken.txt

t 0 "a serial history is serializable" "$isolab" check -l ser serial.txt
out_like '^serial.txt: satisfied ser \(serializability\), '
# Both read the 0 that no one wrote, and each writes another value.
echo '[[{"events":[["r",1,0],["w",1,1]],"committed":true}],[{"events":[["r",1,0],["w",1,2]],"committed":true}]]' >zero.json
t 0 "dbcop's JSON: 0 is what was there before" "$isolab" check -l cc zero.json
t 1 "and a lost update" "$isolab" check -l si zero.json
t 1 "a fractured read violates ra" "$isolab" check -l ra fractured.txt
out_like '^fractured.txt: violated ra \(read atomic\), '
t 0 "and not cut isolation" "$isolab" check -l ci fractured.txt
t 0 "a level has other names" "$isolab" check -l Serializable serial.txt
t 1 "a thin-air read violates int" "$isolab" check -l int thin.txt
out_like 't1 read x = 7, but no transaction wrote that value\.' "in words with the input's ids"
t 2 "what no checker can answer is unknown" "$isolab" check -l ser --count many.txt
out_like 'takes at most 12 transactions, this history has 13$'
t 64 "an option that no checker of the level can honour is refused" "$isolab" check -l ser --patterns n serial.txt
err_like '^isolab: no checker of level ser supports --patterns$'
t 65 "a malformed file ends with status 65" "$isolab" check -l ser broken.txt
err_like '^isolab: broken\.txt: line 2: .*expected' "the error of a malformed file has its line"
out_is ''
t 65 "several files: the worst" "$isolab" check -l ra serial.txt fractured.txt broken.txt
t 1 "violated is worse than satisfied" "$isolab" check -l ra fractured.txt serial.txt
same 2 "$(grep -c '^[a-z]*\.txt: ' out)" "and both are reported"
t 74 "a missing file is the worst" "$isolab" check -l ra none.txt broken.txt fractured.txt
out_like '^fractured.txt: violated' "and the others are checked nevertheless"

t 1 "a history is read from standard input" "$isolab" check -l ra - <fractured.txt
out_like '^-: violated ra'
if command -v zstd >/dev/null 2>&1; then
    zstd -q fractured.txt
    t 1 "a history compressed by zstd is read" "$isolab" check -l ra fractured.txt.zst
    t 1 "zstd on standard input" "$isolab" check -l ra - <fractured.txt.zst
    head -c 30 fractured.txt.zst >cut.zst
    t 65 "a cut zstd file" "$isolab" check -l ra cut.zst
else
    skip "zstd" "there is no zstd program"
fi
t 65 "an empty file is malformed input" "$isolab" check -l ra /dev/null
err_is "isolab: /dev/null: byte 0: expected a history, found nothing: the file is empty"
t 65 "nothing on standard input" sh -c "'$isolab' check -l ra - </dev/null"
t 65 "zero bytes on standard input" sh -c "head -c 5 /dev/zero | '$isolab' check -l ra -"
mkdir folder
t 65 "a folder that is no history" "$isolab" check -l ra folder
if [ "$(id -u)" != 0 ]; then
    cp serial.txt secret.txt && chmod 000 secret.txt
    t 74 "a file that may not be read" "$isolab" check -l ra secret.txt
else
    skip "a file that may not be read" "root reads everything"
fi
t 65 "the wrong format" "$isolab" check -l ra --format plume fractured.txt

# The ladder.
t 1 "without a level, the ladder" "$isolab" check fractured.txt
out_like '^  yes satisfied ci '
out_like '^  NO  violated ra '
out_like '^  strongest satisfied:.* ci'
t 0 "a serial history without times stands as high as one can" "$isolab" check serial.txt
out_like '^  strongest satisfied: ser$'
t 1 "all checkers agree" "$isolab" check -c all -l ra fractured.txt
t 1 "all checkers agree on the ladder" "$isolab" check -c all fractured.txt

# Limits. None of them may crash.
t 2 "a memory limit ends the question as unknown" "$isolab" check -l ser --memory 1K serial.txt
out_like '^serial.txt: unknown ser: memory limit reached'
for size in 1 100 2K 8K 16K 32K 64K 128K 256K 1M; do
    "$isolab" check --memory $size --json fractured.txt >out 2>err
    status=$?
    case $status in 1 | 2) right=0 ;; *) right=1 ;; esac
    jq -e . out >/dev/null || right=1
    ok $right "the ladder with --memory $size ($status)"
done
# How much would do: enough in at most two steps, of a small file and of the history in it.
for spec in "--ops 1 --txns 20000" "--ops 200 --txns 100 --keys 5" "--txns 4000 -l cc"; do
    for form in jsonl isolab ilb plume; do
        # shellcheck disable=SC2086 # words
        "$isolab" generate random $spec --to $form >hungry.$form
        size=1K
        for step in 1 2 3; do
            "$isolab" check -l rc --memory $size --json hungry.$form >out 2>err
            status=$?
            [ $status = 2 ] || break
            [ "$(jq .enough_memory out)" -gt 0 ] || break
            size=$(sed -n 's/.*would do: --memory //p' err)
        done
        ok $((status > 1 || step == 1)) "$spec as $form: --memory $size, in step $step"
    done
done
for time in 0.000000001 0.00001 0.0001 0.001 10; do
    "$isolab" check --timeout $time --json fractured.txt serial.txt >out 2>err
    status=$?
    case $status in 1 | 2) right=0 ;; *) right=1 ;; esac
    [ "$(jq -s 'length' out)" = 2 ] || right=1
    ok $right "the ladder with --timeout $time ($status)"
done
mkfifo silent
t 2 "a pipe that no one writes to ends with the time limit" "$isolab" check -l ser --timeout 0.2 silent
out_is "silent: unknown ser: time limit reached"
t 0 "a pipe with --json is read once" sh -c "cat serial.txt >silent & '$isolab' check -l ser --json silent"
same null "$(jq .sha256 out)" "and has no sha256"
# A reader that waits for its input is interrupted by a signal and ends.
mkfifo pipe
"$isolab" check -l ser pipe >out 2>err &
pid=$!
exec 9>pipe
printf 'session A\n' >&9
kill -INT $pid
wait $pid
same "2 pipe: unknown ser: interrupted" "$? $(cat out)" "an interrupt ends the work as unknown"
exec 9>&-

# Memory that libraries ask for is limited too: here a solver wants a gigabyte.
awk 'BEGIN { for (s = 0; s < 50; s++) { print "session", s
     for (i = 0; i < 20; i++) print "commit: r x 1, w x 1, r y 1, w y 1, r z 1, w z 1" } }' >hungry.txt
if grep -q __asan_init "$isolab"; then
    skip "memory of solvers" "sanitizers reserve terabytes, so the process has no bound"
else
    for size in 20M 50M 100M; do
        t 2 "a solver with --memory $size" "$isolab" check -l ser -c sat --memory $size hungry.txt
        out_like '^hungry.txt: unknown ser .*memory limit reached'
        err_is ''
    done
    # Beyond the limit is little: the program, its libraries and this are all that it may map.
    t 2 "and takes little more" sh -c "ulimit -v 450000; '$isolab' check -l ser -c sat --memory 100M hungry.txt"
    out_like '^hungry.txt: unknown ser .*memory limit reached'
    err_is ''
    t 2 "and what comes after it" "$isolab" check -c sat --memory 100M hungry.txt serial.txt
    out_like '^  strongest satisfied: ser$'
    # Without --memory the machine's is the limit, as long as the work goes on: of more than half of it, and not of all.
    "$isolab" check -l ser pipe >out 2>err &
    pid=$!
    exec 9>pipe
    all=$(awk '/^MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
    for group in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
        all=$(cat $group 2>/dev/null | awk -v all="$all" '$1 + 0 > 0 && $1 < all { all = $1 } END { printf "%.0f", all }')
    done
    within=$(awk -v all="$all" '/^Max data size/ { print ($4 > all / 2 && $4 < all ? "yes" : "no: " $4 " of " all) }' \
        /proc/$pid/limits)
    kill -INT $pid
    wait $pid
    exec 9>&-
    same yes "$within" "without --memory most of the machine's memory is the limit"
fi
rm -f out
"$isolab" check -l ser -c sat --timeout 60 serial.txt hungry.txt >out 2>err &
pid=$!
wait_for '[ -s out ]'
kill -TERM $pid
wait $pid
same "2 satisfied unknown" "$? $(awk '/^[^ ]/ { print $2 }' out | tr '\n' ' ' | sed 's/ $//')" "a signal ends the work, and the known results are printed"
out_like 'unknown ser .*: interrupted$'

# JSON.
t 1 "--json writes an answer" "$isolab" check -l ra --json fractured.txt
same "fractured.txt $(sha256sum fractured.txt | cut -d' ' -f1) ra violated" \
    "$(jq -r '"\(.file) \(.sha256) \(.level) \(.verdict)"' out)" "file, sha256, level and verdict"
same true "$(jq '[.checker, .version, .anomalies[0].name, .anomalies[0].text] | all(type == "string")' out)" "JSON has the names of checker, version and anomaly"
same true "$(jq '(.history_memory > 0) and (.peak_memory > .history_memory)' out)" "memory, that of the history alone, too"
same true "$(jq '(.peak_memory > 0) and (.milliseconds.check >= 0) and (.counters | type == "object")' out)" "JSON has memory, milliseconds and counters"
same "cc lser pc ser si sser" "$(jq -r '.levels_also_violated | sort | join(" ")' out)" "levels also violated"
t 2 "JSON of what is unknown" "$isolab" check -l ser --json --memory 1 serial.txt
same "unknown true memory" "$(jq -r '"\(.verdict) \(.reason | length > 0) \(.reason_code)"' out)" "has a reason, and its code"
t 2 "JSON of a file that takes too long to load" "$isolab" check -l ser --json --timeout 0.2 silent
same "unknown time" "$(jq -r '"\(.verdict) \(.reason_code)"' out)" "JSON has the reason code of a time limit"
t 2 "JSON of a checker that does not know the level" "$isolab" check -l ser -c awdit --json serial.txt
same level "$(jq -r .reason_code out)" "says so by a code"
t 2 "JSON of a checker that refuses" "$isolab" check -l cc -c awdit --json twins.txt
same refused "$(jq -r .reason_code out)" "says so by another"
t 1 "JSON of the ladder" "$isolab" check --json fractured.txt serial.txt
same 2 "$(jq -s length out)" "is one object a history"
same "ser" "$(jq -r 'select(.file == "serial.txt").strongest[]' out)" "with the strongest levels"
same true "$(jq -s 'all(.peak_memory > 0)' out)" "and the memory of each"
t 1 "JSON of all checkers" "$isolab" check -c all -l ra --json fractured.txt
same true "$(jq .agree out)" "reports that they agree"
t 1 "JSON of standard input has its sha256" "$isolab" check -l ra --json - <fractured.txt
same "$(sha256sum fractured.txt | cut -d' ' -f1)" "$(jq -r .sha256 out)" "JSON has the SHA-256 of the file"

"$isolab" convert --to cobra --lossy serial.txt serial.cobra 2>err
t 0 "JSON of a folder" "$isolab" check -l ser --json serial.cobra
same "$(cd serial.cobra && LC_ALL=C sha256sum -- * | sha256sum | cut -d' ' -f1)" "$(jq -r .sha256 out)" "has a sha256 of all its files"
t 74 "what does not exist has none" "$isolab" check -l ser --json nowhere
err_is "isolab: nowhere: cannot read: No such file or directory"

# Certificates.
ln -s /dev/full full
t 74 "a certificate for a full disk" "$isolab" check -l ser --certificate full serial.txt
[ -L full ] && [ -c /dev/full ]
ok $? "which is not replaced"
t 0 "a certificate is written" "$isolab" check -l ser --certificate proof serial.txt
t 0 "the certificate is verified" "$verify" serial.txt proof
t 1 "and is no proof about another history" "$verify" fractured.txt proof
t 0 "its path is in the JSON" "$isolab" check -l ser --certificate proof --json serial.txt
same proof "$(jq -r .certificate out)" "JSON names the certificate as it was given"
t 64 "it needs a level" "$isolab" check --certificate proof serial.txt
t 74 "it must be writable" "$isolab" check -l ser --certificate none/proof serial.txt

# Counting: t1 before t2 is the only order that the write-read edge allows.
t 0 "commit orders are counted" "$isolab" check -l ser --count --json serial.txt
same 1 "$(jq .witnesses out)" "JSON has exactly one witness"

t 0 "stats writes JSON" "$isolab" stats --json fractured.txt
same "2 2 4 2 2 2 1" "$(jq -r '"\(.sessions) \(.transactions) \(.operations) \(.reads) \(.writes) \(.keys) \(.initial_reads)"' out)" "stats counts sessions, transactions, operations, reads, writes, keys and initial reads"
same true "$(jq '.unique_values and .bytes.peak > 0' out)" "values are unique, and memory is counted"
t 0 "stats of duplicates" "$isolab" stats --json twins.txt
same "false t1 t2" "$(jq -r '"\(.unique_values) \(.duplicate.first_writer) \(.duplicate.second_writer)"' out)" "name both writers"
t 0 "stats of offending reads" "$isolab" stats --json thin.txt
same 1 "$(jq .offending_reads.thin_air out)" "stats counts reads from thin air"
t 65 "stats of malformed input" "$isolab" stats broken.txt
for list in checkers levels formats; do
    t 0 "list $list writes JSON" "$isolab" list $list --json
    same true "$(jq 'length > 0 and all(.name | length > 0)' out)" "is a JSON array of what has names"
done
# The formula: another program finds it satisfiable exactly where the level is satisfied.
"$isolab" generate --sessions 3 --txns 12 --ops 3 --keys 3 --level ser --to isolab -o good.txt
"$isolab" generate --sessions 3 --txns 12 --ops 3 --keys 3 --level ser --bug write-skew --bug-rate 0.3 --to isolab -o skew.txt
for file in serial fractured thin good skew; do
    for level in ra si ser; do
        "$isolab" check -l $level --dimacs formula.cnf $file.txt >out 2>&1
        case $? in 0) wanted="s SATISFIABLE" ;; 1) wanted="s UNSATISFIABLE" ;; *) wanted="no verdict" ;; esac
        same sat "$(sed -n "s/^$file.txt: [a-z]* $level ([^)]*), \\([a-z]*\\),.*/\\1/p" out)" "--dimacs asks a checker that makes a formula ($file, $level)"
        if command -v cadical >/dev/null 2>&1; then
            same "$wanted" "$(cadical -q formula.cnf | grep '^s ')" "and the formula of $file says the same"
        else
            skip "the formula of $file" "no cadical"
        fi
    done
done
same "1 0" "$("$isolab" check -l ser skew.txt >out; echo $?) $("$isolab" check -l si skew.txt >out; echo $?)" "both answers were asked for"
t 64 "a checker without formulas says so" "$isolab" check -l ra -c awdit --dimacs other.cnf serial.txt
err_like 'checker awdit does not support --dimacs'
[ ! -e other.cnf ]
ok $? "no formula is written without support for it"

finish
