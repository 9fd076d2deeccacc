# TAP for tests in Perl: `require(abs_path(dirname(__FILE__)) . "/tap.pl"); our ($root, $isolab);`. The programs are $isolab and $verify; a
# test ends with finish(). tap.sh is the same for the shell.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

our $root  = abs_path(dirname(__FILE__) . "/../..");
exec "$root/tests/run", $0, @ARGV or die "$root/tests/run: $!" if !$ENV{ISOLAB_TESTS};
our $build = $ENV{BUILD} // "build";
$build = "$root/$build" unless $build =~ m{^/};
our $isolab = "$build/isolab";
our $verify = "$build/isolab-verify";

my ($n_tests, $n_failed) = (0, 0);

# A test: is it right? The lines of `why` (undef: no text) are shown where it is not.
sub ok {
    my ($good, $name, @why) = @_;
    $n_tests++;
    print $good ? "ok" : "not ok", " $n_tests - $name\n";
    return 1 if $good;
    $n_failed++;
    print "# $_\n" for map { substr s/[^\x20-\x7e]/?/gr, 0, 300 } map { split /\n/ } map { $_ // "undef" } @why;
    return 0;
}

# A test that nothing is wrong: shows what is.
sub none {
    my ($name, @wrong) = @_;
    return ok(!@wrong, $name, @wrong > 30 ? (@wrong[0 .. 29], "... " . @wrong . " in all") : @wrong);
}

sub skip { my ($name, $why) = @_; $n_tests++; print "ok $n_tests - $name # skip $why\n" }
sub skip_all { print "1..0 # skip $_[0]\n"; exit 0 }
sub finish { print "1..$n_tests\n"; exit($n_failed ? 1 : 0) }

sub have { return system("command -v $_[0] >/dev/null 2>&1") == 0 }
sub spew { open my $out, ">", $_[0] or die "$_[0]: $!"; binmode $out; print $out $_[1]; close $out or die "$_[0]: $!" }
sub slurp { open my $in, "<", $_[0] or die "$_[0]: $!"; binmode $in; local $/; my $all = <$in>; return $all // "" }

1;
