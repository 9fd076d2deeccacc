#!/usr/bin/perl
# `isolab replay --print sql`: the printed text, split into its files and sent to the database's own client in the order of its numbers,
# answers what its comments say. SQLite is always there; PostgreSQL and MariaDB are started on loopback ports where they are installed.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IO::Select;
use IO::Socket::INET;
use IPC::Open3;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our $isolab;
my $tmp = tempdir(CLEANUP => 1);
chmod 0755, $tmp;
$ENV{TMPDIR} = $tmp;
$SIG{PIPE} = "IGNORE";

my $long = "k" x 62;
my %script = (
    lost => "forbids si\nsetup x 0, y 5\nA begin\nA read x\nB begin\nB read x\nA write x 1\nA commit\nB write x 2\nB commit\nA begin\nA read x\nA read y\nA commit\n",
    lists => "forbids si\nsetup $long 3\nA begin\nA read $long\nA read other\nB begin\nB append $long 7\nB append other 8\nB commit\n"
        . "A append $long 9\nA read $long\nA read other\nA commit\n",
    locks => "forbids si\nA begin\nB begin\nA write x -1\nB write x 2\nA read x\nA commit\nB read x\nB commit\n",
    abort => "forbids int\nsetup x 1\nA begin\nA write x 2\nB begin\nB read x\nA abort\nB read x\nB commit\n",
);
spew("$tmp/$_.script", $script{$_}) for keys %script;

# ---- a small driver ----

# The clients: marker of progress, whether a key without a value prints no line, its errors, and the lines of its answers.
my %client = (
    sqlite   => {mark => ".shell echo", silent => 1, error => qr/^(?:Runtime error|Error|Parse error)/, answer => qr/^(?:-?\d+ ?)*$/},
    postgres => {mark => "\\! echo",    silent => 0, error => qr/ERROR:/, answer => qr/^(?:-?\d+ ?)*$/},
    mariadb  => {mark => "\\! echo",    silent => 0, error => qr/^ERROR /, answer => qr/^(?:NULL|(?:-?\d+ ?)+)$/},
);

# What a comment expects as output of its read; undef: nothing is printed.
sub expected {
    my ($comment, $silent) = @_;
    my ($value) = $comment =~ /= (.*)$/ or return undef;
    return $value eq "none" || $value eq "[]" ? ($silent ? undef : "NULL") : $value;
}

sub normal { my $line = $_[0]; return $line eq "" ? "NULL" : $line =~ s/^((?:-?\d+ )+)$/"[" . $1 =~ s{ $}{}r . "]"/er }

# Waits until a session has done a step.
sub wait_for {
    my ($s, $step, $seconds) = @_;
    my $until = time + $seconds;
    while ($s->{out} !~ /^DONE$step$/m && time < $until) {
        next unless IO::Select->new($s->{from})->can_read(0.1);
        sysread($s->{from}, $s->{out}, 65536, length $s->{out}) or last;
    }
}

# Plays the printed text. Returns what is wrong.
sub play {
    my ($text, $of, @command) = @_;
    my (%file, $name, %step, @wrong);
    for (split /\n/, $text) {
        $name = $1, next if /^-- file (\S+)/;
        push @{$file{$name}}, $_ if defined $name;
    }
    return "no files in: $text" unless $file{"setup.sql"} && $file{"end.sql"};
    my $run = sub { # a file without steps
        my ($which) = @_;
        spew("$tmp/$which", join("\n", @{$file{$which}}) . "\n");
        my @out = split /\n/, qx(@command <$tmp/$which 2>$tmp/err), -1;
        pop @out;
        push @wrong, grep { $_ =~ $of->{error} } split /\n/, slurp("$tmp/err");
        return map { normal($_) } @out;
    };
    $run->("setup.sql");
    my (%session, %statement);
    for my $n (grep { /^s\d/ } sort keys %file) {
        my $s = $session{$n} = {out => "", expect => [], refused => 0};
        $s->{pid} = open3($s->{to}, $s->{from}, undef, "@command 2>&1");
        $s->{to}->autoflush(1);
        my $last = 0;
        for (@{$file{$n}}) {
            next if /sleep/;
            if (/-- (\d+): (.*)$/) {
                my ($number, $comment) = ($1, $2);
                $last = $number;
                $statement{$number} = {session => $s, waits => scalar($comment =~ /^waits/), lines => [$_]};
                $s->{refused} += $comment =~ /refused: /;
                my $e = /^SELECT/ && $comment !~ /refused: / ? expected($comment, $of->{silent}) : undef;
                push @{$s->{expect}}, $e if defined $e;
            } elsif ($last == 0) {
                print {$s->{to}} "$_\n";
            } else {
                push @{$statement{$last}{lines}}, $_;
            }
        }
        print {$s->{to}} "$of->{mark} DONE0\n";
        wait_for($s, 0, 20);
    }
    for my $i (sort { $a <=> $b } keys %statement) {
        my $st = $statement{$i};
        print {$st->{session}{to}} join("\n", @{$st->{lines}}, "$of->{mark} DONE$i"), "\n";
        wait_for($st->{session}, $i, $st->{waits} ? 1 : 20);
        push @wrong, "step $i is not answered" if !$st->{waits} && $st->{session}{out} !~ /^DONE$i$/m;
    }
    for my $n (sort keys %session) {
        my $s = $session{$n};
        close $s->{to};
        wait_for($s, "never", 20);
        waitpid($s->{pid}, 0);
        my @lines = grep { !/^DONE/ } split /\n/, $s->{out}, -1;
        pop @lines;
        my $errors = grep { $_ =~ $of->{error} } @lines;
        my @got = map { normal($_) } grep { $_ =~ $of->{answer} } @lines;
        push @wrong, "$n read [@got], not [@{$s->{expect}}]: $s->{out}" unless "@got" eq "@{$s->{expect}}";
        push @wrong, "$n has $errors errors, not $s->{refused}: $s->{out}" unless $errors == $s->{refused};
    }
    my @expect = grep { defined } map { /-- (.* = .*)$/ ? expected($1, $of->{silent}) : undef } @{$file{"end.sql"}};
    my @left = $run->("end.sql");
    push @wrong, "at the end there is [@left], not [@expect]" unless "@left" eq "@expect";
    return @wrong;
}

# Prints the SQL of a script and plays it.
sub shows {
    my ($database, $level, $which, $verdict, $options, @command) = @_;
    my $text = qx($isolab replay $database $tmp/$which.script --level $level $options --print sql 2>$tmp/err);
    my $claim = "a play that $verdict";
    ok(scalar($text =~ /^-- \S+ \S+ at \Q$level\E: \Q$claim\E/m), "$database at $level prints $which, $claim", $text, slurp("$tmp/err"));
    none("and its client answers what the comments say", play($text, $client{$database}, @command));
    return $text;
}

# ---- SQLite ----

if (have("sqlite3")) {
    for (["rollback", "locks"], ["rollback", "lost"], ["wal", "lists"], ["wal", "lost"], ["wal", "abort"]) {
        my ($level, $which) = @$_;
        unlink glob("$tmp/replay.db*");
        shows("sqlite", $level, $which, $which eq "abort" ? "satisfies int" : "satisfies si", "", "stdbuf -o0 sqlite3 $tmp/replay.db -cmd '.timeout 5000'");
    }
} else {
    skip("SQL for SQLite", "sqlite3 is not installed");
}
ok(system("$isolab replay sqlite $tmp/lost.script --level read-uncommitted --print sql >$tmp/out 2>$tmp/err") >> 8 == 64
        && -z "$tmp/out" && index(slurp("$tmp/err"), "share a cache, which clients of several processes cannot") >= 0,
    "no SQL is printed for connections that share a cache", slurp("$tmp/err"));
for my $database (qw(lmdb rocksdb redis etcd)) {
    ok(system("$isolab replay $database $tmp/lost.script --print sql >$tmp/out 2>$tmp/err") >> 8 == 64 && -z "$tmp/out",
        "no SQL is printed for $database", slurp("$tmp/err"));
}
spew("$tmp/evil.script", "script \\! touch $tmp/evil: \e[31m \\! touch $tmp/evil\n$script{abort}");
my $evil = qx($isolab replay sqlite $tmp/evil.script --level wal --print sql);
ok($evil =~ /^-- \?\? touch/ && $evil !~ /[\e\\]/, "what a script says of itself stays a comment", $evil);

# ---- servers ----

sub free_port { return IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport }

# Starts a server, calls $test once it answers, and ends it.
sub with_server {
    my ($start, $probe, $test) = @_;
    my $pid = fork // die $!;
    if ($pid == 0) {
        open STDOUT, ">", "$tmp/server.log";
        open STDERR, ">&", \*STDOUT;
        exec @$start or exit 1;
    }
    my $until = time + 120;
    sleep 0.2 while system("$probe >/dev/null 2>&1") != 0 && time < $until && waitpid($pid, WNOHANG) == 0;
    system("$probe >/dev/null 2>&1") == 0 ? $test->() : ok(0, "the server starts", slurp("$tmp/server.log"));
    kill "TERM", $pid;
    sleep 0.1 while waitpid($pid, WNOHANG) == 0 && (time < $until + 60 || kill("KILL", $pid));
}

my ($bin) = map { dirname($_) } glob("/usr/lib/postgresql/*/bin/initdb");
if (defined $bin && have("psql") && ($> != 0 || have("setpriv"))) {
    my @as = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
    mkdir "$tmp/pg";
    chown((getpwnam "postgres")[2, 3], "$tmp/pg") if $> == 0;
    my $port = free_port();
    system("@as $bin/initdb -D $tmp/pg/data -A trust -U isolab --no-sync >$tmp/server.log 2>&1") == 0 or die slurp("$tmp/server.log");
    my @psql = "psql -X -q -A -t -h 127.0.0.1 -p $port -U isolab postgres";
    my $dsn = "--dsn 'host=127.0.0.1 port=$port user=isolab dbname=postgres'";
    with_server([@as, "$bin/postgres", "-D", "$tmp/pg/data", "-p", $port, "-k", "$tmp/pg", "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
        "@psql -c 'SELECT 1'", sub {
            shows("postgres", "read-committed", "lost", "violates si", $dsn, @psql);
            shows("postgres", "read-committed", "lists", "violates si", $dsn, @psql);
            shows("postgres", "read-committed", "locks", "satisfies si; a step waited", $dsn, @psql);
            shows("postgres", "repeatable-read", "lost", "satisfies si; a transaction was refused", $dsn, @psql);
            shows("postgres", "serializable", "locks", "satisfies si; a transaction was refused; a step waited", $dsn, @psql);
            shows("postgres", "serializable", "abort", "satisfies int", $dsn, @psql);
        });
} else {
    skip("SQL for PostgreSQL", "PostgreSQL or psql is not installed");
}

if (-x "/usr/sbin/mariadbd" && have("mariadb") && have("mariadb-install-db")) {
    my $port = free_port();
    my $user = getpwuid $>;
    system("mariadb-install-db --no-defaults --user=$user --auth-root-authentication-method=normal --datadir=$tmp/my >$tmp/server.log 2>&1") == 0
        or die slurp("$tmp/server.log");
    my @mariadb = "mariadb --no-defaults -N -B -n --force --host=127.0.0.1 --port=$port --user=root test";
    my $at = "--port $port";
    with_server(["/usr/sbin/mariadbd", "--no-defaults", "--user=$user", "--datadir=$tmp/my", "--port=$port", "--socket=$tmp/my.socket",
            "--pid-file=$tmp/my.pid", "--bind-address=127.0.0.1", "--skip-name-resolve", "--innodb-buffer-pool-size=64M"],
        "@mariadb -e 'SELECT 1'", sub {
            shows("mariadb", "repeatable-read", "lost", "violates si", $at, @mariadb);
            shows("mariadb", "repeatable-read", "lists", "violates si", $at, @mariadb);
            shows("mariadb", "read-uncommitted", "abort", "violates int", $at, @mariadb);
            shows("mariadb", "read-committed", "locks", "satisfies si; a step waited", $at, @mariadb);
            shows("mariadb", "snapshot", "lost", "satisfies si; a transaction was refused", $at, @mariadb);
            shows("mariadb", "serializable", "abort", "satisfies int; a step waited", $at, @mariadb);
        });
} else {
    skip("SQL for MariaDB", "MariaDB is not installed");
}
finish();
