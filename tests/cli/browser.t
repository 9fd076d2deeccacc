#!/usr/bin/perl
# A browser opens what isolab makes of a hostile history: pages, pictures, folders of the referee, tables. No script runs, and
# no request leaves. A page that is hostile itself shows that both would be noticed.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IO::Socket::INET;

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our $isolab;
my ($chromium) = grep { have($_) } qw(chromium chromium-browser);
skip_all("chromium is not installed: tools/install-deps.sh browser") unless defined $chromium;
my $tmp = tempdir(CLEANUP => !$ENV{KEEP}); print "# $tmp\n" if $ENV{KEEP};
chdir $tmp or die $!;

# A server that counts requests: every request has escaped from a page.
my $server = IO::Socket::INET->new(Listen => 50, LocalAddr => "127.0.0.1", ReuseAddr => 1) or die "no socket: $!";
$server->blocking(0);
my $at = "http://127.0.0.1:" . $server->sockport;

# Opens a page; returns its document after its scripts, and the requests that came meanwhile.
sub opened {
    my ($file) = @_;
    my $profile = tempdir(CLEANUP => 1);
    my $pid = fork() // die $!;
    if ($pid == 0) {
        open STDIN, "<", "/dev/null" or die $!;
        open STDOUT, ">", "$tmp/.dom" or die $!;
        open STDERR, ">", "$tmp/.err" or die $!;
        exec "timeout", "120", $chromium, qw(--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
            --disable-background-networking --disable-component-update --disable-sync --virtual-time-budget=4000), "--user-data-dir=$profile",
            "--dump-dom", "file://$tmp/$file" or die $!;
    }
    my @asked;
    my $waiting = 1;
    while ($waiting) {
        $waiting = waitpid($pid, 1) == 0;
        while (my $client = $server->accept) {
            my $bits = "";
            vec($bits, fileno $client, 1) = 1;
            next unless select $bits, undef, undef, 2; # a browser opens connections that it may never use
            $client->blocking(1);
            my $line = <$client>;
            next unless defined $line;
            push @asked, $line;
            print $client "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
            close $client;
        }
        select undef, undef, undef, 0.02 if $waiting;
    }
    return (slurp("$tmp/.dom"), @asked);
}

# What a script of ours would leave: an attribute, and a request.
my $script = "document.documentElement.setAttribute('data-pw'+'ned',1);new Image().src='$at/script'";
spew("control.html", "<!DOCTYPE html><html><body><img src='$at/image'><script>$script</script></body></html>");
my ($dom, @asked) = opened("control.html");
skip_all("this chromium does not start: " . (split /\n/, slurp("$tmp/.err"))[0] // "") if $dom eq "";
ok($dom =~ /data-pwned/ && grep(/script/, @asked) && grep(/image/, @asked), "a script and a request would be noticed", $dom, @asked);

# Keys that mean something to HTML, SVG, XML, CSS and Markdown.
my @keys = ("<script>$script</script>", "<img src=x onerror=\"$script\">", "\"><svg onload=\"$script\">", "' onmouseover='$script",
    "</title><script>$script</script>", "</pre><script>$script</script>", "]]><script>$script</script>", "--><script>$script</script>",
    "<style>\@import url($at/css);</style>", "<link rel=stylesheet href=$at/link>", "<meta http-equiv=refresh content='0;url=$at/meta'>",
    "<iframe src=$at/iframe></iframe>", "<object data=$at/object></object>", "<base href=$at/>", "![x]($at/markdown)",
    "[x](javascript:$script)", "```\n<script>$script</script>", "</text></svg><script>$script</script>", "&lt;script&gt;", "<?xml-stylesheet href='$at/x'?>",
    "\\N\\G&#60;script&#62;", "<a xlink:href='javascript:$script'>x</a>", "<foreignObject><script>$script</script></foreignObject>");
sub json { return "\"" . ($_[0] =~ s/([\\"])/\\$1/gr =~ s/\n/\\n/gr) . "\"" }
my $history = "";
for my $i (0 .. $#keys) {
    my ($k, $id) = (json($keys[$i]), json("$i$keys[$i]"));
    $history .= "{\"session\":" . json("A$i$keys[$i]") . ",\"id\":$id,\"ops\":[[\"w\",$k,$k],[\"w\",$id,1]]}\n";
    $history .= "{\"session\":\"B$i\",\"id\":\"b$i\",\"ops\":[[\"r\",$k,$k],[\"r\",$id,null]]}\n";
    $history .= "{\"session\":\"C$i\",\"id\":" . json("c$keys[$i]") . ",\"ops\":[[\"r\",$k,\"none\"]]}\n" if $i % 5 == 0;
}
my $name = "<img src=x onerror=document.title=1>'\"&.jsonl"; # no slash can be in it
spew($name, $history);

mkdir "pages" or die $!;
my @pages;
sub made { my ($file, @words) = @_; system(@words) ; push @pages, $file if -s $file; return -s $file }
open my $quiet, ">&", \*STDOUT or die $!;
open STDOUT, ">", "/dev/null" or die $!; # of what is run here
made("pages/report.html", $isolab, "report", "--each", "100", "-o", "pages/report.html", $name);
mkdir "bin" or die $!;
{
    local $ENV{PATH} = "$tmp/bin";
    made("pages/drawn.html", $isolab, "report", "--each", "100", "-o", "pages/drawn.html", $name);
}
system($isolab, "check", "-l", "ra", "-c", "plume", "--all", "--svg", "pages/picture.svg", $name) if have("dot");
push @pages, glob "pages/picture*.svg";
system($isolab, "referee", "--checkers", "awdit,ext:no", "-l", "ra", "--adapters", "no.adapters", "--out", "pages/referee", $name)
    if do { spew("no.adapters", "[no]\nprogram = /bin/echo\nlevels = ra\nsatisfied = onerror\nviolated = ^NO\nanomaly = (.*)\n"); 1 };
for my $md (glob "pages/referee/*/*") {
    push @pages, $md if $md =~ /\.(md|json|txt)$/;
}
# A suite whose checkers and histories have hostile names, and all its figures and tables.
spew("<script>alert(1)<\x{5c}script>.suite" =~ s/\\/_/r, "levels: ra\nrepeat: 1\nchecker: <img/src=x/onerror=\"new/**/Image().src='$at/plot'\"> = awdit\n" .
    "history: <script>$script</script>\n    generate: random --txns {n} --seed 1 --level ra\n    vary: n 30 60\n" .
    "    checkers: naive <img/src=x/onerror=\"new/**/Image().src='$at/plot'\">\n");
my ($suite) = glob "*.suite";
system($isolab, "bench", "-o", "s.sqlite", $suite);
for my $kind (qw(line exponents scatter quantile stages memory ablation)) {
    made("pages/$kind.svg", $isolab, "plot", $kind, "s.sqlite", "--title", $keys[0], "-o", "pages/$kind.svg") if have("gnuplot");
}
made("pages/table.md", $isolab, "plot", "table", "s.sqlite", "-o", "pages/table.md");
if (have("cmark-gfm")) { # raw HTML is passed on: what Markdown may do, it may
    for my $md (grep { /\.md$/ } @pages) {
        my $html = $md =~ s/md$/html/r;
        system("cmark-gfm --unsafe -e table -e strikethrough '$md' >'$html'");
        push @pages, $html;
    }
}
open STDOUT, ">&", $quiet or die $!;

my $svg = have("dot") ? grep { /picture/ } @pages : 0;
my ($report) = grep { /report\.html$/ } @pages;
ok(defined $report, "there is a page") or finish();
ok(have("dot") ? $svg > 2 : 1, "there are pictures ($svg)");
ok((grep { /referee/ } @pages) > 2, "there is a folder of the referee");

# All of them at once, each as a document of its own, where scripts would be run.
spew("all.html", "<!DOCTYPE html><html><body>" . join("", map { "<iframe src='$_'></iframe>\n" } map { s/'/%27/gr } @pages) . "</body></html>");
($dom, @asked) = opened("all.html");
my $frames = () = $dom =~ /<iframe/g;
ok($frames == @pages, "the browser opens " . scalar(@pages) . " files");
ok(!@asked, "none of them runs a script or asks for anything", @asked);
for my $page (grep { defined } $report, "pages/drawn.html", (grep { /picture\.svg$/ } @pages)[0], (grep { /report\.html$/ && /referee/ } @pages)[0]) {
    ($dom, @asked) = opened($page);
    ok($dom ne "" && $dom !~ /data-pwned/ && !@asked, $page =~ s{/[^/]*/}{/.../}r . " by itself", @asked);
}
($dom) = opened($report);
my $lost = grep { my $k = $_ =~ s/\n/\\u{a}/gr =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr; index($dom, substr $k, 0, 40) < 0 } @keys[0 .. 5];
ok(!$lost, "the page shows names as they are", "$lost of 6 are not in it");

# If a way in were found: the page forbids itself everything.
my $broken = slurp($report) =~ s{</body>}{<img src='$at/image'><script>$script</script><iframe src='$at/frame'></iframe></body>}r;
spew("broken.html", $broken);
($dom, @asked) = opened("broken.html");
ok($dom !~ /data-pwned/ && !@asked, "a script in a page of ours is not run, and nothing is asked for", @asked);
finish();
