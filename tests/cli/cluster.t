#!/bin/sh
# isolab bench --engine: GNU parallel here and over ssh, a Slurm of one machine started here; tasks that are killed, that run
# twice, that come back; parts that are damaged.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
pids=
SLURM_CONF=
cleanup() {
    [ -z "$SLURM_CONF" ] || scancel --user="$(id -un)" 2>/dev/null
    for pid in $pids; do kill "$pid" 2>/dev/null; done
    for pid in $pids; do wait "$pid" 2>/dev/null; done
    rm -rf "$tmp"
}
trap cleanup EXIT

r=2
[ -z "${ISOLAB_QUICK:-}" ] || r=1
runs=$((24 * r))
cat >s.suite <<END
suite: a test
certificates: no
levels: rc cc
checkers: awdit naive
repeat: $r
timeout: 20
history: h-{seed}
    generate: random --txns 60 --sessions 4 --keys 10 --level ra --seed {seed}
    vary: seed 1..6
END
# A checker that is slow and says that it was called.
cat >slow <<END
#!/bin/sh
echo x >>$tmp/called
sleep 0.1
exec $isolab "\$@"
END
chmod +x slow
whole="^6 histories, $runs runs: 0 now, $runs before\$"
taken() { sed -n 's/^\([0-9]*\) runs taken over.*/\1/p' out | awk '{ n += $1 } END { print n + 0 }'; }
calls() { cat called 2>/dev/null | wc -l; }

# What would be done, without any engine being there.
t 0 "a dry run for slurm" "$isolab" bench --engine slurm --dry-run --throttle 7 --submit "--partition=night --mem=0" s.suite
out_like '^sbatch .*--array=0-5%7 .*--partition=night --mem=0 .*/job\.sh 0$'
out_like "^$runs runs are missing, 0 are in the results\$"
t 0 "a dry run in batches" "$isolab" bench --engine parallel --dry-run --batch 5 s.suite
matches '^4	h-6	cc	naive	1$' out "24 questions by 5 are 5 tasks"
[ ! -e s.sqlite ] && [ ! -e s.sqlite.tasks ] && [ ! -e s.sqlite.histories ]
ok $? "a dry run leaves nothing"
mkdir empty
alone() { PATH=$tmp/empty "$isolab" bench --engine "$1" s.suite; }
t 74 "without Slurm the engine is an I/O error" alone slurm
err_like 'there is no squeue'
t 74 "without GNU parallel the engine is an I/O error" alone parallel
err_like 'there is no parallel'
rm -rf s.sqlite*
t 64 "an unknown engine" "$isolab" bench --engine steam s.suite
t 64 "options of an engine without one" "$isolab" bench --throttle 3 s.suite
t 74 "a list of machines that is not there" "$isolab" bench --engine parallel --hosts nowhere s.suite

# Tasks by hand: an engine that does nothing leaves them there.
mkdir idle
printf '#!/bin/sh\n' >idle/parallel
chmod +x idle/parallel
idle() { PATH=$tmp/idle:$PATH "$isolab" bench --engine parallel s.suite; }
t 2 "an engine that does nothing" idle
out_like '^24 questions have no result'
tasks=s.sqlite.tasks/0001
task() { "$isolab" bench s.suite --work s.sqlite.histories --tasks $tasks --task "$1"; }
t 0 "a task runs by its number" task 2
out_like "^1 histories, $((4 * r)) runs: $((4 * r)) now, 0 before\$"
t 0 "the same task again" task 2
out_like "^1 histories, $((4 * r)) runs: 0 now, $((4 * r)) before\$"
task 3 >a 2>&1 &
one=$!
task 3 >b 2>&1
wait $one
t 0 "and at the same time" task 3
out_like " 0 now, $((4 * r)) before\$"
t 65 "a task that does not exist" task 6
echo 'not a file of results at all, by any means' >$tasks/part-000000.sqlite
: >$tasks/part-000001.sqlite
t 2 "parts are taken over, and damaged ones are not" idle
same $((8 * r)) "$(taken)" "the runs of two tasks"
out_like 'left out: .*part-000000.sqlite'
out_like '^16 questions have no result'
t 2 "the same parts are offered a second time" idle
same 0 "$(taken)" "nothing is taken over twice"
t 0 "merging by hand" "$isolab" bench --merge -o m.sqlite $tasks/part-000002.sqlite $tasks/part-000003.sqlite
t 0 "merging into a file that has some of the runs" "$isolab" bench --merge -o m.sqlite $tasks/part-000002.sqlite s.sqlite
out_like '^s.sqlite: 0 new runs$'
t 65 "merging what is no results" "$isolab" bench --merge -o m.sqlite s.suite
t 74 "merging nothing is an error" "$isolab" bench --merge -o m.sqlite nothing.sqlite
[ ! -e nothing.sqlite ]
ok $? "which does not make it"
label() { PATH=$tmp/idle:$PATH "$isolab" bench --engine parallel --label other s.suite; }
t 2 "another label has tasks of its own" label
out_like '^24 questions have no result'
[ -e s.sqlite.tasks/0004/tasks ]
ok $? "in a folder of its own"
sed -e 's/1\.\.6/7..8/' s.suite >other.suite
t 65 "a task of a suite that has changed" "$isolab" bench other.suite --work s.sqlite.histories --tasks $tasks --task 0 -o x.sqlite
err_like 'questions are not in the suite'

# GNU parallel on this machine.
gnu_parallel=
parallel --version 2>/dev/null | grep -q GNU && gnu_parallel=yes
if [ -n "$gnu_parallel" ]; then
    t 0 "parallel does what is open" "$isolab" bench --engine parallel s.suite
    same $((16 * r)) "$(taken)" "parallel has made the remaining runs, and no others"
    out_like "$whole"
    same 0004 "$(ls s.sqlite.tasks)" "and cleans up, but what is of the other label"
    t 0 "the other label" "$isolab" bench --engine parallel --label other s.suite
    out_like "$whole"
    [ ! -e s.sqlite.tasks ]
    ok $? "and cleans up all"
    t 0 "the engine finds all runs done" "$isolab" bench --engine parallel s.suite
    out_like "$whole"
    t 0 "the results are results" "$isolab" plot verdicts s.sqlite
    t 0 "the same suite without an engine" "$isolab" bench -o local.sqlite s.suite
    t 0 "has the same answers" "$isolab" bench --compare local.sqlite s.sqlite --measure peak
    out_like '^24 questions in both; 0 with more peak, 0 with another answer'

    # Killed while it works.
    "$isolab" bench --engine parallel --throttle 2 --program "$tmp/slow" -o killed.sqlite s.suite >log 2>&1 &
    victim=$!
    wait_for '[ $(calls) -ge $((6 * r)) ]'
    kill -9 $victim
    wait $victim 2>/dev/null
    wait_for '! ps -eo args | grep "$tmp/sl[o]w"'
    ok $? "tasks end with their engine"
    t 0 "and the same command goes on" "$isolab" bench --engine parallel --program "$tmp/slow" -o killed.sqlite s.suite
    out_like "$whole"
    matches '^[1-9][0-9]* runs taken over' out "from what was over"
    [ "$(calls)" -le $((runs + 4)) ]
    ok $? "asking nothing twice but what was cut off ($(calls) calls for $runs runs)"
else
    skip "GNU parallel" "it is not installed"
fi

port=$((20000 + $$ % 20000))

# Over ssh, to this machine.
sshd=$(command -v sshd || echo /usr/sbin/sshd)
if [ -x "$sshd" ] && command -v ssh >/dev/null && [ -n "$gnu_parallel" ]; then
    mkdir ssh
    ssh-keygen -q -t ed25519 -N '' -f ssh/host && ssh-keygen -q -t ed25519 -N '' -f ssh/user
    cat >ssh/conf <<END
Port $port
ListenAddress 127.0.0.1
HostKey $tmp/ssh/host
AuthorizedKeysFile $tmp/ssh/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
END
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
    "$sshd" -D -f "$tmp/ssh/conf" -E "$tmp/ssh/log" &
    pids="$pids $!"
    ssh="ssh -p $port -i $tmp/ssh/user -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    if wait_for "$ssh 127.0.0.1 true"; then
        echo "2/$ssh 127.0.0.1" >machines
        t 0 "tasks run on other machines over ssh" "$isolab" bench --engine parallel --hosts machines --batch 6 -o ssh.sqlite s.suite
        same $runs "$(taken)" "all runs come back"
        out_like "$whole"
        echo "1/ssh -p 1 -o BatchMode=yes 127.0.0.1" >machines
        t 2 "a machine that does not answer" "$isolab" bench --engine parallel --hosts machines -o ssh2.sqlite s.suite
        out_like '^24 questions have no result'
    else
        skip "over ssh" "sshd does not start: $(tail -1 ssh/log)"
    fi
else
    skip "over ssh" "sshd, ssh or GNU parallel is not installed"
fi

# A small artifact: two suites of a paper, by the engine that ENGINE names. Its verdicts are those of a run without one.
mkdir -p small/artifacts/mtc
ln -s "$root/examples" small/examples
ln -s "$root/paper-artifacts/common.sh" small/artifacts/common.sh
cp "$root"/paper-artifacts/mtc/figure19.suite "$root"/paper-artifacts/mtc/theorems.suite "$root"/paper-artifacts/mtc/claims.md small/artifacts/mtc
cat >small/artifacts/mtc/run.sh <<'END'
set -e
. "$(dirname "$0")/../common.sh"
suite figure19.suite
suite theorems.suite
plot figure19 verdicts --suite figure19
plot theorems verdicts --suite theorems
finish
END
small() { BUILD=$(dirname "$isolab") SCALE=smoke OUT=$tmp/small/$1 ENGINE=$2 sh small/artifacts/mtc/run.sh; }
paper() { # ENGINE'S NAME WORDS
    t 0 "a paper's suites by the engine $1" small "$1" "$2"
    same "$(cat small/none/mtc/figure19.csv small/none/mtc/theorems.csv)" "$(cat small/"$1"/mtc/figure19.csv small/"$1"/mtc/theorems.csv)" \
        "give the same verdicts"
    t 0 "and their claims hold" "$isolab" claims --results "small/$1" --only mtc-11,mtc-12,mtc-13,mtc-14 "$root/paper-artifacts/mtc/claims.md"
    t 0 "a second run" small "$1" "$2"
    out_like '^[0-9]+ histories, [0-9]+ runs: 0 now, '
}
t 0 "a paper's suites without an engine" small none ""
out_like '^[0-9]+ histories, [0-9]+ runs: [1-9][0-9]* now, 0 before'
if command -v parallel >/dev/null 2>&1; then
    paper parallel parallel
fi

# A Slurm of one machine, on ports of its own, in this folder.
start_slurm() {
    PATH=$PATH:/usr/sbin
    for program in munged slurmctld slurmd sbatch squeue scancel; do
        command -v $program >/dev/null || { why="there is no $program"; return 1; }
    done
    node=$(hostname -s)
    me=$(id -un)
    mkdir munge state spool
    chmod 755 "$tmp"
    (umask 077 && head -c 128 /dev/urandom >munge/key)
    munged --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" --pid-file="$tmp/munge/pid" \
        --log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed" --num-threads=2 -F >munge.log 2>&1 &
    pids="$! $pids"
    wait_for '[ -S munge/socket ]' || { why="munged: $(tail -1 munge.log)"; return 1; }
    cat >slurm.conf <<END
ClusterName=isolab
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$((port + 1))
SlurmdPort=$((port + 2))
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
SlurmUser=$me
SlurmdUser=$me
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
MaxArraySize=4
KillWait=2
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    SLURM_CONF=$tmp/slurm.conf
    export SLURM_CONF
    slurmctld -D -i >slurmctld.log 2>&1 &
    pids="$! $pids"
    slurmd -D >slurmd.log 2>&1 &
    pids="$! $pids"
    wait_for 'sinfo -h -o %t | grep -q idle' ||
        { why="no idle node: $(grep -h error: slurmctld.log slurmd.log | tail -1)"; return 1; }
}
why=
if start_slurm; then
    # Two arrays, because one may have four tasks here.
    t 0 "the tasks are submitted to Slurm" "$isolab" bench --engine slurm --throttle 2 --submit "--comment=test" -o slurm.sqlite s.suite
    same 2 "$(grep -c '^job [0-9]*: ' out)" "they are two arrays of jobs"
    out_like ", $runs missing"
    t 0 "tasks that wait are not submitted twice" "$isolab" bench --engine slurm -o slurm.sqlite s.suite
    ! grep -q '^job' out
    ok $? "tasks that wait or run are not submitted again"
    t 0 "--wait waits for the tasks" "$isolab" bench --engine slurm --wait -o slurm.sqlite s.suite
    out_like "$whole"
    [ ! -e slurm.sqlite.tasks ]
    ok $? "the folder of tasks is removed at the end"

    if [ -z "${ISOLAB_QUICK:-}" ]; then
        # Its jobs are killed, and so is the process that waits for them.
        rm -f called
        "$isolab" bench --engine slurm --wait --batch 12 --program "$tmp/slow" -o lost.sqlite s.suite >log 2>&1 &
        victim=$!
        wait_for '[ $(calls) -ge 10 ]'
        kill -9 $victim
        wait $victim 2>/dev/null
        scancel --signal=KILL --full --name "$(squeue -h -o %j | head -1)"
        wait_for '[ -z "$(squeue -h)" ]'
        t 0 "what was cancelled goes on" "$isolab" bench --engine slurm --wait --program "$tmp/slow" -o lost.sqlite s.suite
        out_like "$whole"
        same $runs "$(taken)" "the merged results have all runs"
        [ "$(calls)" -le $((runs + 4)) ]
        ok $? "asking nothing twice but what was cut off ($(calls) calls for $runs runs)"
    fi

    # The suites of a paper, as its run.sh measures them.
    paper slurm "slurm --wait --submit --mem=0"

    # What cannot be done is said.
    sed -e 's/random/random --nonsense/' s.suite >bad.suite
    t 2 "tasks that fail" "$isolab" bench --engine slurm --wait -o bad.sqlite bad.suite
    out_like 'log-.*isolab: .*nonsense'
    t 74 "what sbatch refuses" "$isolab" bench --engine slurm --submit --partition=none -o part.sqlite s.suite
    err_like 'sbatch: .*partition'
else
    skip "Slurm" "$why"
fi
finish
