#!/bin/sh
# `isolab referee`: checkers with known mistakes are found by themselves, each mistake shrunk to its smallest history;
# checkers that are right are left alone; whatever a foreign program does, the run goes on.
. "$(dirname "$0")/tap.sh"
export isolab
cd "$tmp" || exit 1
mkdir tmp
TMPDIR=$tmp/tmp
export TMPDIR

rounds=400
[ -z "$ISOLAB_QUICK" ] || rounds=200
# Ours agree, on random and on all small histories.
t 0 "isolab's own checkers agree" "$isolab" referee --checkers all -l all --run-timeout 1 --random --count $((131 + rounds)) --seed 11 --out agree
grep -E 'histories|^(brute|naive|sat|awdit) ' out | sed 's/^/# /'
t 0 "on all small ones too" "$isolab" referee --checkers brute,naive,awdit -l rc,ra,cc --exhaustive 2,2,2 --json --out agree
same true "$(jq '.histories > 1000 and .comparisons == 3 * .histories and .disagreements == 0 and .ended_early == false' out)" "every one of them at every level"

# Stand-ins. They speak as awdit does.
adapter() { # NAME LEVELS
    printf '[%s]\nlike = awdit\nprogram = %s/%s\nformats = test\nlevels = %s\n' "$1" "$tmp" "$1" "$2" >>my.adapters
    cat >"$1"
    chmod +x "$1"
}
# By a wrong rule: read committed as Plume defines it.
adapter otherrule 'rc=rc' <<'S'
#!/bin/sh
for file; do :; done
"$isolab" check -l rc-plume -c naive --format test "$file" >/dev/null && echo Consistent. || echo Inconsistent.
S
# Right.
adapter right 'rc ra cc' <<'S'
#!/bin/sh
for file; do :; done
"$isolab" check -l "$3" -c awdit --format test "$file" >/dev/null && echo Consistent. || echo Inconsistent.
S
# Sees only the first writer of each key: writes of later writers, and their reads, do not exist for it.
adapter firstwriter 'ra=read-atomic' <<'S'
#!/usr/bin/perl
use strict; use warnings;
my (%writer, @out); my $txn = 0;
open my $in, "<", $ARGV[-1] or die;
my @lines = <$in>;
for (@lines) { $txn++ if /^[-=]/; $writer{$1} //= $txn if /^w (\S+)/ }
$txn = 0; my %seen;
for (@lines) {
    $txn++ if /^[-=]/;
    if (/^w (\S+) (\S+)/) { next if $writer{$1} != $txn; $seen{"$1 $2"} = 1 }
    push @out, $_;
}
open my $o, ">", "$ARGV[-1].cut" or die;
for (@out) { print $o $_ unless /^r (\S+ \S+)/ && !$seen{$1} }
close $o;
print system("$ENV{isolab} check -l ra -c naive --format test $ARGV[-1].cut >/dev/null") == 0 ? "Consistent.\n" : "Inconsistent.\n";
S
# Dies of a transaction that reads a key twice.
adapter dies 'ra=read-atomic' <<'S'
#!/usr/bin/perl
my %read;
open my $in, "<", $ARGV[-1] or die;
while (<$in>) { %read = () if /^[-=]/; kill 'SEGV', $$ if /^r (\S+)/ && $read{$1}++ }
print system("$ENV{isolab} check -l ra -c naive --format test $ARGV[-1] >/dev/null") == 0 ? "Consistent.\n" : "Inconsistent.\n";
S
adapter hangs 'ra=read-atomic' <<'S'
#!/bin/sh
sleep 100 & sleep 100
S
adapter garbage 'ra=read-atomic' <<'S'
#!/bin/sh
head -c 3000 /dev/urandom
S
adapter flips 'ra=read-atomic' <<'S'
#!/bin/sh
# Another answer every time.
n=$(cat "$TMPDIR/../flips.n" 2>/dev/null || echo 0)
echo $((n + 1)) >"$TMPDIR/../flips.n"
[ $((n % 2)) = 0 ] && echo Consistent. || echo Inconsistent.
S
json() { jq -r "$1" "$2"/verdicts.json; }

t 0 "a published checker that is right is not reported" "$isolab" referee --checkers awdit,naive,ext:right \
    --adapters my.adapters -l rc,ra,cc --random --txns 5 --count 40 --seed 3 --out right.out --json
same "120 0" "$(jq -r '"\(.comparisons) \(.disagreements)"' out)" "on 40 histories at three levels"
same 1 "$(ls right.out | wc -l)" "and there is no report"

t 1 "a wrong rule is found" "$isolab" referee --checkers awdit,naive,ext:otherrule --adapters my.adapters -l rc \
    --random --txns 4 --ops 4 --count 200 --seed 4 --reports 1 --out rule
report=$(wc -l rule/rc-otherrule-*/history.txt | sort -n | sed -n 's/.* \(rule.*\)\/history.txt/\1/p' | head -1) # of kinds of anomalies: the smallest
# The smallest history on which rc and rc-plume differ: two writers of x in an order of which nothing but one transaction
# knows, which reads the later value and then the earlier one; the order is known where the later writer read the earlier.
same "violated true true verified by isolab-verify" "$(json '"\(.truth) \(.minimal) \(.repeatable) \(.certificate)"' "$report")" "brute says what is right, and it is proved"
same otherrule "$(json '.verdicts[] | select(.wrong).checker' "$report" | sed 's/ext://')" "the wrong party"
matches 'ext:otherrule is alone' "$report/report.md" "a party that is alone is named"
matches 'All of them are those of rc-plume: it may check that instead' "$report/report.md" "and which rule it follows"
for checker in brute naive; do
    t 1 "$checker: the history violates rc" "$isolab" check -l rc -c $checker "$report/history.txt"
    t 0 "$checker: and not rc-plume" "$isolab" check -l rc-plume -c $checker "$report/history.txt"
done
sed 's/^/# /' "$report/history.txt"
t 0 "the certificate is good" "$verify" --format isolab "$report/history.txt" "$report/certificate"
cat >disagrees <<'S'
#!/bin/sh
"$isolab" check -l rc -c naive --format isolab "$1" >/dev/null; a=$?
"$isolab" check -l rc-plume -c naive --format isolab "$1" >/dev/null; b=$?
[ $a = 1 ] && [ $b = 0 ]
S
chmod +x disagrees
t 0 "it is minimal" "$isolab" shrink --command './disagrees {}' --status 0 --to isolab --verify "$report/history.txt" -o smaller
err_like '^minimal: '
same "$(grep -c ':' "$report/history.txt")" "$(grep -c ':' smaller)" "nothing was left to leave out"
(cd "$report" && PATH=$(dirname "$isolab"):$PATH sh commands.sh) >again 2>&1
matches 'Consistent\.' again "its commands run"
matches 'violated rc' again "and show the disagreement"

t 1 "a checker that ignores the second of two writers is found" "$isolab" referee --checkers brute,naive,ext:firstwriter --adapters my.adapters \
    -l ra --random --count 40 --txns 4 --ops 2 --keys 2 --seed 5 --reports 1 --out first
report=$(ls -d first/ra-firstwriter-* | head -1)
same "true ext:firstwriter" "$(json '"\(.minimal) \(.verdicts[] | select(.wrong).checker)"' "$report")" "by a minimal history"
for one in first/ra-firstwriter-*; do
    [ "$(json .transactions "$one")" -le 3 ] && [ "$(json .operations "$one")" -le 5 ]
    ok $? "$one is small: $(json '"\(.transactions) transactions, \(.operations) operations"' "$one")"
    matches '^# ra: ext:firstwriter answers wrongly' "$one/report.md" "the report has a title"
    matches '^Certificate: verified by isolab-verify' "$one/report.md" "the certificate of the report was verified"
done
matches '^    .*/firstwriter check -i read-atomic -f test -s 1024 firstwriter.txt' "$report/report.md" "the report has the command"
[ -s "$report/firstwriter.txt" ] && [ -s "$report/history.txt" ] && [ -s "$report/original.txt" ]
ok $? "the history is there in both formats, and as it was found"

t 1 "a crash is a finding" "$isolab" referee --checkers naive,ext:dies --adapters my.adapters -l ra --random --txns 4 --count 40 --seed 2 \
    --reports 1 --out crash
report=$(ls -d crash/ra-dies-* | head -1)
same "1 2" "$(json '"\(.transactions) \(.operations)"' "$report")" "shrunk to one transaction that reads twice"
same crash "$(json '.verdicts[] | select(.checker == "ext:dies").state' "$report")" "the report has its state"

# Two mistakes of one kind: the frequent one does not hide the rare one. It refuses a transaction that reads a key twice,
# and one that writes a key three times.
adapter refuses 'ra=read-atomic' <<'S'
#!/usr/bin/perl
my (%read, %written, $wrong);
open my $in, "<", $ARGV[-1] or die;
while (<$in>) {
    %read = %written = () if /^[-=]/;
    $wrong = 1 if /^r (\S+)/ && $read{$1}++;
    $wrong = 1 if /^w (\S+)/ && $written{$1}++ > 1;
}
print $wrong ? "Inconsistent.\n" : "Consistent.\n"; # all histories below are
S
mkdir two.files
for i in 10 11 12 13 14 15 16 17 18 19; do
    printf 'session A\nt1 commit: w y %s\nt2 commit: r y %s, r y %s\n' $i $i $i >two.files/$i.txt
done
printf 'session A\nt1 commit: w y 1, w x 1, w x 2, w x 3\n' >two.files/20.txt
t 1 "two mistakes of one kind" "$isolab" referee --checkers naive,ext:refuses --adapters my.adapters -l ra --reports 2 --out two two.files
same 2 "$(ls -d two/ra-refuses-* | wc -l)" "have a report each"
for one in two/ra-refuses-*; do sed 1d "$one/history.txt" | tr -cd 'rw'; echo; done | sort >kinds
same "rr www" "$(paste -s -d ' ' kinds)" "also if the rare one comes last"

# Known mistakes of published tools, each a checker that is right about all that it sees. What it overlooks is left out of
# its file before a right checker is asked: reads of initial values; of own writes; of values without a writer; causes.
overlooks() { # NAME LEVEL-ASKED LEVEL-MEANT: a perl on standard input leaves operations out of isolab text
    cat >"$1.pl"
    printf '#!/bin/sh\nfor file; do :; done\nperl "%s" "$file" >"$file.cut"\n' "$tmp/$1.pl" >"$1"
    printf '"$isolab" check -l %s -c naive --format isolab "$file.cut" >/dev/null && echo Consistent. || echo Inconsistent.\n' "$3" >>"$1"
    chmod +x "$1"
    printf '[%s]\nlike = awdit\nprogram = %s/%s\nlevels = %s=any\nformats = isolab\ninitial = first\n' "$1" "$tmp" "$1" "$2" >>my.adapters
}
overlooks noinitial ra ra <<'P'
while (<>) { s/ r \S+ nil(,|$)/ /g; s/, *$//; print }
P
overlooks noown ra ra <<'P'
while (<>) {
    if (/^(\S+ )?(commit|abort|maybe)\b/) {
        my ($head, $ops) = /^([^:]*:)(.*)/; my %own;
        $_ = "$head" . join(',', grep { my ($kind, $key) = /(\w+) (\S+)/; my $out = $kind eq 'r' && $own{$key}; $own{$key} = 1 if $kind eq 'w'; !$out } split /,/, $ops) . "\n";
    }
    print;
}
P
overlooks nothinair ra ra <<'P'
my @lines = <>; my %written;
for (@lines) { $written{"$1 $2"} = 1 while / w (\S+) ([^\s,]+)/g }
for (@lines) { s/ r (\S+) ([^\s,]+)(,|$)/$2 eq 'nil' || $written{"$1 $2"} ? " r $1 $2$3" : ' '/ge; s/, *$//; print }
P
overlooks nocauses cc ra <<'P'
print while <>;
P
"$isolab" generate random --txns 12 --sessions 6 --keys 6 --ops 2 --bug co-conflict-cm --bug-rate 0.2 --seed 3 -o causes.jsonl
while read -r who level most rule; do
    source='--random --count 150 --txns 4 --ops 3 --keys 2 --sessions 3'
    [ $level = ra ] || source='--mutants 40 causes.jsonl'
    t 1 "$who is found" "$isolab" referee --checkers brute,naive,ext:$who --adapters my.adapters -l $level $source \
        --seed 6 --reports 1 --out $who.out --json
    same true "$(jq '.histories > 40 and .reports > 0' out)" "$who: among random histories, or mutants of one"
    for one in "$who.out"/$level-$who-*; do
        same "true true ext:$who verified by isolab-verify" "$(json '"\(.minimal) \(.repeatable) \(.verdicts[] | select(.wrong).checker) \(.certificate)"' "$one")" \
            "${one##*/}: minimal, the wrong party, and proved"
        [ "$(json .operations "$one")" -le "$most" ]
        ok $? "${one##*/}: at most $most operations"
        matches "All of them are those of.* $rule" "$one/report.md" "${one##*/}: told what it overlooks"
    done
done <<'L'
noinitial ra 4 ra without the reads of initial values
noown ra 4 ra without the reads of keys that the reader wrote before
nothinair ra 2 ra without the reads of values without a writer
nocauses cc 6 ra
L

# Killed at any moment and begun again, a run finds what one in one piece finds.
t 1 "a run in one piece" "$isolab" referee --checkers naive,ext:noinitial --adapters my.adapters -l ra --random --count 60 --txns 3 --ops 2 --keys 2 \
    --sessions 2 --seed 12 --reports 50 --batch 8 --out piece
mkdir killed.tmp
n=0
for wait in 0.3 0.7 1.1 0.2 0.9; do
    TMPDIR=$tmp/killed.tmp timeout -s KILL $wait "$isolab" referee --checkers naive,ext:noinitial --adapters my.adapters -l ra --random --count 60 \
        --txns 3 --ops 2 --keys 2 --sessions 2 --seed 12 --reports 50 --batch 8 --out killed --resume >/dev/null 2>&1 || n=$((n + 1))
done
t 1 "killed $n times and begun again" "$isolab" referee --checkers naive,ext:noinitial --adapters my.adapters -l ra --random --count 60 \
    --txns 3 --ops 2 --keys 2 --sessions 2 --seed 12 --reports 50 --batch 8 --out killed --resume
same "$(cat piece/*/history.txt | sort)" "$(cat killed/*/history.txt | sort)" "the same smallest histories are found"
for part in report.md verdicts.json commands.sh; do
    same "$(ls -d piece/ra-* | wc -l)" "$(ls killed/*/$part | wc -l)" "every report has its $part"
done
same 0 "$(ls -A killed killed.tmp | grep -c -E 'work|new|isolab')" "and nothing of the killed runs is left"
# Killed after it wrote reports and before it wrote its state, a run that goes on keeps to --reports.
few() { "$isolab" referee --checkers naive,ext:noinitial --adapters my.adapters -l ra --random --count 60 --txns 3 --ops 2 \
    --keys 2 --sessions 2 --seed 12 --reports 1 --out few "$@"; }
t 1 "a run with few reports" few
written=$(ls -d few/ra-* | wc -l)
same "1" "$(for r in few/ra-*; do json .class "$r"; done | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')" "has one of a class"
sed -i 's/^next .*/next 0/; /^class/d' few/state
t 1 "it goes on from a state that knows none of them" few --resume
same "$written" "$(ls -d few/ra-* | wc -l)" "and writes no more"
rm few/state
t 1 "and without a state" few --resume
same "$written" "$(ls -d few/ra-* | wc -l)" "and writes no more"
rm -r "$(ls -d few/ra-* | head -n 1)" few/state
t 1 "a removed report" few --resume
same "$written" "$(ls -d few/ra-* | wc -l)" "may be written again"

t 64 "other checkers are another run" "$isolab" referee --checkers brute,ext:noinitial --adapters my.adapters -l ra --random --count 60 \
    --txns 3 --ops 2 --keys 2 --sessions 2 --seed 12 --out killed --resume
err_like 'killed/state is of another run: seed 12; checkers naive ext:noinitial; levels ra; exhaustive 0,0,0; mutants 0; random 1, of 3 2 2 2'
t 64 "so are other levels" "$isolab" referee --checkers naive,ext:nocauses --adapters my.adapters -l cc --random --count 1 --seed 12 --out killed --resume
t 64 "and other shapes" "$isolab" referee --checkers naive,ext:noinitial --adapters my.adapters -l ra --random --count 60 --txns 4 --seed 12 --out killed --resume
head -c 40 killed/state >cut && mv cut killed/state
t 65 "a damaged state" "$isolab" referee --checkers naive,ext:noinitial --adapters my.adapters -l ra --random --count 60 \
    --txns 3 --ops 2 --keys 2 --sessions 2 --seed 12 --out killed --resume
err_like 'killed/state is damaged'

# A full disk, as a limit on the size of files: one line, status 74, and no half report.
(
    trap '' XFSZ
    ulimit -f 1
    exec "$isolab" referee --checkers naive,ext:nothinair --adapters my.adapters -l ra --random --count 60 --txns 12 --ops 6 --keys 6 --sessions 4 \
        --seed 12 --reports 9 --out full
) >out 2>err
status=$?
sed -i '/^libgcov/d' err # a build for coverage cannot write its counts either
same 74 $status "a full disk ends the run"
same 1 "$(wc -l <err)" "with one line"
err_like '^isolab: .*(File too large|No space)' "that says why"
same 0 "$(ls -d full/.new* full/state.new 2>/dev/null | wc -l)" "and no half report stays"

t 2 "a checker that hangs is no disagreement, and nothing is compared with it" "$isolab" referee --checkers naive,ext:hangs --adapters my.adapters -l ra --random \
    --count 4 --run-timeout 0.2 --out hang --json
same 4 "$(jq '.checkers[1].states.timeout' out)" "answers that took too long are counted"
t 1 "garbage is a finding" "$isolab" referee --checkers naive,ext:garbage --adapters my.adapters -l ra --random --count 2 --reports 1 --out garbage.out
same unparsable "$(json '.verdicts[1].state' "$(ls -d garbage.out/ra-* | head -1)")" "of its own kind"
t 1 "answers that change are reported" "$isolab" referee --checkers naive,ext:flips --adapters my.adapters -l ra --random --count 6 --txns 3 \
    -j 1 --out flips.out --json
[ "$(jq .disagreements out)" -gt 0 ] && [ "$(jq '.not_repeatable + .reports' out)" -gt 0 ]
ok $? "as reports or as not repeatable"

# Files and mutants.
cat >fork.txt <<'H'
session A
t1 commit: w x 1
session B
t2 commit: r x 1, w x 2
session C
t3 commit: r x 2, r x 1
H
t 1 "the referee compares checkers on given histories" "$isolab" referee --checkers naive,ext:otherrule --adapters my.adapters -l rc --out given fork.txt
t 1 "and their mutants" "$isolab" referee --checkers naive,ext:otherrule --adapters my.adapters -l rc --mutants 20 --out given --json fork.txt
same 21 "$(jq .histories out)" "all of them"
t 65 "a malformed file" "$isolab" referee --checkers naive,awdit -l rc --out bad "$report/report.md"

# Limits, interrupts, resuming: the same histories in the same order, none twice.
t 0 "a run in one piece" "$isolab" referee --checkers naive,awdit -l ra --random --count 3000 --seed 9 --out whole --json
cp out whole.json
t 0 "its first part" "$isolab" referee --checkers naive,awdit -l ra --random --count 1000 --seed 9 --out parts --json
cp out part1.json
t 0 "its second part" "$isolab" referee --checkers naive,awdit -l ra --random --count 3000 --seed 9 --out parts --resume --json
same "$(jq -r '.checkers[0].satisfied' whole.json)" "$(jq -rs '.[0].checkers[0].satisfied + .[1].checkers[0].satisfied' part1.json out)" "together say the same"
same 2000 "$(jq .histories out)" "without asking twice"
t 64 "with another seed it is another run" "$isolab" referee --checkers naive,awdit -l ra --random --count 3000 --seed 8 --out parts --resume
t 0 "a limit of time" "$isolab" referee --checkers naive,awdit -l ra --random --timeout 1 --out timed --json
same true "$(jq '.ended_early and .histories > 0' out)" "ends the run and keeps its counts"
t 2 "a FILE that is too large is not agreed on" "$isolab" referee --checkers naive,awdit -l ra --memory 32M --out large /dev/zero
out_like '; ended early: /dev/zero: memory limit reached'
t 2 "nor are small histories that were not reached" "$isolab" referee --checkers naive,brute -l ra --exhaustive 4,2,2 --timeout 0.2 --out small
out_like '; ended early: time limit reached$'
"$isolab" referee --checkers naive,ext:otherrule,ext:hangs --adapters my.adapters -l rc,ra --run-timeout 60 --count 0 --batch 4 --out interrupted >out 2>err &
pid=$!
wait_for 'pgrep -f "$tmp/hangs"'
kill -INT $pid
wait $pid
status=$?
[ $status -le 2 ]
ok $? "an interrupt ends the run ($status)"
out_like '; interrupted$'
same 0 "$(ls -A "$TMPDIR" interrupted | grep -c work)" "no temporary files stay"
wait_for '! pgrep -f "$tmp/hangs"'
ok $? "and no processes"

# A program that keeps running is asked line by line; a program that dies or says nothing is started again with the next question.
cat >stays <<'S'
#!/usr/bin/perl
use strict; use warnings;
$| = 1;
exit 3 if ($ARGV[0] // '') ne '--serve';
open my $log, '>>', "$ENV{TMPDIR}/../stays.starts"; print $log "start\n"; close $log;
my $n = 0;
while (my $path = <STDIN>) {
    chomp $path;
    kill 'SEGV', $$ if ++$n == 10;
    print system("$ENV{isolab} check -l $ARGV[1] -c naive --format test $path >/dev/null") == 0 ? "Consistent.\n" : "Inconsistent.\n";
}
S
chmod +x stays
printf '[stays]\nlike = awdit\nprogram = %s/stays\nformats = test\nserve = --serve {level}\nlevels = rc ra\n' "$tmp" >>my.adapters
t 1 "a program that stays" "$isolab" referee --checkers naive,ext:stays --adapters my.adapters -l rc,ra --random --count 40 --seed 3 -j 1 \
    --reports 0 --out stays.out --json
same "80 8" "$(jq -r '"\(.checkers[1].satisfied + .checkers[1].violated + .checkers[1].states.crash) \(.checkers[1].states.crash)"' out)" "answers all but every tenth question"
same 8 "$(wc -l <stays.starts)" "and is started again after each of these, except the last one at each level"

# The same, told the text of a history and not the path of its file: of four histories it reads the third wrongly.
cat >hears <<'S'
#!/usr/bin/perl
use strict; use warnings;
$| = 1;
while (defined(my $n = <STDIN>)) {
    read(STDIN, my $text, $n) == $n or exit 4;
    open my $out, '>', "$ENV{TMPDIR}/../hears.txt" or die; print $out $text; close $out;
    my $right = system("$ENV{isolab} check -l ra -c naive --format isolab $ENV{TMPDIR}/../hears.txt >/dev/null") == 0;
    print $right || $text =~ /abort/ ? "Consistent.\n" : "Inconsistent.\n";
}
S
chmod +x hears
printf '[hears]\nlike = awdit\nprogram = %s/hears\nformats = isolab\ninitial = first\nserve = x\ntold = text\nlevels = ra\n' "$tmp" >>my.adapters
t 1 "a program that is told the text" "$isolab" referee --checkers naive,ext:hears --adapters my.adapters -l ra --random --count 60 --txns 3 --ops 2 --keys 2 \
    --sessions 2 --seed 3 -j 1 --reports 1 --out hears.out --json
same "60 true" "$(jq -r '"\(.comparisons) \(.disagreements > 0)"' out)" "answers, and is wrong about aborted transactions"
same Consistent. "$("$(ls -d hears.out/ra-* | head -1)"/commands.sh 2>&1 | grep -E '^(In|C)onsistent')" "commands.sh asks it again"
printf '[folders]\nprogram = ./hears\nformats = cobra\nserve = x\ntold = text\nlevels = ra\n' >folders.adapters
t 65 "a folder has no text" "$isolab" referee --checkers naive,ext:folders --adapters folders.adapters -l ra
err_like 'told = text needs a format of one file'

# The example in Python is right, and its error is found if it is given a wrong rule.
if command -v python3 >/dev/null; then
    mkdir -p skeleton/examples
    cp "$root"/examples/checker.* skeleton/examples/
    cd skeleton || exit 1
    t 0 "the example in Python" "$isolab" referee --checkers naive,ext:example --adapters examples/checker.adapters -l g1 --random --count 800 --out right --json
    same "800 0" "$(jq -r '"\(.comparisons) \(.disagreements)"' ../out)" "is right, asked by a path from here"
    sed -i 's/ or overwritten//' examples/checker.py
    t 1 "a checker that ignores overwritten values" "$isolab" referee --checkers naive,ext:example --adapters examples/checker.adapters -l g1 --random \
        --count 800 --out wrong
    same 1 "$(ls -d wrong/g1-example-intermediate-read-* | wc -l | sed 's/[1-9].*/1/')" "the wrong answer is found"
    cd .. || exit 1
else
    skip "the example in Python" "python3 is not here"
fi

# Questions that a batch leaves unanswered are asked in halves, and a program that takes everything in its folder at once is recognised.
cat >folder <<'S'
#!/usr/bin/perl
use strict; use warnings;
open my $log, '>>', "$ENV{TMPDIR}/../folder.starts"; print $log "start\n"; close $log;
my @files = glob "$ARGV[0]/*";
for my $file (@files) {
    open my $in, '<', $file or die;
    my @lines = <$in>;
    exit 255 if join('', @lines) =~ /^w (\S+) .*\n(?:w \1 .*\n){2}/m; # a key written three times in a row
}
for my $file (@files) {
    my ($name) = $file =~ m{([^/]+)$};
    print "$name: ", system("$ENV{isolab} check -l ra -c naive --format test $file >/dev/null") == 0 ? "PASS\n" : "FAIL\n";
}
S
chmod +x folder
printf '[folder]\nlike = dbcop\nprogram = %s/folder\narguments = {folder}\nformats = test\ninitial = written\ncannot =\nlevels = ra\nstatuses = 0\n' "$tmp" >>my.adapters
t 1 "a program that reads a folder and dies of one history in it" "$isolab" referee --checkers naive,ext:folder --adapters my.adapters -l ra \
    --random --count 64 --txns 3 --ops 3 --keys 2 --seed 5 --batch 64 --reports 0 --out folder.out --json
same "64 true" "$(jq -r '"\(.checkers[1].satisfied + .checkers[1].violated + .checkers[1].states.crash) \(.checkers[1].states.crash > 0)"' out)" "answers all others"
[ "$(wc -l <folder.starts)" -lt 50 ] # asked one by one there would be more than 64
ok $? "in $(wc -l <folder.starts) starts"

# Packs: one file holds many satisfied histories. What is found is the same as one by one, in fewer starts. This program calls
# what writes a key three times in a row violated, and accepts fractured reads of the second key of a member.
cat >packs <<'S'
#!/usr/bin/perl
use strict; use warnings;
open my $log, '>>', "$ENV{TMPDIR}/../packs.starts"; print $log "start\n"; close $log;
open my $in, '<', $ARGV[-1] or die;
my $text = join '', <$in>;
my $sessions = () = $text =~ /^session/mg;
exit 9 if $sessions > $ENV{most};
my $right = system("$ENV{isolab} check -l ra -c naive --format isolab $ARGV[-1] >/dev/null") == 0;
my $thrice = $text =~ /w (\S+) \S+, w \1 \S+, w \1 /;
my $aborted = $text =~ /abort/;
print $thrice ? "Inconsistent.\n" : $right || $aborted ? "Consistent.\n" : "Inconsistent.\n";
S
chmod +x packs
for pack in no yes; do
    printf '[packs]\nlike = awdit\nprogram = %s/packs\nformats = isolab\ninitial = first\nlevels = ra\npack = %s\n' "$tmp" $pack >pack.adapters
    rm -f packs.starts
    most=1000 t 1 "a program that is wrong about some histories, packs: $pack" "$isolab" referee --checkers ext:packs,naive --adapters pack.adapters -l ra --random \
        --count 150 --txns 3 --ops 3 --keys 2 --seed 5 --reports 0 --out packs.$pack --json
    wc -l <packs.starts >starts.$pack
    jq -c '[.comparisons, .disagreements, .questions, (.checkers[] | [.asked, .satisfied, .violated, .unknown])]' out >counts.$pack
    jq '.checkers[0].packed' out >packed.$pack
done
same "$(cat counts.no)" "$(cat counts.yes)" "has the same verdicts"
grep -q '^\[150,0,' counts.no
same 1 $? "of which some are wrong"
[ "$(cat starts.yes)" -lt "$(cat starts.no)" ] && [ "$(cat packed.no)" = 0 ] && [ "$(cat packed.yes)" -gt 20 ]
ok $? "in $(cat starts.yes) starts instead of $(cat starts.no)"
most=6 t 1 "a program to which packs are too large" "$isolab" referee --checkers ext:packs,naive --adapters pack.adapters -l ra --random \
    --count 150 --txns 3 --ops 3 --keys 2 --seed 5 --reports 0 --out packs.six --json
same "$(cat counts.no)" "$(jq -c '[.comparisons, .disagreements, .questions, (.checkers[] | [.asked, .satisfied, .violated, .unknown])]' out)" "has them, too"
same "0 true" "$(jq -r '"\(.checkers[0].states.crash) \(.checkers[0].packs_unlike_members | . > 0 and . < 6)"' out)" "in smaller packs"

# What a tool cannot take is offered once as it is, and then told otherwise or left out.
cat >limits <<'S'
#!/bin/sh
for file; do :; done
perl -ne 'my %own; next if !/\bcommit\b/; while (/([rw]) (\S+) [^,]+/g) { exit 1 if $1 eq "r" && $own{$2}; $own{$2} = 1 if $1 eq "w" }' "$file" || exit 134
"$isolab" check -l ra -c naive --format isolab "$file" >/dev/null && echo Consistent. || echo Inconsistent.
S
chmod +x limits
printf '[limits]\nlike = awdit\nprogram = %s/limits\nformats = isolab\ninitial = first\nlevels = ra\ncannot = own-reads\n' "$tmp" >>my.adapters
t 1 "a limit of a tool is offered once" "$isolab" referee --checkers naive,ext:limits --adapters my.adapters -l ra --random --count 100 --txns 4 \
    --ops 3 --keys 2 --seed 5 --out limits.out --json
same "1 0" "$(jq -r '"\(.disagreements) \(.checkers[1].states.crash)"' out)" "and then no more"
same "ra: ext:limits=C; ext:limits told a read of a key that its transaction wrote before as it is" \
    "$(json .class "$(ls -d limits.out/ra-limits-* | head -1)" | sed 's/, [a-z-]*;/;/')" "as a kind of its own"

# A limit on the memory of isolab is none of the programs that it starts.
adapter roomy 'ra=read-atomic' <<'S'
#!/usr/bin/perl
my $room = '';
vec($room, 150_000_000, 8) = 1;
print system("$ENV{isolab} check -l ra -c naive --format test $ARGV[-1] >/dev/null") == 0 ? "Consistent.\n" : "Inconsistent.\n";
S
t 0 "a program has more memory than isolab" "$isolab" referee --checkers naive,ext:roomy --adapters my.adapters -l ra --random --count 2 \
    --run-timeout 600 --memory 100M --out roomy.out --json
same 2 "$(jq .comparisons out)" "all histories were compared"

# Wrong use.
t 64 "the referee needs two checkers" "$isolab" referee --checkers naive -l ra
t 64 "no such checker" "$isolab" referee --checkers naive,nosuch -l ra
err_like 'a published one is ext:nosuch'
t 64 "no such adapter" "$isolab" referee --checkers naive,ext:nosuch -l ra
t 64 "a program that is not there" "$isolab" referee --checkers naive,ext:plume --adapter plume=/nowhere/plume -l ra
err_like 'say where with --adapter plume=PATH'
t 64 "a level that no one shares" "$isolab" referee --checkers awdit,ext:otherrule --adapters my.adapters -l nonsense
printf '[x]\ncolour = red\n' >bad.adapters
t 65 "a bad file of adapters" "$isolab" referee --checkers naive,awdit --adapters bad.adapters -l ra
err_like '^isolab: bad.adapters: line 2: an adapter has no field "colour"'
t 74 "a folder that cannot be made" "$isolab" referee --checkers naive,awdit -l ra --out nowhere/at/all
finish
