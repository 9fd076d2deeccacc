#!/usr/bin/perl
# Whatever a command reads may have no end, or never begin: a device, a pipe without a writer, a pipe whose writer stops, or goes on
# for ever. Whatever number an option takes may be huge. The time limit, the memory limit and signals end all of them: with status 2
# (65 where what was read is malformed, 64 where a number is out of range), and without a child process or a file that stays.
#
# It tries a random part of the table of commands x inputs x ends, ISOLAB_DEEP all of it. $ISOLAB_ONLY, a regular expression,
# selects cases by their names. A case may take
# minutes, so that a busy machine fails none.
use strict;
use warnings;
use Cwd qw(abs_path);
use Fcntl qw(O_WRONLY O_NONBLOCK);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use POSIX qw(mkfifo setsid WNOHANG);
use Time::HiRes qw(sleep time);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our $build;
my %program = (isolab => "$build/isolab", verify => "$build/isolab-verify");
my $home = tempdir(CLEANUP => 1);
chdir $home or die $!;

sub text_of { open my $in, "<", $_[0] or return ""; binmode $in; local $/; my $all = <$in>; return $all // "" }

# --- the table ---

spew("h.txt", "session a\ncommit: w x 1\ncommit: w x 2\nsession b\ncommit: r x 1, w y 1\ncommit: r x 2\n");
spew("m.txt", "10\n01\n");
spew("s.suite", "suite: s\nlevels: ra\ncheckers: awdit\nhistory: h\n    generate: random --txns 20\n");
spew("hangs", "#!/bin/sh\nsleep 1000 & sleep 1000\n");
chmod 0755, "hangs" or die $!;
spew("hangs.adapters", "[hangs]\nlike = awdit\nprogram = $home/hangs\n");
spew("long.suite", "suite: s\nlevels: ser\ncheckers: sat\nhistory: h\n    files: hard.jsonl\nhistory: g\n    generate: random --txns 5M\n");
for (["check", "-l", "ra", "--certificate", "c", "h.txt"], ["bench", "-o", "r.sqlite", "s.suite"],
    ["reduce", "sat", "--vars", "300", "--clauses", "1270", "-o", "hard.jsonl"]) {
    system("$program{isolab} @$_ >out 2>err") == 0 or die "@$_: " . text_of("err");
}

# How the content of an input begins, and goes on; the piece gets a number wherever it has a %.
my %content = (
    isolab => ["", "session %\ncommit: w x %\n"],
    jsonl => ["", qq({"session":%,"ops":[{"f":"w","k":"x","v":%}]}\n)],
    plume => ["", "w(1,%,0,%)\n"],
    test => ["", "w 1 %\n-----\n"],
    dbcop => [pack("Q<", 1) . pack("Q<3", 1, 1, 1), pack("Q<", 1)],
    "dbcop-json" => ['{"params":{"n_node":1,"n_variable":1,"n_transaction":1,"n_event":1},"info":"","start":"2020-01-01T00:00:00Z","end":"2020-01-01T00:00:00Z","data":[',
        '{"events":[{"Write":{"variable":0,"version":%}}],"committed":true},'],
    "dbcop-hist" => ["", "[x:=%]\n"],
    elle => ["", "{:type :ok, :f :txn, :process %, :value [[:w :x %]]}\n"],
    "elle-json" => ["[", qq({"type":"ok","f":"txn","process":%,"value":[["w","x",%]]},)],
    ilb => ["", "ILB"],
    text => ["", "x"],
    results => ["SQLite format 3\0", "x"],
    edgelist => ["", "0 %\n"],
    dimacs => ["p edge 1000000 1000000\n", "e 1 %\n"],
    graphml => ["<graphml>", "<!-- % -->\n"],
    gml => ["graph [\n", "node [ id % ]\n"],
    pajek => ["*Vertices 1000000\n*Edges\n", "1 %\n"],
    ncol => ["", "a b%\n"],
    matrix => ["", "1"],
    cnf => ["p cnf 1000000 1000000000\n", "% 0\n"],
    trace => ["", "p0: w x %\n"],
    certificate => ["isolab-certificate 1\n", "level ra\n"],
    zstd => [pack("VCC", 0xFD2FB528, 0, 88), pack("CCCC", 2, 0, 16, 120)], # 128 KB of one letter in four bytes
    suite => ["", "# %\n"],
    verdicts => ["file\tformat\tlevel\tverdict\n", "h%.txt\tisolab\tra\tsatisfied\n"],
    adapters => ["", "# %\n"],
);

# [content, words]; IN is the input. A program is isolab where none is named. A folder has the input as a file.
my @reads = (
    (map { [$_, "check", "-l", "ra", "--format", $_, "IN"] } qw(isolab jsonl plume test dbcop dbcop-json dbcop-hist elle elle-json ilb)),
    (map { ["isolab", @$_] }
        ["check", "IN"],
        ["check", "-l", "cc", "-c", "all", "--json", "IN"],
        ["check", "-l", "ser", "--certificate", "out", "--svg", "out.svg", "IN"],
        ["stats", "IN"],
        ["convert", "IN", "out.jsonl"],
        ["report", "-o", "out.html", "IN"],
        ["shrink", "-l", "ser", "-o", "out.txt", "IN"],
        ["shrink", "--command", "true {}", "-o", "out.txt", "IN"],
        ["referee", "--checkers", "brute,naive", "-l", "ra", "--out", "reports", "IN"],
        ["verify", "IN", "HOME/c"]),
    ["zstd", "stats", "IN"],
    ["text", "check", "FOLDER"],
    ["certificate", "verify", "HOME/h.txt", "IN"],
    ["adapters", "referee", "--checkers", "brute,ext:mine", "--adapters", "IN", "-l", "ra", "--out", "reports", "HOME/h.txt"],
    ["suite", "bench", "-o", "out.sqlite", "IN"],
    ["verdicts", "bench", "-o", "out.sqlite", "SUITE"],
    ["results", "bench", "--compare", "IN", "HOME/r.sqlite"],
    ["results", "bench", "--merge", "-o", "out.sqlite", "IN"],
    ["results", "plot", "table", "IN"],
    ["results", "plot", "line", "IN", "-o", "out.gp"],
    (map { [$_, "reduce", "triangle", "--graph-format", $_, "--graph", "IN", "-o", "out.jsonl"] } qw(edgelist dimacs graphml gml pajek ncol)),
    ["edgelist", "reduce", "triangle", "--explain", "--graph-format", "edgelist", "--graph", "IN"],
    ["matrix", "reduce", "bmm", "--a", "IN"],
    ["matrix", "reduce", "bmm", "--a", "HOME/m.txt", "--b", "IN"],
    ["cnf", "reduce", "sat", "--cnf", "IN", "-o", "out.jsonl"],
    ["trace", "reduce", "vsc", "--trace", "IN", "-o", "out.jsonl"],
);

# What works long, or waits for other programs; the statuses besides 2.
my @works = (
    (map { [[], "check", "-l", "ser", "-c", $_, "HOME/hard.jsonl"] } qw(sat dbcop strong veristrong all)),
    [[], "check", "HOME/hard.jsonl"],
    [[0], "report", "-o", "out.html", "HOME/hard.jsonl"],
    [[], "shrink", "-l", "ser", "-o", "out.txt", "HOME/hard.jsonl"],
    [[], "shrink", "--command", "HOME/hangs {}", "--run-timeout", "1000", "-o", "out.txt", "HOME/h.txt"],
    [[0, 1], "referee", "--checkers", "naive,ext:hangs", "--adapters", "HOME/hangs.adapters", "--run-timeout", "1000", "-l", "ra", "--out", "reports"],
    [[], "referee", "--checkers", "naive,ext:hangs", "--adapters", "HOME/hangs.adapters", "--run-timeout", "1000", "-l", "ra", "--out", "reports", "HOME/h.txt"],
    [[], "referee", "--checkers", "brute,sat", "-l", "ser", "--exhaustive", "4,3,3", "--out", "reports"],
    [[], "bench", "--program", "HOME/hangs", "-o", "out.sqlite", "HOME/s.suite"],
    [[], "bench", "-o", "out.sqlite", "--work", "work", "HOME/long.suite"],
    [[], "generate", "--txns", "1000000000", "-o", "out.jsonl"],
);

my @inputs = qw(zero silent stalled endless);
my $patience = 300;
my %end = (time => ["--timeout", "0.5"], memory => ["--memory", "100M"], TERM => [], INT => []);

# [name, program, words, input, content, end, statuses]
my @cases;
for (@reads) {
    my ($content, @words) = @$_;
    my $program = $words[0] eq "verify" ? shift @words : "isolab";
    for my $input (@inputs) {
        for my $end (qw(time memory TERM INT)) {
            next if $end eq "memory" && $input =~ /silent|stalled/; # nothing comes that could take memory
            my $status = $program eq "verify" && $end =~ /[A-Z]/ ? 128 + {TERM => 15, INT => 2}->{$end} : 2;
            my @may = $input eq "silent" ? $status : ($status, 65);
            push @may, 74 if $content eq "results"; # SQLite cannot read a pipe
            push @may, 0 if "@words" =~ /--merge/; # a file without any bytes is an empty database
            push @cases, ["$end ends $program @words, $input $content", $program, \@words, $input, $content, $end, @may];
        }
    }
}
for (@works) {
    my ($may, @words) = @$_;
    push @cases, map { ["$_ ends isolab @words", "isolab", \@words, "none", "", $_, 2, @$may] } qw(time TERM INT);
}
for my $command (qw(generate reduce)) {
    my @names = $command eq "generate" ? `$program{isolab} list generators` : `$program{isolab} list reductions`;
    for my $name (map { /^([a-z]\S*)/ ? $1 : () } @names) {
        my $help = `$program{isolab} $command $name --help`;
        my @numbers = $help =~ /^ +--([a-z-]+) [NX] /mg;
        for my $option (@numbers) {
            for my $number (1000000, 4294967295, "18446744073709551615") {
                for my $end (qw(time memory TERM)) {
                    push @cases, ["$end ends $command $name --$option $number", "isolab", [$command, $name, "--$option", $number, "-o", "out.jsonl"], "none", "", $end, 0, 2, 64];
                }
            }
        }
    }
}

# --- one case ---

# The processes of a session, without ended ones.
sub members {
    my ($session) = @_;
    my @all;
    for my $stat (glob "/proc/[0-9]*/stat") {
        my ($id, $state, $of) = text_of($stat) =~ /^(\d+) \(.*\) (\S) \d+ \d+ (\d+) /s or next;
        push @all, $id if $of == $session && $state ne "Z";
    }
    return @all;
}

# Writes the content into a pipe until its reader is gone.
sub writer {
    my ($pipe, $content, $input) = @_;
    my $pid = fork() // die $!;
    return $pid if $pid;
    $SIG{PIPE} = "DEFAULT";
    open my $to, ">", $pipe or POSIX::_exit(0);
    binmode $to;
    my ($begin, $piece) = @{ $content{$content} };
    syswrite $to, $begin;
    for (my $n = 1; ; $n += 1000) {
        my $text = join "", map { my $i = $n + $_; $piece =~ s/%/$i/gr } 0 .. 999;
        $text x= 64 if $piece !~ /%/;
        syswrite($to, $text) // POSIX::_exit(0);
        sleep 1 while $input eq "stalled";
    }
}

# Whether the process has its handler of a signal.
sub catches {
    my ($pid, $number) = @_;
    my ($caught) = text_of("/proc/$pid/status") =~ /^SigCgt:\s*([0-9a-f]+)/m or return 0;
    return hex(substr $caught, -8) >> ($number - 1) & 1;
}

sub begin {
    my ($n, $case) = @_;
    my ($name, $program, $words, $input, $content, $end) = @$case;
    my $dir = "$home/case$n";
    make_path("$dir/tmp", "$dir/here", "$dir/given");
    my $in = $input eq "zero" ? "/dev/zero" : "$dir/given/in";
    my $folder = "$dir/given/folder";
    if ("@$words" =~ /FOLDER/) {
        make_path($folder);
        $in = "$folder/T0.log";
        symlink "/dev/zero", $in if $input eq "zero";
    }
    my @pids;
    if ($input !~ /zero|none/) {
        mkfifo($in, 0600) or die "$in: $!";
        push @pids, writer($in, $content, $input) if $input ne "silent";
    }
    spew("$dir/given/h.txt", text_of("$home/h.txt"));
    spew("$dir/given/s.suite", "suite: s\nlevels: ra\ncheckers: awdit\nhistory: h\n    files: h.txt\n    expected: in\n");
    symlink "/dev/zero", "$dir/given/in" if $input eq "zero";
    my @all = ($program{$program}, map { s/^IN$/$in/r =~ s/^FOLDER$/$folder/r =~ s/^SUITE$/$dir\/given\/s.suite/r =~ s/^HOME/$home/r } @$words);
    push @all, @{ $end{$end} };
    my $pid = fork() // die $!;
    if ($pid == 0) {
        setsid();
        chdir "$dir/here" or die $!;
        $ENV{TMPDIR} = "$dir/tmp";
        open STDIN, "<", "/dev/null" or die $!;
        open STDOUT, ">", "$dir/out" or die $!;
        open STDERR, ">", "$dir/err" or die $!;
        exec @all or POSIX::_exit(127);
    }
    return { case => $case, pid => $pid, writers => \@pids, dir => $dir, since => time, words => \@all };
}

# What is wrong with how a case ended, by lines.
sub wrong {
    my ($r, $status) = @_;
    my (undef, undef, undef, $input, undef, undef, @may) = @{ $r->{case} };
    my $err = text_of("$r->{dir}/err");
    my @wrong;
    push @wrong, "status $status instead of @may" unless grep { $_ == $status } @may;
    my $page = "@{ $r->{words} }" =~ / report / && -s "$r->{dir}/here/out.html"; # with what is known
    push @wrong, "it says nothing" if ($status == 2 || $status == 65) && $err eq "" && -z "$r->{dir}/out" && !$page;
    push @wrong, "not one line" if $status == 65 && $err !~ /^isolab(?:-verify)?: [^\n]*\n\z/;
    my @left = members($r->{pid});
    push @wrong, "processes stay: @left" if @left;
    kill "KILL", @left if @left;
    my @files = glob "$r->{dir}/tmp/* $r->{dir}/tmp/.[!.]* $r->{dir}/here/.[!.]*";
    push @files, grep { !/reports$|\.sqlite|histories|here$/ } glob "$r->{dir}/here/*" if $status != 0 && !$page;
    push @wrong, "files stay: @files" if @files;
    push @wrong, "the command: @{ $r->{words} }", map { "it says: $_" } grep { defined } (split /\n/, $err)[0 .. 2] if @wrong;
    return @wrong;
}

sub end_case {
    my ($r, $status) = @_;
    my @wrong = wrong($r, $status);
    kill "KILL", @{ $r->{writers} };
    waitpid $_, 0 for @{ $r->{writers} };
    printf "# %.1f s, status %d: %s\n", time - $r->{since}, $status, (split /\n/, text_of("$r->{dir}/err"))[0] // "" if $ENV{SHOW};
    remove_tree($r->{dir});
    ok(!@wrong, $r->{case}[0], @wrong);
}

# --- all of them, some at a time ---

my $seed = $ENV{ISOLAB_SEED} // $ENV{ISOLAB_COMMIT_SEED} // time ^ $$;
$seed = int $seed;
srand $seed;
my @some = @cases;
my $only = $ENV{ISOLAB_ONLY} // "";
@some = grep { $_->[0] =~ /$only/ } @some if $only ne "";
if (!$ENV{ISOLAB_DEEP} && $only eq "") {
    my $n = $ENV{ISOLAB_QUICK} ? 25 : 60;
    @some = (sort { $a->[1] <=> $b->[1] } map { [$_, rand] } @some)[0 .. $n - 1];
    @some = map { $_->[0] } @some;
    print "# $n of ", scalar(@cases), " cases, ISOLAB_SEED=$seed\n";
}
my ($at, $n, %running) = (4, 0);
while (@some || %running) {
    while (@some && keys %running < $at) {
        my $r = begin($n++, shift @some);
        $running{ $r->{pid} } = $r;
    }
    for my $pid (keys %running) {
        my $r = $running{$pid};
        my $end = $r->{case}[5];
        if (waitpid($pid, WNOHANG) == $pid) {
            delete $running{$pid};
            end_case($r, $? & 127 ? 128 + ($? & 127) : $? >> 8);
        } elsif (time - $r->{since} > $patience) {
            kill "KILL", members($pid);
            push @{ $r->{case} }, "ends at all";
        } elsif ($end =~ /[A-Z]/ && !$r->{sent} && time - $r->{since} > 0.3) {
            my $number = {TERM => 15, INT => 2}->{$end};
            $r->{sent} = kill $end, $pid if $r->{case}[1] eq "verify" || catches($pid, $number);
        }
    }
    sleep 0.02;
}
ok(@cases > 1500, "cases: " . @cases);
finish();
