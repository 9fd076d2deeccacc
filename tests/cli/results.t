#!/usr/bin/perl
# A file of results may come from outside. Every column of every table gets every kind of value that it should not have, and
# files are cut and their bits flipped; every command that reads results must end by itself with 0, or with 65 and one line
# that names the file. ISOLAB_QUICK tries a part, ISOLAB_DEEP all commands on each.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our $isolab;
skip_all("sqlite3 is not installed") unless have("sqlite3");
chdir(tempdir(CLEANUP => 1)) or die $!;

spew("s.suite", <<'S');
suite: small
levels: ra cc
checkers: awdit naive
history: h-{x}
    generate: random --txns {x} --sessions 3 --seed 1 --level ra
    vary: x 20 40 80
    expect: ra satisfied
S
system("$isolab bench --repeat 2 --label one -o good.sqlite s.suite >out 2>err") == 0 or die "bench: " . slurp("err");
system("$isolab bench --repeat 1 --label two -o good.sqlite s.suite >out 2>err") == 0 or die "bench: " . slurp("err");
system("sqlite3 good.sqlite 'PRAGMA journal_mode = DELETE' >out") == 0 or die "sqlite3";

# Runs SQL on a file; false where SQLite refuses it.
sub sql {
    my ($file, @statements) = @_;
    open my $to, "|-", "sqlite3 -bail $file >sql.out 2>&1" or die $!;
    print $to "$_;\n" for @statements;
    return close $to;
}

my @reading = (
    (map { ["plot $_", "plot", $_, "FILE", "-c", "awdit,naive", "--to", "csv"] }
        qw(line exponents scatter quantile stages memory ablation table verdicts matrix)),
    ["plot by a parameter", "plot", "line", "FILE", "-x", "x", "-y", "check", "--to", "gp"],
    ["compare", "bench", "--compare", "FILE", "good.sqlite"],
    ["compare labels", "bench", "--compare", "FILE\@one", "FILE\@two"],
    ["merge", "bench", "--merge", "-o", "merged.sqlite", "FILE"],
    ["dry run", "bench", "--engine", "parallel", "--dry-run", "--label", "one", "-o", "FILE", "s.suite"],
    ["verify", "verify-results", "--histories", "good.sqlite.histories", "FILE"],
);
my @kept = ("--work", "good.sqlite.histories", "s.suite");
my @writing = (
    ["go on", "bench", "--repeat", "2", "--label", "one", "-o", "FILE", @kept],
    ["against", "bench", "--against", $isolab, "--repeat", "1", "--label", "one", "-o", "FILE", @kept],
);
my @commands = (@reading, @writing);

# What is wrong with how a command ended; undef: nothing.
sub wrong {
    my ($file, $command, @may) = @_;
    my ($name, @words) = @$command;
    unlink "merged.sqlite";
    my $pid = fork() // die $!;
    if ($pid == 0) {
        open STDOUT, ">", "out" or die $!;
        open STDERR, ">", "err" or die $!;
        exec "timeout", "-k", "1", "60", $isolab, map { s/FILE/$file/r } @words or die $!;
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my $err = slurp("err");
    return "$name: status $status: $err" unless grep { $_ == $status } @may;
    return "$name: not one line: $err" if $status == 65 && $err !~ /^isolab: [^\n]*\n\z/;
    return "$name: it does not name the file: $err" if $status == 65 && index($err, $file) < 0;
    return undef;
}

# The same on a copy of a file.
sub wrong_copy {
    my ($file, $command, @may) = @_;
    unlink "y.sqlite", "y.sqlite-journal", "y.sqlite-wal", "y.sqlite-shm";
    copy($file, "y.sqlite") or die $!;
    return wrong("y.sqlite", $command, @may);
}

my @bad = grep { defined } map { wrong_copy("good.sqlite", $_, 0, 1) } @commands;
ok(!@bad, "all commands read good results", @bad);

# --- every column, every value ---
my @values = ("NULL", "'text'", "x'00ff41'", "9e999", "-9e999", "'NaN'", "1e300", "-5", "''", "'a' || char(0) || 'b'");
my ($n, $tried, $refused) = (0, 0, 0);
for my $table (qw(environment history run certificate)) {
    for my $column (split /\n/, `sqlite3 good.sqlite "SELECT name FROM pragma_table_info('$table')"`) {
        my @wrong;
        for my $value (@values) {
            next if $n++ % 5 && $ENV{ISOLAB_QUICK};
            $tried++;
            my $row = $n % 2 ? "id = (SELECT min(id) FROM $table)" : "id = (SELECT max(id) FROM $table)";
            copy("good.sqlite", "x.sqlite") or die $!;
            next unless sql("x.sqlite", "UPDATE $table SET $column = $value WHERE $row"); # SQLite itself refuses some
            my @try = $ENV{ISOLAB_DEEP} ? @commands : ($reading[$n % @reading], $reading[(7 * $n + 3) % @reading]);
            push @try, $writing[$n / 40 % 2] if $n % 40 == 0; # they take longer
            for my $command (@try) {
                my $why = wrong_copy("x.sqlite", $command, 0, 1, 2, 64, 65);
                push @wrong, "$value: $why" if defined $why;
                $refused += $why // "" eq "" && slurp("err") =~ /^isolab: y.sqlite: row [0-9]+ of table $table: $column: expected /;
            }
        }
        ok(!@wrong, "$table.$column", @wrong);
    }
}
ok($refused > $tried / 2, "most of them are refused by the column's name ($refused of $tried values)");

# --- tables that are none ---
sub refuses {
    my ($name, @statements) = @_;
    copy("good.sqlite", "x.sqlite") or die $!;
    sql("x.sqlite", @statements) or die "$name: " . slurp("sql.out");
    my @wrong = grep { defined } map { wrong_copy("x.sqlite", $_, 65) } @reading[0, 7, 11, 13], $writing[0];
    ok(!@wrong, $name, @wrong);
}
my $endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";
my $columns = join ", ", map { "r.$_" } split /\n/, `sqlite3 good.sqlite "SELECT name FROM pragma_table_info('run')"`;
refuses("runs that are a view", "ALTER TABLE run RENAME TO r", "CREATE VIEW run AS SELECT * FROM r");
refuses("runs that never end", "ALTER TABLE run RENAME TO r", "CREATE VIEW run AS $endless $columns FROM n JOIN r");
refuses("histories that are a virtual table", "ALTER TABLE history RENAME TO h", "CREATE VIRTUAL TABLE history USING fts5(name)");
refuses("no histories at all", "DROP TABLE history");
refuses("a missing column", "ALTER TABLE run DROP COLUMN peak_kib");
refuses("a computed column", "ALTER TABLE run DROP COLUMN load", "ALTER TABLE run ADD COLUMN load REAL AS (wall_ms / 0.0)");
refuses("runs of no history", "DELETE FROM history");
refuses("phases that are no numbers", q(UPDATE run SET phases = '{"check":"fast"}'));
refuses("phases without end", q(UPDATE run SET phases = '{"check":1e999}'));
refuses("deep JSON", "UPDATE run SET counters = replace(hex(zeroblob(100000)), '0', '[')");
refuses("a name of ten megabytes", "UPDATE run SET checker = hex(zeroblob(5000000))");
refuses("another database", "PRAGMA application_id = 7");

# A trigger and a function of the file's own are not run where runs are added.
copy("good.sqlite", "x.sqlite");
sql("x.sqlite", "DELETE FROM run WHERE repetition = 2", "CREATE TABLE loot (x)",
    "CREATE TRIGGER evil AFTER INSERT ON run BEGIN INSERT INTO loot $endless i FROM n; END") or die slurp("sql.out");
my $why = wrong("x.sqlite", $writing[0], 0);
ok(!defined $why && `sqlite3 x.sqlite 'SELECT count(*) FROM loot'` == 0, "a trigger is not run", $why // ());

# --- damaged files ---
my $seed = $ENV{ISOLAB_SEED} // 1;
srand $seed;
my $good = slurp("good.sqlite");
my $rounds = $ENV{ISOLAB_QUICK} ? 20 : $ENV{ISOLAB_DEEP} ? 3000 : 150;
my @wrong;
for my $round (1 .. $rounds) {
    my $bytes = $good;
    if ($round % 3 == 0) {
        $bytes = substr($bytes, 0, int(rand(length $bytes)));
    } else {
        for (0 .. int(rand(8))) {
            my $at = int(rand(2) < 1 ? rand(600) : rand(length $bytes));
            substr($bytes, $at, 1) = chr(int(rand(256)));
        }
    }
    spew("z.sqlite", $bytes);
    for my $command ($reading[$round % @reading], $round % 10 == 0 ? $writing[0] : ()) {
        my $bad = wrong_copy("z.sqlite", $command, 0, 1, 2, 64, 65);
        push @wrong, "round $round: $bad" if defined $bad;
    }
}
print "# seed $seed (set ISOLAB_SEED to repeat)\n";
ok(!@wrong, "$rounds damaged files", @wrong);

finish();
