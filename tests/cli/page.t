#!/usr/bin/perl
# A page of `isolab report` in a real browser: it steps through a proof by mouse and keyboard, searches, sorts, is light and dark,
# wide and narrow; no script error, no request, and nothing outside its box. A page around it drives it and writes what it saw.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $isolab);
require "$root/tests/cli/browser.pl";
skip_all("chromium is not installed: tools/install-deps.sh browser") unless browser();
my $tmp = tempdir(CLEANUP => !$ENV{KEEP}); print "# $tmp\n" if $ENV{KEEP};
chdir $tmp or die $!;

my $evil = "<img src=x onerror=document.title=1></script>";
my $key = $evil =~ s/"/\\"/gr;
spew("fork.jsonl", qq({"session":"A","id":"t1","ops":[["w","x",1]],"start":10,"end":20}\n{"session":"B","id":"t2","ops":[["w","$key",1]],"start":11,"end":21}
{"session":"C","id":"t3","ops":[["r","x",1],["r","$key",null]],"start":30,"end":40}\n{"session":"D","id":"t4","ops":[["r","x",null],["r","$key",1]],"start":31,"end":41}
{"session":"D","id":"later","ops":[["w","x",77]],"start":50,"end":60}\n));
system("$isolab report -o fork.html fork.jsonl 2>/dev/null");
system("$isolab report -o index.html fork.jsonl $root/tests/patterns/tap-k.txt >/dev/null 2>&1");

my $s = drive("fork.html", 1200, 900, q{
    const c=$('article.anomaly'),p=c.querySelector('svg.pic'),place=()=>c.querySelector('.place').textContent,now=()=>c.querySelector('.now').textContent;
    seen.story=c.querySelector('.story').textContent;
    seen.title=c.querySelector('h3').textContent;
    seen.arrows=all('#a1 svg.pic .arrow').map(a=>a.dataset.step);
    seen.steps=all('#a1 ol.steps li').map(a=>a.dataset.step);
    seen.whole=place();
    c.querySelector('.next').click();seen.first=[place(),now(),all('#a1 .arrow.on').length,p.classList.contains('stepping')];
    const fig=c.querySelector('.figure');key(fig,'ArrowRight');seen.second=place();
    key(fig,'End');seen.last=place();key(fig,'ArrowRight');seen.stays=place();key(fig,'Escape');seen.out=place();
    c.querySelectorAll('ol.steps button')[1].click();seen.byButton=[place(),c.querySelector('li.on').dataset.step];
    p.querySelector('.arrow[data-step="3"]').dispatchEvent(new w.MouseEvent('click',{bubbles:true}));seen.byArrow=c.querySelector('li.on').dataset.step;
    const q=$('#query'),ask=x=>{q.value=x;q.dispatchEvent(new w.Event('input'));return all('#results tr').slice(1).map(r=>r.cells[0].textContent)};
    seen.byName=ask('t3');seen.byValue=ask('77');seen.byLine=ask('line 2');seen.byEvil=ask('onerror');seen.none=ask('nothing-like-it');
    p.querySelector('.txn[data-txn="0"]').dispatchEvent(new w.MouseEvent('click',{bubbles:true}));seen.byBox=[q.value,all('#results tr').length];
    seen.images=all('img').length;seen.around=all('details summary').map(x=>x.textContent);
    seen.later=all('details')[0].textContent.includes('77');
    seen.focusable=all('button:not([hidden]),a[href],input,.figure[tabindex="0"]').length;
    seen.labels=all('svg[role=img]').every(x=>x.querySelector('title'));
});
ok(defined $s && $s->{ready} eq "yes", "the page's script runs to its end") or finish();
ok(!@{$s->{errors}}, "no script error", @{$s->{errors}});
ok($s->{requests} == 0, "no request", $s->{requests});
ok($s->{title} =~ /long-fork/ && $s->{story} =~ /^t3 \(session C\) saw the write of t1 \(session A\) but not that of t2/, "it says what happened", $s->{story});
my %step = map { $_ => 1 } @{$s->{steps}};
ok(@{$s->{steps}} >= 4 && !grep({ $_ ne "" && !$step{$_} } @{$s->{arrows}}), "arrows have the numbers of steps", "@{$s->{arrows}}", "@{$s->{steps}}");
my $n = @{$s->{steps}};
ok($s->{whole} eq "the whole picture, $n steps", "first the whole picture", $s->{whole});
ok($s->{first}[0] eq "step 1 of $n" && $s->{first}[1] =~ /^1 / && $s->{first}[2] == 1 && $s->{first}[3], "a step shows its sentence and its arrow", "@{$s->{first}}");
ok($s->{second} eq "step 2 of $n" && $s->{last} eq "step $n of $n" && $s->{stays} eq $s->{last} && $s->{out} eq $s->{whole}, "the keyboard goes through the steps",
    @$s{qw(second last stays out)});
ok($s->{byButton}[0] eq "step 2 of $n" && $s->{byButton}[1] eq $s->{steps}[1], "so do the buttons of the list");
ok($s->{byArrow} eq "3", "and clicks on arrows", $s->{byArrow});
ok("@{$s->{byName}}" eq "t3" && "@{$s->{byValue}}" eq "later" && "@{$s->{byLine}}" eq "t2" && !@{$s->{none}}, "it finds transactions by name, value and line",
    map { "@$_" } @$s{qw(byName byValue byLine none)});
ok(@{$s->{byEvil}} == 3 && $s->{images} == 0, "a hostile key is found and is text", "@{$s->{byEvil}}", $s->{images});
ok($s->{byBox}[0] eq "#0" && $s->{byBox}[1] == 2, "a click on a transaction shows all of it", "@{$s->{byBox}}");
ok(@{$s->{around}} >= 2 && $s->{later}, "the neighbourhood has later writes of the same keys", @{$s->{around}});
ok($s->{labels}, "pictures have titles for screen readers");

$s = drive("fork.html", 1280, 900, q{
    seen.looks={};
    for(const theme of ['light','dark'])for(const width of [1280,400]){
        const x={};d.documentElement.dataset.theme=theme;f.style.width=width+'px';
        const over=()=>d.documentElement.scrollWidth-d.documentElement.clientWidth;
        all('details').forEach(y=>y.open=false);x.over=over();all('details').forEach(y=>y.open=true);x.overOpen=over();
        x.background=w.getComputedStyle(d.body).backgroundColor;x.width=d.documentElement.clientWidth;
        const inside=(e,b)=>{const r=e.getBoundingClientRect();return r.right<=b.right+1&&r.left>=b.left-1&&r.bottom<=b.bottom+1&&r.top>=b.top-1};
        x.outside=all('svg.pic .txn').flatMap(g=>{const b=g.querySelector('.box').getBoundingClientRect();
            return Array.from(g.querySelectorAll('text')).filter(y=>!inside(y,b)).map(y=>y.textContent)});
        x.cut=all('#a1 svg.pic').flatMap(p=>{const b=p.getBoundingClientRect();
            return Array.from(p.querySelectorAll('text,rect,path')).filter(y=>!inside(y,b)).map(y=>y.outerHTML)});
        seen.looks[theme+', '+width+' pixels wide']=x;
    }
});
ok(defined $s && !@{$s->{errors}} && $s->{requests} == 0, "both themes and two widths", @{$s->{errors} // []});
for my $what (sort keys %{$s->{looks}}) {
    my $x = $s->{looks}{$what};
    my ($width) = $what =~ /(\d+)/;
    ok($x->{width} <= $width && $x->{width} > $width - 30, "$what: is as wide", $x->{width});
    ok($x->{over} <= 0 && $x->{overOpen} <= 0, "$what: nothing is wider than the window", $x->{over}, $x->{overOpen});
    ok(!@{$x->{outside}} && !@{$x->{cut}}, "$what: no text is outside its box", @{$x->{outside}}, @{$x->{cut}});
    my ($r) = $x->{background} =~ /rgb\((\d+)/;
    ok($what =~ /dark/ ? $r < 80 : $r > 200, "$what: has the colours of the theme", $x->{background});
}

# Notes, such as faults: on the time line with their time and text, and in a list; hostile ones are text.
spew("notes.jsonl", qq({"note":"node 1 was killed","start":12,"end":25}\n{"note":"$key","start":15}\n{"note":"the clock was set","start":2,"end":3}\n) .
    qq({"note":"a note without a time"}\n{"note":"by another clock","start":9223372036854775807}\n) . do { open my $in, "<", "fork.jsonl" or die $!; local $/; <$in> });
system("$isolab report -o notes.html notes.jsonl 2>/dev/null");
$s = drive("notes.html", 1200, 900, q{
    const number=e=>Number(e.getAttribute('x')),bar=all('svg .note'),row=all('.time text').filter(x=>/^session/.test(x.textContent));
    seen.bars=bar.map(b=>[number(b),number(b)+Number(b.getAttribute('width')),Number(b.getAttribute('y')),b.querySelector('title').textContent]);
    seen.marks=all('.time .mark').map(m=>Number(m.getAttribute('d').match(/M(\d+)/)[1]));
    seen.list=all('ol.notes li').map(x=>x.textContent);
    seen.links=all('.time a').filter(x=>x.querySelector('.note')).map(x=>d.querySelector(x.getAttribute('href')).textContent);
    seen.legend=$('#time').nextElementSibling.textContent;seen.title=$('.time svg title').textContent;
    seen.lowest=Math.max(...row.map(x=>Number(x.getAttribute('y'))));seen.images=all('img').length;seen.changed=d.title==='1';
    const box=$('.time svg').getBoundingClientRect();
    seen.outside=all('.time svg text,.time svg rect').filter(e=>{const b=e.getBoundingClientRect();return b.left<box.left-1||b.right>box.right+1||
        b.top<box.top-1||b.bottom>box.bottom+1}).map(e=>e.outerHTML);
});
ok(defined $s && !@{$s->{errors}} && @{$s->{bars}} == 4 && @{$s->{list}} == 5, "notes with times have bars, and all are listed", map { "@$_" } @{$s->{bars}});
my ($killed, $hostile, $clock) = @{$s->{bars}};
ok($clock->[1] <= $killed->[0] && $killed->[0] < $hostile->[0] && $hostile->[1] < $killed->[1] && $killed->[1] < (sort { $a <=> $b } @{$s->{marks}})[-1],
    "where their times are", map { "@$_" } @{$s->{bars}});
my @mark = sort { $a <=> $b } @{$s->{marks}};
ok($mark[-1] - $mark[0] > 100 && $s->{bars}[3][0] > $mark[-1], "one that is far away is at the edge", "@mark", "@{$s->{bars}[3]}");
ok($killed->[2] != $hostile->[2] && !grep({ $_->[2] <= $s->{lowest} } @{$s->{bars}}) && !@{$s->{outside}}, "below the sessions, in rows of their own when they overlap",
    (map { "@$_" } @{$s->{bars}}), @{$s->{outside}});
ok($killed->[3] eq "note 1: node 1 was killed" && $s->{links}[0] =~ /^node 1 was killed from 12 \(10 ns\) to 25 \(23 ns\)$/ &&
    $s->{list}[3] =~ /^a note without a time\s*$/, "with text and times", $killed->[3], @{$s->{list}});
ok($s->{legend} =~ /notes, such as faults/ && $s->{title} =~ /and notes/, "the legend and the title name them", $s->{legend}, $s->{title});
ok($s->{images} == 0 && !$s->{changed} && index($s->{list}[1], $evil) == 0 && index($hostile->[3], $evil) > 0, "a hostile note is text", $s->{list}[1], $hostile->[3]);

$s = drive("index.html", 1000, 700, q{
    const rows=()=>all('table.sortable tbody tr').map(r=>Number(r.cells[4].textContent)),b=all('table.sortable th button')[4];
    seen.before=rows();b.click();seen.up=rows();b.click();seen.down=rows();seen.sort=b.parentNode.getAttribute('aria-sort');
    seen.links=all('table.sortable a').map(a=>a.getAttribute('href'));
});
ok(defined $s && !@{$s->{errors}} && "@{$s->{up}}" eq join(" ", sort { $a <=> $b } @{$s->{up}}) && "@{$s->{down}}" eq join(" ", reverse @{$s->{up}}) &&
    $s->{sort} eq "descending", "the index sorts by number, both ways", "@{$s->{up}}", "@{$s->{down}}");
ok("@{$s->{links}}" =~ /index-1\.html/ && -s "index-1.html", "and links pages");
finish();
