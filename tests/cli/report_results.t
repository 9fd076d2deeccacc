#!/usr/bin/perl
# The page of `isolab report` about a file of results: its numbers are those of the file, disagreements are listed, tables are
# sorted and searched in a real browser in both themes and two widths, hostile names are text, a damaged file ends with 65.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $isolab);
require "$root/tests/cli/browser.pl";
skip_all("sqlite3 is not installed") unless have("sqlite3");
chdir(tempdir(CLEANUP => 1)) or die $!;
sub sql { my ($file, $sql) = @_; my $out = qx(sqlite3 $file "$sql"); chomp $out; return $out }

spew("s.suite", <<'S');
suite: small
levels: ra cc
checkers: awdit naive
repeat: 2
history: h-{x}
    generate: random --txns {x} --sessions 3 --seed 1 --level ra
    vary: x 20 200
S
ok(system("$isolab bench -o r.sqlite s.suite >/dev/null 2>&1") == 0 && -s "r.sqlite", "a file of results");
ok(system("$isolab report -o page.html r.sqlite 2>err") == 0, "its page", slurp("err"));
my $page = slurp("page.html");
my $cells = sql("r.sqlite", "SELECT count(*) FROM (SELECT DISTINCT history, level, checker FROM run)");
ok(($page =~ s/<tr id="c\d+">//gr) ne $page && (() = $page =~ /<tr id="c\d+">/g) == $cells, "a row for each answer", $cells);
ok($page =~ /<p>None: all verdicts/ && $page =~ /<h2 id="environment">/, "no disagreement; the environment is there");
ok((() = $page =~ /<figure>/g) == 3, "three pictures");
ok(system("$isolab report --label nothing-like-it -o x.html r.sqlite 2>err") >> 8 == 64 && ! -e "x.html", "no such label", slurp("err"));
ok(system("$isolab report -o x.html r.sqlite r.sqlite 2>err") >> 8 == 64 && slurp("err") =~ /name it alone/, "not among histories", slurp("err"));

# Two checkers disagree, a third answer is wrong by the suite, and every name is hostile.
my $evil = "<img src=x onerror=document.title=1></script><script>document.title=1</script>";
system("cp", "r.sqlite", "evil.sqlite");
sql("evil.sqlite", "UPDATE run SET verdict = 'violated' WHERE checker = 'naive' AND level = 'ra' AND history = (SELECT min(id) FROM history)");
sql("evil.sqlite", "UPDATE run SET state = 'wrong', expected = 'violated', verdict = 'satisfied' WHERE checker = 'awdit' AND level = 'cc' AND history = (SELECT max(id) FROM history)");
sql("evil.sqlite", "UPDATE run SET checker = '$evil' || checker, reason = '$evil', suite = '$evil'");
sql("evil.sqlite", "UPDATE history SET name = '$evil' || name, family = '$evil', source = '$evil' || name");
sql("evil.sqlite", "UPDATE environment SET host = '$evil', cpu = '$evil', label = '$evil', commit_id = '$evil'");
ok(system("$isolab report -o evil.html evil.sqlite 2>err") == 0, "a page of hostile names", slurp("err"));
$page = slurp("evil.html");
ok((() = $page =~ /<li><b>/g) == 2 && $page =~ /expected: violated/, "both disagreements are listed");
ok($page !~ /<img/ && (() = $page =~ /<script/g) == 1, "no markup of a name is in the page");

# Damaged files: a table is missing, the file is cut, it is not one.
system("cp", "r.sqlite", "bad.sqlite");
sql("bad.sqlite", "DROP TABLE run");
spew("cut.sqlite", substr slurp("r.sqlite"), 0, 5000);
spew("none.sqlite", "SQLite format 3\0" . "x" x 3000);
system("cp", "r.sqlite", "type.sqlite");
sql("type.sqlite", "UPDATE run SET wall_ms = 'soon'");
for my $file (qw(bad cut none type)) {
    my $code = system("$isolab report -o gone.html $file.sqlite 2>err") >> 8;
    ok($code == 65 && ! -e "gone.html" && slurp("err") =~ /^isolab: \Q$file\E\.sqlite: [^\n]+\n\z/, "$file: 65, one line, and no page", $code, slurp("err"));
}

unless (browser()) { skip("a browser opens the page", "chromium is not installed: tools/install-deps.sh browser"); finish() }
my $s = drive("evil.html", 1280, 900, q{
    const rows=()=>all('table.filtered tbody tr').filter(r=>!r.hidden),column=n=>rows().map(r=>r.cells[n].dataset.value).filter(x=>x!==undefined).map(Number);
    const head=n=>all('table.filtered th button')[n];
    seen.title=d.title;seen.images=all('img').length;
    head(9).click();seen.up=column(9);head(9).click();seen.down=column(9);
    const q=$('p.filter input'),ask=x=>{q.value=x;q.dispatchEvent(new w.Event('input'));return rows().length};
    seen.all=rows().length;seen.naive=ask('naive ra');seen.none=ask('nothing-like-it');seen.said=$('p.filter span').textContent;seen.back=ask('');
    seen.links=all('#disagreements+ul a').map(a=>{const r=d.querySelector(a.getAttribute('href'));return r.cells[4].textContent===a.textContent});
    seen.cut=all('.plots figure>svg').flatMap(p=>{const b=p.getBoundingClientRect();
        return Array.from(p.querySelectorAll('text,path,circle')).filter(y=>!y.closest('defs')).filter(y=>{const r=y.getBoundingClientRect();
            return r.right>b.right+1||r.left<b.left-1||r.bottom>b.bottom+1||r.top<b.top-1}).map(y=>y.outerHTML)});
    seen.looks=[];
    for(const theme of ['light','dark'])for(const width of [1280,400]){
        d.documentElement.dataset.theme=theme;f.style.width=width+'px';
        seen.looks.push([theme,width,d.documentElement.scrollWidth-d.documentElement.clientWidth,w.getComputedStyle(d.body).backgroundColor]);
    }
});
ok(defined $s && $s->{ready} eq "yes" && !@{$s->{errors}} && $s->{requests} == 0, "no script error and no request", defined $s ? @{$s->{errors}} : "no page");
ok($s->{title} =~ /^isolab: / && $s->{images} == 0, "hostile names are text", $s->{title});
ok("@{$s->{up}}" eq join(" ", sort { $a <=> $b } @{$s->{up}}) && "@{$s->{down}}" eq join(" ", reverse @{$s->{up}}), "sorted by time, both ways", "@{$s->{up}}");
ok($s->{all} == $cells && $s->{naive} == 2 && $s->{none} == 0 && $s->{said} eq "0 of $cells" && $s->{back} == $cells, "rows are searched", @$s{qw(naive none said back)});
ok(@{$s->{links}} == 4 && !grep({ !$_ } @{$s->{links}}), "disagreements link their rows");
ok(!@{$s->{cut}}, "nothing of a picture is cut", @{$s->{cut}});
ok(!grep({ $_->[2] > 0 } @{$s->{looks}}), "nothing is wider than the window", map { "@$_" } @{$s->{looks}});
finish();
