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
spew("fork.jsonl", qq({"session":"A","id":"t1","ops":[["w","x",1]],"start":10,"end":50}\n{"session":"B","id":"t2","ops":[["w","$key",1]],"start":11,"end":51}
{"session":"C","id":"t3","ops":[["r","x",1],["r","$key",null]],"start":30,"end":52}\n{"session":"D","id":"t4","ops":[["r","x",null],["r","$key",1]],"start":31,"end":53}
{"session":"D","id":"later","ops":[["w","x",77]],"start":54,"end":60}\n));
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
    all('details').forEach(x=>x.dispatchEvent(new w.Event('toggle')));seen.later=all('details').some(x=>x.textContent.includes('77'));
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
    const at=e=>{const b=e.getBoundingClientRect();return [b.left,b.right,b.top]},bar=all('.time .note');
    seen.bars=bar.map(b=>[...at(b),b.title]);
    seen.marks=all('.time .bar').map(b=>at(b)[0]);
    seen.list=all('ol.notes li').map(x=>x.textContent);
    seen.links=bar.map(b=>d.querySelector(b.getAttribute('href')).textContent);
    seen.legend=$('#time').nextElementSibling.textContent;
    seen.lowest=Math.max(...all('.time .bar').map(x=>at(x)[2]));seen.images=all('img').length;seen.changed=d.title==='1';
    const box=$('.time').getBoundingClientRect();
    seen.outside=all('.time .note,.time .bar').filter(e=>{const b=e.getBoundingClientRect();return b.left<box.left-1||b.right>box.right+1||
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
ok($killed->[3] eq "note 1: node 1 was killed" && $s->{links}[0] =~ /^node 1 was killed from 12 \(2 ns\) to 25 \(15 ns\)$/ &&
    $s->{list}[3] =~ /^a note without a time\s*$/, "with text and times", $killed->[3], @{$s->{list}});
ok($s->{legend} =~ /notes, such as faults/, "the legend names them", $s->{legend});
ok($s->{images} == 0 && !$s->{changed} && index($s->{list}[1], $evil) == 0 && index($hostile->[3], $evil) > 0, "a hostile note is text", $s->{list}[1], $hostile->[3]);

# A register of Jepsen with one stale read: several anomalies, one finding, told by real time. Five processes take turns; operation i is
# invoked at event 2i and returns after two others were invoked; every third one writes.
sub register_log {
    my ($stale) = @_;
    my (@events, $written);
    for my $i (0 .. 30) {
        my $f = $i % 3 == 0 ? "write" : "read";
        $written = $i if $f eq "write";
        my $value = $i == $stale ? 9 : $written;
        push @events, [10 * $i, $i, "invoke", $f, $f eq "read" ? "nil" : $value], [10 * $i + 25, $i, "ok", $f, $value];
    }
    my $n = 0;
    return join "", map { sprintf "{:process %d, :type :%s, :f :%s, :value %s, :time 1%05d000, :index %d}\n", $_->[1] % 5, @$_[2 .. 4], $_->[0], $n++ }
        sort { $a->[0] <=> $b->[0] } @events;
}
spew("register.edn", register_log(23));
system("$isolab report -o register.html register.edn 2>/dev/null");
my $look = q{
    const shown=e=>e.getClientRects().length>0&&!e.closest('details:not([open])'),screen=e=>{const b=e.getBoundingClientRect();return b.top>=0&&b.bottom<=w.innerHeight};
    seen.cards=all('article.anomaly').length;seen.shown=all('article.anomaly').filter(shown).length;
    seen.blame=($('.blame')||{}).textContent;seen.story=$('.story').textContent;seen.first=screen($('.story'));
    seen.order=all('h2').map(x=>x.id);seen.bars=all('.time .bar').map(b=>b.textContent);
    seen.steps=all('article.anomaly').map(a=>a.querySelectorAll('ol.steps li').length);
    const blamed=$('.time .blamed');seen.blamed=blamed&&blamed.textContent;seen.names=all('.time .names div').map(x=>x.textContent);
    seen.ticks=all('.time .tick').filter(shown).map(x=>x.textContent);
    const width=()=>all('.time .bar')[3].getBoundingClientRect().width,sc=$('.scroller');seen.width=[width()];
    key(sc,'+');seen.width.push(width());$('.time .in').click();seen.width.push(width());seen.finer=all('.time .tick').filter(shown).length;
    if(blamed){const b=blamed.getBoundingClientRect(),x=sc.getBoundingClientRect();seen.stays=b.left>=x.left-1&&b.left<=x.right}
    key(sc,'-');seen.width.push(width());key(sc,'0');seen.width.push(width());
    seen.overlap=all('.time .bar').slice(0,8).map(b=>{const x=b.getBoundingClientRect();return [x.left,x.right]});
    seen.facts=d.body.textContent.match(/operations? on \\d+ keys?/)[0];
    const t=$('#theme');seen.theme=[t.textContent,w.getComputedStyle(d.documentElement).colorScheme];t.click();
    seen.theme.push(t.textContent,w.getComputedStyle(d.documentElement).colorScheme);
    const more=$('details.more');if(more){const a=more.querySelector('article');w.location.hash='#'+a.id;w.dispatchEvent(new w.HashChangeEvent('hashchange'));seen.opened=shown(a)}
};
$s = drive("register.html", 390, 800, $look);
ok(defined $s && !@{$s->{errors}} && $s->{requests} == 0, "the page of a register", @{$s->{errors} // []}) or finish();
ok($s->{cards} > 3 && $s->{shown} == 1, "anomalies that need one read are one finding", @$s{qw(cards shown)});
ok($s->{blame} eq "$s->{cards} anomalies, all need one read: t23 read register = 9.", "which names the read", $s->{blame});
ok(scalar($s->{story} =~ /had ended.* before \S+ .*began, and yet \S+ read register = 9/), "the sentence of real time is the first", $s->{story});
ok(!grep({ $_ < $s->{steps}[0] } @{$s->{steps}}), "no other has fewer steps", "@{$s->{steps}}");
ok($s->{first}, "the sentence is on the first screen of a telephone");
ok(scalar("@{$s->{order}}" =~ /^anomalies time levels\b/), "the finding comes before the levels", "@{$s->{order}}");
ok(@{$s->{bars}} == 31 && $s->{bars}[0] =~ /w 0$/ && grep({ /r 9$/ } @{$s->{bars}}) >= 3, "each call is a bar with its operation", "@{$s->{bars}}");
ok(scalar($s->{blamed} =~ /r 9$/), "the read is marked", $s->{blamed});
my @width = @{$s->{width}};
ok($width[1] > 1.9 * $width[0] && $width[2] > 1.9 * $width[1] && abs($width[3] - $width[1]) < 1 && abs($width[4] - $width[0]) < 1, "keys and buttons zoom", "@width");
ok($s->{stays} && $s->{finer} > @{$s->{ticks}}, "what is marked stays in sight, with more times", $s->{stays}, $s->{finer}, "@{$s->{ticks}}");
ok($s->{facts} eq "operations on 1 key", "one key is no keys", $s->{facts});
ok("@{$s->{theme}}" eq "Dark light Light dark", "the button says what it gives", "@{$s->{theme}}");
ok($s->{opened}, "a link opens the anomaly that it leads to");

# Eleven workers, hyphens in names, a promise that is broken, times from the Unix epoch.
my $epoch = 1493368274773000000;
my $lost = qq({"isolab":1,"database":"PostgreSQL","version":"15","level":"serializable"}\n);
for my $i (reverse 0 .. 32) {
    my $read = $i == 0 ? "null" : $i == 20 ? 18 : $i - 1;
    $lost .= sprintf qq({"session":"worker-%d","id":"w-%d","ops":[["r","x",%s],["w","x",%d]],"start":%d,"end":%d}\n), $i % 11, $i, $read, $i,
        $epoch + 1000000 * $i, $epoch + 1000000 * $i + ($i == 19 ? 1500000 : 900000);
}
spew("lost.jsonl", $lost);
system("$isolab report -o lost.html lost.jsonl 2>/dev/null");
$s = drive("lost.html", 1280, 900, $look . q{seen.verdict=$('.verdict').textContent;const near=all('.time .bar'),by=n=>near.find(b=>b.dataset.txn&&b.textContent.startsWith(n+' ')).getBoundingClientRect();
    seen.both=by('w-19').right-by('w-20').left;seen.apart=by('w-20').right-by('w-21').left;
    seen.lines=all('.nb,td.name').filter(e=>e.getClientRects().length>1).map(e=>e.textContent);seen.nb=all('.story .nb').map(e=>e.textContent)});
ok(defined $s && !@{$s->{errors}}, "the page of a lost update", @{$s->{errors} // []}) or finish();
ok(scalar($s->{verdict} =~ /^promised ser: BROKEN \(PostgreSQL at serializable\)/), "it says what was promised", $s->{verdict});
ok("@{$s->{names}}" eq "session " . join(" ", map { "worker-$_" } 0 .. 10), "sessions are in the order of people", "@{$s->{names}}");
ok($s->{both} > 0 && $s->{apart} < 0, "bars overlap where transactions did", $s->{both}, $s->{apart});
ok($s->{ticks}[0] eq "0" && !grep({ !/^(0|[\d.]+ ms)$/ } @{$s->{ticks}}), "times begin at 0 and have a unit", "@{$s->{ticks}}");
ok(@{$s->{nb}} >= 2 && !@{$s->{lines}}, "no name breaks at its hyphen", "@{$s->{nb}}", @{$s->{lines}});

# A recording that keeps its promise, and more transactions than bars.
system("$isolab generate random --txns 300 --keys 9 --sessions 4 --level sser --seed 5 -o many.jsonl");
spew("many.jsonl", qq({"isolab":1,"database":"sqlite","level":"wal"}\n) . join "", grep { !/"isolab"/ } map { "$_\n" } split /\n/, slurp("many.jsonl"));
system("$isolab report -o many.html many.jsonl");
$s = drive("many.html", 1280, 900, q{seen.verdict=$('.verdict').textContent;seen.cells=all('.time i').length;seen.bars=all('.time .bar').length});
ok(scalar($s->{verdict} =~ /^promised ser: kept \(SQLite at wal\)/), "a promise that is kept", $s->{verdict});
ok($s->{cells} > 0 && $s->{bars} == 0, "more than 200 transactions are shades", $s->{cells});

$s = drive("index.html", 1000, 700, q{
    const rows=()=>all('table.sortable tbody tr').map(r=>Number(r.cells[4].textContent)),b=all('table.sortable th button')[4];
    seen.before=rows();b.click();seen.up=rows();b.click();seen.down=rows();seen.sort=b.parentNode.getAttribute('aria-sort');
    seen.links=all('table.sortable a').map(a=>a.getAttribute('href'));
});
ok(defined $s && !@{$s->{errors}} && "@{$s->{up}}" eq join(" ", sort { $a <=> $b } @{$s->{up}}) && "@{$s->{down}}" eq join(" ", reverse @{$s->{up}}) &&
    $s->{sort} eq "descending", "the index sorts by number, both ways", "@{$s->{up}}", "@{$s->{down}}");
ok("@{$s->{links}}" =~ /index-1\.html/ && -s "index-1.html", "and links pages");
finish();
