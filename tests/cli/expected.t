#!/usr/bin/perl
# Real histories against the verdicts that are known for them: every line of EXPECTED.tsv that some checker can
# answer, with its certificate verified. Needs ../shared/histories (or $ISOLAB_HISTORIES), and skips without it.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $build);
my $folder = $ENV{ISOLAB_HISTORIES} // "$root/../shared/histories";
skip_all("there are no real histories in ../shared/histories (or \$ISOLAB_HISTORIES)") if !-e "$folder/EXPECTED.tsv";

# With ISOLAB_QUICK every 9th line.
my $step    = $ENV{ISOLAB_QUICK} ? 9 : 1;
my $timeout = $ENV{ISOLAB_DEEP} ? 120 : 5;
my $tmp     = tempdir(CLEANUP => 1);
my %known   = map { $_->{name} => 1 } @{ decode_json(`'$build/isolab' list formats --json`) };
my ($n, %count, %bad, %where) = (0);
open my $expected, "<", "$folder/EXPECTED.tsv" or die "$folder/EXPECTED.tsv: $!";
while (<$expected>) {
    chomp;
    next if $. == 1 || $n++ % $step != 0;
    my ($file, $format, $level, $verdict, $source) = split /\t/;
    my $group = "$format $level";
    $count{$group}{all}++;
    if (!$known{ $format =~ s/-.*//r }) {
        $count{$group}{unknown}++;
        $where{$group} //= "format $format is not there";
        next;
    }
    unlink "$tmp/certificate";
    open my $check, "-|", "'$build/isolab' check --json -l $level --timeout $timeout --certificate '$tmp/certificate' "
        . "'$folder/$file' 2>'$tmp/err'"
        or die "isolab: $!";
    my $line   = do { local $/; <$check> };
    close $check;
    my $status = $? >> 8;
    my $answer = eval { decode_json($line) };
    if ($status > 2 || $? & 127 || !$answer) {
        push @{ $bad{$group} }, "$file: exit status $status: " . `head -1 '$tmp/err'`;
        next;
    }
    if ($answer->{verdict} eq "unknown") {
        $count{$group}{unknown}++;
        $where{$group} //= $answer->{reason};
        next;
    }
    $count{$group}{answered}++;
    push @{ $bad{$group} }, "$file: $answer->{checker} says $answer->{verdict}, $source says $verdict"
        if $answer->{verdict} ne $verdict;
    if (!defined $answer->{certificate}) {
        $count{$group}{uncertified}++;
        next;
    }
    my $proof = `'$build/isolab-verify' '$folder/$file' '$tmp/certificate' 2>&1`;
    push @{ $bad{$group} }, "$file: isolab-verify: $proof" if $? != 0;
}

my %sum;
for my $group (sort keys %count) {
    my %c = (answered => 0, unknown => 0, uncertified => 0, %{ $count{$group} });
    $sum{$_} += $c{$_} for keys %c;
    my $proved = $c{answered} - $c{uncertified};
    if ($bad{$group}) {
        none("$group: $c{answered} of $c{all} answered", @{ $bad{$group} });
    } elsif ($c{answered} == 0) {
        skip($group, "no answer to $c{all} lines ($where{$group})");
    } else {
        ok(1, "$group: $c{answered} of $c{all} answered, $proved proved"
            . ($c{unknown} ? ", $c{unknown} unknown (such as: $where{$group})" : ""));
    }
}
print "# $sum{answered} of $sum{all} lines answered, ", $sum{answered} - $sum{uncertified},
    " certificates verified, $sum{unknown} unknown\n";
finish();
