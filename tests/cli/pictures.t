#!/bin/sh
# Pictures of what is wrong: as text, for Graphviz, as SVG, and the HTML page.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

t 1 "a drawing" "$isolab" check -l cc -c plume --draw tests/patterns/tap-k.txt
out_like 'fractured-read-co \(Plume TAP-k'
out_like '! reads x = 1'
out_like '1  *t1 ─> t2: then' "its arrows have names"
! grep -q 'writes z' "$tmp/out"
ok $? "only what is involved is drawn"

t 1 "a file for Graphviz" "$isolab" check -l cc -c plume --dot "$tmp/a.dot" tests/patterns/tap-n.txt
matches '^digraph' "$tmp/a.dot" "it is one"
matches 'session <|session F' "$tmp/a.dot" "with lanes"
matches 'style=dashed' "$tmp/a.dot" "and dashed arrows"
t 1 "a file for each anomaly" "$isolab" check -l cc -c plume --all --dot "$tmp/b.dot" tests/patterns/tap-n.txt
[ -s "$tmp/b.dot" ] && [ -s "$tmp/b-2.dot" ] && [ ! -e "$tmp/b-3.dot" ]
ok $? "numbered from the second one on"
t 1 "on standard output" "$isolab" check -l cc --dot - tests/patterns/tap-k.txt
out_like '^digraph'
t 74 "a folder that is not there" "$isolab" check -l cc --dot "$tmp/no/a.dot" tests/patterns/tap-k.txt
t 0 "nothing to draw" "$isolab" check -l ser --draw --dot "$tmp/c.dot" tests/histories/ser/causal-reverse.txt
[ ! -e "$tmp/c.dot" ]
ok $? "then no file is made"

# Every kind of history that has a pattern, and names with what markup and Graphviz could take for their own.
printf '%s\n' 'session "<b>&\\N\""' '"t<1>" commit: w "k\"<&>" 1, w "k\"<&>" 2' 'session B' \
    '"\\l{|}" commit: r "k\"<&>" 1' >"$tmp/odd.txt"
n=0
for file in "$tmp/odd.txt" tests/patterns/*.txt tests/histories/*/*.txt; do
    "$isolab" check -l cc -c plume --all --draw --dot "$tmp/d.dot" "$file" >"$tmp/out" 2>"$tmp/err"
    status=$?
    if { [ $status -gt 1 ] && ! grep -q 'checker plume needs unique values' "$tmp/out"; } || [ -s "$tmp/err" ]; then
        n=$((n + 1))
        echo "# $file: exit status $status"
        sed 's/^/# /' "$tmp/err"
    fi
    if command -v dot >/dev/null && [ -e "$tmp/d.dot" ]; then
        dot -Tcanon "$tmp/d.dot" >/dev/null 2>"$tmp/err" && [ ! -s "$tmp/err" ] || { n=$((n + 1)); echo "# $file"; sed 's/^/# /' "$tmp/err"; }
    fi
    rm -f "$tmp/d.dot"
done
same 0 "$n" "pictures of all histories of the tests"

t 0 "a page" "$isolab" report -o "$tmp/page.html" tests/patterns/tap-n.txt
matches '</html>' "$tmp/page.html" "it is complete"
matches 'causal-conflict-cm' "$tmp/page.html" "it tells the anomaly"
! grep -Eiq '(src|href)=.?https?://|<script|@import' "$tmp/page.html"
ok $? "without scripts and outside links"
t 0 "a page of a good history" "$isolab" report tests/histories/sser/one-after-the-other.txt
out_like 'satisfied'
t 65 "a page of nonsense" "$isolab" report README.md

mkdir "$tmp/empty"
PATH=$tmp/empty "$isolab" check -l cc --svg "$tmp/e.svg" tests/patterns/tap-k.txt >"$tmp/out" 2>"$tmp/err"
same 74 $? "without Graphviz there is no SVG"
err_like 'apt-get install graphviz' "and it is said what to install"
[ ! -e "$tmp/e.svg" ]
ok $? "and no file is made"
PATH=$tmp/empty "$isolab" report tests/patterns/tap-k.txt >"$tmp/out" 2>"$tmp/err"
same 0 $? "a page can do without"
out_like '<pre>.*session|┌' "it draws with characters"
if command -v dot >/dev/null; then
    # Several kinds of anomaly: a picture for each card, and one that Graphviz cannot draw spoils no other.
    "$isolab" generate --txns 300 --sessions 6 --keys 8 --level ra --bug aborted-read --bug-rate 0.1 --seed 3 -o "$tmp/many.jsonl"
    t 0 "a page of many anomalies" "$isolab" report -o "$tmp/many.html" "$tmp/many.jsonl"
    cards=$(grep -c '<div class="card">' "$tmp/many.html")
    [ "$cards" -gt 2 ]
    ok $? "it has many pictures"
    same "$cards" "$(grep -c '<svg' "$tmp/many.html")" "and all of them are drawn by Graphviz"
    ! grep -q 'Graphviz' "$tmp/many.html"
    ok $? "so it does not complain of Graphviz"
    mkdir "$tmp/once"
    cat >"$tmp/once/dot" <<END
#!/bin/sh
[ -e "$tmp/once/seen" ] && exec "$(command -v dot)" "\$@"
touch "$tmp/once/seen"
exit 1
END
    chmod +x "$tmp/once/dot"
    PATH=$tmp/once:$PATH "$isolab" report -o "$tmp/once.html" "$tmp/many.jsonl"
    same "$((cards - 1))" "$(grep -c '<svg' "$tmp/once.html")" "one that Graphviz cannot draw is drawn with characters"
    same 1 "$(grep -c 'Graphviz could not draw the picture' "$tmp/once.html")" "and the page says so"
    t 1 "an SVG" "$isolab" check -l cc --svg "$tmp/f.svg" tests/patterns/tap-k.txt
    matches '</svg>' "$tmp/f.svg" "it is one"
else
    skip "an SVG" "Graphviz is missing"
fi

# Small, however large the history is.
"$isolab" generate --txns 20000 --sessions 20 --level ra --bug fractured-read-co --bug-rate 0.001 -o "$tmp/big.ilb"
t 1 "a large history" "$isolab" check -l ra -c plume --dot "$tmp/big.dot" "$tmp/big.ilb"
[ "$(wc -c <"$tmp/big.dot")" -lt 20000 ]
ok $? "has a small picture"
finish
