#!/bin/sh
# False claims, written by hand: what a broken or a malicious checker might say. Each history has a name,
# and each claim the words that refuse it.
. "$(dirname "$0")/tap.sh"

history() { cat >"$tmp/$1.txt"; "$isolab" check -l int --certificate "$tmp/$1.head" "$tmp/$1.txt" >/dev/null; }
claim() { # STATUS WORDS HISTORY LEVEL CLAIM
    { head -n 2 "$tmp/$3.head"; printf "level $4\\n$5\\nend\\n"; } >"$tmp/claim"
    t "$1" "$4: $(tr '\n' ' ' <"$tmp/claim" | cut -d ' ' -f 9-)" "$verify" "$tmp/$3.txt" "$tmp/claim"
    case $1 in 65) err_like "$2" "because of: $2" ;; *) out_like "$2" "because of: $2" ;; esac
}
history plain <<'END'
session
commit: w x 1, w y 1
session
commit: r x 1, r y 1
END
claim 0 '^valid' plain ser 'satisfied\norder 2\n 0 1'
claim 1 '^refused: ' plain ser 'satisfied\norder 2\n 1 0'
claim 0 '^valid' plain ser 'no-session-order\nsatisfied\norder 2\n 0 1'
claim 1 'no-session-order is a variant of si and ser only' plain ra 'no-session-order\nsatisfied\norder 2\n 0 1'
claim 65 'expected a level' plain everything 'satisfied\norder 2\n 0 1'
claim 1 'operation 2 is not an ambiguous read' plain ser 'satisfied\norder 2\n 0 1\nreads 2 0'
claim 1 '^refused: ' plain ser 'violated\noffence thin-air-read 2 -'
claim 1 'operation 0 is not a read' plain ser 'violated\noffence thin-air-read 0 -'
sed 's|[0-9a-f]*$|0123456789abcdeg|;1s|.*|isolab-certificate 1|' "$tmp/plain.head" >"$tmp/claim"
t 65 "a fingerprint that is none" "$verify" "$tmp/plain.txt" "$tmp/claim"
err_like '16 hexadecimal digits'
for line in 'atom 1 before 0@a space and a further word' 'atom 1 maybe 0@before, reads or in' 'atom 2 in 0@the next number' \
    'one 2 0 0@two different writes' 'cycle@at least two points' 'cycle 0@different points' 'lemma 0@a declared atom' \
    'lemma 1@' 'believe me@a rule' 'wr 2 0 5@the end of the line' 'cycle 0 1 x@'; do
    claim 65 "claim:[0-9]+: expected ${line#*@}" plain ser "violated\nproof\n${line%@*}\nlemma"
done
claim 1 'does not follow by unit propagation' plain ser 'violated\nproof\nlemma'
claim 1 'ends without a contradiction' plain ser 'violated\nproof'
claim 1 'does not follow by unit propagation' plain ser 'violated\nproof\nwr 2 0\nlemma'
claim 1 '^refused: ' plain ser 'violated\nproof\nso 0 1\nlemma'
claim 1 'clausal proofs are for pc and stronger levels' plain ra 'violated\nproof\nso 0 1\nlemma'
history thin <<'END'
session
commit: w x 1
session
commit: r x 2
session
abort: w x 3
commit: r x 1
END
claim 0 '^valid' thin rc 'violated\noffence thin-air-read 1 -'
claim 1 'offends, but not as the certificate says' thin rc 'violated\noffence aborted-read 1 2'
claim 65 'expected a kind of offence, found .nonsense.' thin rc 'violated\noffence nonsense 1 -'
claim 65 'expected a kind of offence' thin rc 'violated\noffence  1 -'
claim 65 'expected a kind of offence' thin rc 'violated\noffence '
claim 1 'level ci does not ask for read consistency' thin ci 'violated\noffence thin-air-read 1 -'
claim 1 'transaction 2 is aborted' thin ser 'violated\nproof\nso 2 3\nlemma'
history later <<'END'
session
commit: w x 1, w a 1
session
commit: r a 1, w x 2, w y 2, w z 2
session
commit: r x 1, w y 3
session
commit: r z 2, r y 3
END
claim 0 '^valid' later rc 'satisfied\norder 4\n 0 1 2 3'
for writes in '- -' '0 -' '0 1'; do # transaction 2 is after transaction 1, and does not see it
    claim 1 'edge [12] does not follow' later rc \
        "violated\nwr 1 3 5 8\naxiom 1 2 9 $writes 0 1\naxiom 1 0 6 - - 1 1\nwr 0 1 1 2\ncycle 2 2"
done
claim 1 'edge 1 does not follow' later rc 'violated\nwr 1 3 5 8\naxiom 1 2 9 0 - 0 1\nwr 0 1 1 2\ncycle 2 1'
history twice <<'END'
session
commit: w x 1
session
commit: w x 2
session
commit: r x 1, r x 2
commit: r x 2, r x 2
END
claim 0 '^valid' twice ra 'violated\noffence non-repeatable-read 2 3'
claim 0 '^valid' twice ci 'violated\noffence non-repeatable-read 2 3'
claim 1 'level rc allows reads that are not repeatable' twice rc 'violated\noffence non-repeatable-read 2 3'
claim 1 'do not read from two different other transactions' twice ra 'violated\noffence non-repeatable-read 4 5'
claim 1 'are not two reads of one key in one transaction' twice ra 'violated\noffence non-repeatable-read 3 4'
history lists <<'END'
session
commit: append x 1, append x 2
session
commit: rl x [1 2], rl x [1 2]
session
commit: append x 3
commit: rl x [3 1 2]
END
claim 0 '^valid' lists g1 'violated\noffence incompatible-order 2 5'
claim 1 'operations 2 and 3 show one list' lists ra 'violated\noffence non-repeatable-read 2 3'
claim 1 'list read 2 does not offend in this way' lists ra 'violated\noffence lost-element 2 0'
claim 1 'list read 2 does not offend in this way' lists ra 'violated\noffence duplicate-append 2 0'
claim 1 'list read 2 does not offend in this way' lists ra 'violated\noffence incompatible-order 2 3'
claim 1 'list read 2 does not offend in this way' lists ra 'violated\noffence thin-air-read 2 -'
history badlists <<'END'
session
commit: append x 1, append x 2
session
commit: rl x [1]
session
abort: append x 3
commit: rl x [3], rl x [4]
session
commit: append x 5, rl x [1 2], rl x [5 1 2], rl x [6 5], append x 6
END
for right in 'intermediate-read 2 1' 'aborted-read 4 3' 'thin-air-read 5 -' 'not-my-own-write 7 6' 'not-my-last-write 8 6' \
    'future-read 9 10'; do
    claim 0 '^valid' badlists int "violated\noffence $right"
done
for wrong in 'thin-air-read 2 -' 'intermediate-read 2 0' 'intermediate-read 2 -' 'aborted-read 2 3' 'aborted-read 4 -' \
    'aborted-read 5 3' 'thin-air-read 4 -' 'thin-air-read 5 3' 'future-read 4 3' 'future-read 8 6' 'not-my-own-write 7 1' \
    'not-my-own-write 2 1' 'future-read 9 6' 'not-my-last-write 9 6' 'intermediate-read 9 10' 'lost-element 2 1'; do
    claim 1 'list read [0-9]+ does not offend in this way' badlists int "violated\noffence $wrong"
done
history twins <<'END'
session
commit: append x 1
session
commit: append x 1, rl x [1 1]
END
claim 0 '^valid' twins ser 'satisfied\norder 2\n 0 1'
claim 1 'list read 2 does not show the state after another transaction' twins ser 'satisfied\norder 2\n 1 0'
history same <<'END'
session
commit: w x 1
session
commit: w x 1
session
commit: w x 2
session
commit: r x 1
END
claim 0 '^valid' same ser 'satisfied\norder 4\n 2 0 1 3\nreads 3 1'
claim 1 '^refused: ' same ser 'satisfied\norder 4\n 2 0 1 3\nreads 3 0'
claim 1 'read 3 cannot read from operation 2: it wrote something else' same ser 'satisfied\norder 4\n 2 0 1 3\nreads 3 2'
claim 1 'read 3 cannot read from' same ser 'satisfied\norder 4\n 2 0 1 3\nreads 3 init'
claim 1 '^refused: ' same ser 'satisfied\norder 4\n 2 0 1 3'

# A row that leads back to its start says nothing: under si it may begin with an anti-dependency, because its two ends,
# two different transactions, write one key.
history itself <<'END'
session
commit: w y 1, r x nil
session
commit: w x 1
commit: r y nil
session
commit: r y 1
END
itself='violated\nso init 1\nso init 0\nrw 0 1 1 0 1\nso 1 2\nrw 2 0 3 1 1\n'
claim 1 'edge 5 does not follow at level si' itself si "${itself}ww 0 0 0 0 2 3\ncycle 5 1"
claim 1 'edge 5 does not follow at level si' itself si "${itself}rw 3 0 4 2 3\nwr 0 3 0 4\nrw 3 0 4 2 3\ncycle 6 2"
claim 0 '^valid' itself si 'satisfied\norder 4\n 1 0 2 3'

# A long proof is believed, and not where a part of it is missing.
"$isolab" reduce sat --vars 40 --clauses 240 --seed 5 -o "$tmp/long.jsonl"
t 1 "a formula that nothing satisfies" "$isolab" check -l si -c sat --certificate "$tmp/proof" "$tmp/long.jsonl"
[ "$(grep -c '^atom' "$tmp/proof")" -gt 512 ]
ok $? "its proof has more than 512 atoms"
t 0 "the proof is valid" "$verify" "$tmp/long.jsonl" "$tmp/proof"
for rule in axiom cycle lemma; do
    grep -v "^$rule" "$tmp/proof" >"$tmp/cut"
    t 1 "and not without its lines $rule" "$verify" "$tmp/long.jsonl" "$tmp/cut"
    out_like '^refused: '
done
finish
