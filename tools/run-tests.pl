#!/usr/bin/perl
# Runs tests, as `prove` does, and says how far it is: tools/run-tests.pl [-j N] TEST...   (make check, make quick, make asan)
#
# Every test is started by tests/run, which sets its environment. What a test prints is kept, and shown where it fails: the
# failed test with its comments and those before it. The slowest tests begin first, so that all processors stay busy to the
# end: as long as they took the last time ($BUILD/tests/times), or else what is known to be slow.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use List::Util qw(sum0);
use TAP::Harness;
use Time::HiRes qw(time);

my $root = abs_path(dirname(__FILE__) . "/..");
my $jobs = @ARGV && $ARGV[0] =~ /^-j(\d+)$/ ? (shift, $1)[1] : 1;
die "usage: tools/run-tests.pl [-jN] TEST...\n" if !@ARGV || grep { /^-/ } @ARGV;
my $build = $ENV{BUILD} // "build";
my $begin = time;
$| = 1;

# Seconds that a test took, by its path below the build folder.
my @slow = map { "tests/$_" } qw(unit/strong cli/referee.t unit/awdit cli/stranger.t cli/bench.t cli/cluster.t cli/failures.t
    unit/veristrong_agree cli/limits.t exhaustive/plume cli/papers_lie.t cli/benchexec.t);
my %expected = map { $slow[$_] => 1000 - $_ } 0 .. $#slow;
my %took;
sub name_of { return $_[0] =~ s{^\Q$build\E/}{}r }
if (open my $times, "<", "$build/tests/times") {
    /^([\d.]+) (.+)$/ and $took{$2} = $1 while <$times>;
}
sub expected { my $name = name_of($_[0]); return $took{$name} // $expected{$name} // 1 }
my @tests = sort { expected($b) <=> expected($a) || $a cmp $b } @ARGV;

sub minutes { my $s = int(time - $begin); return $s < 60 ? "$s s" : sprintf "%d min %d s", $s / 60, $s % 60 }

# What a test printed since its last good test, and what is shown of it: a failed test takes the comments around it.
my (%since, %shown, %began, @failed, @not_run, $n_files, $n_tests, %skipped);
sub read_line {
    my ($test, $result) = @_;
    my $line = $result->raw;
    if ($result->is_test) {
        if (!$result->is_ok) {
            push @{ $shown{$test} }, @{ $since{$test} // [] }, $line;
            $since{$test} = undef; # what follows is shown
            return;
        }
        $skipped{ $result->explanation || "no reason" }++ if $result->has_skip;
        $since{$test} = [];
    } elsif ($result->is_plan) {
        push @not_run, [$test, $result->explanation] if $result->has_skip;
    } elsif (exists $since{$test} && !defined $since{$test}) {
        push @{ $shown{$test} }, $line;
    } else {
        push @{ $since{$test} }, $line;
        shift @{ $since{$test} } if @{ $since{$test} } > 40;
    }
}

sub show_failure {
    my ($test, $parser) = @_;
    push @{ $shown{$test} }, @{ $since{$test} // [] } if !$parser->failed || $parser->parse_errors; # it ended too early
    my @lines = @{ $shown{$test} // [] };
    splice @lines, 60, @lines - 60, "# ..." if @lines > 60;
    my $why = $parser->wait & 127 ? "signal " . ($parser->wait & 127) : "status " . ($parser->exit // 0);
    print "FAILED $test ($why", (map { "; $_" } ($parser->parse_errors)[0 .. 0] ? ($parser->parse_errors)[0] : ()), ")\n",
        map { "  $_\n" } @lines;
    push @failed, [$test, grep { /^not ok/ } @{ $shown{$test} // [] }];
}

# What prove does not say, before its closing lines.
sub say_rest {
    print "not run: $_->[0]: $_->[1]\n" for sort { $a->[0] cmp $b->[0] } @not_run;
    print "not run: $skipped{$_} test", $skipped{$_} == 1 ? "" : "s", ": $_\n" for sort keys %skipped;
    return if !@failed;
    print "\nThese tests failed:\n";
    for (sort { $a->[0] cmp $b->[0] } @failed) {
        my ($test, @lines) = @$_;
        print "  $test\n", map { "    $_\n" } @lines > 8 ? (@lines[0 .. 7], "... " . @lines . " in all") : @lines;
    }
    my ($one) = sort map { $_->[0] } @failed;
    print "To run one of them again: ", $build ne "build" ? "BUILD=$build " : "", "tests/run $one\n";
}

my $last_told = $begin;
my $harness = TAP::Harness->new({
    jobs => $jobs, exec => ["$root/tests/run"], merge => 1, color => 0, verbosity => -2, timer => 0, formatter_class => "TAP::Formatter::File"
});
$harness->callback(made_parser => sub {
    my ($parser, $job) = @_;
    my $test = $job->[0];
    $began{$test} = time;
    $parser->callback(ALL => sub { read_line($test, $_[0]) });
});
$harness->callback(after_test => sub {
    my ($job, $parser) = @_;
    my $test = $job->[0];
    $took{ name_of($test) } = sprintf "%.2f", time - $began{$test};
    $n_files++;
    $n_tests += $parser->tests_run;
    show_failure($test, $parser) if $parser->has_problems;
    delete $since{$test};
    delete $shown{$test};
    if (time - $last_told >= 20 || $n_files == @tests) {
        $last_told = time;
        print "  $n_files of ", scalar(@tests), " files, $n_tests tests, ", minutes(), @failed ? ", " . @failed . " failed" : "", "\n";
    }
    say_rest() if $n_files == @tests;
});

print "Running ", scalar(@tests), " test files, $jobs at a time.\n";
my $aggregate = $harness->runtests(@tests);
if (open my $times, ">", "$build/tests/times") {
    print $times "$took{$_} $_\n" for sort keys %took;
}
exit($aggregate->has_errors ? 1 : 0);
