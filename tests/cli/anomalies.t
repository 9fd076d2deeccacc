#!/usr/bin/perl
# docs/anomalies.md has the gallery as `isolab explain` tells it, and `isolab explain` finds anomalies by all of their names.
# GOLDEN=write writes the gallery of the document again.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use JSON::PP;

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $isolab);
chdir($root) or die $!;
sub says { my $said = `($_[0]) 2>&1 </dev/null`; return ($? >> 8, $said) }
sub indented { return join "", map { "    $_\n" } split /\n/, $_[0] }

my ($status, $text) = says("$isolab explain --json all");
ok($status == 0, "explain --json all");
my @gallery = @{decode_json($text)};

sub section {
    my ($a) = @_;
    my @names = grep { defined } ($a->{guarantee} && "session guarantee $a->{guarantee}", $a->{plume} && "Plume $a->{plume}",
        $a->{adya} && "Adya $a->{adya}", $a->{elle} && $a->{elle} ne ($a->{adya} // "") ? "Elle $a->{elle}" : undef);
    my $out = "\n### $a->{name}\n\n$a->{meaning}";
    $out .= " Also called: " . join(", ", @names) . "." if @names;
    $out .= "\nBreaks " . join(", ", map { "`$_`" } @{$a->{breaks}});
    $out .= "; allowed by " . (join(", ", map { "`$_`" } @{$a->{allowed_by}}) || "none") . ".\n\n" . indented($a->{history});
    return $out . "\nMini-transactions do not show it.\n" unless defined $a->{mini_transactions};
    return $out if $a->{mini_transactions} eq $a->{history};
    return $out . "\nOf mini-transactions:\n\n" . indented($a->{mini_transactions});
}

my ($document, $marker) = ("docs/anomalies.md", "GOLDEN=write tests/cli/anomalies.t`.\n");
my $now  = slurp($document);
my $head = substr($now, 0, index($now, $marker) + length $marker);
my $want = $head . join "", map { section($_) } @gallery;
if (($ENV{GOLDEN} // "") eq "write" && $want ne $now) {
    open my $out, ">", $document or die $!;
    print $out $want;
    close $out or die $!;
    $now = $want;
}
ok($now eq $want, "$document has the gallery", "GOLDEN=write tests/cli/anomalies.t writes it again");

# Each name of each anomaly finds it, and check gives this name to its history.
my @listed = @{decode_json((says("$isolab list anomalies --json"))[1])};
my %listed = map { $_->{name} => $_ } grep { defined $_->{breaks} } @listed;
ok(join(" ", sort map { $_->{name} } @gallery) eq join(" ", sort keys %listed), "every name that is listed is explained");
for my $a (@gallery) {
    my @lost;
    for my $name (grep { defined } @$a{qw(name plume adya elle guarantee)}) {
        my ($code, $said) = says("$isolab explain --json '$name'");
        push @lost, $name unless $code == 0 && grep { $_->{name} eq $a->{name} } @{decode_json($said)};
    }
    ok(!@lost, "$a->{name} is found by all its names", @lost);
    for my $which ("history", defined $a->{mini_transactions} ? "mini" : ()) {
        my ($code, $said) = says("$isolab explain --$which $a->{name} | $isolab check -l $a->{shown_at} --json -");
        my $answer = decode_json($said);
        ok($answer->{anomalies}[0]{name} eq $a->{name}, "--$which: check -l $a->{shown_at} calls it $a->{name}", $said);
        my $elle = $answer->{anomalies}[0];
        ok(($elle->{guarantee} // "") eq ($a->{guarantee} // ""), "... and says which session guarantee it breaks");
    }
    my (undef, $shown) = says("COLUMNS=1000 $isolab explain $a->{name}");
    ok(index($shown, "$a->{name}: $a->{meaning}\n") == 0 && $shown =~ /^  breaks +sser\b/m && $shown !~ /\\u\{/,
        "$a->{name} in words", $shown);
}
my ($code, $said) = says("$isolab explain lost-updat");
ok($code == 64 && $said =~ /there is no anomaly "lost-updat"; did you mean "lost-update"\?/, "a misspelt name", $said);
($code, $said) = says("$isolab explain --mini write-cycle");
ok($code == 64 && $said =~ /mini-transactions do not show write-cycle/, "what mini-transactions do not show", $said);
($code, $said) = says("$isolab explain 'READ your_writes'");
ok($code == 0 && $said =~ /^read-your-writes: /, "names in other letters");

# One session's own pattern has the same name everywhere.
for my $name (qw(read-your-writes monotonic-reads monotonic-writes writes-follow-reads)) {
    my (undef, $page) = says("$isolab explain --history $name | $isolab report -");
    ok($page =~ m{<h3>\d+\. \Q$name\E\b} && $page =~ m{<td>\Q$name\E</td>}, "report says $name");
    (undef, my $small) = says("$isolab explain --mini $name | $isolab shrink -l cc --anomaly $name -");
    ok($small =~ /keeps \Q$name\E at level cc/, "shrink keeps $name", $small);
}
finish();
