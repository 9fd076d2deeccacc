#!/bin/sh
# isolab plot: numbers that are known before, written as tables; pictures where gnuplot is.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

cp "$root/tests/cli/known-checker.sh" fake
cat >known.suite <<'END'
levels: cc
checkers: awdit naive
repeat: 2
format: jsonl
history: known
    generate: random --txns {n} --sessions 2 --level ser --seed 1
    vary: n 100 200 400 800
history: other
    generate: random --txns 300 --sessions 2 --level ser --seed 1
    checkers: awdit sat
    timeout: 2
END
t 0 "results of known times are measured" "$isolab" bench --program "$tmp/fake" -o r.sqlite known.suite
out_like '^ok 18, wrong 0, timeout 1'

csv() { # NAME OPTIONS...: its rows are then in $tmp/out
    name=$1
    shift
    t 0 "$name" "$isolab" plot "$@" --to csv
}
csv "an exponent" exponents r.sqlite -y check -c awdit --family known
out_is "series,exponent,low,high,R2,points,wrong
cc,1.50,1.50,1.50,1.00,4,0"
csv "a varied parameter as size" exponents r.sqlite -y check -x n -c naive
out_like '^cc,1.50,1.50,1.50,1.00,4,0$'
csv "a line" line r.sqlite -y check -c awdit --family known
out_like '^cc,400,0.00800,0.00800,0.00800,0$'
csv "a scatter" scatter r.sqlite -y check -c naive,awdit --pool
out_like '^cc,4,10.0,10.0,10.0,10.0,10.0,10.0,0,0$'
csv "a scatter with a panel for each family" scatter r.sqlite -y check -c naive,awdit
out_is "level,histories,ratio,low,high,large,large low,large high,only one answered,wrong
known,4,10.0,10.0,10.0,10.0,10.0,10.0,0,0"
csv "a scatter with a timeout" scatter r.sqlite -y check -c sat,awdit --pool
out_like '^cc,0,.*,1,0$'
csv "unlike families are series of their own" exponents r.sqlite -y check -c awdit
out_like '^known,1.50,1.50,1.50,1.00,4,0$'
out_like '^other,,,,,1,0$'
csv "and one series when that is asked for" exponents r.sqlite -y check -c awdit --pool
out_like '^cc,1.50,.*,5,0$'
t 64 "a size that no history has" "$isolab" plot line -x blah r.sqlite -o n.png
err_like 'expected transactions, operations, sessions, keys, bytes, or a varied parameter or number of the histories: n made-ms sessions '
[ ! -e n.png ]
ok $? "a figure that is refused leaves no file"
t 0 "a cell with its interval" "$isolab" plot scatter r.sqlite -y check -c naive,awdit --pool --cell cc:ratio --interval
out_like '^(10 10 10|9\.99999[0-9]* .*|10\.0000.*)$'
t 0 "a count has none" "$isolab" plot verdicts r.sqlite --cell awdit:asked --interval
out_is 5
t 64 "the interval of a table" "$isolab" plot verdicts r.sqlite --interval
csv "an ablation" ablation r.sqlite -y check -c awdit,naive
out_like '^"?known, naive"?,4,10.0,10.0,10.0,0,0$|^naive,4,10.0,10.0,10.0,0,0$'
csv "a quantile" quantile r.sqlite -y check
out_like '^awdit,5,5,0.00520,0.0226,0$'
out_like '^sat,1,0,,,0$'
csv "stages" stages r.sqlite --family known
# The stages of many checkers, of which the smallest become one: together they are the whole time.
cat >stages.suite <<'S'
suite: stages
levels: ra ser
checkers: awdit plume strong veristrong sat naive
repeat: 1
history: h
    generate: random --txns 300 --sessions 4 --keys 20 --seed 1
S
"$isolab" bench -o stages.sqlite stages.suite >out 2>err
csv "the stages of many checkers" stages stages.sqlite
out_like '^,process,.*,other,wrong$'
cp out stages
csv "the table of their times" table stages.sqlite
awk -F, 'NR == FNR { if (FNR > 1) { for (i = 2; i <= NF; i++) sum[$1] += $i } next }
         FNR == 1 { for (i = 3; i <= NF; i++) who[i] = $i; next }
         { for (i = 3; i <= NF; i++) if ($i ~ /^[0-9.]+$/) { n++; s = sum[who[i]]; if (s < 0.98 * $i || s > 1.02 * $i) print who[i], s, $i } }
         END { print n }' stages out >sums
same 7 "$(cat sums)" "add up to the time of the process, for each checker and level"
csv "memory" memory r.sqlite
csv "a table" table r.sqlite -y check
out_like '^"known,n=100",100,.*0.00100'
out_like 'timeout'
csv "verdicts" verdicts r.sqlite -c awdit,sat
out_like '^awdit,5,0,0,5,0,5,0,0,0,0$'
out_like '^sat,1,0,0,0,1,0,0,0,0,0$'
out_like '^all,6,0,0,5,1,5,0,0,0,0$'
csv "a matrix" matrix r.sqlite
out_like '^awdit,–,–,–,–,–$'
t 0 "--cell prints one cell" "$isolab" plot exponents r.sqlite -y check -c awdit --family known --cell cc:exponent
out_is 1.50
t 64 "a cell that does not exist" "$isolab" plot exponents r.sqlite -y check -c awdit --family known --cell ra:exponent
t 0 "a table is printed as Markdown" "$isolab" plot table r.sqlite -y check
out_like '^\|---'
t 0 "a table is written as LaTeX" "$isolab" plot table r.sqlite -y check -o table.tex
matches 'known,n=100 & 100 & ' table.tex "a row of LaTeX"
matches '^.bottomrule' table.tex "a whole table"

if command -v gnuplot >/dev/null 2>&1; then
    # No text of an SVG leaves its canvas; a letter is taken for half as wide as high.
    cat >cut.pl <<'P'
local $/;
my $svg = <>;
my ($width, $height) = $svg =~ /viewBox="0 0 ([\d.]+) ([\d.]+)"/ or die "no viewBox";
my $texts = 0;
while ($svg =~ m{<g transform="translate\(([-\d.]+),([-\d.]+)\)([^>]*)>\s*<text>(.*?)</text>}gs) {
    my ($x, $y, $how, $text) = ($1, $2, $3, $4);
    next if $how =~ /rotate/;
    my ($size) = $how =~ /font-size="([\d.]+)"/;
    $text =~ s/<[^>]*>//g, $text =~ s/&[a-z]+;/x/g;
    my $n = $size / 2 * length $text;
    my ($left, $right) = $how =~ /anchor="end"/ ? ($x - $n, $x) : $how =~ /anchor="middle"/ ? ($x - $n / 2, $x + $n / 2) : ($x, $x + $n);
    $texts++;
    print "$text: $left to $right of $width, $y of $height\n" if $left < -1 || $right > $width + 1 || $y < 0 || $y > $height;
}
print "no text\n" if !$texts;
P
    for kind in line exponents scatter quantile stages memory ablation; do
        "$isolab" plot $kind stages.sqlite -o whole.svg 2>/dev/null
        same "" "$(perl cut.pl whole.svg)" "nothing of $kind is cut"
        for form in svg pdf png; do
            set -- -c naive,awdit
            t 0 "$kind as $form" "$isolab" plot $kind r.sqlite "$@" --title "a_b {c} \"d\"" -o "$kind.$form"
            err_is ''
            case $form in
            svg) tail -2 $kind.svg | grep -q '</svg>' ;;
            pdf) head -c 5 $kind.pdf | grep -q '%PDF-' ;;
            png) LC_ALL=C grep -aq IHDR $kind.png ;;
            esac
            ok $? "the figure $kind is a file of format $form"
        done
    done
    matches '10×' scatter.svg "lines of equal speed-up"
    # As many stages as there are fills: the legend has each of them.
    cat >fills.suite <<'S'
levels: ra cc
checkers: awdit plume sat
repeat: 1
history: h
    generate: random --txns 300 --sessions 4 --level ra --bug fractured-read-co --bug-rate 0.1 --seed 1
S
    "$isolab" bench -o fills.sqlite fills.suite >out 2>err
    sqlite3 fills.sqlite "UPDATE run SET wall_ms = 100, phases = '{\"load\":10,\"check\":70,\"patterns\":10,\"construct\":10,\"witnesses\":20,\"solve\":10,\"reads\":10}'"
    t 0 "a legend of many stages" "$isolab" plot stages fills.sqlite -o fills.svg
    "$isolab" plot stages fills.sqlite --to csv | head -1 | tr ',' '\n' | grep -v '^$\|^wrong$' | sort >titles
    grep -o '<text>[^<]*</text>' fills.svg | sed 's/<[^>]*>//g' | sort >texts
    same "" "$(comm -23 titles texts)" "has each of them"
    same 8 "$(wc -l <titles | tr -d ' ')" "and they are eight"
    {
        printf 'levels: cc\ncheckers: awdit\nrepeat: 1\nformat: jsonl\n'
        for i in $(seq 1 26); do printf 'history: family%s\n    generate: random --txns %s\n' "$i" $((100 * i)); done
    } >many.suite
    t 0 "26 series" "$isolab" bench --program "$tmp/fake" -o many.sqlite many.suite
    for kind in line exponents; do
        t 0 "have a legend below the figure: $kind" "$isolab" plot $kind many.sqlite -y check -o many.svg
        err_is ''
        same '26 2' "$(grep -B 1 '<text>family[0-9]*[:<]' many.svg | grep -o 'translate([0-9.]*' |
            awk '{ n++; x[$0] } END { for (i in x) columns++; print n, columns }')" "which names each"
    done
    t 0 "a script of gnuplot" "$isolab" plot line r.sqlite -c awdit -o line.gp
    (cd "$tmp" && gnuplot line.gp >line2.svg 2>err)
    ok $? "that runs by itself"
else
    skip "pictures" "gnuplot is not installed"
fi
if command -v gnuplot >/dev/null; then
    LC_ALL='' LANG='' t 0 "a figure without a locale" "$isolab" plot line r.sqlite -c awdit -o unset.pdf
    err_is '' "gnuplot warns of nothing"
    LC_ALL=C t 0 "a figure in the locale C" "$isolab" plot line r.sqlite -c awdit -o c.pdf
    err_is '' "gnuplot warns of nothing in the locale C"
fi
PATH=/nowhere t 74 "without gnuplot" "$isolab" plot line r.sqlite -o x.svg
err_like 'install-deps.sh pictures'
t 64 "an unknown figure" "$isolab" plot lines r.sqlite
err_like 'did you mean "line"'
t 64 "an unknown form" "$isolab" plot line r.sqlite -o x.gif
t 64 "a table is not drawn" "$isolab" plot table r.sqlite -o x.svg
t 64 "a figure of no results is refused" "$isolab" plot line r.sqlite -l ser
t 64 "one checker is no scatter" "$isolab" plot scatter r.sqlite -c awdit
t 74 "a file of results that does not exist cannot be plotted" "$isolab" plot line none.sqlite
echo nonsense >bad.sqlite
t 65 "results that are none" "$isolab" plot line bad.sqlite

# A published program: it is left out where it is not installed, measured as soon as it is, and its start is no part of `net`.
cat >later.suite <<'S'
suite: later
levels: cc
checkers: naive ext:later
repeat: 1
history: h-{n}
    generate: random --txns {n} --sessions 2 --level ser --seed 1
    vary: n 100 200
S
printf '[later]\nlike = awdit\nprogram = ./later\n' >later.adapters
later() { "$isolab" bench --adapters later.adapters -o later.sqlite later.suite; }
t 0 "a published program that is not installed" later
out_like '^ok 2, wrong 0, .* not installed 2$'
plotted() { # FIGURE OPTIONS...: the table, and what the figure says besides
    t 0 "$1 without it" "$isolab" plot "$@"
    err_is "isolab: left out: ext:later: later is not installed ($tmp/./later)"
}
plotted line later.sqlite --to csv
same "$(printf 'series\ncc')" "$(cut -d, -f1 out | uniq)" "it is no series"
plotted verdicts later.sqlite --to csv
out_like '^all,2,'
plotted line later.sqlite --to gp
out_like '^N = 1$'
t 64 "a cell that is about it" "$isolab" plot scatter later.sqlite -c ext:later,naive --cell cc:ratio
err_like '^isolab: no results: ext:later: later is not installed'
cat >later <<'S'
#!/bin/sh
for file; do :; done
[ "$(wc -c <"$file")" -lt 1000 ] || sleep 0.2
echo "Done checking: 50 ms"
echo Consistent.
S
chmod +x later
t 0 "and that is installed" later
out_like '^2 histories, 4 runs: 2 now, 2 before$'
out_like '^ok 4, wrong 0, '
t 0 "is asked once" later
out_like '^2 histories, 4 runs: 0 now, 4 before$'
csv "stages of a published program" stages later.sqlite -c ext:later
cp out stages
csv "its whole time" mean later.sqlite -c ext:later
awk -F, 'FNR == 1 { next } NR == FNR { for (i = 2; i <= NF; i++) sum += $i; next } { exit !(sum > 0.97 * $3 && sum < 1.03 * $3) }' stages out
ok $? "its stages add up to its whole time"
csv "its time without its start" mean later.sqlite -c ext:later -y net
net=$(sqlite3 later.sqlite "SELECT avg(max(0, wall_ms - json_extract(phases, '$.start-up'))) / 1000 FROM run WHERE checker = 'ext:later'")
awk -F, -v net="$net" 'FNR == 2 { exit !($3 > 0.97 * net && $3 < 1.03 * net) }' out
ok $? "is that of the process less that of a start"
sed 's/^suite: later/suite: both/; s/^levels: cc/levels: cc si/; s/naive/auto/' later.suite >both.suite
t 0 "a published program that does not answer the last level" "$isolab" bench --adapters later.adapters -o both.sqlite both.suite
out_like '^ok 6, wrong 0, .* unsupported 2, '
t 0 "is not left out" "$isolab" plot verdicts both.sqlite -c ext:later --cell all:wrong
out_is 0 "its answers at the other levels count"
csv "time of reading and checking" table r.sqlite -y net -c awdit --family known
out_like '^"known,n=100",100,0.00300$' # 2 ms and 100^1.5 microseconds
t 0 "a series without an answer says so in the legend" "$isolab" plot quantile r.sqlite -c awdit,sat --to gp
out_like '^LABEL.2. = "sat: no answer"$'
csv "exponents are of checking unless another time is asked for" exponents r.sqlite -c awdit --family known
out_is "series,exponent,low,high,R2,points,wrong
cc,1.50,1.50,1.50,1.00,4,0"
csv "and of checking and reading where a published checker does not tell the time of checking" exponents later.sqlite
out_like '^naive,'
t 0 "--rename shows checkers by other names" "$isolab" plot scatter r.sqlite -y check -c naive,awdit --pool --rename awdit=AWDIT,naive=Slow --to gp
out_like '^WHO.1. = "AWDIT is 10.* faster than Slow"$' "a scatter says who is faster"
out_like '^FIRST = "Slow"$'
t 64 "--rename without a name is refused" "$isolab" plot line r.sqlite --rename awdit
err_like 'expected CHECKER=NAME, found "awdit"'
t 0 "a figure of one point has no axes" "$isolab" plot line r.sqlite -y check -c awdit --history 'known,n=400' --to gp
out_like '^SENTENCE.2. = "cc: 0.008, at 400 transactions"$'
! grep -q 'set logscale' out
ok $? "but a sentence"
# Ticks: whole numbers where sizes are whole, each with its own label, and no more than fit.
cat >ticks.pl <<'P'
my ($bad, $lists) = (0, 0);
while (<>) {
    next unless /^set [xy]tics \((.*)\)$/;
    my (%seen, $n);
    for (split /, /, $1) {
        /^"([^"]+)" ([\d.e+-]+)$/ or do { $bad++; next };
        $bad++ if $seen{$1}++;
        $n++;
    }
    $lists++;
    $bad++ if $n > 8;
}
print $lists > 0 && !$bad ? "good\n" : "bad $bad of $lists\n";
P
for sizes in "4 5" "200 220 240" "2000 2100 2200 2300" "3 7 30"; do
    sed "s/^    vary: n 100 .*/    vary: n $sizes/; /^history: other/,\$d; s/checkers: awdit naive/checkers: awdit/" known.suite >"ticks.suite"
    rm -f ticks.sqlite
    "$isolab" bench --program "$tmp/fake" -o ticks.sqlite ticks.suite >out 2>&1
    t 0 "ticks of $sizes" "$isolab" plot line ticks.sqlite -y check --to gp
    same good "$(perl ticks.pl out)" "are distinct"
    same "" "$(sed -n 's/^set xtics//p' out | grep -o '" [0-9.]*' | grep '[.]')" "and whole"
done
finish
