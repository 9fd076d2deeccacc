#!/bin/sh
# The artifacts of papers: suites of all scales, claims that are understood, states of claims, and checkers that lie.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

for s in "$root"/experiments/suites/*.suite "$root"/paper-artifacts/*/*.suite; do
    for scale in smoke paper full; do
        "$isolab" bench --scale $scale --plan "$s" >out 2>err
        same 0 $? "${s#"$root"/} can be read at scale $scale"
        out_like '^[1-9][0-9]* histories, [1-9][0-9]* questions, [1-9][0-9]* runs$'
    done
done
t 74 "claims about results that are not there" "$isolab" claims --results nowhere "$root/paper-artifacts/mtc/claims.md"
err_like 'there is no folder nowhere: run `make paper` first'
mkdir none
for a in "$root"/paper-artifacts/*/; do
    a=${a%/}
    name=$(basename "$a")
    [ -x "$a/run.sh" ]
    ok $? "$name has a run.sh"
    artifact=$name
    claims=$(grep -c "^| $name-[0-9]" "$a/claims.md")
    t 2 "$name: nothing is measured" "$isolab" claims --results none "$a/claims.md"
    out_like "^$claims claims: 0 PASS, 0 FAIL, 0 KNOWN, $claims SKIPPED$" "all claims of $name are understood"
    err_like 'run `make paper` first'
    t 0 "$name: if that is allowed" "$isolab" claims --allow-skipped --results none "$a/claims.md"
    for s in "$a"/*.suite; do
        grep -Eq "^([A-Z_]+=.* )?suite $(basename "$s")\$" "$a/run.sh"
        ok $? "$artifact measures $(basename "$s")"
        grep -q -e "--suite $(basename "$s" .suite) " "$a/claims.md"
        ok $? "and claims something about it" # $s
    done
done

# Claims whose numbers are known.
cp "$root/tests/cli/known-checker.sh" fake
cat >known.suite <<'END'
levels: cc
checkers: awdit naive
repeat: 2
format: jsonl
certificates: no
history: known
    generate: random --txns {n} --sessions 2 --level ser --seed 1
    vary: n 100 200 400 800
    expect: cc satisfied
END
t 0 "results of known times are measured" "$isolab" bench --program "$tmp/fake" -o r.sqlite known.suite
exponent='`isolab plot exponents r.sqlite -y check -c awdit --cell cc:exponent`'
other='`isolab plot exponents r.sqlite -y check -c naive --cell cc:exponent`'
ratio='`isolab plot scatter r.sqlite -y check -c naive,awdit --cell cc:ratio`'
right='`isolab plot verdicts r.sqlite --cell "all:right violated"`'
cat >claims.md <<END
| id | where | claim | measure | expect | known | why |
|---|---|---|---|---|---|---|
| x-1 | figure 1 | an estimate | $exponent | above 1.4 | | |
| x-2 | figure 1 | within a margin | $exponent | within 1.4..1.6 | | |
| x-3 | figure 1 | outside | $exponent | within 0.8..1.2 | | |
| x-4 | figure 1 | outside, as known | $exponent | within 0.8..1.2 | within 1.4..1.6 | |
| x-5 | figure 1 | outside, and otherwise than known | $exponent | within 0.8..1.2 | above 2 | |
| x-6 | figure 1 | no longer outside | $exponent | above 1 | below 1 | |
| x-7 | figure 1 | an estimate is not exact | $exponent | exactly 1.5 | | |
| x-8 | figure 2 | a quotient of times | $ratio | above 9 | | |
| x-9 | figure 2 | a quotient of quotients | $ratio over $ratio | within 0.99..1.01 | | |
| x-10 | figure 2 | a difference | $exponent minus $other | within -0.01..0.01 | | |
| x-11 | figure 2 | that is none | $exponent minus $other | above 0 | | |
| x-12 | table 1 | a count | $right | exactly 0 | | |
| x-13 | table 1 | another count | $right | above 0 | | |
| x-14 | table 2 | not measured | \`isolab plot verdicts none.sqlite --cell all:right\` | exactly 0 | | |
| x-15 | table 2 | of no history | \`isolab plot verdicts r.sqlite --suite none --cell all:right\` | exactly 0 | | |

## Why

### x-4
It is like this.
### x-5
### x-6
END
t 1 "claims are compared with known results" "$isolab" claims claims.md
out_like '^15 claims: 7 PASS, 5 FAIL, 1 KNOWN, 2 SKIPPED$'
same "PASS PASS FAIL KNOWN FAIL PASS FAIL PASS PASS PASS FAIL PASS FAIL SKIPPED SKIPPED" \
    "$("$isolab" claims --to json claims.md | jq -r '[.[].state] | join(" ")')" "one by one"
out_like '^ +see claims.md:21$' "what fails as known points to its explanation"
out_like '^ +see claims.md:5$' "and what fails without one to its row"
out_like 'it was known to fail, and does not'
out_like 'not in the known way: above 2'
out_like 'not measured: none.sqlite: No such file'
t 0 "some of them" "$isolab" claims --only x-1,x-4,x-12 claims.md
t 2 "a claim whose measurement was skipped" "$isolab" claims --only x-1,x-14 claims.md
t 1 "claims are printed as TAP" "$isolab" claims --to tap claims.md
out_like '^not ok 4 - x-4 # TODO contradicted, as known'
out_like '^ok 14 - x-14 # SKIP not measured'
same "1..15" "$(head -n 1 out)" "the TAP of the claims has its plan"
t 1 "claims are printed as Markdown" "$isolab" claims --to md claims.md
out_like '^\| KNOWN \| x.?-4 \| '
t 1 "claims are printed as LaTeX" "$isolab" claims --to tex -o claims.tex claims.md
matches '^KNOWN & x-4 & ' claims.tex "the LaTeX table has the row of claim x-4"
matches '^.bottomrule' claims.tex "the LaTeX table is complete"
sed 's/^| x-1 .*/&/; s/ | why |$/ | scale |/; /^| x-[23] /s/| | |$/| | paper |/' claims.md >scaled.md
t 1 "the claims of a small scale" "$isolab" claims --scale smoke scaled.md
out_like '^13 claims: '
err_like '^isolab: 2 claims are about other scales and were left out: .make paper. '

mkdir -p res/art
cp r.sqlite res/
printf 'series,"a <b>"\nx,"1 ""2"""\n' >res/art/figure2-x.csv
printf '<svg/>' >res/art/figure1.svg
printf 'series,n\n"ext:plume cc",1\nlike-polysi,2\nplume,3\n' >res/art/figure1.csv
printf '| series |\n\nMeans of x \\[s\\].\n' >res/art/figure1.md
echo 'ext:viper: viper is not installed (viper)' >res/art/figure1.absent
printf 'a\n' >res/art/figure11.csv
mkdir -p art
{ printf '# A paper: <b>\n\nIt runs "Title of\nthe paper" & more.\n\nSecond.\n\n' && cat claims.md; } >art/claims.md
printf 'Scale smoke: 2 of the 9 claims\nare left out.\n\nLoad: 3.\n' >res/art/about.txt
t 1 "as a page" "$isolab" claims --results res --to html -o res/art.html art/claims.md
matches '<h1>A paper: &lt;b&gt;</h1>' res/art.html "says which paper it is about"
same '<p>It runs &quot;Title of the paper&quot; &amp; more.</p>|<p>Second.</p>|<p>Scale smoke: 2 of the 9 claims are left out.</p>|<p>Load: 3. </p>' \
    "$(sed -n '/<p>It runs/,/Load/p' res/art.html | paste -sd '|')" "in its words, and at which scale and load it was measured"
matches '<p>A claim compares .*<b>[0-9]+ PASS</b>: the whole interval .*<b>[0-9]+ FAIL</b>' res/art.html "what a claim and its states are"
matches 'a name without ext: is isolab.s own program' res/art.html "whose programs were measured"
matches 'href="art/claims.md"' res/art.html "and where the claims are"
same '<svg/>' "$(sed -n 's/.*<img alt="figure1" src="data:image.svg+xml;base64,\([^"]*\)".*/\1/p' res/art.html | base64 -d)" "with the pictures, as data"
matches 'figure1<br>Means of x .s.[.]<br>Published programs: ext:plume[.] .*: like-polysi[.] All other names .* Left out: ext:viper: viper is not' res/art.html \
    "its caption says what was measured, of whom, and who is not there"
matches '<th>a &lt;b&gt;' res/art.html "and tables, of which nothing is markup"
same 1 "$(grep -c 'figcaption>figure1<' res/art.html)" "each figure is shown once"
same "figure 1 figure 2 table 1 table 2 More figures" "$(grep -o '<h2>[^<]*' res/art.html | cut -c 5- | paste -sd ' ')" "figures and tables are in the order of the paper"

# A file of claims may come from outside: it runs nothing else, and errors name the line.
wrong() { # NAME LINE WORDS, and the row
    { printf '| id | claim | measure | expect |\n|---|---|---|---|\n' && cat; } >wrong.md
    t 65 "$1" "$isolab" claims wrong.md
    err_like "^isolab: wrong.md: line $2: .*$3|^isolab: wrong.md:$2: .*$3"
}
wrong "another command" 3 'isolab plot FIGURE' <<'END'
| a | b | `touch loot --cell x` | above 1 |
END
wrong "another command of isolab" 3 'isolab plot FIGURE' <<'END'
| a | b | `isolab generate random -o loot --cell x` | above 1 |
END
wrong "no expectation" 3 'expected above N, below N' <<'END'
| a | b | `isolab plot verdicts r.sqlite --cell all:right` | 1..2 |
END
wrong "a number that is none" 3 'expected a number' <<'END'
| a | b | `isolab plot verdicts r.sqlite --cell all:right` | within 1..x |
END
wrong "the same id twice" 4 'an id that no other claim has' <<'END'
| a | b | `isolab plot verdicts r.sqlite --cell all:right` | above 1 |
| a | b | `isolab plot verdicts r.sqlite --cell all:right` | above 1 |
END
wrong "half a command" 3 'expected .COMMAND.' <<'END'
| a | b | `isolab plot verdicts r.sqlite --cell all:right | above 1 |
END
printf '| id | claim | measure | expect | known |\n|---|---|---|---|---|\n| a | b | `isolab plot v r --cell c` | above 1 | below 1 |\n' >wrong.md
t 65 "a known failure without an explanation" "$isolab" claims wrong.md
err_like 'a heading with the id'
echo text >wrong.md
t 65 "a file without a table of claims is refused" "$isolab" claims wrong.md
printf '| id | claim | measure | expect |\n|---|---|---|---|\n| a | b | `isolab plot verdicts r.sqlite --cell all:right -o %s` | above 1 |\n' loot >writes.md
t 2 "a figure is not written" "$isolab" claims writes.md
t 2 "nothing runs in a shell" "$isolab" claims --only x-14 claims.md
[ ! -e loot ]
ok $? "a measure that a shell would run writes no file"

# Results of a suite whose time ended. The checker sat never ends, so one run of awdit is all that is measured.
sed 's/^checkers:.*/checkers: awdit sat/' known.suite >part.suite
t 2 "a suite whose time ends" "$isolab" bench --timeout 1 --program "$tmp/fake" -o part.sqlite part.suite
out_like '^4 histories, 1 runs: 1 now, 0 before, 15 missing$' "its missing runs are counted"
cell='isolab plot verdicts part.sqlite --suite part -c awdit --cell'
cat >part.md <<END
| id | where | claim | measure | expect |
|---|---|---|---|---|
| p-1 | table 1 | too few so far | \`$cell "all:right satisfied"\` | exactly 4 |
| p-2 | table 1 | none so far | \`$cell all:wrong\` | exactly 0 |
| p-3 | table 1 | already too many | \`$cell "all:right satisfied"\` | exactly 0 |
| p-4 | table 1 | already enough | \`$cell "all:right satisfied"\` | above 0 |
| p-5 | table 1 | a difference of counts | \`$cell "all:right satisfied"\` minus \`$cell all:wrong\` | above 0 |
| p-6 | figure 1 | of too few histories | \`isolab plot mean part.sqlite --suite part -y check -c awdit --cell cc:mean\` | above 0 |
END
states() { "$isolab" claims --to json "$@" | jq -r '[.[].state] | join(" ")'; } # of claims, in one line
t 1 "claims about a part of a suite" "$isolab" claims part.md
same 6 "$(grep -c '7 of 8 runs of part were not measured: run `make paper` again' out)" "each claim says how much is missing"
same "SKIPPED SKIPPED FAIL PASS SKIPPED SKIPPED" "$(states part.md)" "a count is judged if no missing run can change the judgement"
t 0 "a table of a part of a suite" "$isolab" plot verdicts part.sqlite -c awdit
out_like '; 7 of 8 runs were not measured[.;,]' "the caption says how much is missing"
sed 's/part\.sqlite --suite part/r.sqlite --suite known/g' part.md | grep -v -e 'p-3' >whole.md
t 0 "the same claims about the whole suite" "$isolab" claims whole.md
out_like '^5 claims: 5 PASS' "hold"
same 0 "$(grep -c 'not measured' out)" "and nothing is missing"
mkdir few
cp r.sqlite few/
sqlite3 few/r.sqlite "DELETE FROM run WHERE repetition = 2"
t 0 "claims about counts of a suite of which repetitions are missing" "$isolab" claims --results few --only x-12 claims.md
out_like 'of 16 runs of all suites were not measured' "say so, and are judged"
cp r.sqlite few/
sqlite3 few/r.sqlite "DELETE FROM run WHERE checker = 'awdit' AND history = (SELECT max(id) FROM history)"
t 1 "claims about intervals from fewer histories" "$isolab" claims --results few --only x-1,x-3,x-8 claims.md
same "2 of 8 runs 2 of 8 runs 2 of 16 runs" "$(grep -o '2 of [0-9]* runs' out | paste -sd ' ')" "each interval says how many runs it lacks"
same "PASS FAIL PASS" "$(states --results few --only x-1,x-3,x-8 claims.md)" "they hold, or are contradicted"
t 0 "results are taken over" "$isolab" bench --merge -o merged.sqlite few/r.sqlite
same 8 "$(sqlite3 merged.sqlite "SELECT count(*) FROM planned WHERE repeat = 2")" "with what was planned"
sqlite3 few/r.sqlite "DROP TABLE planned"
t 1 "results of an older isolab" "$isolab" claims --results few --only x-1,x-3,x-8 claims.md
same 0 "$(grep -c 'not measured' out)" "do not say what was planned"

# Checkers that lie. The honest checker passes the claims, a checker that always says satisfied does not.
cat >liar <<'END'
#!/bin/sh
echo '{"verdict":"satisfied","milliseconds":{"check":1}}'
END
chmod +x liar
mkdir honest lying
for who in honest lying; do
    program=$isolab
    [ $who = honest ] || program=$tmp/liar
    "$isolab" bench --scale smoke --program "$program" -o $who/awdit.sqlite --work h "$root/paper-artifacts/awdit/table1.suite" >out 2>err
    "$isolab" bench --scale smoke --program "$program" -o $who/mtc.sqlite --work h "$root/paper-artifacts/mtc/figure19.suite" >out 2>err
done
verdicts="awdit-23,awdit-24,awdit-25,awdit-26,mtc-11,mtc-12,mtc-13,mtc-14"
t 0 "the claims about verdicts hold" "$isolab" claims --results honest --only $verdicts "$root"/paper-artifacts/awdit/claims.md "$root"/paper-artifacts/mtc/claims.md
out_like '^8 claims: 8 PASS'
t 1 "and not of a checker that always says satisfied" "$isolab" claims --results lying --only $verdicts "$root"/paper-artifacts/awdit/claims.md "$root"/paper-artifacts/mtc/claims.md
out_like '^8 claims: 0 PASS, 8 FAIL'
# A slow one: naive takes a hundredth of what it took.
sed 's/by=10/by=0.1/' fake >quick
chmod +x quick
"$isolab" bench --program "$tmp/quick" -o r.sqlite known.suite >out
t 1 "a claim about times notices another checker" "$isolab" claims --only x-8 claims.md
out_like 'contradicted'
finish
