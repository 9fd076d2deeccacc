#!/usr/bin/perl
# The documents describe the tree as it is: every folder of the tree stands in README.md and docs/architecture.md, every file
# they name exists, every make target and command they show is one, and nothing is shown that no file has.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Find qw(find);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $build);
chdir($root) or die $!;

sub holds_a_file { # in it or below
    my $found = 0;
    find({no_chdir => 1, wanted => sub { $found ||= -f }}, $_[0]);
    return $found;
}
my @folders = grep { -d && $_ ne "build" && holds_a_file($_) } glob("*");
my %target  = map { $_ => 1 } slurp("Makefile") =~ /^([a-z][a-z-]*):/mg;
my %command = map { $_ => 1 } (slurp("cli/commands.def") =~ /^COMMAND(?:_CALLED)?\((?:\w+, ")?([\w-]+)"?\)/mg, "help");
for my $file ("README.md", "docs/architecture.md") {
    my $text = slurp($file);
    none("$file knows every folder", map { "it does not mention $_/: please add a line" } grep { $text !~ m{\b\Q$_\E/} } @folders);
    my @named = $text =~ m{(?<![\w./~-])((?:base|history|formats|graph|certificates|checkers|verify|shrink|explain|generators|reductions|experiments|library|cli|bench|tests|tools|docs|include)/[\w/-]+\.\w+)}g;
    none("$file names files that exist (" . scalar(@named) . ")", grep { !-e && !/NAME/ } @named);
    my @shown = $text =~ /^    .*?\bmake ((?:[a-z-]+ ?)+)/mg;
    none("$file shows targets that exist", grep { !$target{$_} } map { split " " } @shown);
    my @used = $text =~ /(?:^    |`)isolab ([a-z][a-z-]*)/mg;
    none("$file shows commands that exist", grep { !$command{$_} } @used);
}
# Every command line shown, in the documents and in the examples of the help, is understood by isolab: with --help after
# it all options are read and nothing is done. Placeholders (capitals, ...) stand for files.
sub lines_shown {
    my ($text) = @_;
    my @found;
    for my $line (split /\n/, $text) {
        next unless $line =~ /^ {2,8}(?:\$ )?(\S.*)/;
        my $command = $1;
        $command =~ s/\s{2,}.*//; # what it does, beside it
        $command =~ s/\s#.*//;
        push @found, grep { /^isolab [a-z]/ } map { s/^\s+|\s+$//gr } split /\|(?=\s)|&&|;/, $command;
    }
    return @found;
}
sub misunderstood {
    my @wrong;
    for my $command (@_) {
        next if $command =~ m{/opt/} || $command =~ /^isolab (?:help|COMMAND)|\w\|\w|\[|\.\.\./;
        (my $plain = $command) =~ s/\s[<>]+\s*\S+//g;
        $plain =~ s/^isolab/'$build\/isolab'/;
        my $said = `$plain --help 2>&1 </dev/null`;
        push @wrong, "$command: " . (split /\n/, $said)[0] if $? != 0;
    }
    return @wrong;
}
for my $file ("README.md", sort glob("docs/*.md")) {
    my @shown = lines_shown(slurp($file));
    none("$file shows commands that work (" . scalar(@shown) . ")", misunderstood(@shown)) if @shown;
}
for my $command (sort keys %command) {
    next if $command eq "help";
    my ($examples) = `'$build/isolab' help $command` =~ /^Examples:\n((?:.*\n)*)/m;
    none("the examples of $command work", misunderstood(lines_shown($examples))) if defined $examples;
}

# Every link leads to a file, and to a heading of it where it names one, which GitHub calls by its words in small letters.
my %anchors;
sub anchors_of {
    my ($file) = @_;
    return $anchors{$file} //= do {
        (my $text = slurp($file)) =~ s/^```.*?^```//gms;
        +{map { lc =~ s/\[(.*?)\]\(.*?\)/$1/gr =~ s/[^\w\s-]//gr =~ s/\s/-/gr => 1 } $text =~ /^#+ +(.*?)\s*$/mg};
    };
}
for my $file ("README.md", "CONTRIBUTING.md", "NEWS.md", sort(glob("docs/*.md"), glob("paper-artifacts/*/claims.md"))) {
    my @broken;
    for my $link (slurp($file) =~ /\]\(([^)\s]+)\)/g) {
        next if $link =~ /^\w+:/;
        my ($to, $heading) = split /#/, $link, 2;
        $to = $to eq "" ? $file : dirname($file) . "/$to";
        push @broken, $link if !-e $to || (defined $heading && !anchors_of($to)->{$heading});
    }
    none("the links of $file lead somewhere", @broken);
}

my $readme = slurp("README.md");
# What is newer than the README is said and not refused.
print "# README.md does not show isolab $_ yet\n" for grep { $_ ne "help" && $readme !~ /isolab \Q$_\E\b/ } sort keys %command;
print "# README.md does not link $_ yet\n" for grep { index($readme, "($_)") < 0 } glob("docs/*.md");
finish();
