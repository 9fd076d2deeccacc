#!/usr/bin/perl
# isolab reduce as its users run it, on random problems in every way to write them down. The expected answers are
# counted here: triangles by trying all triples, formulas by trying all assignments, traces by trying all
# interleavings, products by multiplying. Then damaged files: one line of error, never a crash.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename 'dirname';
use File::Temp 'tempdir';

require(abs_path(dirname(__FILE__)) . '/tap.pl');
our ($root, $build);
my $dir = tempdir(CLEANUP => 1);
my $seed = $ENV{ISOLAB_SEED} // $ENV{ISOLAB_COMMIT_SEED} // time ^ $$;
srand $seed;
print "# ISOLAB_SEED=$seed\n";
my $rounds = $ENV{ISOLAB_QUICK} ? 4 : $ENV{ISOLAB_DEEP} ? 1000 : 60;

sub save {
    my ($name, $text) = @_;
    open my $out, '>:raw', "$dir/$name" or die;
    print $out $text;
    close $out;
}

# Runs a program; returns its exit status (256 and more: a signal), standard output, and lines of standard error.
sub run {
    my $status = system "timeout 60 @_ >$dir/out 2>$dir/err";
    my @text;
    for my $name ('out', 'err') {
        open my $in, '<:raw', "$dir/$name" or die;
        local $/;
        push @text, <$in> // '';
    }
    return ($status & 127 ? 256 + $status : $status >> 8, $text[0], [split /\n/, $text[1]]);
}

my $wrong;

sub wrong {
    my ($what, @files) = @_;
    return if $wrong++ > 2;
    print "# $what\n";
    for my $file ('out', 'err', @files) {
        open my $in, '<:raw', "$dir/$file" or next;
        print map { s/[^ -~\n]/?/gr } map { "# $file: $_" } grep { length } (<$in>)[0 .. 15] if -s "$dir/$file";
        print "\n";
    }
}

# A list of edges in a format; the nodes that it has in the end.
my %writer = (
    edges => sub {
        my ($n, $e) = @_;
        my $most = -1;
        for (@$e) { $most = $_ > $most ? $_ : $most for @$_ }
        my $end = rand() < 0.2 ? "\r\n" : "\n";
        return (join('', map { "$$_[0]" . (rand() < 0.5 ? ' ' : "\t") . "$$_[1]$end" } @$e) || "\n", $most + 1);
    },
    dimacs => sub {
        my ($n, $e) = @_;
        my $flow = rand() < 0.3 && $n > 1;
        my $text = "c made 20260101123456789\n" . ($flow ? "p max $n " . @$e . "\nn 1 s\nn 2 t\n" : "p edge $n " . @$e . "\n");
        for (@$e) {
            $text .= $flow ? sprintf("a %d %d 7\n", $$_[0] + 1, $$_[1] + 1) : sprintf "e %d %d\n", $$_[0] + 1, $$_[1] + 1;
        }
        return ($text, $n);
    },
    gml => sub {
        my ($n, $e) = @_;
        my @id = map { 7 * $_ + 1000000 } 0 .. $n - 1;
        my $text = "Creator \"someone\"\ngraph [\n" . (rand() < 0.5 ? "  directed 1\n" : '');
        $text .= "  node [ id $id[$_] label \"n $_\" ]\n" for 0 .. $n - 1;
        $text .= "  edge [ source $id[$$_[0]] target $id[$$_[1]] weight 1.5 ]\n" for @$e;
        return ("$text]\n", $n);
    },
    graphml => sub {
        my ($n, $e) = @_;
        my $way = rand() < 0.5 ? 'directed' : 'undirected';
        my $text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
            . "<graph edgedefault=\"$way\">\n";
        $text .= "<node id=\"v&amp;$_\"/>\n" for 0 .. $n - 1;
        $text .= "<edge source=\"v&amp;$$_[0]\" target=\"v&amp;$$_[1]\"/>\n" for @$e;
        return ("$text</graph></graphml>\n", $n);
    },
    net => sub {
        my ($n, $e) = @_;
        my $text = "*Vertices $n\n" . join '', map { "$_ \"node $_\"\n" } rand() < 0.5 ? 1 .. $n : ();
        my $kind = rand();
        if ($kind < 0.25 && $n > 0) {
            my @row = map { [(0) x $n] } 1 .. $n;
            $row[$$_[0]][$$_[1]] = 1 for @$e;
            return ("$text*Matrix\n" . join('', map { "@$_\n" } @row), $n);
        }
        if ($kind < 0.5) {
            return ($text . "*Arcslist\n" . join('', map { $$_[0] + 1 . ' ' . ($$_[1] + 1) . "\n" } @$e), $n);
        }
        return ($text . ($kind < 0.75 ? '*Edges' : '*Arcs') . "\n"
            . join('', map { $$_[0] + 1 . ' ' . ($$_[1] + 1) . (rand() < 0.3 ? ' 2.5' : '') . "\n" } @$e), $n);
    },
    ncol => sub {
        my ($n, $e) = @_;
        my %named;
        $named{$_} = 1 for map { @$_ } @$e;
        return (join('', map { "node-$$_[0] node-$$_[1]" . (rand() < 0.3 ? ' 1.5' : '') . "\n" } @$e) || "\n",
            scalar keys %named);
    },
);

sub random_edges { # loops, repetitions and isolated nodes included
    my $n = shift;
    my $most = 2 * $n;
    my @e = map { [int rand $n, int rand $n] } 1 .. ($n == 0 ? 0 : int rand $most);
    push @e, map { [@{$e[rand @e]}[1, 0]] } 1 .. 2 if @e;
    return \@e;
}

sub count_triangles {
    my ($n, $e) = @_;
    my %has;
    for (@$e) { $has{"@$_"} = $has{"$$_[1] $$_[0]"} = 1 }
    my ($triangles, %edge) = (0);
    for my $x (0 .. $n - 1) {
        for my $y ($x + 1 .. $n - 1) {
            next unless $has{"$x $y"};
            $edge{"$x $y"} = 1;
            for my $z ($y + 1 .. $n - 1) {
                $triangles++ if $has{"$x $z"} && $has{"$y $z"};
            }
        }
    }
    return ($triangles, scalar(keys %edge), \%has);
}

my @ways = ('general --level rc', 'general --level ra', 'general --level cc', 'ra2', 'rc1');
for my $format (sort keys %writer) {
    $wrong = 0;
    my %seen;
    for (1 .. $rounds) {
        my $n = int rand 14;
        my $e = random_edges($n);
        my ($text, $nodes) = $writer{$format}->($n, $e);
        my ($triangles, $edges, $has) = count_triangles($n, $e);
        my $way = $ways[rand @ways];
        save("g.$format", $text);
        my ($status, $out) = run("$build/isolab reduce triangle --graph $dir/g.$format --construction $way --explain",
            "-o $dir/h.jsonl --certificate $dir/proof");
        my $verdict = $triangles ? 'violated' : 'satisfied';
        $seen{$verdict}++;
        my $good = $status == 0 && $out =~ /^graph: $nodes nodes, $edges edges, $triangles triangles? \(igraph\), $triangles \(/
            && $out =~ /level \w+: $verdict$/m;
        if ($triangles && $good) { # both triangles are triangles; ncol numbers nodes in its own order
            $good = () = $out =~ /nodes \d+, \d+, \d+$/mg;
            $good = $good == 2;
            while ($format ne 'ncol' && $out =~ /nodes (\d+), (\d+), (\d+)$/mg) {
                $good &&= $has->{"$1 $2"} && $has->{"$2 $3"} && $has->{"$1 $3"};
            }
        }
        my ($proved, $said) = $good ? run("$build/isolab-verify $dir/h.jsonl $dir/proof") : (1, '');
        wrong("$format, $way: expected $nodes nodes, $edges edges, $triangles triangles; status $status, proof $proved",
            "g.$format") unless $good && $proved == 0;
    }
    ok(!$wrong && ($rounds < 10 || ($seen{satisfied} && $seen{violated})),
        "$rounds graphs as $format: " . join ', ', map { "$seen{$_} $_" } sort keys %seen);
}

# Formulas with everything that DIMACS allows.
sub random_formula {
    my $vars = int rand 5;
    my @clauses;
    for (1 .. (rand() < 0.1 ? 0 : int rand 10)) {
        push @clauses, [map { (rand() < 0.5 ? -1 : 1) * (1 + int rand $vars) } 1 .. ($vars == 0 ? 0 : 1 + int rand 3)];
        $clauses[-1] = [] if rand() < 0.02;
    }
    my $text = rand() < 0.3 ? "c a formula\n" : '';
    $text .= "p cnf $vars " . @clauses . (rand() < 0.2 ? "  \r\n" : "\n");
    for my $clause (@clauses) {
        for (@$clause, 0) {
            $text .= $_ . (rand() < 0.1 ? "\nc in the middle 1 2 0\n" : rand() < 0.3 ? "\n" : rand() < 0.2 ? "\t" : '  ');
        }
        $text .= "\n" if rand() < 0.6;
    }
    $text .= "\n%\n0\n\n" if rand() < 0.2;
    return ($vars, \@clauses, $text);
}

sub satisfiable {
    my ($vars, $clauses) = @_;
    for my $way (0 .. (1 << $vars) - 1) {
        return 1 unless grep { !grep { (($way >> (abs($_) - 1)) & 1) == ($_ > 0 ? 1 : 0) } @$_ } @$clauses;
    }
    return 0;
}

for my $way ('unique --level pc', 'unique --level si', 'unique --level ser', 'mini --level si', 'mini --level ser') {
    $wrong = 0;
    my %seen;
    for (1 .. $rounds) {
        my ($vars, $clauses, $text) = random_formula();
        my $answer = satisfiable($vars, $clauses);
        save('f.cnf', $text);
        my $m = @$clauses;
        my ($status, $out) = run("$build/isolab reduce sat --cnf $dir/f.cnf --construction $way --explain -o $dir/h.jsonl",
            $answer ? "--certificate $dir/proof" : '');
        my $verdict = $answer ? 'satisfied' : 'violated';
        $seen{$verdict}++;
        my $good = $status == 0 && $out =~ /^formula: $vars variables, $m clauses: @{[$answer ? '' : 'un']}satisfiable/
            && $out =~ /level \w+: $verdict$/m;
        if ($good && $answer) {
            my ($values) = $out =~ /the commit order as an assignment \(satisfies\): ?(.*)0$/m;
            my %true = map { $_ => 1 } split ' ', $values // 'none';
            $good = !grep { !grep { $true{$_} } @$_ } @$clauses;
            $good &&= $out =~ /assignment as a commit order: a serial one/;
            $good &&= (run("$build/isolab-verify $dir/h.jsonl $dir/proof"))[0] == 0;
        }
        wrong("$way: expected $verdict; status $status", 'f.cnf') unless $good;
    }
    ok(!$wrong && ($rounds < 10 || ($seen{satisfied} && $seen{violated})),
        "$rounds formulas, $way: " . join ', ', map { "$seen{$_} $_" } sort keys %seen);
}

# Traces. The interleavings are tried one by one: no states are shared.
sub possible {
    my ($t, $at, $memory, $lin) = @_;
    my ($left, @next) = (0);
    for my $p (0 .. $#$t) {
        next if $at->[$p] == @{$t->[$p]};
        $left++;
        my ($kind, $where, $value, $start) = @{$t->[$p][$at->[$p]]};
        next if $kind eq 'r' && ($memory->{$where} // 0) != $value;
        next if $lin && grep {
            my $q = $_;
            grep { $t->[$q][$_][4] < $start } $at->[$q] .. $#{$t->[$q]}
        } 0 .. $#$t;
        my @then = @$at;
        $then[$p]++;
        return 1 if possible($t, \@then, $kind eq 'w' ? {%$memory, $where => $value} : $memory, $lin);
    }
    return !$left;
}

for my $model ('sc', 'lin') {
    $wrong = 0;
    my %seen;
    for (1 .. $rounds) {
        my @names = ('x', 'a-long_name.of:a/location', '17', '07');
        my ($memory, $now, @t) = ({}, 0);
        for (1 .. 2 + int rand 8) { # runs in this order; some reads are then made wrong
            my $p = int rand 3;
            my $where = $names[rand @names];
            my ($kind, $value) = rand() < 0.5 ? ('w', int(rand 3) - 1) : ('r', $memory->{$where} // 0);
            $memory->{$where} = $value if $kind eq 'w';
            $value = int(rand 3) - 1 if $kind eq 'r' && rand() < 0.15;
            my $start = $now - int rand 6;
            my $last = $t[$p] && @{$t[$p]} ? $t[$p][-1][4] : -100;
            $start = $last + 1 if $start <= $last;
            $now = ($start > $now ? $start : $now) + int rand 3;
            push @{$t[$p]}, [$kind, $where, $value, $start, $now];
        }
        @t = grep { defined } @t;
        my $text = "# a trace\n" . join '', map {
            join(rand() < 0.5 ? ', ' : ',', map { "$$_[0] $$_[1] $$_[2]" . ($model eq 'lin' || rand() < 0.3 ? " \@$$_[3]..$$_[4]" : '') } @$_) . "\n"
        } @t;
        save('t', $text);
        my $answer = possible(\@t, [(0) x @t], {}, $model eq 'lin');
        my $verdict = $answer ? 'satisfied' : 'violated';
        $seen{$verdict}++;
        my ($status, $out) = run("$build/isolab reduce vsc --trace $dir/t --model $model --explain -o $dir/h.jsonl",
            $answer ? "--certificate $dir/proof" : '');
        my $good = $status == 0 && $out =~ /^history at level \w+: $verdict/m && $out =~ /interleavings says the same/;
        if ($good && $answer) { # the order printed, run here
            $good = $out =~ /as a commit order: a serial one/;
            my (@at, %now);
            @at = (0) x @t;
            while ($out =~ /^  process (\d+): (\w) (\S+) (-?\d+)$/mg) {
                my $op = $t[$1][$at[$1]++] // [''];
                $good &&= $op->[0] eq $2 && $op->[1] eq $3 && $op->[2] == $4;
                $good &&= ($now{$3} // 0) == $4 if $2 eq 'r';
                $now{$3} = $4 if $2 eq 'w';
            }
            $good &&= !grep { $at[$_] != @{$t[$_]} } 0 .. $#t;
            $good &&= (run("$build/isolab-verify $dir/h.jsonl $dir/proof"))[0] == 0;
        }
        wrong("$model: expected $verdict; status $status", 't') unless $good;
    }
    ok(!$wrong && ($rounds < 10 || ($seen{satisfied} && $seen{violated})),
        "$rounds traces, $model: " . join ', ', map { "$seen{$_} $_" } sort keys %seen);
}

# Products of matrices of any shape.
$wrong = 0;
for (1 .. 1 + $rounds / 4) {
    my ($rows, $inner, $columns) = map { 1 + int rand 6 } 1 .. 3;
    my $p = rand;
    my @a = map { [map { rand() < $p ? 1 : 0 } 1 .. $inner] } 1 .. $rows;
    my @b = map { [map { rand() < $p ? 1 : 0 } 1 .. $columns] } 1 .. $inner;
    my $glue = rand() < 0.5 ? ' ' : '';
    save('a', join '', map { join($glue, @$_) . "\n" } @a);
    save('b', join '', map { join($glue, @$_) . "\n" } @b);
    my $expected = '';
    for my $i (0 .. $rows - 1) {
        $expected .= join('', map { my $j = $_; (grep { $a[$i][$_] && $b[$_][$j] } 0 .. $inner - 1) ? 1 : 0 } 0 .. $columns - 1) . "\n";
    }
    my ($status, $out) = run("$build/isolab reduce bmm --a $dir/a --b $dir/b --construction", ('general', 'ra2', 'rc1')[rand 3]);
    wrong("product: status $status", 'a', 'b') unless $status == 0 && $out eq $expected;
}
ok(!$wrong, 'products');

# Damage: bytes changed, left out, put in, and ends cut off.
sub damage {
    my $text = shift;
    for (1 .. 1 + int rand 3) {
        my $at = int rand(1 + length $text);
        my $kind = rand;
        my $byte = (split //, "0123456789-[]<>\"*%c p\n\0\xff")[rand 24];
        if ($kind < 0.4) { substr($text, $at, 1) = $byte if $at < length $text }
        elsif ($kind < 0.6) { substr($text, $at, 1 + int rand 5) = '' if $at < length $text }
        elsif ($kind < 0.8) { substr($text, $at, 0) = $byte x (1 + int rand 20) }
        else { $text = substr $text, 0, $at }
    }
    return $text;
}

$wrong = 0;
my %ended;
for (1 .. $rounds) {
    for my $format (sort keys %writer, 'cnf', 't', 'a') {
        my $text = $format eq 'cnf' ? (random_formula())[2] : $format eq 't' ? "w x 1 \@1..3, r y 0 \@4..6\nw y 1 \@2..5\n"
            : $format eq 'a' ? "0 1\n1 1\n" : ($writer{$format}->(6, random_edges(6)))[0];
        save("d.$format", damage($text));
        my $name = $writer{$format} ? "triangle --graph $dir/d.$format" : $format eq 'cnf' ? "sat --cnf $dir/d.cnf"
            : $format eq 't' ? "vsc --trace $dir/d.t --model lin" : "bmm --a $dir/d.a --b $dir/d.a";
        my ($status, $out, $err) = run("$build/isolab reduce $name", $format eq 'a' ? '' : "-o $dir/h.jsonl");
        $ended{$status}++;
        my $good = $status == 0 || ($status == 65 && @$err == 1 && $err->[0] =~ /expected|most|cannot hold/) || $status == 64;
        wrong("damaged $format: status $status", "d.$format") unless $good;
    }
}
ok(!$wrong && $ended{0} && $ended{65}, 'damaged problems: ' . join ', ', map { "$ended{$_} end with $_" } sort keys %ended);
finish();
