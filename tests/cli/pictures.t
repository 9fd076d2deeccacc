#!/bin/sh
# Pictures of anomalies: as text, as SVG, and the HTML page.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

t 1 "check --draw draws an anomaly as text" "$isolab" check -l cc -c plume --draw tests/patterns/tap-k.txt
out_like 'fractured-read-co \(Plume TAP-k'
out_like '! reads x = 1'
out_like '1  *t1 ─> t2: then' "its arrows have names"
! grep -q 'writes z' "$tmp/out"
ok $? "only what is involved is drawn"

t 1 "a file for each anomaly" "$isolab" check -l cc -c plume --all --svg "$tmp/b.svg" tests/patterns/tap-n.txt
[ -s "$tmp/b.svg" ] && [ -s "$tmp/b-2.svg" ] && [ ! -e "$tmp/b-3.svg" ]
ok $? "numbered from the second one on"
matches '>session ' "$tmp/b.svg" "the picture has a lane for each session"
t 1 "on standard output" "$isolab" check -l cc --svg - tests/patterns/tap-k.txt
out_like '</svg>'
t 74 "a folder that is not there" "$isolab" check -l cc --svg "$tmp/no/a.svg" tests/patterns/tap-k.txt
t 0 "nothing to draw" "$isolab" check -l ser --draw --svg "$tmp/c.svg" tests/histories/lser/causal-reverse.txt
[ ! -e "$tmp/c.svg" ]
ok $? "then no file is made"

# A character is as wide as a terminal shows it: two columns in East Asia, none for an accent on the letter before.
accent=$(printf 'e\314\201')
printf '%s\n' 'session A' '"大阪" commit: w "大阪" 1, w y 1' 'session B' "\"${accent}2\" commit: r \"大阪\" 1, r y nil" >"$tmp/wide.txt"
COLUMNS=200 "$isolab" check -l ra --draw "$tmp/wide.txt" >"$tmp/out"
out_like '│   writes 大阪 = 1 ' "a drawing has the letters of a key"
out_like "│ ${accent}2 " "and accents"
cat >"$tmp/width.py" <<'P'
import sys, unicodedata
def wide(s):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in s)
ends = {}
for line in open(sys.argv[1], encoding='utf-8'):
    at = [wide(line[:i]) for i, c in enumerate(line) if c in '│┐┘']
    if line.lstrip()[:1] in ('│', '┌', '└') and len(at) > 1 - (line.lstrip()[:1] != '│'):
        ends.setdefault(wide(line) - wide(line.lstrip()), set()).add(at[1] if line.lstrip()[:1] == '│' else at[0])
print(*(len(e) for e in ends.values()))
P
same "1" "$(python3 "$tmp/width.py" "$tmp/out" | tr ' ' '\n' | sort -u)" "the right borders of its boxes stand below each other"

# Every kind of history that has a pattern, and names with what markup could take for its own.
printf '%s\n' 'session "<b>&\\N\""' '"t<1>" commit: w "k\"<&>" 1, w "k\"<&>" 2' 'session B' \
    '"\\l{|}" commit: r "k\"<&>" 1' >"$tmp/odd.txt"
n=0
for file in "$tmp/odd.txt" tests/patterns/*.txt tests/histories/*/*.txt; do
    COLUMNS=400 "$isolab" check -l cc -c plume --all --draw --svg "$tmp/d.svg" "$file" >"$tmp/out" 2>"$tmp/err"
    status=$?
    if { [ $status -gt 1 ] && ! grep -q 'checker plume needs unique values' "$tmp/out"; } || [ -s "$tmp/err" ]; then
        n=$((n + 1))
        echo "# $file: exit status $status"
        sed 's/^/# /' "$tmp/err"
    fi
    if command -v xmllint >/dev/null && [ -e "$tmp/d.svg" ]; then
        xmllint --noout "$tmp/d.svg" 2>"$tmp/err" || { n=$((n + 1)); echo "# $file"; sed 's/^/# /' "$tmp/err"; }
    fi
    rm -f "$tmp/d.svg"
done
same 0 "$n" "pictures of all histories of the tests"

t 0 "report draws the anomaly on a page" "$isolab" report -o "$tmp/page.html" tests/patterns/tap-n.txt
matches '</html>' "$tmp/page.html" "it is complete"
matches 'causal-conflict-cm' "$tmp/page.html" "it tells the anomaly"
! grep -Eiq '(src|href)=.?https?://|<script src|@import|url\(' "$tmp/page.html"
ok $? "without outside links"
t 0 "a page of a good history" "$isolab" report tests/histories/sser/one-after-the-other.txt
out_like 'satisfied'
t 65 "a page of nonsense" "$isolab" report README.md

mkdir "$tmp/empty"
PATH=$tmp/empty "$isolab" check -l cc --svg "$tmp/e.svg" tests/patterns/tap-k.txt >"$tmp/out" 2>"$tmp/err"
same 1 $? "an SVG needs no other program"
matches '</svg>' "$tmp/e.svg" "it is complete"
matches '>1 inf<' "$tmp/e.svg" "its arrows have the numbers of the steps"
matches '>1 t2 must come before' "$tmp/e.svg" "which its caption tells"

# Several kinds of anomaly: a picture for each card.
"$isolab" generate --txns 300 --sessions 6 --keys 8 --level ra --bug aborted-read --bug-rate 0.1 --seed 3 -o "$tmp/many.jsonl"
t 0 "a page of many anomalies" "$isolab" report -o "$tmp/many.html" "$tmp/many.jsonl"
cards=$(grep -c '<article class="card anomaly' "$tmp/many.html")
[ "$cards" -gt 2 ]
ok $? "it has many pictures"
same "$cards" "$(grep -c '<svg class="pic" id="p' "$tmp/many.html")" "one for each anomaly"

# Several histories: an index, and a page for each beside it.
t 64 "several pages cannot go to standard output" "$isolab" report "$tmp/many.jsonl" "$tmp/many.jsonl"
t 65 "an index is written although one file is no history" "$isolab" report -o "$tmp/index.html" "$tmp/many.jsonl" tests/patterns/tap-k.txt README.md
matches 'href="./index-1.html"' "$tmp/index.html" "has links to pages"
matches '<h1>3 histories' "$tmp/index.html" "and all histories"
matches 'README.md</td><td class="maybe">unknown</td><td>expected' "$tmp/index.html" "also what could not be read, and why"
[ -s "$tmp/index-1.html" ] && [ -s "$tmp/index-2.html" ] && [ ! -e "$tmp/index-3.html" ]
ok $? "the index has a page for each history that was read"

# Drawings fit 80 columns, and a dumb terminal gets ASCII; colour is for terminals that want it.
"$isolab" explain all >"$tmp/all"
same 0 "$(perl -CSD -ne 'print if /[\x{2500}-\x{257f}\x{25c4}]/ && length > 81' "$tmp/all" | wc -l | tr -d ' ')" "drawings fit 80 columns"
too_long() { perl -CSD -ne 's/\r|\e\[\d*m//g; chomp; print "$_\n" if length > $ENV{MOST} && / /' "$@"; }
same "" "$(MOST=80 too_long "$tmp/all")" "and so does the prose"
[ "$(perl -CSD -ne 'print if /\x{2502}/' "$tmp/all" | wc -l)" -gt 100 ]
ok $? "and there are many of them"

# So do the answers of recorded histories, and no word is lost where lines are broken.
find tests/histories/recorded -name '*.jsonl' | sort | awk 'NR % 3 == 0' >"$tmp/names"
xargs "$isolab" check -l ser --draw <"$tmp/names" >"$tmp/drawn"
same "" "$(MOST=80 too_long "$tmp/drawn")" "answers about recorded histories fit 80 columns"
COLUMNS=55 xargs "$isolab" check -l ser --draw <"$tmp/names" >"$tmp/narrow"
same "" "$(MOST=55 too_long "$tmp/narrow")" "and other widths"
words() { grep -v '[─│╌╎┐┘]' | tr -s ' \n' '\n\n' | sed 's/^[0-9.e+]*$/N/'; }
xargs "$isolab" check -l ser <"$tmp/names" | words >"$tmp/plain"
COLUMNS=55 xargs "$isolab" check -l ser <"$tmp/names" | words >"$tmp/broken"
t 0 "lines are broken between words" cmp "$tmp/plain" "$tmp/broken"
[ "$(wc -l <"$tmp/plain")" -gt 2000 ]
ok $? "of which there are many"
LC_ALL=C xargs "$isolab" check -l ser --draw <"$tmp/names" >"$tmp/ascii"
same "" "$(LC_ALL=C grep '[^ -~]' "$tmp/ascii")" "a locale without UTF-8 has ASCII in a pipe, too"
if script -qc true /dev/null >/dev/null 2>&1; then
    on_terminal() { env -u NO_COLOR LC_ALL="$1" TERM="$2" script -qc "stty cols $3; $4 '$isolab' explain lost-update" /dev/null </dev/null; }
    on_terminal C.UTF-8 xterm 120 "" >"$tmp/out"
    out_like '\[31m' "a terminal has colour"
    on_terminal C.UTF-8 xterm 120 NO_COLOR=1 >"$tmp/out"
    ! grep -q '\[31m' "$tmp/out" && grep -q '┌' "$tmp/out"
    ok $? "but not with NO_COLOR"
    on_terminal C xterm 120 "" >"$tmp/out"
    ! LC_ALL=C grep -q '[^ -~[:space:][:cntrl:]]' "$tmp/out" && grep -q '+---' "$tmp/out"
    ok $? "a locale without UTF-8 has ASCII"
    on_terminal C.UTF-8 xterm 60 "" >"$tmp/out"
    same 0 "$(perl -CSD -ne 's/\r|\e\[\d*m//g; print if /[\x{2500}-\x{257f}\x{25c4}]/ && length > 61' "$tmp/out" | wc -l | tr -d ' ')" "a narrow window has narrow drawings"
else
    skip "drawings on terminals" "there is no script"
fi
t 0 "the proof step by step" "$isolab" explain --step lost-update
same 1 "$(grep -c '^    2\.1 because' "$tmp/out" | tr -d ' ')" "each step again below the picture"

# Small, however large the history is.
"$isolab" generate --txns 20000 --sessions 20 --level ra --bug fractured-read-co --bug-rate 0.001 -o "$tmp/big.ilb"
t 1 "a large history" "$isolab" check -l ra -c plume --svg "$tmp/big.svg" "$tmp/big.ilb"
[ "$(wc -c <"$tmp/big.svg")" -lt 20000 ]
ok $? "has a small picture"
finish
