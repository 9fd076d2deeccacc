#!/usr/bin/perl
# The mutants of C files: small changes, each of which a test should notice. Usage: mutants.pl FOLDER FILE...
#
# Writes FOLDER/1.c, FOLDER/2.c, ..., each a whole file with one change, and to standard output one line for each, with tabs:
# its number, the file, the line number, the function, and the lines that it touches before and after, with single spaces.
#
# It knows C only as far as tokens, brackets and statements go. A mutant that does not compile costs a call of the compiler.
use strict;
use warnings;

my ($text, $code); # a file; the same with blanks for comments and strings
my @depth;         # by offset: how many round brackets are open
my @found;         # changes: [offset, length, replacement]

sub blank { my ($s) = @_; $s =~ s/[^\n]/ /g; return $s }

sub mask {
    my ($s) = @_;
    $s =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{my $m = $1;
        $m =~ m{^["']} ? substr($m, 0, 1) . blank(substr($m, 1, -1)) . substr($m, -1) : blank($m)}gse;
    $s =~ s{^(\s*\#\s*(?!define)\w+[^\n]*)}{blank($1)}gme;
    return $s;
}

sub depths {
    my $n = 0;
    return map { $n += $_ eq "(" ? 1 : $_ eq ")" ? -1 : 0; $n } split //, $code;
}

sub change { push @found, [@_] }

# The offset where an operand that ends (direction -1) or begins (1) at $at has its other end. It goes on over brackets, up to
# one of the words that stop it.
sub operand {
    my ($at, $direction, $stop) = @_;
    my $depth = 0;
    my ($open, $close) = $direction > 0 ? (qr/[(\[{]/, qr/[)\]}]/) : (qr/[)\]}]/, qr/[(\[{]/);
    for (; $at > 0 && $at < length $code; $at += $direction) {
        my $c = substr($code, $at, 1);
        $depth++ if $c =~ $open;
        if ($c =~ $close) {
            last if $depth == 0;
            $depth--;
        }
        next if $depth > 0;
        last if $c =~ /[;,?:]/;
        last if $c eq "=" && substr($code, $at - 1, 3) !~ /^(?:[=!<>]=|.==)/;
        last if $direction < 0 && $at > 5 && substr($code, $at - 5, 6) eq "return";
        last if defined $stop && substr($code, $at - ($direction < 0), 2) =~ $stop;
    }
    return $at;
}

sub logic {
    while ($code =~ /(&&|\|\|)/g) {
        my ($at, $op) = ($-[0], $1);
        my $stop = $op eq "&&" ? qr/^(?:&&|\|\|)/ : qr/^\|\|/;
        my $left = operand($at - 1, -1, $stop) + 1;
        my $right = operand($at + 2, 1, $stop);
        $left++ while substr($code, $left, 1) =~ /\s/;
        change($left, $at + 2 - $left, "");
        change($at, $right - $at, "");
        change($at, 2, $op eq "&&" ? "||" : "&&");
    }
}

# The condition in the brackets that open at $at, as offset and length.
sub brackets {
    my ($at) = @_;
    my $end = operand($at + 1, 1, qr/^\)/);
    # commas and semicolons stop an operand: a condition has none outside of calls
    return substr($code, $end, 1) eq ")" ? ($at + 1, $end - $at - 1) : ();
}

sub conditions {
    while ($code =~ /\b(if|while) \(/g) {
        my ($at, $n) = brackets($+[0] - 1) or next;
        my $word = $1;
        my $was = substr($text, $at, $n);
        change($at, $n, "(void)($was), false");
        next if $word eq "while";
        change($at, $n, "(void)($was), true");
        change($at, $n, "!($was)");
    }
    while ($code =~ / \? /g) {
        my $at = operand($-[0] - 1, -1) + 1;
        $at++ while substr($code, $at, 1) =~ /\s/;
        my $n = $-[0] - $at;
        $n > 0 or next;
        my $was = substr($text, $at, $n);
        change($at, $n, "(((void)($was)), true)");
        change($at, $n, "(((void)($was)), false)");
    }
}

sub operators {
    my %other = (
        "<" => ["<="], "<=" => ["<"], ">" => [">="], ">=" => [">"], "==" => ["!="], "!=" => ["=="],
        "+" => ["-"], "-" => ["+"], "++" => ["--"], "--" => ["++"], "+=" => ["-=", "="], "-=" => ["+=", "="],
        "|=" => ["=", "&="], "&=" => ["=", "|="], "|" => ["&"], "&" => ["|"], "*" => ["+"], "/" => ["*"], "%" => ["/"],
        "<<" => [">>"], ">>" => ["<<"],
    );
    while ($code =~ /(->|<<=|>>=|<<|>>|<=|>=|==|!=|\+\+|--|[-+|&*\/%]=|&&|\|\||[-<>+|&*\/%])/g) {
        my ($at, $op) = ($-[0], $1);
        next if !$other{$op};
        if ($op =~ m{^[-+|&*/%<>]$}) { # binary, with a space on both sides
            next if substr($code, $at - 1, 3) !~ /^\s\Q$op\E\s/;
        }
        next if $op =~ /^(?:\+\+|--)$/ && $depth[$at] > 0; # a step of a loop
        change($at, length $op, $_) for @{ $other{$op} };
    }
    while ($code =~ /!(?=[\w(*])/g) { change($-[0], 1, "") }
    while ($code =~ /[(,=?:]\s*(-)(?=[A-Za-z_(])/g) { change($-[1], 1, "") }
    while ($code =~ /\breturn (-)(?=[A-Za-z_(])/g) { change($-[1], 1, "") }
}

sub constants {
    while ($code =~ /\b(true|false)\b/g) { change($-[1], length $1, $1 eq "true" ? "false" : "true") }
    while ($code =~ /(?<![\w.])(\d+)(?![\w.])/g) {
        my ($at, $n) = ($-[1], $1);
        next if substr($code, 0, $at) =~ /^\s*(?:static |const )*(?:char|int|bool|double|u?int\d+_t|size_t)\b[^=;(]*\[$/m;
        change($at, length $n, $n == 0 ? 1 : $n == 1 ? 0 : $n + 1);
        change($at, length $n, $n - 1) if $n > 1;
    }
}

sub statements {
    while ($code =~ /(?<=[;{}):])(\s+)((?:\*|\+\+|--)?[A-Za-z_][^;{}]*?;)/g) {
        my ($at, $was) = ($-[2], $2);
        next if $depth[$at] > 0; # of a loop's head
        my $next = pos $code;
        pos($code) = $next - 1; # the next one may begin after this one's semicolon
        if ($was =~ /^(?:if|for|while|switch|do|else|case|goto|typedef|static|const|struct|enum|union|_Noreturn)\b/) {
            pos($code) = $at + 1; # look for what it governs
            next;
        }
        next if $was =~ /^(?:\w+ )?\w+ \**\w+\s*(?:[,;=\[]|$)/ && $was !~ /^return\b/; # a declaration
        if ($was =~ /^return\b/) {
            change($at, length $was, ";") if $was eq "return;";
            next;
        }
        next if $was =~ /^iso_(?:tick|tick_slow|tick_steps|progress|free)\(/; # of time and memory alone
        change($at, length $was, ";");
    }
}

# Functions that return bool: always the one, always the other.
sub results {
    my ($bool) = @_;
    while ($code =~ /\breturn ([^;]+);/g) {
        my ($at, $n) = ($-[1], length $1);
        next if !$bool->($at) || $1 =~ /^(?:true|false)$/;
        my $was = substr($text, $at, $n);
        change($at, $n, "((void)($was), true)");
        change($at, $n, "((void)($was), false)");
    }
}

# Functions: [first offset of the body, its end, name, returns bool].
sub functions {
    my (@all, $head, $depth, $body);
    for ($depth = 0; $code =~ /(^[A-Za-z_][^{};]*)|([{};])/gm;) {
        if (defined $1) {
            $head = $1 if $depth == 0;
        } elsif ($2 eq "{") {
            $body = $+[0] if $depth++ == 0;
        } elsif ($2 eq "}" && --$depth == 0) {
            my $end = $-[0];
            my ($name) = ($head // "") =~ /^[^=(]*?\b(?|[A-Z]+\((\w+)\)|(\w+))\(/;
            push @all, [$body, $end, $name, scalar($head =~ /^(?:static |inline |const )*bool \w+\(/)] if defined $name;
            undef $head;
        } elsif ($depth == 0) {
            undef $head;
        }
    }
    return @all;
}

sub squeeze { my ($s) = @_; $s =~ s/\s+/ /g; $s =~ s/^ | $//g; return $s }

my ($folder, @files) = @ARGV;
die "usage: mutants.pl FOLDER FILE...\n" if !@files;
my $number = 0;
for my $file (@files) {
    open my $in, "<", $file or die "$file: $!\n";
    $text = do { local $/; <$in> };
    $code = mask($text);
    @depth = depths();
    @found = ();
    my @functions = functions();
    my $of = sub { my ($at) = @_; (grep { $at >= $_->[0] && $at < $_->[1] } @functions)[0] };
    logic();
    conditions();
    operators();
    constants();
    statements();
    results(sub { my $f = $of->($_[0]); defined $f && $f->[3] });
    my %seen = (squeeze($text) => 1);
    for my $m (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @found) {
        my ($at, $n, $by) = @$m;
        my $f = $of->($at);
        my $first = rindex($text, "\n", $at - 1) + 1;
        my $end = index($text, "\n", $at + $n);
        my $was = substr($text, $first, $end - $first);
        next if $was =~ /\b__builtin_prefetch\(/; # of time alone, whatever it names
        next if !defined $f && $was !~ /^\s*#\s*define/;
        my $new = substr($text, 0, $at) . $by . substr($text, $at + $n);
        next if $seen{ squeeze($new) }++;
        $number++;
        open my $out, ">", "$folder/$number.c" or die "$folder/$number.c: $!\n";
        print $out $new;
        close $out or die "$folder/$number.c: $!\n";
        my $became = substr($text, $first, $at - $first) . $by . substr($text, $at + $n, $end - $at - $n);
        my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
        print join("\t", $number, $file, $line, defined $f ? $f->[2] : "-", squeeze($was), squeeze($became)), "\n";
    }
}
