#!/bin/sh
# Options, help and exit statuses that need no history.
. "$(dirname "$0")/tap.sh"

t 0 "help goes to standard output" "$isolab" help
out_like '^Usage: isolab COMMAND'
err_is ''
for command in $("$isolab" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    t 0 "help of $command" "$isolab" help "$command"
    out_like "^Usage: isolab $command"
    err_is ''
done
t 0 "--version prints the version" "$isolab" --version
out_like '^isolab [0-9]+\.[0-9]+\.[0-9]+$'
t 64 "no command is a wrong use" "$isolab"
out_is ''
t 64 "an unknown command is fatal, with a hint" "$isolab" chek
err_like 'did you mean "check"'
t 64 "an unknown option is fatal, with a hint" "$isolab" check --levle ra x
err_like 'unknown option --levle; did you mean "--level"'
t 64 "an unknown letter is fatal" "$isolab" check -q x
t 64 "an unknown level is fatal, with a hint" "$isolab" check -l serializible x
err_like 'did you mean "ser'
t 64 "a refused level says why" "$isolab" check -l repeatable-read x
err_like 'different levels in different databases'
t 64 "an unknown checker" "$isolab" check -c nosuch -l ra x
t 64 "an unknown checker option" "$isolab" check --option no-such=1 -l ra x
err_like '^isolab: --option no-such: no checker has such an option; `isolab list checkers` has them'
t 64 "an option of another checker" "$isolab" check --option P=yes -l ser -c strong x
err_like '^isolab: --option P: checker strong has no such option'
for wrong in P=2 P= P P=01 P=maybe guess=2 direct=off keys=never width=0 width=5 width=2x solver=other saturate=never execute=turns only=search; do
    t 64 "--option $wrong" "$isolab" check --option "$wrong" -l ser x
    err_like "^isolab: --option ${wrong%%=*}: expected .*, found \""
done
for good in P=no P=0 guess=0 clocks=yes width=4 solver=cadical keys=yes saturate=short execute=no P=yes,width=1; do
    t 74 "--option $good is understood" "$isolab" check --option "$good" -l ser "$tmp/none"
done
# What is on or off is yes or no; 1 and 0 mean the same.
"$isolab" generate random --txns 30 --sessions 6 --keys 3 --level ser --seed 1 -o "$tmp/h.jsonl"
option() { "$isolab" check -l ser -c "$1" --option "$2" --json "$tmp/h.jsonl" | jq -c "$3"; }
passes=$(option veristrong P=yes .counters.passes)
[ "$passes" -gt 1 ]
ok $? "veristrong prunes with P=yes"
same "$passes" "$(option veristrong P=1 .counters.passes)" "P=1 is P=yes"
for off in no 0; do
    same 1 "$(option veristrong P=$off .counters.passes)" "and does not with P=$off"
    same false "$(option strong execute=no,guess=$off '.milliseconds | has("guess")')" "strong guesses no order with guess=$off"
done
same 1 "$(option strong execute=no,guess=no,saturate=stretches '.counters.stretches')" "and has no clocks with saturate=stretches"
for on in yes 1; do
    same true "$(option strong execute=no,guess=$on '.milliseconds | has("guess")')" "it does with guess=$on"
done
"$isolab" check -l si -c strong --option execute=no,guess=no --json "$tmp/h.jsonl" >"$tmp/parts" 2>err
same true "$(jq '.milliseconds | [to_entries[] | select(.key | startswith("serial: ")) | .value] as $parts
    | ($parts | length) > 1 and ($parts | add) <= .serial' "$tmp/parts")" "the stages of a child plan are parts of its phase"
same 0 "$(option strong execute=no,guess=no,saturate=clocks '.counters.stretches')" "it has with saturate=clocks"
same 1 "$("$isolab" check -l ser -c veristrong --option P=no --option C=no --json "$tmp/h.jsonl" | jq .counters.passes)" \
    "options that are given one by one"
same 0 "$("$isolab" check -l ser -c veristrong --option P=no --option C=no --json "$tmp/h.jsonl" | jq '.counters["cycle clauses"] // 0')" \
    "are all taken"
# Where nothing is near, the message says where to look.
t 64 "a level that is like no other" "$isolab" check -l xyzzy x
err_like 'no level "xyzzy"; `isolab list levels` has them'
t 64 "an unknown checker is refused" "$isolab" check -c xyzzyplugh x
err_like '`isolab list checkers` has them'
t 64 "an unknown format is refused" "$isolab" check --format xyzzyplugh x
err_like '`isolab list formats` has them'
t 64 "an unknown generator is refused" "$isolab" generate xyzzyplugh
err_like '`isolab list generators` has them'
t 64 "an unknown reduction is refused" "$isolab" reduce xyzzyplugh
err_like 'no reduction "xyzzyplugh"; `isolab list reductions` has them'
t 64 "an unknown command is refused" "$isolab" xyzzyplugh
err_like '`isolab help` has them'
t 64 "an unknown list is refused" "$isolab" list xyzzyplugh
err_like 'there are: checkers levels formats'
t 64 "an unknown measure is refused" "$isolab" bench --measure xyzzyplugh --compare a b
err_like 'expected one of wall cpu load check peak, found "xyzzyplugh"'
for option in --count "--dimacs $tmp/f" "--patterns a" "--certificate $tmp/f"; do
    t 64 "$option on the ladder" "$isolab" check $option x
    err_like "^isolab: ${option%% *} needs --level"
done
t 64 "one formula of two histories" "$isolab" check -l ser --dimacs "$tmp/f" x y
for n in 0 4097 -1; do
    t 64 "$n threads" "$isolab" check --threads $n x
done
t 64 "no memory at all" "$isolab" check --memory 0 x
t 64 "a bad size" "$isolab" check --memory 10Q x
t 64 "a size that overflows" "$isolab" check --memory 99999999999999G x
t 64 "a bad time" "$isolab" check --timeout -1 x
t 64 "a flag with an argument" "$isolab" check --json=1 x
t 64 "an option without its argument" "$isolab" check x --level
t 64 "an unknown pattern is refused" "$isolab" check --patterns TAP-z x
t 64 "check needs a file" "$isolab" check -l ra
t 74 "a file that does not exist" "$isolab" check -l ra "$tmp/none"
err_like "none: cannot open: "
t 65 "a file of no known format" "$isolab" check -l ra "$isolab"
mkdir "$tmp/folder"
t 65 "a folder that is no history" "$isolab" check -l ra "$tmp/folder"
err_like 'found a folder that is none .*Cobra'
# What a message quotes of its input is safe on a terminal.
printf '\033[31mred\302\233\303\244\377\n' >"$tmp/junk"
for command in "bench" "reduce sat --cnf" "reduce vsc --trace" "referee --adapters"; do
    t 65 "junk for $command" "$isolab" $command "$tmp/junk"
    err_like '\\u\{1b\}\[31mred\\u\{9b\}ä\\x\{ff\}'
done
t 0 "the patterns are listed" "$isolab" list patterns
same 14 "$(grep -c '^TAP-[a-n] ' "$tmp/out")" "are Plume's 14"
t 0 "the same as JSON" "$isolab" list patterns --json
same 14 "$(jq 'map(.name) | unique | length' "$tmp/out")" "with their names"
t 0 "options may be written in all ways" "$isolab" list levels --json --timeout=5 --memory 1G
[ "$(jq 'length' "$tmp/out")" -ge 11 ]
ok $? "all ways to write options give the same list of levels"
if [ -e /dev/full ]; then
    "$isolab" list levels >/dev/full 2>"$tmp/err"
    [ $? = 74 ]
    ok $? "a full disk is an I/O error"
    printf 'session\nt1 commit: w x 1\n' >"$tmp/h"
    t 0 "check writes a certificate" "$isolab" check -l ra --certificate "$tmp/c" "$tmp/h"
    for arguments in "$tmp/h $tmp/c" --help --version; do
        "$verify" $arguments >/dev/full 2>"$tmp/err"
        same 74 $? "an answer of isolab-verify that no one reads is none ($arguments)"
        err_like '^isolab-verify: cannot write: '
    done
    t 74 "a report that cannot be written ends with status 74" "$isolab" report -o /dev/full "$tmp/h"
    err_like 'full: cannot write: No space left'
    printf 'session\nt1 commit: w x 1\nsession\nt2 commit: r x 2\n' >"$tmp/broken"
    while read -r arguments; do
        "$isolab" $arguments >/dev/full 2>"$tmp/err"
        same 74 $? "$arguments on a full disk"
        matches '^isolab: .*cannot write: No space left' "$tmp/err" "the message says that nothing can be written"
        same 1 "$(wc -l <"$tmp/err")" "in one line"
    done <<EOF
generate random --txns 2000
convert --to jsonl $tmp/h -
check --json -l ra $tmp/h $tmp/broken
check --svg - -l ra $tmp/broken
report $tmp/broken
reduce triangle --family planted --nodes 200
man
EOF
fi
# The reader of a pipe may stop early: SIGPIPE then ends the program without a message, whatever its parent does with SIGPIPE.
# A pipe that is closed from the beginning: what is longer than one would hold, and what is shorter.
cat >"$tmp/unread" <<'EOF'
my $signal = shift;
$SIG{PIPE} = $signal;
pipe(R, W) && close R && open(STDOUT, ">&", W) && exec @ARGV or die $!;
EOF
unread() { perl "$tmp/unread" "$@"; }
printf 'session\nt1 commit: w x 1\n' >"$tmp/h"
printf 'session\nt1 commit: w x 1\nsession\nt2 commit: r x 2\n' >"$tmp/broken"
"$isolab" check -l ra --certificate "$tmp/c" "$tmp/h" >/dev/null
"$isolab" generate random --txns 2000 -o "$tmp/large.jsonl"
while read -r arguments; do
    for signal in DEFAULT IGNORE; do
        t 141 "no one reads $arguments ($signal)" unread $signal "$isolab" $arguments
        err_is "" "nothing is said"
    done
done <<EOF
generate random --txns 2000
generate random --txns 3
convert --to ilb $tmp/large.jsonl -
check --json -l ra $tmp/h
check --json $tmp/h $tmp/large.jsonl
check --draw -l ra $tmp/broken
check --svg - -l ra $tmp/broken
report $tmp/broken
report $tmp/large.jsonl
reduce triangle --family planted --nodes 20 -o $tmp/out.jsonl --map -
reduce triangle --family planted --nodes 200
stats --json $tmp/h
list levels
man
completion bash
help check
--help
--version
EOF
for signal in DEFAULT IGNORE; do
    for arguments in "$tmp/h $tmp/c" --help --version; do
        t 141 "no one reads isolab-verify $arguments ($signal)" unread $signal "$verify" $arguments
        err_is "" "nothing is said"
    done
done
t 141 "an unreadable input is reported, even if the output has no reader" unread DEFAULT "$isolab" check -l ra "$tmp/none" "$tmp/h"
err_like '^isolab: .*none: '
t 141 "so is what else cannot be written" unread DEFAULT "$isolab" check -l ra --svg "$tmp/no/a.svg" "$tmp/broken"
err_like '^isolab: .*no/a.svg: cannot write: No such file'
finish
