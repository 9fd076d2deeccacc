#!/usr/bin/perl
# The documents speak of what there is: every folder of the tree stands in README.md and docs/architecture.md, every file
# they name exists, every make target and command they show is one, and nothing is shown that no file has.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

chdir(abs_path(dirname(__FILE__) . "/../..")) or die $!;
my $build = $ENV{BUILD} // "build";

sub slurp { open my $in, "<", $_[0] or die "$_[0]: $!"; local $/; return scalar <$in> }
my ($t, $failed) = (0, 0);
sub ok {
    my ($name, @wrong) = @_;
    $t++;
    print @wrong ? "not ok" : "ok", " $t - $name\n";
    print "# $_\n" for @wrong;
    $failed += @wrong > 0;
}

my @folders = grep { -d && $_ ne "build" && glob("$_/*") } glob("*");
my %target  = map { $_ => 1 } slurp("Makefile") =~ /^([a-z][a-z-]*):/mg;
my %command = map { $_ => 1 } (slurp("cli/commands.def") =~ /^COMMAND\((\w+)\)/mg, "help");
for my $file ("README.md", "docs/architecture.md") {
    my $text = slurp($file);
    ok("$file knows every folder", map { "it does not mention $_/: please add a line" } grep { $text !~ m{\b\Q$_\E/} } @folders);
    my @named = $text =~ m{(?<![\w./~-])((?:base|history|formats|graph|checkers|verify|explain|generators|reductions|collectors|experiments|library|cli|bench|tests|tools|docs|include)/[\w/-]+\.\w+)}g;
    ok("$file names files that exist (" . scalar(@named) . ")", grep { !-e && !/NAME/ } @named);
    my @shown = $text =~ /^    .*?\bmake ((?:[a-z-]+ ?)+)/mg;
    ok("$file shows targets that exist", grep { !$target{$_} } map { split " " } @shown);
    my @used = $text =~ /(?:^    |`)isolab ([a-z]+)\b/mg;
    ok("$file shows commands that exist", grep { !$command{$_} } @used);
}
my $readme = slurp("README.md");
# What is newer than the README is said and not refused.
print "# README.md does not show isolab $_ yet\n" for grep { $_ ne "help" && $readme !~ /isolab \Q$_\E\b/ } sort keys %command;
print "# README.md does not link $_ yet\n" for grep { index($readme, "($_)") < 0 } glob("docs/*.md");
print "1..$t\n";
exit($failed ? 1 : 0);
