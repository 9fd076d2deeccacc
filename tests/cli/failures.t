#!/bin/sh
# What may happen to long work: killed at any moment, a file system that is full, checkers that are broken in every way. Nothing
# that was finished is lost, the message names the error, and the same command continues.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
trap 'for mount in full/*; do [ ! -e "$mount/mounted" ] || umount "$mount" 2>/dev/null; done; rm -rf "$tmp"' EXIT

cat >s.suite <<'END'
suite: a test
levels: rc cc
checkers: awdit naive
repeat: 4
timeout: 20
history: h-{seed}
    generate: random --txns 60 --sessions 4 --keys 10 --level ra --seed {seed}
    vary: seed 1..3
END
sed -e 's/1\.\.3/1/' -e 's/repeat: 4/repeat: 2/' s.suite >one.suite

# A checker that is killed while it runs is a crash of that run alone.
cat >victim <<END
#!/bin/sh
echo \$\$ >$tmp/victim.pid
[ -e $tmp/spare ] || { : >$tmp/spare; exec sleep 60; }
exec $isolab "\$@"
END
chmod +x victim
"$isolab" bench --program "$tmp/victim" -o victim.sqlite one.suite >out 2>err &
bench=$!
wait_for '[ -s victim.pid ] && [ -e spare ]'
kill -9 "$(cat victim.pid)"
wait $bench
same 2 $? "a checker that is killed"
out_like '^ok 6, wrong 0, timeout 0, out of memory 0, crash 1,'
out_like '^crash: h-1 rc awdit: Killed$'

# The runner is killed at several moments, from its first files to its last rows; what comes of it is whole.
cat >slow <<END
#!/bin/sh
sleep 0.03
exec $isolab "\$@"
END
chmod +x slow
moments="0.02 0.1 0.3 0.6 1.1 1.9"
[ -z "${ISOLAB_QUICK:-}" ] || moments="0.05 0.4 1.1"
for moment in $moments; do
    "$isolab" bench --program "$tmp/slow" -o moments.sqlite s.suite >out 2>err &
    bench=$!
    sleep $moment
    kill -9 $bench 2>/dev/null
    wait $bench 2>/dev/null
done
t 0 "after all kills" "$isolab" bench --program "$tmp/slow" -o moments.sqlite s.suite
now=$(sed -n 's/.*: \([0-9]*\) now.*/\1/p' out)
before=$(sed -n 's/.* \([0-9]*\) before.*/\1/p' out)
same 48 $((now + before)) "all runs are there ($before from before)"
t 0 "every run was done once" "$isolab" bench --program "$tmp/slow" -o moments.sqlite s.suite
out_like '48 runs: 0 now, 48 before$'

# Published checkers that are broken.
mkdir bin
# An adapter like awdit's whose program is that of this name.
adapter() { # NAME PROGRAM [LINE]
    printf '[%s]\nlike = awdit\nprogram = %s/bin/%s\n%s' "$1" "$tmp" "$2" "${3:+$3
}"
}
for name in flood talker hangs garbage gone both eater nothing right; do
    adapter $name $name
done >broken.adapters
adapter template right 'arguments = --no-such-option {file}' >>broken.adapters
program() { cat >"bin/$1" && chmod +x "bin/$1"; }
program flood <<'END'
#!/bin/sh
head -c 100000000 /dev/zero
echo Consistent.
END
program talker <<'END'
#!/bin/sh
echo Consistent.
yes 'a line of a report that never ends' | head -c 100000000
END
program hangs <<'END'
#!/bin/sh
sleep 100 & sleep 100
END
program garbage <<'END'
#!/bin/sh
head -c 3000 /dev/urandom
END
program both <<'END'
#!/bin/sh
echo Consistent.; echo Inconsistent.
END
program eater <<'END'
#!/usr/bin/perl
my @all; push @all, "x" x 10_000_000 while 1;
END
program nothing <<'END'
#!/nowhere/interpreter
END
program right <<END
#!/bin/sh
for file; do :; done
case \$* in *no-such-option*) echo "unknown option" >&2; exit 2 ;; esac
$isolab check -l cc -c naive --format test "\$file" >/dev/null && echo Consistent. || echo Inconsistent.
END
# STATE REASON of the adapter's run, asked about one history
state() { # ADAPTER EXIT-STATUS STATES REASON [SECONDS]
    cat >"$1.suite" <<END
levels: cc
checkers: ext:$1
repeat: 1
timeout: ${5:-3}
memory: 200M
history: h
    generate: random --txns 60 --sessions 4 --keys 10 --level cc --seed 1
END
    ISOLAB_ADAPTERS=broken.adapters t "$2" "$1" "$isolab" bench --work w -o "$1.sqlite" "$1.suite"
    out_like "^ok .*$3"
    [ -z "$4" ] || { "$isolab" plot table "$1.sqlite" --to csv; cat out; } >all 2>&1
    [ -z "$4" ] || matches "$4" all "$1: why"
}
state right 0 'crash 0'
out_like '^ok 1,'
state hangs 0 'timeout 1' 'timeout'
state garbage 2 'crash 1' 'no verdict'
state both 2 'crash 1' 'both'
state eater 0 'out of memory 1' 'out of memory'
state nothing 2 'crash 1' 'No such file'
state gone 0 'not installed 1' ''
state template 2 'crash 1' 'exit status 2|status 2|unknown option'
if [ -z "${ISOLAB_QUICK:-}" ]; then
    state flood 2 'crash 1' 'no verdict' 60
    state talker 0 'crash 0' '' 60
fi
ps -eo args | grep "$tmp/bin/[a-z]" | grep -v grep >left
[ ! -s left ]
ok $? "none of them stays"

# The referee is killed, and goes on.
cat >lies.adapters <<END
[lies]
like = awdit
program = $tmp/lies
levels = ra=ra
END
printf '#!/bin/sh\necho Consistent.\n' >lies
chmod +x lies
referee() { out=$1; shift; "$isolab" referee --checkers naive,ext:lies --adapters lies.adapters -l ra --random --count 150 --batch 5 --seed 3 --reports 2 --out "$out" "$@"; }
t 1 "a referee that no one kills" referee whole --json
cp out whole.json
(exec "$isolab" referee --checkers naive,ext:lies --adapters lies.adapters -l ra --random --count 150 --batch 5 --seed 3 --reports 2 --out killed) >log 2>&1 &
victim=$! # the program itself, not a shell around it
wait_for 'ls killed/ra-lies-*/report.md'
sleep 0.3
kill -9 "$victim"
wait $victim 2>/dev/null
t 1 "a killed run continues" referee killed --resume --json
same "$(ls whole)" "$(ls -A killed)" "and finds the same"
for report in whole/ra-*; do
    cmp -s "$report/history.txt" "killed/${report#whole/}/history.txt" || echo "$report"
done >other
[ ! -s other ]
ok $? "with the same smallest histories"

# No one reads what it says: it goes on to its end, and has all runs.
cat >unread <<'EOF'
pipe(R, W) && close R && open(STDOUT, ">&", W) && exec @ARGV or die $!;
EOF
t 141 "bench, and no one reads" perl unread "$isolab" bench -o unread.sqlite s.suite
t 0 "it went on" "$isolab" bench -o unread.sqlite s.suite
out_like '^3 histories, 48 runs: 0 now, 48 before$'

# File systems that are full: small ones of memory, where this may be mounted.
small() { mkdir -p "full/$1" && mount -t tmpfs -o "size=$2" none "full/$1" 2>/dev/null && : >"full/$1/mounted"; }
if small bench 120k && small engine 180k && small referee 60k; then
    t 74 "bench on a full disk" "$isolab" bench -o full/bench/r.sqlite s.suite
    err_like 'No space left on device|database or disk is full'
    [ "$(wc -l <err)" = 1 ]
    ok $? "says so in one line"
    mount -o remount,size=150k full/bench
    "$isolab" bench -o full/bench/r.sqlite s.suite >out 2>err
    mount -o remount,size=4m full/bench
    t 0 "goes on where there is room" "$isolab" bench -o full/bench/r.sqlite s.suite
    out_like '^3 histories, 48 runs: [0-9]+ now, [0-9]+ before$'
    same 48 "$(awk '/ now, / { print $5 + $7 }' out)" "with all runs"
    if parallel --version 2>/dev/null | grep -q GNU; then
        "$isolab" bench --engine parallel -o full/engine/r.sqlite s.suite >out 2>err
        status=$?
        [ $status = 74 ] || [ $status = 2 ]
        ok $? "tasks on a full disk ($status)"
        matches 'No space left on device|database or disk is full|disk I/O error|space' "$(cat out err >both.txt; echo both.txt)" "the message says that the disk is full"
        mount -o remount,size=8m full/engine
        t 0 "and go on" "$isolab" bench --engine parallel -o full/engine/r.sqlite s.suite
        out_like '48 runs: 0 now, 48 before$'
    fi
    t 74 "a referee on a full disk" referee full/referee/out
    err_like 'No space left on device'
    mount -o remount,size=8m full/referee
    t 1 "goes on where there is room" referee full/referee/out --resume
    same "$(ls whole)" "$(ls -A full/referee/out)" "and finds the same"
else
    skip "full disks" "no file system may be mounted here"
fi
finish
