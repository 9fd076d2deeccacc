#!/bin/sh
# No option is ignored without a word. Every option of every command, generator and reduction is in the table below: where it
# could be without effect, with arguments that make it so, which must be refused (status 64, naming the option) or said.
# An option that is not in the table fails this test: think about where it would be ignored.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >h.txt <<'END'
session A
t1 commit: w x 1, w y 1
session B
t2 commit: r y nil, r x 1
END
printf '1 2\n2 3\n1 3\n' >g.edges
printf 'p cnf 1 1\n1 0\n' >f.cnf
printf '1 0\n0 1\n' >m.txt
printf '0 1 2\n' >tr.txt
printf 'suite: s\nlevels: rc\ncheckers: awdit\nrepeat: 1\nhistory: h\n    files: %s/h.txt\n' "$tmp" >s.suite
"$isolab" bench -o r.sqlite s.suite >/dev/null 2>&1
"$isolab" reduce vsc -o v.jsonl >/dev/null 2>&1
printf 'w x 1\nr x 1\n' >t.trace

# COMMAND|OPTION|ARGUMENTS: refused with these. `-`: it always has an effect, or needs no history, or the help says when it has
# one. `said:` before the arguments: they are honoured as far as they can be, and standard error or the answer names what
# is not. A command with a `*` is all of its kind.
cat >table <<'END'
check|level|-
check|checker|-
check|adapters|check -l ra -c awdit --adapters a h.txt
check|format|-
check|initial|-
check|initial-transaction|-
check|truncated|-
check|json|-
check|brief|check --brief --json h.txt
check|no-digest|check --no-digest h.txt
check|all|-
check|limit|check -l ra --limit 3 h.txt
check|patterns|check --patterns a h.txt
check|patterns|check -l pc --patterns a h.txt
check|patterns|check -l ser -c strong --patterns a h.txt
check|patterns|check -l ra -c awdit --patterns a h.txt
check|patterns|check -l ra --patterns a --count h.txt
check|draw|check -l ra --draw --json h.txt
check|draw|said:check -l ra -c brute --draw h.txt
check|picture|said:check -l ra -c brute --picture p.svg h.txt
check|junit|-
check|sarif|-
check|svg|said:check -l ra -c brute --svg d.svg h.txt
check|count|check --count h.txt
check|count|check -l int --count h.txt
check|count|check -l ci --count h.txt
check|count|check -l ra -c awdit --count h.txt
check|certificate|check --certificate c h.txt
check|certificate|check -l ra --certificate c h.txt h.txt
check|threads|said:check -l ser --threads 2 h.txt
check|threads|said:check -l ra -c plume --threads 2 h.txt
check|no-session-order|check --no-session-order h.txt
check|no-session-order|check -l ra --no-session-order h.txt
check|no-session-order|check -l pc --no-session-order h.txt
check|no-session-order|check -l sser --no-session-order h.txt
check|no-session-order|check -l ra -c brute --no-session-order h.txt
check|require-evidence|check -l ra --patterns a --require-evidence h.txt
check|option|check -l ser -c strong --option P=no h.txt
check|option|said:check -l ser --option P=no h.txt
check|option|said:check -l ra --option guess=no h.txt
check|option|said:check --option P=no h.txt
check|dimacs|check --dimacs f h.txt
check|dimacs|check -l ser -c strong --dimacs f h.txt
check|dimacs|check -l ser --dimacs f h.txt h.txt
explain|history|explain --history --json lost-update
explain|mini|explain --history --mini lost-update
explain|mini|explain --mini write-cycle
explain|json|-
stats|format|-
stats|initial|-
stats|initial-transaction|-
stats|truncated|-
stats|json|-
stats|hardness|-
convert|to|-
convert|format|-
convert|initial|-
convert|initial-transaction|-
convert|truncated|-
convert|lossy|-
convert|transform|-
convert|seed|convert --seed 3 h.txt
bench|output|-
bench|work|bench --compare --work w r.sqlite r.sqlite
bench|program|bench --compare --program p r.sqlite r.sqlite
bench|against|bench --engine parallel --against x s.suite
bench|adapters|bench --compare --adapters a r.sqlite r.sqlite
bench|label|bench --merge -o o.sqlite --label l r.sqlite
bench|repeat|bench --compare --repeat 3 r.sqlite r.sqlite
bench|cpu|bench --engine parallel --cpu 0 --dry-run s.suite
bench|cpu|bench --merge --cpu 0 -o o.sqlite r.sqlite
bench|plan|bench --plan --compare r.sqlite r.sqlite
bench|plan|bench --plan --merge -o o.sqlite r.sqlite
bench|freeze|bench --freeze --compare r.sqlite r.sqlite
bench|freeze|bench --freeze --merge -o o.sqlite r.sqlite
bench|engine|bench --engine parallel --compare r.sqlite r.sqlite
bench|batch|bench --batch 3 s.suite
bench|throttle|bench --throttle 3 s.suite
bench|hosts|bench --hosts m s.suite
bench|hosts|bench --engine slurm --hosts m --dry-run s.suite
bench|submit|bench --submit x s.suite
bench|submit|bench --engine parallel --submit x --dry-run s.suite
bench|wait|bench --wait s.suite
bench|wait|bench --engine parallel --wait --dry-run s.suite
bench|dry-run|bench --dry-run s.suite
bench|tasks|bench --tasks d s.suite
bench|task|bench --task 3 s.suite
bench|merge|bench --merge --compare -o o.sqlite r.sqlite r.sqlite
bench|compare|bench --compare --merge -o o.sqlite r.sqlite r.sqlite
bench|measure|bench --measure cpu s.suite
bench|level|bench -l rc s.suite
bench|checker|bench -c awdit s.suite
plot|output|plot table r.sqlite --cell a:b -o t.md
plot|to|plot table r.sqlite --cell a:b --to md
plot|over|plot scatter r.sqlite --over peak
plot|x|plot scatter r.sqlite -x keys
plot|x|plot verdicts r.sqlite -x keys
plot|y|plot stages r.sqlite -y cpu
plot|y|plot memory r.sqlite -y cpu
plot|y|plot matrix r.sqlite -y cpu
plot|title|plot line r.sqlite --title t --to md
plot|level|-
plot|checker|-
plot|family|-
plot|history|-
plot|suite|-
plot|cell|plot table r.sqlite --cell a:b --title t
plot|label|-
report|output|-
report|format|report --format ilb -o p.html r.sqlite
report|initial|report --initial 0 -o p.html r.sqlite
report|initial-transaction|report --initial-transaction no -o p.html r.sqlite
report|truncated|report --truncated -o p.html r.sqlite
report|limit|report --limit 3 -o p.html r.sqlite
report|each|report --each 3 -o p.html r.sqlite
report|label|report --label x -o p.html h.txt
shrink|slice|-
shrink|level|-
shrink|checker|shrink --command true -c awdit h.txt
shrink|anomaly|shrink --command true --anomaly any h.txt
shrink|no-session-order|shrink --no-session-order h.txt
shrink|no-session-order|shrink -l ra --no-session-order h.txt
shrink|command|-
shrink|status|shrink --status 1 h.txt
shrink|match|shrink --match x h.txt
shrink|run-timeout|shrink --run-timeout 3 h.txt
shrink|tests|-
shrink|keep-sessions|-
shrink|keep-names|-
shrink|verify|-
shrink|format|-
shrink|initial|-
shrink|initial-transaction|-
shrink|truncated|-
shrink|to|-
shrink|verbose|-
shrink|output|-
referee|verdicts|-
referee|checkers|-
referee|level|-
referee|out|-
referee|random|-
referee|exhaustive|-
referee|mutants|referee --checkers brute,naive -l ra --random --mutants 3 --out o
referee|seed|referee --checkers brute,naive -l ra --seed 3 --out o h.txt
referee|count|-
referee|txns|referee --checkers brute,naive -l ra --txns 3 --out o h.txt
referee|ops|referee --checkers brute,naive -l ra --exhaustive 1,1,1 --ops 3 --out o
referee|keys|referee --checkers brute,naive -l ra --keys 3 --out o h.txt
referee|sessions|referee --checkers brute,naive -l ra --sessions 3 --out o h.txt
referee|no-session-order|referee --checkers brute,naive -l ra --no-session-order --out o h.txt
referee|adapters|referee --checkers brute,naive -l ra --adapters /dev/null --out o h.txt
referee|adapter|referee --checkers brute,naive -l ra --adapter plume=/bin/true --out o h.txt
referee|run-timeout|-
referee|run-memory|referee --checkers brute,naive -l ra --run-memory 1G --out o h.txt
referee|batch|referee --checkers brute,naive -l ra --batch 3 --out o h.txt
referee|jobs|referee --checkers brute,naive -l ra --jobs 3 --out o h.txt
referee|reports|-
referee|progress|-
referee|resume|-
referee|format|referee --checkers brute,naive -l ra --random --format jsonl --out o
referee|json|-
list|json|-
generate *|output|-
generate *|to|-
generate *|lossy|-
generate *|store|-
generate *|sessions|-
generate *|txns|-
generate *|level|-
generate *|seed|-
generate *|overlap|-
generate *|aborted|-
generate *|aborts|-
generate *|unknown|-
generate *|retries|generate --level rc --retries 3
generate *|retries|generate --level cc --retries 3
generate *|times|-
generate *|replicas|generate --level ser --replicas 2
generate *|lag|generate --level si --lag 2
generate *|lag|generate --level sser --lag 2
generate *|preload|-
generate *|bug|-
generate *|bug-rate|generate --bug-rate 0.5
generate *|ops|-
generate *|keys|-
generate *|reads|-
generate *|readers|-
generate *|writes|generate calls --reads 0.8 --writes 0.5
generate *|clients|-
generate *|open|-
generate *|wrong|-
generate *|readers|generate mini --shapes rw=1 --readers 0.5
generate *|mix|-
generate *|distribution|-
generate *|skew|generate ycsb --skew 1
generate *|skew|generate ycsb --distribution hotspot --skew 1
generate *|skew|generate mini --skew 1
generate *|skew|generate list-append --distribution uniform --skew 1
generate *|duplicates|-
generate *|theta|generate ycsb --theta 1
generate *|theta|generate ycsb --mix GeneralRW --theta 1
generate *|values|generate ycsb --values 5
generate *|appends|-
generate *|users|-
generate *|items|-
generate *|warehouses|-
generate *|customers|-
generate *|satisfies|-
generate *|violates|-
generate *|size|-
generate *|method|generate separator --size 20 --method random
generate *|tries|-
generate *|shapes|-
generate *|writes|-
collect|level|-
collect|sessions|-
collect|txns|-
collect|seconds|-
collect|seed|-
collect|retries|-
collect|aborts|-
collect|pause|-
collect|lock-wait|-
collect|patience|-
collect|spawn|collect sqlite --spawn -o c.jsonl
collect|faults|collect redis --faults kill -o c.jsonl
collect|fault-every|collect sqlite --fault-every 1 -o c.jsonl
collect|durable|-
collect|folder|-
collect|workload|-
collect|output|-
collect|json|collect sqlite --json
collect|keys|-
collect|ops|-
collect|reads|-
artifact|output|-
artifact|results|-
benchexec|label|-
benchexec|output|-
bench|scale|-
claims|allow-skipped|-
claims|only|-
claims|output|-
claims|results|-
claims|scale|-
claims|to|-
plot|interval|plot table --interval r.sqlite
plot|missing|plot table --missing r.sqlite
plot|pool|-
plot|rename|-
verify-results|each|-
verify-results|generate|-
verify-results|histories|-
verify-results|jobs|-
verify-results|json|-
verify-results|verifier|-
elle-cli|allow-negative-balances|-
elle-cli|anomalies|-
elle-cli|consistency-models|-
elle-cli|cycle-search-timeout|-
elle-cli|directory|-
elle-cli|format|-
elle-cli|group-size|-
elle-cli|max-plot-bytes|-
elle-cli|max-transfer|-
elle-cli|model|-
elle-cli|plot-format|-
elle-cli|plot-timeout|-
elle-cli|total-amount|-
elle-cli|verbose|-
explain|step|-
matrix|runs|-
matrix|txns|-
matrix|sessions|-
matrix|details|-
matrix|spawn|-
matrix|each|-
matrix|folder|-
matrix|to|-
matrix|output|-
hermitage|level|-
hermitage|lock-wait|-
hermitage|wait|-
hermitage|spawn|hermitage sqlite --spawn
hermitage|durable|-
hermitage|folder|-
hermitage|scripts|-
hermitage|keep|-
hermitage|json|-
replay|level|-
replay|lock-wait|-
replay|wait|-
replay|spawn|replay sqlite --spawn h.txt
replay|durable|-
replay|folder|-
replay|check|-
replay|times|-
replay|print|-
replay|output|-
replay|format|-
replay|initial|-
replay|initial-transaction|-
replay|truncated|-
run|check|-
run|checker|-
run|rounds|-
run|output|-
run|to|run --to ilb
run|lossy|run --lossy
reduce *|output|reduce bmm -o x.jsonl
reduce *|to|reduce bmm --to ilb
reduce *|to|reduce triangle --explain --to ilb
reduce *|map|reduce bmm --map m
reduce *|certificate|reduce bmm --certificate c
reduce *|explain|reduce bmm --explain
reduce *|checker|reduce triangle --checker awdit
reduce *|lossy|reduce bmm --lossy
reduce *|lossy|reduce triangle --explain --lossy
reduce *|construction|-
reduce *|elements|reduce between --triples tr.txt --elements 4
reduce *|kind|-
reduce *|ratio|reduce between --triples tr.txt --ratio 4
reduce *|sessions|-
reduce *|triples|-
reduce *|seed|reduce between --triples tr.txt --seed 4
reduce *|level|reduce triangle --level rc
reduce *|level|reduce triangle --construction ra2 --level rc --explain
reduce *|level|reduce sat --level ser
reduce *|graph|reduce triangle --graph g.edges --family gnp
reduce *|graph-format|reduce triangle --graph-format gml
reduce *|family|reduce triangle --graph g.edges --family gnp
reduce *|nodes|reduce triangle --family mycielski --nodes 60
reduce *|nodes|reduce triangle --family kneser --nodes 60
reduce *|nodes|reduce triangle --graph g.edges --graph-format edgelist --nodes 60
reduce *|p|reduce triangle --family c5 --p 0.5
reduce *|p|reduce triangle --graph g.edges --graph-format edgelist --p 0.5
reduce *|p|reduce bmm --a m.txt --b m.txt --p 0.5
reduce *|degree|reduce triangle --family gnp --degree 3
reduce *|k|reduce triangle --family gnp --k 3
reduce *|seed|reduce triangle --family c5 --seed 3
reduce *|seed|reduce triangle --family kneser --seed 3
reduce *|seed|reduce triangle --graph g.edges --graph-format edgelist --seed 3
reduce *|seed|reduce sat --cnf f.cnf --seed 3
reduce *|seed|reduce bmm --a m.txt --b m.txt --seed 3
reduce *|a|-
reduce *|b|-
reduce *|size|reduce bmm --a m.txt --b m.txt --size 3
reduce *|block|-
reduce *|cnf|-
reduce *|vars|reduce sat --cnf f.cnf --vars 3
reduce *|clauses|reduce sat --cnf f.cnf --clauses 3
reduce *|width|reduce sat --cnf f.cnf --width 3
reduce *|trace|-
reduce *|model|-
reduce *|processes|reduce vsc --trace t.trace --processes 3
reduce *|ops|reduce vsc --trace t.trace --ops 3
reduce *|locations|reduce vsc --trace t.trace --locations 3
reduce *|values|reduce vsc --trace t.trace --values 3
reduce *|reads|reduce vsc --trace t.trace --reads 0.3
reduce *|updates|reduce vsc --trace t.trace --updates 0.3
reduce *|delay|reduce vsc --trace t.trace --delay 0.3
END

# Every option that there is has a row, and every row an option.
options() { sed -nE 's/^  (-., |    )--([a-z-]+).*/\2/p' | grep -vE '^(help|timeout|memory)$' | sed "s/^/$1|/"; }
{
    for command in $("$isolab" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
        "$isolab" help "$command" | options "$command"
    done | grep -vE '^(generate|reduce|run)\|'
    # `run` has the options of generators, too.
    "$isolab" generate random --help | options run | grep -vE '\|(output|to|lossy)$' >random
    "$isolab" help run | options run | grep -vxFf random
    for one in $("$isolab" list generators --json | jq -r '.[].name'); do
        "$isolab" generate "$one" --help | options 'generate *'
    done
    for one in $("$isolab" list reductions --json | jq -r '.[].name'); do
        "$isolab" reduce "$one" --help | options 'reduce *'
    done
} | LC_ALL=C sort -u >there
cut -d'|' -f1,2 table | LC_ALL=C sort -u >known
same "" "$(LC_ALL=C comm -23 there known)" "every option is in the table"
same "" "$(LC_ALL=C comm -13 there known)" "and the table has no other"

while IFS='|' read -r command option arguments; do
    case $arguments in
    -) continue ;;
    said:*)
        # shellcheck disable=SC2086
        "$isolab" ${arguments#said:} >out 2>err
        status=$?
        [ $status -le 1 ] && cat out err | grep -Eq -e "--$option|no picture"
        ok $? "${arguments#said:}: --$option is said to have no effect"
        ;;
    *)
        # shellcheck disable=SC2086
        t 64 "$arguments" "$isolab" $arguments
        err_like "^isolab: .*--$option" "$arguments: --$option is refused"
        out_is ""
        ;;
    esac
done <table
[ ! -e c ] && [ ! -e f ] && [ ! -e o.sqlite ] && [ ! -e x.jsonl ]
ok $? "what is refused leaves no file"

# The same options where they have an effect.
while read -r arguments; do
    # shellcheck disable=SC2086
    "$isolab" $arguments >out 2>err
    [ $? -le 1 ]
    ok $? "$arguments"
    [ ! -s err ] || sed 's/^/# /' err
done <<'END'
check -l ra --all --limit 3 h.txt
check -l ser --no-session-order h.txt
check -l si -c brute --no-session-order h.txt
check -l ra --patterns k,l h.txt
check -l ra --count h.txt
check -l ra --threads 2 h.txt
check -l ser -c veristrong --option P=no h.txt
check -l ser -c all --option P=no h.txt
check -l ra --dimacs f.out h.txt
check --require-evidence h.txt
generate --level cc --replicas 2 --lag 3 --txns 5
generate --level ser --lag 3 --retries 2 --txns 5
generate --bug write-skew --bug-rate 0.5 --txns 5
generate ycsb --distribution zipfian --skew 1 --duplicates 0.5 --theta 1 --values 5 --txns 5
generate ycsb --mix HD --values 5 --txns 5
generate list-append --skew 1 --txns 5
generate mini --shapes rw=1 --txns 5
generate registers --reads 0.2 --writes 0.2 --txns 5
run mini --rounds 2 --txns 5 --check sser -o run.ilb
generate list-append --level rc --retries 3 --txns 5
reduce triangle --family kneser --k 2
reduce triangle --family regular --degree 2 --nodes 8 --seed 3 --level ra --explain
reduce triangle --graph g.edges --graph-format edgelist
reduce bmm --a m.txt --size 2 --p 0.5 --seed 3
reduce triangle --nodes 8 --explain --to ilb -o x.ilb --checker awdit
plot line r.sqlite -x keys -y cpu --to md
shrink -l ser --no-session-order h.txt
shrink --command true --run-timeout 3 h.txt
referee --checkers brute,naive -l ra --random --txns 2 --count 3 --seed 2 --out o1
referee --checkers brute,naive -l ra --mutants 2 --seed 2 --out o2 h.txt
END
finish
