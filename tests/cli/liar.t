#!/bin/sh
# A checker that is wrong about every question, and fast: no figure, table, caption or page may show it as a good one. Its
# answers are wrong by the suite, by a certificate, or only contradicted by another checker; and one is not installed.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cat >liar.py <<'P'
#!/usr/bin/env python3
"""Asks isolab, and says the contrary."""
import json, subprocess, sys

for path in sys.argv[2:]:
    asked = subprocess.run([sys.argv[0][: -len("liar.py")] + "honest", "check", "-l", sys.argv[1], "--json", path], capture_output=True)
    verdict = json.loads(asked.stdout)["verdict"]
    print(path + ": " + {"satisfied": "violated", "violated": "satisfied"}[verdict])
P
chmod +x liar.py
printf '#!/bin/sh\nexec "%s" "$@"\n' "$isolab" >honest
chmod +x honest
cat >liar.adapters <<'A'
[mine]
program = ./liar.py
arguments = {level} {files}
formats = jsonl
levels = ra cc
satisfied = ^{file}: satisfied$
violated = ^{file}: violated$
statuses = 0
[gone]
like = awdit
program = ./gone
A
suite() { # NAME SETTINGS
    printf '%s\n' "suite: $1" 'levels: ra' 'checkers: awdit plume ext:mine ext:gone' 'repeat: 1' 'format: jsonl' "$2" \
        'history: good-{n}' '    generate: random --txns {n} --sessions 3 --level ra --seed 1' '    vary: n 40 80 160' \
        'history: bad-{n}' '    generate: random --txns {n} --sessions 3 --level ra --bug fractured-read-co --bug-rate 0.2 --seed 1' \
        '    vary: n 40 80 160' >"$1.suite"
}
suite proved ''
suite disputed 'certificates: no'

for how in proved disputed; do
    status=1
    [ $how = proved ] || status=0
    t $status "$how: a suite with a checker that lies" "$isolab" bench --adapters liar.adapters -o $how.sqlite $how.suite
    out_like "ext:mine: 6 (wrong|disputed)" "$how: bench says so"
    out_like ' ext:mine +3 +[0-9]? +3 (wrong|disputed)' "$how: and so does its table"
    out_like ' ext:gone +3 +[0-9]? +3 not installed' "$how: what is not installed is called so"
    out_like 'not installed 6$'
done
# The suite expects the verdicts that were proved: the file of results says what the suite does.
cp proved.sqlite expected.sqlite
sqlite3 expected.sqlite "UPDATE run SET expected = (SELECT c.verdict FROM certificate c WHERE c.history = run.history AND c.level = run.level);
    UPDATE run SET state = 'wrong' WHERE verdict IS NOT NULL AND verdict <> expected; DELETE FROM certificate"
same 6 "$(sqlite3 expected.sqlite "SELECT count(*) FROM run WHERE state = 'wrong' AND checker = 'ext:mine'")" "the checker is wrong about each question"

for how in expected proved disputed; do
    word=wrong
    [ $how != disputed ] || word=disputed
    for kind in line exponents scatter quantile stages memory ablation mean table verdicts matrix; do
        of="-c awdit,ext:mine"
        case $how-$kind in disputed-line | disputed-exponents) continue ;; esac # nothing counts, so there is nothing to draw
        for form in md tex csv; do
            t 0 "$how: $kind as $form" "$isolab" plot $kind $how.sqlite $of --to $form
            [ $form = csv ] || out_like "ext:mine: 6 $word" "$how: $kind as $form: the caption says that it is $word"
        done
        # Of the rows of the checker, no cell is a time, a ratio or a count of right answers.
        case $kind in
        table) same 6 "$(grep -c ",$word\$" out)" "$how: table: its cells are marked" ;;
        matrix) [ $how = disputed ] || same 1 "$(grep -c '^ext:mine,○,○,○,○,○,○$' out)" "$how: matrix: its cells are marked" ;;
        verdicts) same "0" "$(grep '^ext:mine,' out | cut -d, -f3)" "$how: verdicts: none is right" ;;
        quantile) same "ext:mine,6,0,,,6" "$(grep '^ext:mine' out)" "$how: quantile: none is an answer" ;;
        scatter) same "" "$(awk -F, 'NR > 1 && $2 > 0' out)" "$how: scatter: there is no ratio" ;;
        *)
            grep -E '^"?[a-z]*(, )?ext:mine' out | sed 's/^"[^"]*"//; s/^ext:mine//' >rows
            [ -s rows ]
            ok $? "$how: $kind: it is not forgotten"
            same "" "$(grep -v '^[,0]*,[0-9]*$' rows)" "$how: $kind: there is no number except that of its wrong answers"
            ;;
        esac
    done
    if command -v gnuplot >/dev/null; then
        for kind in line exponents scatter quantile stages memory ablation; do
            case $how-$kind in disputed-line | disputed-exponents) continue ;; esac
            t 0 "$how: $kind as a picture" "$isolab" plot $kind $how.sqlite -c awdit,ext:mine -o $kind.svg
            tr -d '\n' <$kind.svg | sed 's/<[^>]*>//g' >words
            matches "ext:mine[a-z: ]*[(][36] $word[)]" words "$how: $kind: the picture marks it"
            t 0 "$how: $kind as PDF" "$isolab" plot $kind $how.sqlite -c awdit,ext:mine -o $kind.pdf
        done
    else
        skip "$how: pictures" "gnuplot is not installed"
    fi
    t 0 "$how: a page" "$isolab" report -o page.html $how.sqlite
    matches "ext:mine: 6 $word" page.html "$how: the page says it first"
    same "6" "$(grep -c "<a href=\"#c[0-9]*\">ext:mine</a>" page.html)" "$how: the page lists each disagreement"
    same "" "$(grep '<td>ext:mine</td>' page.html | grep 'class="yes"\|data-value="[0-9.]*">[0-9.]*</td><td data-value="[0-9.]*">[0-9.]*</td><td></td></tr>')" \
        "$how: no row of the page has a good verdict or a time"
    same 6 "$(grep '<td>ext:gone</td>' page.html | grep -c '>not installed<')" "$how: the page says what is not installed"
    t 64 "$how: a claim about it has no number" "$isolab" plot scatter $how.sqlite -c awdit,ext:mine --pool --cell ra:ratio
done
t 64 "nothing is drawn where nothing counts" "$isolab" plot line disputed.sqlite

# A time limit is no answer, even if an earlier run had one.
cp proved.sqlite late.sqlite
sqlite3 late.sqlite "INSERT INTO run (environment, history, key, suite, level, checker, repetition, state, wall_ms, user_ms, system_ms, peak_kib, counted_peak, exit_status, signal, load)
    SELECT environment, history, key, suite, level, checker, 2, 'timeout', 5000, 0, 0, 0, 0, -1, 0, load FROM run WHERE checker = 'plume'"
t 0 "a checker that reached the time limit once" "$isolab" plot quantile late.sqlite -c awdit,plume --to csv
out_like '^plume,6,0,,,0$'
t 0 "has no time" "$isolab" plot table late.sqlite -c plume --to csv
same 6 "$(grep -c ',timeout$' out)" "but its state"

# A busy machine is mentioned.
cp proved.sqlite busy.sqlite
sqlite3 busy.sqlite "UPDATE run SET load = 40; UPDATE environment SET cores = 2"
t 0 "a table of a busy machine" "$isolab" plot table busy.sqlite
out_like 'measured on a busy machine: load 40.0 on 2 processors' "the caption says it"
sqlite3 busy.sqlite "UPDATE run SET load = 1"
t 0 "a table of an idle one" "$isolab" plot table busy.sqlite
! grep -q busy out
ok $? "its caption does not"
finish
