#!/usr/bin/perl
# Names that come from outside: of files, members of folders, suites, histories, families, checkers, levels, labels, keys and
# values. Nothing in them is executed, and nothing that a terminal obeys or that is invisible is printed as it is.
use strict;
use warnings;
use Cwd qw(abs_path);
use Encode qw(decode encode FB_CROAK FB_DEFAULT LEAVE_SRC);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $isolab, $verify);
my $tmp = tempdir(CLEANUP => !$ENV{KEEP}); print "# $tmp\n" if $ENV{KEEP};
chdir $tmp or die $!;

# Runs a program; returns its status, output and errors.
sub run {
    my @words = @_;
    my $pid = fork() // die $!;
    if ($pid == 0) {
        open STDIN, "<", "/dev/null" or die $!;
        open STDOUT, ">", "$tmp/.out" or die $!;
        open STDERR, ">", "$tmp/.err" or die $!;
        exec {$words[0]} @words or die $!;
    }
    waitpid $pid, 0;
    return ($? & 127 ? 128 + ($? & 127) : $? >> 8, slurp("$tmp/.out"), slurp("$tmp/.err"));
}

# --- what a terminal obeys ---
my $hidden = qr/[\x00-\x08\x0b-\x1f\x7f-\x9f\x{ad}\x{61c}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{fff9}-\x{fffb}]/;
sub clean {
    my ($bytes) = @_;
    my $text = eval { decode("UTF-8", $bytes, FB_CROAK | LEAVE_SRC) };
    return "not UTF-8" unless defined $text;
    return sprintf "U+%04X at %d", ord $1, $-[1] if $text =~ /($hidden)/;
    return undef;
}

# Escape sequences, ends of lines, C1, line separator, a mark that turns the direction, a byte that is no character.
my $nasty = "n\e[31m\n\xc2\x9b2J\xe2\x80\xa8\xe2\x80\xae\x07\r\x7f\xff\xef\xbb\xbf";
my $shown = 'n\u{1b}[31m\u{a}\u{9b}2J\u{2028}\u{202e}\u{7}\u{d}\u{7f}\x{ff}\u{feff}';
my $key = 'k\u001b[31m\n\u009b2J\u2028\u202e\u0007\r\u007f\ufeff';   # in JSON
my $json_history = join "", map { s/K/$key/gr . "\n" } (
    '{"session":"sK","id":"aK","ops":[["w","K","vK"],["w","y",1]]}',
    '{"session":"bK","id":"bK","ops":[["r","K","vK"],["r","y",null]]}',
    '{"session":"cK","id":"cK","ops":[["r","K","otherK"]]}');
mkdir $nasty or die $!;
my $file = "$nasty/$nasty.jsonl";
spew($file, $json_history);
spew("$nasty/bad\n$nasty", "session A\n$nasty commit: w x 1\n");
mkdir "cobra" or die $!;
spew("cobra/$nasty.log", "junk $nasty");
spew("$nasty.suite", "suite: $nasty\nlevels: ra\ncheckers: awdit\nhistory: h$nasty\n    generate: random --txns 5\n" =~ s/\n(?=\xc2)/ /gr);
spew("known.suite", "levels: ra\ncheckers: l = awdit\n");
spew("$nasty.edges", "0 1 $nasty\n");
(my $line = $nasty) =~ s/[\n\r]/_/g;
spew("line.suite", "suite: s$line\nlevels: ra\nchecker: c${line} = awdit\ncheckers: c$line naive\nrepeat: 1\n" .
    "history: h$line\n    generate: random --txns 5 --seed 1\n");

my @commands = (
    [1, "check", $file], [1, "check", "-l", "ser", $file], [1, "check", "--json", $file],
    [1, "check", "-l", "ra", "--json", "--all", $file], [1, "check", "-l", "ra", "--draw", $file],
    [1, "check", "-l", "ra", "--svg", "-", $file], [1, "check", "-l", "rc", "-c", "all", $file],
    [0, "stats", $file], [0, "stats", "--json", $file], [0, "report", $file], [0, "shrink", $file],
    (map { [0, "convert", "--lossy", "--to", $_, $file, "-"] } qw(isolab jsonl elle elle-json)),
    [74, "check", "none$nasty"], [65, "check", "$nasty/bad\n$nasty"], [65, "check", "--format", "isolab", $file],
    [65, "check", "cobra"], [64, "check", "-l", $nasty, $file], [64, "check", "-c", $nasty, $file],
    [64, "check", "--format", $nasty, $file], [64, "check", "--$nasty"], [64, "check", "-\e"], [64, $nasty], [64, "list", $nasty],
    [64, "check", "--timeout", $nasty, $file], [74, "check", "-l", "ra", "--svg", "no$nasty/x", $file],
    [74, "report", "-o", "no$nasty/x", $file], [64, "generate", "--$nasty", "1"], [64, "generate", $nasty],
    [64, "convert", $file, "out.$nasty"], [74, "convert", $file, "no$nasty/x.jsonl"],
    [65, "reduce", "sat", "--cnf", $file], [65, "reduce", "vsc", "--trace", $file],
    [65, "reduce", "triangle", "--graph", "$nasty.edges", "--graph-format", "edgelist"],
    [64, "reduce", "triangle", "--family", $nasty], [64, "reduce", $nasty], [0, "bench", "--plan", "line.suite"],
    [65, "bench", "--plan", $file], [0, "bench", "-o", "$nasty.sqlite", "line.suite"],
    [0, "bench", "--engine", "parallel", "--dry-run", "-o", "none.sqlite", "line.suite"],
    [0, "plot", "table", "$nasty.sqlite"], [0, "plot", "matrix", "$nasty.sqlite", "--to", "tex"],
    [0, "plot", "table", "$nasty.sqlite", "--to", "csv"], [64, "plot", $nasty, "$nasty.sqlite"],
    [64, "plot", "line", "-x", $nasty, "$nasty.sqlite"], [64, "plot", "line", "--label", $nasty, "$nasty.sqlite"],
    [65, "plot", "line", $file], [74, "plot", "line", "none$nasty"], [65, "bench", "--merge", "-o", "m.sqlite", $file],
    [74, "referee", "--checkers", "awdit,ext:$nasty", "-l", "ra", $file], [64, "referee", "--checkers", $nasty, $file],
    [0, "referee", "--checkers", "awdit,naive", "-l", "ra", "--out", "r$nasty", $file],
    [65, "referee", "--checkers", "awdit,naive", "--adapters", $file], [0, "referee", "--checkers", "awdit,naive", "-l", "ra", "--json",
        "--out", "q$nasty", $file],
    [64, "completion", $nasty], [0, "help", "check"],
    [65, "reduce", "between", "--triples", $file], [64, "reduce", "clique", "gnp", $nasty],
    [74, "reduce", "clique", "--graph", "none$nasty"], [64, "convert", "-T", $nasty, $file, "-"], [65, "claims", $file],
    [65, "claims", "--only", $nasty, $file], [64, "elle-cli", "-c", $nasty, $file], [65, "artifact", "check", $file],
    [74, "artifact", "check", "none$nasty"], [65, "benchexec", "read", "-o", "b.sqlite", $file], [65, "verify-results", $file],
    [65, "replay", "sqlite", "$nasty.edges"], [64, "replay", $nasty, $file], [65, "hermitage", "sqlite", "--scripts", $file],
    [64, "collect", "sqlite", "--level", $nasty], [64, "collect", "sqlite", "-w", $nasty], [64, "matrix", "sqlite:$nasty"],
    [64, "explain", $nasty], [0, "plot", "predictors", "$nasty.sqlite", "--to", "csv"], [0, "report", "$nasty.sqlite"],
    [65, "referee", "--checkers", "awdit", "-l", "ra", "--verdicts", $file],
    [1, "check", "-l", "ra", "--junit", "-", $file], [1, "check", "-l", "ra", "--sarif", "-", $file],
);
for my $command (@commands) {
    my ($status, @words) = @$command;
    my ($got, $out, $err) = run($isolab, @words);
    my @wrong;
    push @wrong, "status $got instead of $status" unless $got == $status || ($status == 74 && $got == 64);
    for (["output", $out], ["errors", $err]) {
        my $why = clean($_->[1]);
        push @wrong, "$_->[0]: $why" if defined $why;
    }
    push @wrong, "several lines" if $got == 65 && $err !~ /^isolab: [^\n]*\n\z/;
    ok(!@wrong, "@words" =~ s/[^\x20-\x7e]+/?/gr, @wrong, $err);
}
my (undef, $out) = run($isolab, "check", "-l", "ra", $file);
ok(index($out, "$nasty/" =~ s/.*//sr . "$shown/$shown.jsonl: violated ra") >= 0, "hidden characters are shown by their numbers", $out);
(undef, $out) = run($isolab, "stats", "--json", $file);
my $json = eval { decode_json($out) };
ok($json && $json->{file} eq decode("UTF-8", $file, FB_DEFAULT), "JSON loses no character", $out);
for my $format (qw(isolab jsonl elle elle-json)) {
    run($isolab, "convert", "--lossy", "--to", $format, $file, "back.$format");
    my ($status, $text) = run($isolab, "convert", "--format", $format, "--lossy", "--to", "jsonl", "back.$format", "-");
    my ($first) = split /\n/, $text;
    my $read = eval { decode_json($first) };
    ok($read && $read->{ops}[0][1] eq eval { decode_json("[\"$key\"]")->[0] }, "format $format keeps the key", $text);
}
for ([$verify, 65, $file, "none$nasty"], [$verify, 74, "none$nasty", $nasty], [$verify, 64, "--$nasty"], [$verify, 64, "--format", $nasty]) {
    my ($program, $status, @words) = @$_;
    my ($got, $o, $e) = run($program, @words);
    my $why = clean($o) // clean($e);
    ok(!defined $why && $got >= 64, "isolab-verify: one line of errors", $why // "status $got", $e);
}

# --- what a program executes ---
my @canaries = map { "canary$_" } 1 .. 20;
sub canaries { my @sung = grep { -e } @canaries, map { "$root/$_" } @canaries; unlink @sung; return @sung }

# A suite alone: two checkers and histories with names of commands.
spew("evil.suite", <<'S');
suite: `touch canary1` $(touch canary2)
repeat: 1
levels: ra
checker: `touch${IFS}canary1` = awdit
checker: $(touch${IFS}canary2)'"\140touch${IFS}canary3\140 = naive
history: `touch canary4`-{x}|touch canary5
    generate: random --txns {x} --sessions 3 --keys 5 --level ra --seed 1
    vary: x 30 60
    checkers: `touch${IFS}canary1` $(touch${IFS}canary2)'"\140touch${IFS}canary3\140
S
my ($status, $bench, $err) = run($isolab, "bench", "-o", "evil.sqlite", "evil.suite");
ok($status == 0, "a suite with names of commands is run", $bench, $err);
ok(!canaries(), "and nothing else");

sub text_of_svg {
    my ($svg) = @_;
    my $all = "";
    while ($svg =~ m{<text>(.*?)</text>}gs) {
        my $text = $1 =~ s/<[^>]*>//gr;
        $text =~ s/&lt;/</g, $text =~ s/&gt;/>/g, $text =~ s/&quot;/"/g, $text =~ s/&#39;/'/g, $text =~ s/&amp;/&/g;
        $all .= "$text\n";
    }
    return $all;
}

my @kinds = qw(line exponents scatter quantile stages memory ablation);
my %names = ( # what is in the file, and how it is shown
    a => ["`touch canary6` \$(touch canary7) '; system(\"touch canary8\"); '#"],
    b => ["\n!touch canary11\n\@m \\140touch canary12\\140 %s%n%d\e", '\u{a}!touch canary11\u{a}@m \140touch canary12\140 %s%n%d\u{1b}'],

    c => ["<touch canary13 {/Symbol a}_b^c~d <script>x</script> &amp; %g \$1"],
    d => ["END\n\$DATA << END", 'END\u{a}$DATA << END'],
    e => ["\xc3\xa9\xe6\xbc\xa2 canary\n`touch canary14`", "\xc3\xa9\xe6\xbc\xa2 canary" . '\u{a}`touch canary14`'],
);
if (!have("gnuplot") || !have("sqlite3")) {
    skip("figures", "gnuplot or sqlite3 is not installed");
} else {
    run("sqlite3", "evil.sqlite", "PRAGMA journal_mode = DELETE", map {
        my ($column, $table, $where, $name) = @$_;
        "UPDATE $table SET $column = CAST(x'" . unpack("H*", $names{$name}[0]) . "' AS TEXT) WHERE $where";
    } (["checker", "run", "id % 2 = 0", "a"], ["checker", "run", "id % 2 = 1", "b"], ["level", "run", "history = 1", "c"],
       ["level", "run", "history = 2", "d"], ["suite", "run", "1", "a"], ["family", "history", "id = 1", "e"],
       ["family", "history", "id = 2", "c"], ["name", "history", "id = 1", "a"], ["name", "history", "id = 2", "b"],
       ["label", "environment", "1", "c"], ["cpu", "environment", "1", "a"], ["kernel", "environment", "1", "b"]));
    # (checker, level) are in pairs, so that scatters and ablations have some.
    my %shows = (line => "abcd", exponents => "abcd", scatter => "abcd", quantile => "abcd", stages => "abce", memory => "abce",
        ablation => "ab");
    for my $kind (@kinds) {
        unlink "x.svg";
        my @pooled = $kind eq "line" || $kind eq "exponents" ? "--pool" : (); # with the family, labels are cut
        my ($s, undef, $e) = run($isolab, "plot", $kind, "evil.sqlite", "--title", $names{c}[0], @pooled, "-o", "x.svg");
        ok($s == 0, "$kind with hostile names", $e);
        my $text = -e "x.svg" ? text_of_svg(slurp("x.svg")) : "";
        my @lost = grep { index($text, $names{$_}[1] // $names{$_}[0]) < 0 } split //, $shows{$kind};
        ok(!@lost, "and they are in it as they are", map { $names{$_}[1] // $names{$_}[0] } @lost, $text);
        my (undef, $script) = run($isolab, "plot", $kind, "evil.sqlite", "--to", "gp");
        spew("x.gp", $script);
        ($s, my $svg, $e) = run("gnuplot", "x.gp");
        ok($s == 0 && $svg =~ m{</svg>}, "its script runs by itself", $e);
        ok(!canaries(), "and nothing in the names is executed");
    }
    for my $name ("|touch canary15", "<touch canary16", "a'b\"`touch canary17`\$(touch canary18).svg", "x\ny.svg") {
        my ($s, undef, $e) = run($isolab, "plot", "line", "evil.sqlite", "--to", "svg", "-o", $name);
        ok($s == 0 && -s $name && !canaries(), "an output called " . $name =~ s/\n/?/r, $e);
    }
    my ($s, $md) = run($isolab, "plot", "table", "evil.sqlite");
    ok($s == 0 && $md !~ /<script>/ && $md !~ /(?<!\\)`touch/, "Markdown escapes", $md);
    (undef, my $tex) = run($isolab, "plot", "table", "evil.sqlite", "--to", "tex");
    ok($tex !~ /(?<!\\)[%\$#](?!.*needs)/m, "LaTeX escapes", $tex);
    (undef, my $csv) = run($isolab, "plot", "table", "evil.sqlite", "--to", "csv");
    ok(!defined clean($csv) && $csv !~ /^"?[=+\@-]/m, "CSV has no formulas", $csv);
}

# A suite says what is measured, and not where anything is written.
for (["checkers: awdit", "reduce: triangle --family gnp --nodes 5 --{o} $tmp/canary1", "vary: o map certificate"],
     ["checkers: awdit", "reduce: triangle --family gnp --nodes 5 --map=$tmp/canary1"],
     ["checkers: awdit", "reduce: triangle gnp 5 save $tmp/canary1"],
     ["checkers: awdit", "reduce: triangle gnp 5 {w} $tmp/canary1", "vary: w save sample"]) {
    my ($first, @block) = @$_;
    spew("writes.suite", join "\n", "levels: ra", ($first =~ /^checkers/ ? "history: h\n$first" : "$first\nhistory: h"), @block, "");
    my ($s, undef, $e) = run($isolab, "bench", "-o", "w.sqlite", "writes.suite");
    ok($s == 65 && $e =~ /a suite may not say where to write: (--map|save)/ && !canaries() && !-e "w.sqlite", "a suite writes no files", $e);
}

# Nor does it run a program, or ask another question than its label says.
spew("own.adapters", "[own]\nprogram = touch\narguments = $tmp/canary1 {file}\nlevels = ra\nsatisfied = ^YES\nviolated = ^NO\n");
for my $words ("--adapters own.adapters -c ext:own", "--adapters=own.adapters -cext:own", "-c naive", "--memory 1", "another.txt",
    "--dot $tmp/canary1", "--option H=no another.txt", "--threads=2 2") {
    spew("asks.suite", "levels: ra\nchecker: x = awdit $words\nhistory: h\ngenerate: random --txns 5\ncheckers: x\n");
    my ($s, undef, $e) = run($isolab, "bench", "-o", "w.sqlite", "asks.suite");
    ok($s == 65 && $e =~ /: x: a suite may ask a checker only with --option, / && !canaries() && !-e "w.sqlite", "a checker asked with $words", $e);
}
spew("asks.suite", "levels: cc\nchecker: x = plume --all --limit 5 --threads=1\nhistory: h\ngenerate: random --txns 5\ncheckers: x\n");
($status, undef, $err) = run($isolab, "bench", "-o", "asks.sqlite", "asks.suite");
ok($status == 0, "options of the question are allowed", $err);

# What a referee writes for a shell.
spew("evil.adapters", "[q'\$(touch canary19)`touch canary20`]\nprogram = /bin/false\narguments = {file} a'b\n" .
    "levels = ra\nsatisfied = ^YES\nviolated = ^NO\n");
($status, $out, $err) = run($isolab, "referee", "--checkers", "awdit,ext:q'\$(touch canary19)`touch canary20`", "-l", "ra",
    "--adapters", "evil.adapters", "--out", "ref", $file);
my @scripts = glob("ref/*/commands.sh");
ok(@scripts > 0, "the referee reports a broken checker with a hostile name", "status $status", $out, $err);
run("sh", $_) for @scripts;
ok(!canaries(), "and its commands run nothing else");

# --- outputs that fail leave nothing ---
mkdir "fake" or die $!;
spew("fake/gnuplot", "#!/bin/sh\necho half >picture\necho 'line 3: undefined variable' >&2\nexit 1\n");
chmod 0755, "fake/gnuplot";
run($isolab, "bench", "-o", "good.sqlite", "line.suite");
sub leaves_nothing {
    my ($name, $expected, $output, @words) = @_;
    local $ENV{PATH} = "$tmp/fake:$ENV{PATH}";
    my %before = map { $_ => 1 } glob("* .isolab* $output*");
    my ($s, undef, $e) = run($isolab, @words);
    my @new = grep { !$before{$_} } glob("* .isolab* $output*");
    ok($s == $expected && !@new, "$name leaves no file", "status $s: $e", @new);
}
leaves_nothing("gnuplot that fails", 74, "n.png", "plot", "memory", "good.sqlite", "-o", "n.png");
leaves_nothing("a size that there is not", 64, "n.svg", "plot", "line", "-x", "blah", "good.sqlite", "-o", "n.svg");
leaves_nothing("a picture of what is none", 65, "n.svg", "check", "-l", "ra", "--svg", "n.svg", "line.suite");
leaves_nothing("merging what is not there", 74, "n.sqlite", "bench", "--merge", "-o", "n.sqlite", "none.sqlite");
leaves_nothing("a suite that is none", 65, "n.sqlite", "bench", "-o", "n.sqlite", $file);
leaves_nothing("converting what is none", 65, "n.jsonl", "convert", "evil.suite", "n.jsonl");
leaves_nothing("a page of what is none", 65, "n.html", "report", "-o", "n.html", "evil.suite");
leaves_nothing("a reduction of what is none", 65, "n.jsonl", "reduce", "sat", "--cnf", "evil.suite", "-o", "n.jsonl");
leaves_nothing("shrinking what is none", 65, "n.txt", "shrink", "evil.suite", "-o", "n.txt");
spew("old.html", "old");
leaves_nothing("writing over a file", 65, "old.html", "report", "-o", "old.html", "evil.suite");
ok(slurp("old.html") eq "old", "and what was there stays");
SKIP: {
    skip("a full disk", "there is no /dev/full"), last SKIP unless -e "/dev/full";
    my ($s) = run($isolab, "report", "-o", "/dev/full", $file);
    ok($s == 74, "a full disk is said");
}

finish();
