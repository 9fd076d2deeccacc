#!/bin/sh
# isolab-verify as a program: certificates that isolab wrote, of small histories and a larger one, and everything
# that may be wrong with its arguments and files.
. "$(dirname "$0")/tap.sh"
histories=$root/tests/histories
c=$tmp/certificate

certify() { # LEVEL HISTORY
    rm -f "$c"
    "$isolab" check -l "$1" --certificate "$c" "$2" >/dev/null 2>&1
}

for level in g1 rc-plume rc ra cc; do
    certify $level "$histories/rc/fractured-read.txt"
    t 0 "the certificate of $level is valid" "$verify" "$histories/rc/fractured-read.txt" "$c"
    out_is 'valid'
done
certify ra "$histories/rc/fractured-read.txt"
t 1 "it is refused for another history" "$verify" "$histories/ra/causality-violation.txt" "$c"
out_like '^refused: the certificate is for another history'
t 0 "it is about the level that the caller names" "$verify" --level ra "$histories/rc/fractured-read.txt" "$c"
t 0 "... by another of its names" "$verify" --level read-atomic "$histories/rc/fractured-read.txt" "$c"
t 1 "... and about no other level" "$verify" --level rc "$histories/rc/fractured-read.txt" "$c"
out_is 'refused: the certificate is about level ra, and not about rc'
t 64 "there is no such level" "$verify" --level rb "$histories/rc/fractured-read.txt" "$c"
err_like 'no such level: rb'
t 0 "the proof in words" "$verify" --explain "$histories/rc/fractured-read.txt" "$c"
out_like '^    1\. t2 saw the state before t1.s write: '
out_like '^       1\.1 because t1 comes before t2, which reads y = 1 from it\.'
"$isolab" convert "$histories/rc/fractured-read.txt" "$tmp/same.jsonl"
t 0 "the same history in another format is the same" "$verify" --format jsonl "$tmp/same.jsonl" "$c"
sed 's/^level ra$/level rc/' "$c" >"$tmp/other-level"
t 1 "it is refused for another level" "$verify" "$histories/rc/fractured-read.txt" "$tmp/other-level"
out_like '^refused: edge [0-9]+ does not follow at level rc'
certify rc "$histories/rc/fractured-read.txt"
sed 's/^level rc$/level ra/' "$c" >"$tmp/other-level"
t 1 "an order of rc is none of ra" "$verify" "$histories/rc/fractured-read.txt" "$tmp/other-level"

"$isolab" generate --txns 2000 --sessions 8 --keys 50 --level cc --seed 3 -o "$tmp/large.jsonl"
for level in rc ra cc; do
    certify $level "$tmp/large.jsonl"
    t 0 "an order of 2000 transactions at $level" "$verify" "$tmp/large.jsonl" "$c"
done

# Four pigeons in three holes: one conflict more does not make it plain, so sat's second search, which looks for the
# proof, needs at least two.
awk 'BEGIN {
    print "p cnf 12 22"
    for (p = 0; p < 4; p++) print 3 * p + 1, 3 * p + 2, 3 * p + 3, 0
    for (h = 1; h <= 3; h++) for (p = 1; p < 4; p++) for (q = 0; q < p; q++) print -(3 * p + h), -(3 * q + h), 0
}' >"$tmp/pigeons.cnf"
"$isolab" reduce sat --cnf "$tmp/pigeons.cnf" -o "$tmp/pigeons.jsonl"
pigeons() {
    rm -f "$tmp/proof"
    "$isolab" check -l ser -c sat --certificate "$tmp/proof" "$@" "$tmp/pigeons.jsonl"
}
t 1 "a search for a proof that is given up leaves the verdict" pigeons --option proof-conflicts=1
out_like '^[^ ]*: violated ser .*; incomplete: no proof was found \(--option proof-conflicts=1\)$' "and says why"
err_like 'checker sat gave no certificate for this verdict'
[ ! -e "$tmp/proof" ]
ok $? "it leaves no certificate"
t 1 "the same in JSON" pigeons --json --option proof-conflicts=1
out_like '"verdict":"violated".*"reason":"no proof was found'
for given in proof-conflicts=10000 proof-conflicts=0 ''; do
    t 1 "given conflicts enough (${given:-as usual})" pigeons ${given:+--option $given}
    err_is '' "nothing is missing"
    t 0 "its proof is valid" "$verify" "$tmp/pigeons.jsonl" "$tmp/proof"
done
for given in proof-conflicts=-1 proof-conflicts=1x proof-conflicts proof-conflicts=18446744073709551616; do
    t 64 "no number of conflicts: $given" pigeons --option $given
    err_like 'option proof-conflicts: expected a whole number, found '
done

t 65 "no certificate at all" "$verify" "$tmp/large.jsonl" "$tmp/large.jsonl"
err_like 'large.jsonl:1: expected isolab-certificate, found'
head -c 200 "$c" >"$tmp/cut"
t 65 "half a certificate" "$verify" "$tmp/large.jsonl" "$tmp/cut"
err_like 'cut:[0-9]+: expected '
: >"$tmp/empty"
t 65 "an empty one" "$verify" "$tmp/large.jsonl" "$tmp/empty"
(cat "$c"; echo more) >"$tmp/more"
t 65 "something after the end" "$verify" "$tmp/large.jsonl" "$tmp/more"
err_like 'expected nothing after'
t 74 "a certificate that does not exist" "$verify" "$tmp/large.jsonl" "$tmp/nosuch"
t 74 "a history that does not exist" "$verify" "$tmp/nosuch" "$c"
t 74 "a folder in place of a certificate" "$verify" "$tmp/large.jsonl" "$tmp"
err_like 'cannot read: Is a directory'
t 64 "an unknown option" "$verify" --what "$tmp/large.jsonl" "$c"
t 64 "an unknown format" "$verify" --format what "$tmp/large.jsonl" "$c"
t 64 "one file is too few" "$verify" "$c"
t 64 "three are too many" "$verify" "$c" "$c" "$c"
err_like 'more than two files'
for option in --timeout --memory --format; do
    for value in '' 0 -1 x 1x nan; do
        t 64 "$option $value" "$verify" "$option=$value" "$tmp/large.jsonl" "$c"
    done
    t 64 "$option without a value" "$verify" "$tmp/large.jsonl" "$c" "$option"
done
t 64 "a memory beyond all numbers" "$verify" --memory 99999999T "$tmp/large.jsonl" "$c"

# Limits that are wide enough change nothing, and files may be pipes and standard input, and have any name.
certify cc "$tmp/large.jsonl"
t 0 "isolab-verify takes limits of time and memory" "$verify" --timeout 1000 --memory=1G "$tmp/large.jsonl" "$c"
out_is 'valid'
err_is ''
(cd "$tmp" && cp large.jsonl ./-h && cp "$c" ./--help)
t 0 "names that look like options" sh -c "cd '$tmp' && '$(realpath "$verify")' --format jsonl -- -h --help"
out_is 'valid'
t 0 "the history on standard input" sh -c "'$verify' - '$c' <'$tmp/large.jsonl'"
t 0 "the certificate on standard input" sh -c "'$verify' '$tmp/large.jsonl' - <'$c'"
t 64 "the history and the certificate cannot both be standard input" sh -c "'$verify' - - <'$c'"
mkfifo "$tmp/pipe"
cat "$c" >"$tmp/pipe" &
t 0 "the certificate from a named pipe" "$verify" "$tmp/large.jsonl" "$tmp/pipe"
wait

# Narrow ones end the work with status 2, also where a file has no end, or never begins.
t 2 "a history of more bytes than there may be" "$verify" --memory 100K "$tmp/large.jsonl" "$c"
err_like 'large.jsonl: .*memory'
t 2 "a certificate from a pipe that has no writer" "$verify" --timeout 0.2 "$tmp/large.jsonl" "$tmp/pipe"
err_like 'pipe: .*time'
t 2 "a history from a pipe without a writer" "$verify" --timeout 0.2 "$tmp/pipe" "$c"
err_like 'pipe: .*time'
t 2 "a certificate without an end" "$verify" --memory 16M "$tmp/large.jsonl" /dev/zero
err_like '/dev/zero: .*memory'
t 2 "a history without an end" "$verify" --memory 16M /dev/zero "$c"
t 2 "the same, and time ends first" "$verify" --timeout 0.001 /dev/zero "$c"
if [ -w /dev/full ]; then
    t 74 "an answer that cannot be written" sh -c '"$0" "$@" >/dev/full' "$verify" "$tmp/large.jsonl" "$c"
    err_like '^isolab-verify: cannot write: '
    t 74 "nor the help" sh -c '"$0" --help >/dev/full' "$verify"
fi
t 0 "isolab-verify --help prints its options" "$verify" --help
out_like '^usage: isolab-verify'
for option in format timeout memory; do # what the help knows, the manual knows
    out_like "^  --$option"
    grep -q "^\\.BR* *.*\\\\-\\\\-$option" "$root/docs/isolab-verify.1"
    ok $? "the manual has --$option"
done
t 0 "isolab-verify --version prints the version" "$verify" --version
finish
