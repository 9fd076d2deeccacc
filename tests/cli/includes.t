#!/usr/bin/perl
# What may include what. Agreement of two checkers proves something only as long as they share nothing but the
# history; this test reads every #include of the tree and refuses what docs/architecture.md does not allow.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname basename);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our $root;
chdir($root) or die $!;

# A room is a folder. Room => rooms (or single headers) that its files may include, besides its own and include/isolab.h.
my @ground = qw(base history);
my @ask    = qw(checkers/checker.h checkers/result.h);
my %allowed = (
    base         => [],
    history      => [qw(base)],
    graph        => [qw(base)],
    linear       => [@ground],
    formats      => [@ground],
    certificates => [@ground, "graph", "checkers"],
    checkers     => [@ground, qw(graph linear)],
    verify       => [@ground, qw(formats explain/words.h)], # which knows only the ground
    shrink       => [@ground, @ask],
    report       => [@ground, qw(explain checkers collectors/collector.h)],
    explain      => [@ground, @ask],
    generators   => [@ground, qw(graph formats checkers/checker.h)],
    reductions   => [@ground, qw(graph formats generators/distribution.h), @ask],
    library      => [@ground, qw(formats explain checkers certificates/certificate.h)],
    collectors   => [@ground, qw(formats generators/workload.h checkers shrink/shrink.h)],
    "experiments/runner"  => [@ground, qw(formats generators checkers/result.h experiments/referee/adapters.h)],
    "experiments/referee" => [@ground, qw(formats generators shrink explain checkers certificates/certificate.h experiments/runner)],
    "experiments/figures" => [@ground, qw(experiments/runner report/page.h)],
    "experiments/claims"  => [@ground, qw(formats experiments/runner report/page.h)],
    "experiments/artifact" => [@ground, qw(experiments/runner experiments/figures)],
    cli => [
        @ground, qw(formats graph explain shrink report generators reductions collectors checkers certificates/certificate.h
            experiments/runner experiments/referee experiments/figures experiments/claims experiments/artifact)
    ],
);
# A checker in a folder of its own: it knows the ground, graph/, linear/, what all checkers share, and no other checker.
my @checker = (@ground, qw(graph linear checkers certificates/proof.h));

sub room { return $_[0] =~ m{^(.+)/} ? $1 : "" }

# What is wrong with an include, or undef.
sub wrong {
    my ($file, $header) = @_;
    return undef if $header eq "include/isolab.h";
    my ($from, $to) = (room($file), room($header));
    return "$header has no folder" if $to eq "";
    my $may = $from =~ m{^checkers/} ? \@checker : $allowed{$from};
    return "$from/ has no rule" unless defined $may;
    return $to eq $from || grep({ $_ eq $to || $_ eq $header } @$may) ? undef : "$from/ may not include $header";
}

my (@bad, @stray, $n);
my @rooms = (sort(keys %allowed), grep { -d } glob("checkers/*"));
for my $room (@rooms) {
    for my $file (glob("$room/*.[ch]"), glob("$room/*.inc")) {
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

# Every folder of checkers/ is a checker of the table, or holds its variants under its own name.
open my $def, "<", "checkers/checkers.def" or die $!;
my %checker = map { /^CHECKER\((\w+)\)/ ? ($1 => 1) : () } <$def>;
for my $folder (grep { -d } glob("checkers/*")) {
    (my $name = $folder) =~ s{.*/}{};
    push @stray, $folder unless $checker{$name};
}

none("includes go one way and no checker knows another ($n of them in " . @rooms . " folders)", @bad);
none("every folder of checkers/ carries the name of its checker", @stray);
my @programs = grep { /isolab-verify:/ } do { open my $m, "<", "Makefile" or die $!; <$m> };
none("the verifier links no checker", grep { /checkers/ } @programs);
none("there are folders to look at", $n > 50 ? () : "only $n includes were found");

# The rule itself must be able to refuse.
my @refused = (
    ["checkers/awdit/awdit.c", "checkers/plume/plume.h"], ["checkers/plume/order.c", "checkers/awdit/order.h"],
    ["checkers/registry.c", "checkers/sat/sat.h"], ["history/level.c", "checkers/checker.h"],
    ["formats/plume.c", "checkers/result.h"], ["verify/main.c", "certificates/certificate.h"],
    ["graph/scc.c", "history/history.h"], ["linear/search.c", "checkers/result.h"], ["base/env.c", "env.h"], ["checkers/awdit/cc.c", "formats/format.h"],
    ["library/check.c", "cli/help.h"], ["experiments/runner/bench.c", "cli/help.h"], ["cli/check.c", "checkers/sat/sat.h"],
    ["certificates/proof.c", "checkers/strong/strong.h"], ["experiments/figures/grid.c", "experiments/referee/referee.h"],
);
my @granted = (
    ["checkers/awdit/cc.c", "checkers/awdit/awdit.h"], ["checkers/plume/order.c", "checkers/anomaly.h"],
    ["checkers/sat/proof.c", "certificates/proof.h"], ["checkers/awdit/awdit.c", "graph/scc.h"],
    ["cli/check.c", "checkers/checker.h"], ["base/env.c", "include/isolab.h"],
);
none("what must be refused would be", map { "$_->[0]: $_->[1]" } grep { !defined wrong(@$_) } @refused);
none("what is right is not refused", map { "$_->[0]: $_->[1]" } grep { defined wrong(@$_) } @granted);
finish();
