#!/usr/bin/perl
# docs/json.md describes the JSON of `check`: what is printed has exactly the members that it describes, and every transaction of
# an anomaly is at the line, index and session that the JSON says.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $isolab);
my $tmp = tempdir(CLEANUP => 1);
chdir $tmp or die $!;
sub check { my $out = qx($isolab check --json @_ 2>/dev/null); return decode_json($out) }

# The members of the document, by heading; the members of an anomaly's parts by the line before their table.
my $doc = slurp("$root/docs/json.md");
my (%members, $part);
for my $line (split /\n/, $doc) {
    $part = $1 if $line =~ /^## (.*)/;
    $part = $1 if $line =~ /^A (transaction|step) has$/;
    next unless $line =~ /^\| `/;
    my $cell = $line =~ s/^\| ([^|]*) \|.*/$1/r;
    $members{$part}{$_} = 1 for $cell =~ /`(\w+)`/g;
}
sub undescribed {
    my ($object, @parts) = @_;
    return grep { my $m = $_; !grep { $members{$_}{$m} } @parts } sort keys %$object;
}

spew("a.jsonl", qq({"session":"A","id":1,"ops":[["r","x",null],["w","x",1]],"start":5,"end":9}\n\n{"session":"B","id":1,"ops":[["r","x",null],["w","x",2]],"start":6,"end":8}\n));
my $one = check("-l", "si", "a.jsonl");
my $a = $one->{anomalies}[0];
ok($one->{schema} == 2, "the schema has a version");
ok(defined $a, "there is an anomaly") or exit 1;
my @wrong = undescribed($one, "Of every history", "Of a level");
ok(!@wrong, "every member of a level is described", @wrong);
@wrong = undescribed($a, "Of an anomaly");
ok(!@wrong, "every member of an anomaly", @wrong);
@wrong = map { undescribed($_, "transaction") } @{$a->{transactions}};
ok(!@wrong, "every member of a transaction", @wrong);
@wrong = map { undescribed($_, "step") } @{$a->{steps}};
ok(!@wrong, "every member of a step", @wrong);
my %has = map { $_ => 1 } map { keys %$_ } @{$a->{steps}};
@wrong = grep { !$has{$_} } keys %{$members{step}};
ok(!@wrong, "and a step has all that is described", @wrong);
%has = map { $_ => 1 } map { keys %$_ } @{$a->{transactions}};
@wrong = grep { !$has{$_} && !/^(kind|key|value|length|text|ns|index|place|read|write|append|committed|aborted|indeterminate)$/ } keys %{$members{transaction}};
ok(!@wrong, "and so has a transaction", @wrong);

my %line = map { $_->{session} => "$_->{line} $_->{number_in_session} $_->{id} $_->{start} $_->{end} $_->{time_unit}" } @{$a->{transactions}};
ok(($line{A} // "") eq "1 1 1 5 9 ns" && ($line{B} // "") eq "3 1 1 6 8 ns", "ids that repeat are distinguished by session, line and times", %line);
ok($a->{text} =~ /transaction 1 of session A/ && $a->{text} =~ /transaction 1 of session B/, "in the text, too", $a->{text});
my %by = map { $_->{number} => $_ } @{$a->{transactions}};
my @bad = grep { defined $_->{from_number} && !$by{$_->{from_number}} or defined $_->{to_number} && !$by{$_->{to_number}} } @{$a->{steps}};
ok(!@bad, "steps name transactions of the list", map { $_->{text} } @bad);
my @op = map { my $s = $_; defined $s->{from_operation} ? [$s, $by{$s->{from_number}}{operations}[$s->{from_operation} - 1]] : () } @{$a->{steps}};
@bad = grep { $_->[1]{key} ne $_->[0]{key} } @op;
ok(@op && !@bad, "and operations of their key");

spew("b.edn", qq({:type :invoke, :process 7, :f :txn, :value [[:append x 1]], :index 0}\n{:type :invoke, :process 8, :f :txn, :value [[:r x nil]], :index 1}
{:type :ok, :process 7, :f :txn, :value [[:append x 1]], :index 2}\n{:type :ok, :process 8, :f :txn, :value [[:r x [1 9]]], :index 3}\n));
my $edn = check("-l", "int", "b.edn");
my ($reader) = grep { $_->{session} eq "8" } @{$edn->{anomalies}[0]{transactions}};
ok(defined $reader && $reader->{line} == 4 && $reader->{index} == 3 && $reader->{time_unit} eq "index", "an EDN log: line and :index of the results");
ok($edn->{anomalies}[0]{text} =~ /no transaction appended the 9 \(element 2 of 2\)/, "the wrong element is named", $edn->{anomalies}[0]{text});

my $ladder = check("a.jsonl");
@wrong = undescribed($ladder, "Of every history", "Of the ladder");
ok(!@wrong, "every member of a ladder", @wrong);
my %rung = map { $_->{level} => $_ } @{$ladder->{ladder}};
@bad = grep { $rung{$_}{verdict} eq "violated" && !@{$rung{$_}{anomalies}} } keys %rung;
ok($rung{ser}{verdict} eq "violated" && !@bad, "every violated level has an anomaly", @bad);
my @follow = grep { defined $rung{$_}{follows_from} && $rung{$_}{verdict} eq "violated" } keys %rung;
ok(@follow && !grep({ !defined $rung{$_}{anomalies_found_by} } @follow), "also levels that follow from others: by another checker", @follow);
my $some = check("-l", "ra,ser", "a.jsonl");
ok("@{[map { $_->{level} } @{$some->{ladder}}]}" eq "ser ra", "of several levels only these are in the document");
finish();
