#!/bin/sh
# What a terminal sees: progress of long work, in a line that is gone before anything else is printed; none in a pipe.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
command -v script >/dev/null 2>&1 || skip_all "no script(1)"
[ "$(script -qec 'test -t 1 && test -t 2 && echo both' /dev/null </dev/null 2>/dev/null | tr -d '\r')" = both ] ||
    skip_all "script(1) gives no terminal"

# What is on the screen in the end: carriage returns and `erase to the end of the line` are followed, line by line.
screen() {
    perl -ne 's/\n$//; s/\e\[\?7[lh]//g; my @line; my $at = 0;
              while (/\G(?:(\r)|(\e\[K)|(.))/gs) {
                  if (defined $1) { $at = 0 } elsif (defined $2) { splice @line, $at } else { $line[$at++] = $3 }
              }
              print join("", map { $_ // " " } @line), "\n"'
}
terminal() { script -qec "$1" /dev/null </dev/null; } # with output and errors on the terminal
same "short" "$(printf 'a long line\r\033[Kshort\r\n' | screen)" "the screen is read as it should be"
same "shortg line" "$(printf 'a long line\rshort\r\n' | screen)" "and what remains over would be seen"

printf 'session A\nt1 commit: w x 1\n' >h
terminal "$isolab check h" >shown
same "h" "$(screen <shown | head -1)" "short work shows no progress"
same 0 "$(grep -c 'checking\|read:' shown)" "at no time"

# A million transactions are generated for more than a fifth of a second, whatever the machine; the limit ends it early.
terminal "$isolab generate --txns 3M --timeout 2 --to jsonl -o big.jsonl" >shown
matches 'generate: [0-9]+' shown "long work shows how far it is"
same "isolab: time limit reached" "$(screen <shown | sed -n 1p)" "and its last line is not left over the message"
"$isolab" generate --txns 3M --timeout 1 --to jsonl -o big.jsonl >out 2>err
same "isolab: time limit reached" "$(cat err)" "nothing but the message in a pipe"

# A search that never ends by itself.
"$isolab" generate --sessions 20 --txns 40k --keys 100 --ops 4 --level cc --to ilb -o hard.ilb
terminal "COLUMNS=200 $isolab check -l cc -c plume-dfs --timeout 3 hard.ilb" >shown
matches 'checking cc by plume-dfs' shown "check says what it is about"
screen <shown >seen
matches '^hard.ilb: unknown cc .*time limit reached$' seen "and the answer has a line of its own"
same 0 "$(grep -c checking seen)" "where nothing else is seen"

terminal "$isolab generate --to ilb" >shown
matches 'format ilb is not for a terminal: name a file with -o' shown "binary data is kept from a terminal"

cat >small.suite <<'S'
suite: small
levels: ra cc
checkers: awdit plume
repeat: 40
history: few-{txns}
    generate: random --txns {txns} --seed 1
    vary: txns 1k 2k
S
terminal "$isolab bench -o small.sqlite small.suite" >shown
matches 'small: [0-9]+ of 320 runs; few-[12]k (ra|cc) (awdit|plume); about [0-9.]+ (s|min) left, at most ' shown \
    "bench shows the remaining time"
screen <shown >seen
matches '^ok 320, wrong 0' seen "before its summary"
same 0 "$(grep -c 'about' seen)" "which is all that stays"
"$isolab" bench -o quiet.sqlite small.suite >out 2>err
same "" "$(cat err)" "and nothing in a pipe"
finish
