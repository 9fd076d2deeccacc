#!/usr/bin/perl
# Who may include whom. Agreement of two checkers proves something only as long as they share nothing but the
# history; this test reads every #include of the tree and refuses what DESIGN's map does not allow.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname basename);

chdir(abs_path(dirname(__FILE__) . "/../..")) or die $!;

# folder => folders (or single headers) that it may include, besides itself and include/isolab.h.
my %allowed = (
    base       => [],
    history    => [qw(base)],
    graph      => [qw(base)],
    formats    => [qw(base history)],
    checkers   => [qw(base history graph)],
    explain    => [qw(base history checkers/result.h)],
    generators => [qw(base history graph formats)],
    reductions => [qw(base history graph formats)],
    collectors => [qw(base history formats)],
    verify     => [qw(base history formats)],
    library    => [qw(base history formats checkers/checker.h checkers/result.h checkers/certificate.h explain)],
    cli => [
        qw(base history formats graph explain generators reductions collectors experiments
            checkers/checker.h checkers/result.h checkers/certificate.h)
    ],
    experiments => [
        qw(base history formats graph explain generators cli
            checkers/checker.h checkers/result.h checkers/certificate.h)
    ],
);
# The minimiser and the like in explain/ ask checkers through their common door.
push @{ $allowed{explain} }, "checkers/checker.h";
# So do reductions, to translate answers back, and the search for histories between two levels.
push @{ $allowed{reductions} }, "checkers/checker.h", "checkers/result.h", "generators/distribution.h";
push @{ $allowed{generators} }, "checkers/checker.h";

my %shared = map { $_ => 1 } qw(checker.h result.h certificate.h anomaly.h proof.h);
my (@bad, @stray, $n);
# The names of checkers, longest first: the files of one share its name as prefix.
open my $def, "<", "checkers/checkers.def" or die $!;
my @checkers = sort { length $b <=> length $a } map { /^CHECKER\((\w+)\)/ ? $1 : () } <$def>;
my @families = @checkers;

sub family {
    my ($file) = @_;
    my $name = basename($file);
    $name =~ s/\.[ch]$//;
    for my $family (@families) {
        return $family if $name =~ /^\Q$family\E(_|$)/;
    }
    return undef;
}

# What is wrong with an include, or undef.
sub wrong {
    my ($file, $header) = @_;
    my ($from) = $file =~ m{^([^/]+)/};
    return undef if $header eq "include/isolab.h";
    my ($to) = $header =~ m{^([^/]+)/} or return "$header has no folder";
    return "$from may not include $header"
        unless $to eq $from || grep { $_ eq $to || $_ eq $header } @{ $allowed{$from} };
    return undef unless $from eq "checkers" && $to eq "checkers";
    my $name = basename($header);
    return undef if $shared{$name} || $name eq "checkers.def";
    return undef if basename($file) =~ /^proof/ && $name =~ /^proof/; # the shared makers of proofs, among themselves
    my ($mine, $its) = (family($file), family($header));
    return defined $mine && defined $its && $mine eq $its ? undef : "$header belongs to another checker";
}

for my $folder (sort keys %allowed) {
    for my $file (glob("$folder/*.[ch]")) {
        open my $in, "<", $file or die "$file: $!";
        while (<$in>) {
            next unless m{^\s*#\s*include\s+"([^"]+)"};
            $n++;
            my $why = wrong($file, $1);
            push @bad, "$file:$.: $why" if defined $why;
        }
        close $in;
    }
}

# Every file of checkers/ belongs to a checker by its name, or to what they share.
for my $file (glob("checkers/*.[ch]")) {
    my $name = basename($file);
    next if $shared{$name} || $name =~ /^(registry|result|certificate|anomaly|proof)\w*\.[ch]$/;
    push @stray, $file unless defined family($file);
}

my $t = 0;
my $failed = 0;
sub ok {
    my ($name, @wrong) = @_;
    $t++;
    print @wrong ? "not ok" : "ok", " $t - $name\n";
    print "# $_\n" for @wrong;
    $failed += @wrong > 0;
}
ok("includes go one way and no checker knows another ($n of them in " . scalar(keys %allowed) . " folders)", @bad);
ok("every file of checkers/ carries the name of its checker", @stray);
my @programs = grep { /isolab-verify:/ } do { open my $m, "<", "Makefile" or die $!; <$m> };
ok("the verifier links no checker", grep { /checkers/ } @programs);
ok("there are folders to look at", $n > 50 ? () : "only $n includes were found");

# The rule itself must be able to refuse.
@families = ("awdit", "plume_vc", "plume");
my @refused = (
    ["checkers/awdit.c", "checkers/plume.h"], ["checkers/plume_vc.c", "checkers/plume_walk.h"],
    ["history/level.c", "checkers/checker.h"], ["formats/plume.c", "checkers/result.h"],
    ["verify/main.c", "checkers/certificate.h"], ["graph/scc.c", "history/history.h"], ["base/env.c", "env.h"],
    ["checkers/awdit.c", "formats/format.h"], ["library/check.c", "cli/json.h"],
);
my @granted = (
    ["checkers/awdit_cc.c", "checkers/awdit.h"], ["checkers/plume_vc_run.c", "checkers/plume_vc.h"],
    ["checkers/awdit.c", "graph/scc.h"], ["cli/check.c", "checkers/checker.h"], ["base/env.c", "include/isolab.h"],
);
ok("what must be refused would be", map { "$_->[0]: $_->[1]" } grep { !defined wrong(@$_) } @refused);
ok("what is right is not refused", map { "$_->[0]: $_->[1]" } grep { defined wrong(@$_) } @granted);
print "1..$t\n";
exit($failed ? 1 : 0);
