#!/bin/sh
# What other programs read: JUnit XML and SARIF for continuous integration, elle-cli's answers, and pictures as TikZ and PDF.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

printf '%s\n' 'session A' 't1 commit: r x nil, w "<x>&" 1' 'session B' 't2 commit: r "<x>&" nil, w x 1' >"$tmp/skew.txt"
printf '%s\n' 'session A' 't1 commit: w x 1' >"$tmp/good.txt"
t 65 "files for continuous integration" "$isolab" check -l si,ser --junit "$tmp/j.xml" --sarif "$tmp/s.json" "$tmp/skew.txt" "$tmp/good.txt" README.md
same '3 1 0 1' "$(grep -c '<testsuite ' "$tmp/j.xml") $(grep -c '<failure' "$tmp/j.xml") $(grep -c '<skipped' "$tmp/j.xml") $(grep -c '<error' "$tmp/j.xml")" \
    "JUnit: a failure for the violated level of the one history, an error for what is none"
matches 'tests="2" failures="1" errors="0"' "$tmp/j.xml" "JUnit counts tests and failures"
matches '<failure type="write-skew" message="t1 \(session A\) read x = nil' "$tmp/j.xml" "says what happened"
matches '^t2: line 4, session B' "$tmp/j.xml" "JUnit names line and session of a transaction"
! grep -q '<x>' "$tmp/j.xml"
ok $? "names are no markup"
if command -v xmllint >/dev/null; then
    xmllint --noout "$tmp/j.xml"
    ok $? "the JUnit file is well-formed XML"
else
    perl -e 'my $d = 0; local $/; $_ = <>; s/<\?.*?\?>//s; while (m{<(/?)([\w]+)((?:\s+\w+="[^"<]*")*)\s*(/?)>|<}g) { die "bad" unless defined $2; $d += $1 ? -1 : $4 ? 0 : 1 } die "open" if $d' "$tmp/j.xml"
    ok $? "it is XML (without xmllint: tags and attributes)"
fi
same '2.1.0 2' "$(jq -r '"\(.version) \(.runs[0].results | length)"' "$tmp/s.json")" "SARIF: a result for the anomaly, and one for what is none"
same 'write-skew error 2,4' "$(jq -r '.runs[0].results[0] | "\(.ruleId) \(.level) \([.locations[].physicalLocation.region.startLine] | sort | map(tostring) | join(","))"' "$tmp/s.json")" \
    "at the lines of its transactions"
same true "$(jq -r '[.runs[0].tool.driver.rules[].id] | index("write-skew") != null' "$tmp/s.json")" "whose rule is described"
t 64 "one level has no list" "$isolab" check -l si,ser --count "$tmp/skew.txt"
err_like 'needs a single level'

elle() { printf '{:type :invoke, :process 0, :f :txn, :value [[:r :x nil] [:append :y 1]]}\n{:type :invoke, :process 1, :f :txn, :value [[:r :y nil] [:append :x 1]]}\n{:type :ok, :process 0, :f :txn, :value [[:r :x []] [:append :y 1]]}\n{:type :ok, :process 1, :f :txn, :value [[:r :y []] [:append :x 1]]}\n'; }
elle >"$tmp/a.edn"
t 1 "a mode for pipelines of elle-cli" "$isolab" elle-cli -m list-append -c serializable "$tmp/a.edn"
same "$tmp/a.edn	false" "$(cat "$tmp/out")" "a name, a tab, false"
t 0 "elle-cli takes another consistency model" "$isolab" elle-cli --model list-append --format edn --consistency-models snapshot-isolation "$tmp/a.edn"
same "$tmp/a.edn	true" "$(cat "$tmp/out")" "elle-cli answers true"
t 255 "what is no history" "$isolab" elle-cli -f edn README.md "$tmp/a.edn"
same "$tmp/a.edn	false" "$(cat "$tmp/out")" "does not stop the others"
t 64 "a model that is not checked" "$isolab" elle-cli -c linearizable "$tmp/a.edn"
err_like 'it checks strict-serializable'
t 64 "a kind of history that isolab has not" "$isolab" elle-cli --model bank --allow-negative-balances --total-amount 100 "$tmp/a.edn"
err_like '^isolab: --model bank: .*it has list-append, rw-register, cas-register and mutex'
t 1 "elle-cli's options for pictures are taken" "$isolab" elle-cli -c serializable --plot-timeout 5000 --max-plot-bytes 65536 -g 3 --max-transfer 5 -d out "$tmp/a.edn"
t 1 "its time limit is in milliseconds" "$isolab" elle-cli -c serializable --cycle-search-timeout 100000 "$tmp/a.edn"
# The order of sessions counts only in models that say so.
printf '%s\n' '{:type :invoke, :process 0, :f :txn, :value [[:append :x 1]], :time 1}' '{:type :ok, :process 0, :f :txn, :value [[:append :x 1]], :time 2}' \
    '{:type :invoke, :process 0, :f :txn, :value [[:r :x nil]], :time 3}' '{:type :ok, :process 0, :f :txn, :value [[:r :x []]], :time 4}' >"$tmp/stale.edn"
for model in serializable:true strong-session-serializable:false strict-serializable:false snapshot-isolation:true strong-session-snapshot-isolation:false; do
    "$isolab" elle-cli -c "${model%:*}" "$tmp/stale.edn" >"$tmp/out" 2>/dev/null
    same "$tmp/stale.edn	${model#*:}" "$(cat "$tmp/out")" "a session that misses its own append: ${model%:*}"
done

# Sessions do not count: the read comes before the write in its session, and returns its value, which is no cycle of ww and wr.
printf '%s\n' '{:type :ok, :process 0, :f :txn, :value [[:r :x 1]]}' '{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}' >"$tmp/early.edn"
for model in read-committed:true strong-session-read-committed:false read-atomic:true causal-cerone:true prefix:true; do
    "$isolab" elle-cli -m rw-register -c "${model%:*}" "$tmp/early.edn" >"$tmp/out" 2>/dev/null
    same "$tmp/early.edn	${model#*:}" "$(cat "$tmp/out")" "a session that reads what it writes later: ${model%:*}"
done
# Models without a level of their own: a stronger level decides, or a weaker one, or neither. a.edn is a write skew; lost.edn a lost
# update; g0.edn a cycle of writes; the reader of dirty.edn sees an append that failed.
append() { printf '{:type :%s, :process %s, :f :txn, :value [%s]}\n' "$@"; }
append ok 0 '[:r :x []] [:append :x 1]' ok 1 '[:r :x []] [:append :x 2]' ok 2 '[:r :x [1 2]]' >"$tmp/lost.edn"
append ok 0 '[:append :x 1] [:append :y 1]' ok 1 '[:append :x 2] [:append :y 2]' ok 2 '[:r :x [1 2]]' ok 3 '[:r :y [2 1]]' >"$tmp/g0.edn"
append fail 0 '[:append :x 1]' ok 1 '[:r :x [1]]' >"$tmp/dirty.edn"
sed 's/r :x \[1\]/r :x 1/; s/append/w/' "$tmp/dirty.edn" >"$tmp/register.edn"
while read -r file model answer; do
    "$isolab" elle-cli -c "$model" "$tmp/$file.edn" >"$tmp/out" 2>"$tmp/err"
    same "$tmp/$file.edn	$answer" "$(cat "$tmp/out")" "$file, $model: $answer"
    case $answer in unknown) err_like "^isolab: $tmp/$file.edn: unknown: isolab has no level of its own for $model: " ;; esac
done <<END
a repeatable-read false
a PL-2.99 false
a update-serializable unknown
a cursor-stability true
a consistent-view true
a monotonic-snapshot-read true
a parallel-snapshot-isolation true
lost cursor-stability unknown
lost read-committed true
lost parallel-snapshot-isolation unknown
lost update-atomic unknown
lost monotonic-atomic-view true
lost read-uncommitted true
g0 cursor-stability false
g0 read-committed false
g0 read-uncommitted false
dirty read-committed false
dirty read-uncommitted unknown
dirty monotonic-view false
register read-uncommitted true
stale strong-snapshot-isolation false
stale strong-read-committed unknown
stale snapshot-isolation true
END
# Calls of a register and of a mutex, as Knossos checks them.
call() { printf '{:type :%s, :f :%s, :value %s, :process %s}\n' "$@"; }
call invoke write 1 0 ok write 1 0 invoke cas '[1 2]' 1 ok cas '[1 2]' 1 invoke read nil 0 ok read 2 0 >"$tmp/cas.edn"
t 0 "a linearizable register" "$isolab" elle-cli --model cas-register "$tmp/cas.edn"
sed '$s/2 /1 /' "$tmp/cas.edn" | sed '$s/:value 2/:value 1/' >"$tmp/cas-bad.edn"
t 1 "and one that is not" "$isolab" elle-cli -m cas-register -f edn -c read-committed "$tmp/cas-bad.edn"
call invoke acquire nil 0 ok acquire nil 0 invoke acquire nil 1 ok acquire nil 1 >"$tmp/mutex.edn"
t 1 "a mutex that two processes hold" "$isolab" elle-cli --model mutex "$tmp/mutex.edn"

for e in svg tex; do
    t 1 "a picture as .$e" "$isolab" check -l ser --picture "$tmp/p.$e" "$tmp/skew.txt"
    matches 'had they run one after the other' "$tmp/p.$e" ".$e: its caption says what happened"
    matches '(^|[^0-9.])2\.1' "$tmp/p.$e" ".$e: steps have numbers"
done
! grep -q '[^\\]&"\|<x>&' "$tmp/p.tex"
ok $? "names are no markup of LaTeX"
t 64 "an extension that is none" "$isolab" check -l ser --picture "$tmp/p.gif" "$tmp/skew.txt"
err_like 'ends in .svg, .pdf or .tex'

# A PDF is the SVG as rsvg-convert draws it.
printf '%s\n' 'session ")(<>\\"' '"t) Tj ET (" commit: w "\u0142\u20ack" 1, w "k2>" 1' 'session B' \
    '"\u00fc2" commit: r "\u0142\u20ack" 1, r "k2>" nil' >"$tmp/odd.txt"
if ! command -v rsvg-convert >/dev/null; then
    skip "a picture as PDF" "rsvg-convert is not installed: tools/install-deps.sh pictures"
else
    t 1 "a picture as PDF" "$isolab" check -l ra --picture "$tmp/p.pdf" "$tmp/odd.txt"
    err_is ''
    if command -v pdftotext >/dev/null && command -v pdftoppm >/dev/null; then
        t 0 "other programs read it" pdftotext -layout -enc UTF-8 "$tmp/p.pdf" "$tmp/p.txt"
        err_is ''
        matches 't\) Tj ET \(' "$tmp/p.txt" "with the names of transactions"
        matches 'session \)\(<>\\' "$tmp/p.txt" "the PDF has the names of sessions, with all their characters"
        matches 'ł€k = 1' "$tmp/p.txt" "also letters that are not of Latin-1"
        matches 'wr: the write that a read returned' "$tmp/p.txt" "the PDF has a legend"
        t 0 "pdftoppm draws the PDF" pdftoppm -r 50 -png "$tmp/p.pdf" "$tmp/drawn"
        err_is ''
        [ -s "$tmp/drawn-1.png" ] && [ ! -e "$tmp/drawn-2.png" ]
        ok $? "the PDF has one page"
    else
        skip "other programs read the PDF" "pdftotext is not installed: tools/install-deps.sh test"
    fi
fi
PATH=/nowhere t 74 "a PDF without rsvg-convert" "$isolab" check -l ra --picture "$tmp/none.pdf" "$tmp/odd.txt"
err_like 'rsvg-convert is not installed: run `tools/install-deps.sh pictures`, or `apt-get install librsvg2-bin`'
[ ! -e "$tmp/none.pdf" ]
ok $? "leaves no file"

if command -v pdflatex >/dev/null && kpsewhich tikz.sty >/dev/null; then
    printf '%s\n' '\documentclass{article}\usepackage{tikz}\begin{document}\input{p.tex}\end{document}' >"$tmp/doc.tex"
    (cd "$tmp" && pdflatex -interaction=batchmode -halt-on-error doc.tex >/dev/null)
    ok $? "LaTeX takes the picture"
else
    skip "LaTeX takes the picture" "pdflatex or tikz is not installed"
fi
finish
