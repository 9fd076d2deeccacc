#!/usr/bin/perl
# Records the histories tests/histories/*/postgresql-*.txt from a real PostgreSQL: starts a private server in a temporary folder on a
# loopback port, drives one psql for each session through a fixed schedule of steps, and writes what the clients saw as isolab text.
#
#   tools/record-postgres.pl [FOLDER]     writes FOLDER/NAME.txt (default: prints them); needs Debian's package postgresql
#
# A step that waits for a lock is left waiting while other sessions go on. A serialization failure aborts its transaction. Times are the ones
# that the clients saw, in milliseconds from the first step.
use strict;
use warnings;
use File::Temp qw(tempdir);
use IO::Select;
use IPC::Open2;
use Time::HiRes qw(time sleep);

my ($bin) = sort { $b cmp $a } glob("/usr/lib/postgresql/*/bin");
die "record-postgres.pl: no PostgreSQL server: apt-get install postgresql\n" unless defined $bin && -x "$bin/initdb";
my $folder = shift;
my $home = tempdir(CLEANUP => 1);
my $user = $> == 0 ? "postgres" : undef; # the server refuses root
system("chown", $user, $home) if defined $user;
sub as { return defined $user ? ("runuser", "-u", $user, "--", @_) : @_ }
sub quietly { open my $p, "-|", "@{[map { qq('$_') } @_]} 2>&1" or die $!; my @said = <$p>; close $p or die "@_: @said" }
my $port = 20000 + $$ % 20000;
quietly(as("$bin/initdb", "-D", "$home/data", "-A", "trust", "-U", "isolab"));
quietly(as("$bin/pg_ctl", "-D", "$home/data", "-w", "-l", "$home/log", "-o", "-p $port -k $home -c listen_addresses=127.0.0.1", "start"));
END { local $?; system(join " ", map({ "'$_'" } as("$bin/pg_ctl", "-D", "$home/data", "-m", "immediate", "stop")), ">/dev/null") if $bin && $home }

my ($begin, @sessions);
sub now { return int(1e3 * (time() - $begin)) }

# ---- one client ----

sub client {
    my $pid = open2(my $from, my $to, "exec psql -X -q -A -t -h 127.0.0.1 -p $port -U isolab -d postgres 2>>$home/refused");
    $to->autoflush(1);
    my $s = {from => $from, to => $to, pid => $pid, select => IO::Select->new($from), buffer => "", waiting => [], done => []};
    return $s;
}

# Sends a step; its answer ends with a line that names it.
sub send_step {
    my ($s, $step) = @_;
    my ($kind, $key, $value) = @$step;
    my $n = ++$s->{steps};
    my $sql = $kind eq "begin"  ? "BEGIN ISOLATION LEVEL $key"
            : $kind eq "r"      ? "SELECT coalesce(v::text, 'nil') FROM t WHERE k = '$key'"
            : $kind eq "w"      ? "UPDATE t SET v = $value WHERE k = '$key'"
            : $kind eq "commit" ? "COMMIT" : "ROLLBACK";
    $s->{txn} = {ops => [], start => now(), status => "commit"} if $kind eq "begin";
    print { $s->{to} } "$sql;\n\\echo :SQLSTATE done$n\n";
    push @{ $s->{waiting} }, [$n, $step];
}

# Takes what has been answered within some seconds; 1 when nothing is waited for.
sub take {
    my ($s, $seconds) = @_;
    my $until = time() + $seconds;
    while (@{ $s->{waiting} }) {
        my ($n, $step) = @{ $s->{waiting}[0] };
        if ($s->{buffer} =~ s/^((?:.*\n)*?)(\w{5}) done$n\n//) {
            answered($s, $step, $1, $2);
            shift @{ $s->{waiting} };
            next;
        }
        my $left = $until - time();
        return 0 if $left <= 0 || !$s->{select}->can_read($left);
        sysread($s->{from}, $s->{buffer}, 4096, length $s->{buffer}) or die "psql ended\n";
    }
    return 1;
}

sub answered {
    my ($s, $step, $said, $state) = @_;
    my ($kind, $key, $value) = @$step;
    my $txn = $s->{txn};
    push @{ $txn->{ops} }, "w $key $value" if $kind eq "w"; # also a refused write: no read may return it
    if ($state ne "00000") {
        $txn->{status} = "abort";
    } elsif ($kind eq "r") {
        chomp $said;
        push @{ $txn->{ops} }, "r $key $said";
    }
    if ($kind eq "commit") {
        $txn->{end} = now();
        push @{ $s->{done} }, $txn;
    }
}

# ---- schedules ----

# "A begin, A r x, B w x 1, ...": steps in the order in which they are sent.
sub perform {
    my ($name, $level, $comment, $schedule) = @_;
    my %session = map { $_ => client() } $schedule =~ /\b([A-Z])\b/g;
    my $setup = client();
    print { $setup->{to} } "SET client_min_messages = error; DROP TABLE IF EXISTS t; CREATE TABLE t (k text PRIMARY KEY, v int); INSERT INTO t VALUES ('x', NULL), ('y', NULL);\n";
    print { $setup->{to} } "\\echo 00000 done1\n";
    push @{ $setup->{waiting} }, [1, ["setup"]];
    take($setup, 10) or die "no table\n";
    $begin = time();
    for my $text (split /,\s*/, $schedule) {
        my ($who, $kind, @rest) = split " ", $text;
        take($session{$who}, 10); # its last step must have ended: other sessions have gone on meanwhile
        send_step($session{$who}, $kind eq "begin" ? ["begin", $level] : [$kind, @rest]);
        take($session{$who}, 0.3);
        sleep 0.002;
    }
    my $out = "# Recorded from PostgreSQL " . ($bin =~ m{(\d+)/bin})[0] . " at " . lc($level) . " by tools/record-postgres.pl. $comment\n";
    my $n = 0;
    for my $who (sort keys %session) {
        take($session{$who}, 10) or die "$name: session $who waits for ever\n";
        $out .= "session $who\n";
        $out .= "t" . ++$n . " $_->{status} \@$_->{start}..$_->{end}: " . join(", ", @{ $_->{ops} }) . "\n" for @{ $session{$who}{done} };
        close $session{$who}{to};
        waitpid $session{$who}{pid}, 0;
    }
    close $setup->{to};
    waitpid $setup->{pid}, 0;
    if (defined $folder) {
        open my $file, ">", "$folder/$name.txt" or die "$folder/$name.txt: $!\n";
        print $file $out;
    } else {
        print "== $name\n$out";
    }
}

my ($rc, $rr, $ser) = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE");
perform("postgresql-rc-lost-update", $rc, "Both clients read the initial x and write it; no write is refused.",
    "A begin, A r x, B begin, B r x, A w x 1, B w x 2, A commit, B commit");
perform("postgresql-rc-read-skew", $rc, "A reads x before and y after B's commit.",
    "A begin, A r x, B begin, B w x 1, B w y 1, B commit, A r y, A commit");
perform("postgresql-rc-non-repeatable-read", $rc, "A reads x before and after B's commit.",
    "A begin, A r x, B begin, B w x 1, B commit, A r x, A commit");
perform("postgresql-rr-write-skew", $rr, "Each reads both keys and writes one: snapshots allow it.",
    "A begin, A r x, A r y, B begin, B r x, B r y, A w x 1, B w y 2, A commit, B commit");
perform("postgresql-rr-lost-update-refused", $rr, "The second writer of x is refused, and reads in a new transaction.",
    "A begin, A r x, B begin, B r x, A w x 1, B w x 2, A commit, B commit, B begin, B r x, B w x 3, B commit");
perform("postgresql-rr-read-only", $rr, "A reads from one snapshot while B and C commit.",
    "A begin, A r x, B begin, B w x 1, B commit, C begin, C r x, C w y 2, C commit, A r y, A commit, A begin, A r x, A r y, A commit");
perform("postgresql-ser-write-skew-refused", $ser, "One of the two is refused.",
    "A begin, A r x, A r y, B begin, B r x, B r y, A w x 1, B w y 2, A commit, B commit");
perform("postgresql-ser-stale-read", $ser,
    "A began first and reads x from its snapshot after B has overwritten it: A comes before B, which it overlaps in time.",
    "A begin, A r y, B begin, B w x 1, B commit, C begin, C r x, C commit, A r x, A commit");
