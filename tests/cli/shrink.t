#!/bin/sh
# `isolab shrink`: what is kept, what remains, and that no single step more is possible.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
export TMPDIR="$tmp/temporary" # in which nothing must stay
mkdir temporary

# Every bug of the simulated store leaves its anomaly; the smallest history of it is small and minimal.
# It keeps the levels that the bug alone keeps (`isolab list bugs`).
for bug in aborted-read:int:ci intermediate-read:int:ci future-read:int:ci cyclic-co:g1:int non-repeatable-read:ra:rc \
    fractured-read-co:ra:rc lost-update:si:pc long-fork:pc:cc write-skew:ser:si; do
    bugname=${bug%%:*} level=${bug#*:} kept=${bug##*:} anomaly=${bug%%:*}
    level=${level%%:*}
    [ "$bugname" = cyclic-co ] && anomaly=cyclic-causality
    "$isolab" generate --txns 120 --sessions 6 --keys 20 --ops 4 --level ser --bug "$bugname" --bug-rate 0.03 --seed 5 \
        -o "$bugname.jsonl" || exit 1
    t 0 "$bugname" "$isolab" shrink -l "$level" --anomaly "$anomaly" --verify "$bugname.jsonl" -o "$bugname.txt"
    err_like '^minimal: transactions [0-9]+ operations [0-9]+ ' "$bugname: no single step is possible"
    [ "$(grep -c ':' "$bugname.txt")" -le 4 ]
    ok $? "$bugname: at most four transactions are left"
    t 1 "$bugname: violates $level" "$isolab" check -l "$level" "$bugname.txt"
    "$isolab" check -l "$level" --all --json "$bugname.txt" | grep -q "\"$anomaly\""
    ok $? "$bugname: shows $anomaly"
    t 0 "$bugname: keeps $kept" "$isolab" check -l "$kept" "$bugname.txt"
done

# Nothing that is not needed: written by hand, worked out by hand. t2 and t4 read x and y of t1 and t3 in opposite
# orders is what long fork needs; the rest is noise of every dimension.
cat >noise.txt <<'H'
session left
a commit @1..2: w x 10, w u 1
n1 commit @3..4: r u 1, w u 2
session right
b commit @1..2: w y 20, r v nil
session third
c commit @5..6: r x 10, r y nil, r u 2
session fourth
d commit @5..6: r y 20, r x nil
n2 abort: w v 7
n3 maybe: w z 5
H
t 0 "noise is left out" "$isolab" shrink -l pc --verify noise.txt
err_like '7 -> 4 transactions' "four transactions make a long fork"
same 0 "$(grep -c '@' out)" "the smallest history has no times"
t 0 "the same twice" "$isolab" shrink -l pc noise.txt -o once.txt
sed 's/left/zz/; s/^a commit/qq commit/; s/ x / k5 /g; s/ 10/ 77/g' noise.txt >renamed.txt
t 0 "and with other names" "$isolab" shrink -l pc renamed.txt -o other.txt
t 0 "is one canonical history" cmp once.txt other.txt
t 0 "names can stay" "$isolab" shrink -l pc --keep-names noise.txt
out_like '^c commit'
t 0 "sessions can stay" "$isolab" shrink -l pc --keep-sessions --verify noise.txt
same 4 "$(grep -c '^session' out)" "there are four of them"
err_like '^minimal: transactions [0-9]+ operations [0-9]+ keys' "and no session is tried after another"
t 0 "the weakest broken level is found" "$isolab" shrink noise.txt
err_like 'at level pc'
# t2 reads what t1 had overwritten before t2 began. Put after the reader in its session, the writer would contradict the
# times without any operation: that is another story.
cat >stale.txt <<'H'
session A
t1 commit @1..2: w x 1
session B
t2 commit @3..4: r x nil
H
t 0 "a stale read" "$isolab" shrink -l sser --verify stale.txt
same "$(cat stale.txt)" "$(cat out)" "sessions are not joined against the times"
# Both append to x, neither having seen the other one's element: t1 reads its own.
cat >update.txt <<'H'
session A
t1 commit: append x 1, rl x [1]
session B
t2 commit: rl x [], append x 2
H
t 0 "a lost update of lists" "$isolab" shrink -l si update.txt
err_like 'keeps lost-update at level si'
# A store at read committed: sessions that see half of others, and themselves badly, before a lost update of two sessions
# that see their own writes. The whole history violates ra; what is kept must not.
cat >committed.txt <<'H'
session A
a1 commit: r x nil, w x 1
a2 commit: r x nil, w x 2
a3 commit: r y 5, r z nil
session B
b1 commit: w y 5, w z 6
b2 commit: r u 7, w u 8
session C
c1 commit: w u 7
c2 commit: r u 7, w u 9
c3 commit: r y nil, r z 6
H
t 1 "a history of read committed" "$isolab" check -l ra committed.txt
t 0 "a lost update of it" "$isolab" shrink -l si --anomaly lost-update --verify committed.txt -o lost.txt
t 0 "is one where sessions see their own writes" "$isolab" check -l pc lost.txt
same 'session A
t1 commit: r x nil, w x 1
session B
t2 commit: r x nil, w x 2' "$(cat lost.txt)" "between two sessions"
# Where there is no other one, it stays what it is.
printf 'session A\na1 commit: r x nil, w x 1\na2 commit: r x nil, w x 2\n' >own.txt
t 0 "a session that misses its own write" "$isolab" shrink -l si own.txt
err_like 'keeps read-your-writes at level si'
t 65 "is no lost update" "$isolab" shrink -l si --anomaly lost-update own.txt
t 65 "a satisfied level shows nothing" "$isolab" shrink -l ra noise.txt
err_like 'level ra is satisfied: there is no anomaly to keep'
t 65 "an anomaly that is not there" "$isolab" shrink -l pc --anomaly lost-update noise.txt
t 64 "an anomaly that does not exist" "$isolab" shrink -l pc --anomaly nonsense noise.txt
t 64 "an anomaly needs its level beside a command" "$isolab" shrink --anomaly long-fork --command true noise.txt

# Any command: this one dies of a transaction that reads what an aborted one wrote in the same key as its own write.
cat >dies <<'C'
#!/bin/sh
# Status 7 where a transaction writes y and reads x.
grep -q 'w y .*r x \|r x .*w y ' "$1" && { echo "found it"; exit 7; }
exit 0
C
chmod +x dies
cat >many.txt <<'H'
session A
t1 commit: w y 1, w z 2, r x nil, w x 9
t2 commit: r y 1
session B
t3 commit: w k 1
t4 commit: r k 1, r z 2
H
t 0 "a command is the test" "$isolab" shrink --keep-names --command './dies {}' --status 7 --verify many.txt
out_is 'session A
t1 commit: w y 1, r x nil'
err_like 'keeps exit status 7'
t 0 "what it prints too" "$isolab" shrink --keep-names --command './dies {}' --match '^found' many.txt
out_like 't1 commit: w y 1, r x nil'
# The anomaly beside a command: a checker of its own, which says so by 1, would be content with any other violation.
t 0 "a command and a level" "$isolab" shrink -l pc --command "$isolab check -l pc {}" --status 1 --verify noise.txt -o both.txt
t 0 "both keep the long fork" cmp once.txt both.txt
# What the command wants besides the anomaly stays, though the anomaly's own transactions do without.
t 0 "a command that wants more" "$isolab" shrink -l pc --keep-names --command "grep -q '^n3' {}" --status 0 --verify noise.txt -o more.txt
t 0 "what the command wants stays" grep -q '^n3' more.txt
t 1 "and the anomaly" "$isolab" check -l pc more.txt
t 0 "the command alone" "$isolab" shrink --command "$isolab check -l pc {}" --status 1 noise.txt -o alone.txt
t 0 "makes no read one out of thin air" "$isolab" check -l int alone.txt

# A large history: what is kept is one long fork of it, though others break weaker levels.
"$isolab" generate --txns 20k --sessions 20 --keys 2k --level ser --bug long-fork --bug-rate 0.0005 --seed 7 -o big.ilb
t 0 "a long fork of 20,000 transactions" "$isolab" shrink -l pc --anomaly long-fork --keep-sessions big.ilb -o fork.txt
same 4 "$(grep -c ' commit:' fork.txt)" "is four of them"
t 0 "and satisfies cc" "$isolab" check -l cc fork.txt

# Lists: the two readers, the two writers that they disagree on, and nothing else.
cat >lists.txt <<'H'
session A
a commit: append l 1, append m 7
b commit: rl m [7]
session B
c commit: append l 2, w x 1
session C
d commit: rl l [1 2], r x 1
session D
e commit: rl l [2 1], rl m [7], append m 8
H
t 0 "shrink --verify shrinks lists" "$isolab" shrink -l g1 --anomaly incompatible-order --verify lists.txt -o list.txt
same 4 "$(grep -c -E 'append x|rl x' list.txt)" "an append or a read in each of four transactions"
[ "$(grep -c -E ' y |r x|w x' list.txt)" = 0 ]
ok $? "no operation of another key stays"

t 65 "shrink --command needs the status that is asked for" "$isolab" shrink --command './dies {}' --status 3 many.txt
t 65 "shrink --command needs the words that are asked for" "$isolab" shrink --command './dies {}' --match lost many.txt
t 64 "no regular expression" "$isolab" shrink --command './dies {}' --match '(' many.txt
same "" "$(ls -A "$TMPDIR")" "no temporary folder stays"
cp many.txt 'a b;$(touch pwned)'
t 0 "names of files are never read by a shell" "$isolab" shrink --command './dies {}' 'a b;$(touch pwned)'
[ ! -e pwned ]
ok $? "the name of a file ran no command"

# Limits: what was reached is written.
t 2 "a limit of tests" "$isolab" shrink -l pc --tests 3 noise.txt
err_like 'ended early'
[ -s out ]
ok $? "what was reached is written"
t 2 "a command that hangs, within a limit of time" "$isolab" shrink --timeout 1 --run-timeout 0.3 --command 'sleep 5; : {}' many.txt

# Balances that go up and down repeat their values; one update is lost. Eight clients, in turn; each moves 1 between two
# of three keys; the twelve-hundredth transaction reads what was there before the last write of its key.
awk 'BEGIN { srand(7); for (i = 0; i < 2400; i++) { c = i % 8; a = int(3 * rand()); b = (a + 1) % 3; d = rand() < .5 ? 1 : -1
    x = i == 1200 ? old[a] : v[a]; y = v[b]; old[a] = v[a]; old[b] = v[b]; v[a] = x + d; v[b] = y - d
    t[c] = t[c] sprintf("commit @%d..%d: r k%d %d, w k%d %d, r k%d %d, w k%d %d\n", 10 * i, 10 * i + 30, a, x, a, x + d, b, y, b, y - d)
  } for (c = 0; c < 8; c++) printf "session s%d\n%s", c, t[c] }' >balances.txt
t 1 "a lost update among repeated values is found by counting" "$isolab" check --initial 0 -l si balances.txt --certificate lost.cert
out_like '^  lost-update' "and named"
t 0 "its certificate is valid" "$verify" --initial 0 balances.txt lost.cert
t 0 "it is shrunk" "$isolab" shrink --slice --verbose --initial 0 -l si balances.txt -o slice.jsonl
err_like 'values are repeated \(3 keys, ' "which says that values are repeated"
err_like '^shrinking: test ' "and, if asked, how far it is"
err_like '2400 -> [1-9][0-9] transactions, .* 3 -> 1 keys' "to the readers and writers of one value of one key"
t 1 "which violate the level by themselves" "$isolab" check -l si slice.jsonl
finish
