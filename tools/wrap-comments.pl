#!/usr/bin/perl
# Breaks the lines of block comments that have more than 120 columns, and moves what is too long to the next line; clang-format
# would also join the lines of tables. Code in comments, and comments after code, stay as they are.
#
#     tools/wrap-comments.pl FILE...
use strict;
use warnings;

my $most = 120;

# The text of a comment's line begins after this prefix: ` * ` and its indentation.
sub prefix { return $_[0] =~ m{^(\s*/?\*+ *)\S} ? length $1 : undef }

# Lines of code and of tables of several columns are no prose.
sub is_prose {
    my ($line) = @_;
    return $line =~ m!^\s*/?\*! && $line !~ m!^ \* {8,}.*[;{]$! && $line !~ m!^ \*\s*\S.*\S {3,}\S.* {3,}\S!;
}

sub wrap {
    my @lines = @_;
    for (my $i = 0; $i < @lines; $i++) {
        next if length $lines[$i] <= $most || !is_prose($lines[$i]);
        my $start = prefix($lines[$i]) // next;
        my $first = $lines[$i] =~ m{^\s*/\*};
        my $ends  = $lines[$i] =~ m{\*/\s*$};
        my $next  = !$ends && $i < $#lines && $lines[$i + 1] !~ m{^\s*\*\s*(?:- |\w+(?: \w+)?  +\S)} ? prefix($lines[$i + 1]) : undef;
        my $margin = $first ? $lines[$i] =~ s{^(\s*)/\*.*}{$1 *}r : $lines[$i] =~ s{^(\s*\*).*}{$1}r;
        my $item = $lines[$i] =~ m{^(.{$start}(?:- |[\w.,() -]+?  +))\S} ? length $1 : $start;
        my $hang = defined $next && $next >= $start ? $next : $item;
        my $at = rindex($lines[$i], " ", substr($lines[$i], $most - 2) =~ m{^\S* \*/} ? $most - 3 : $most);
        next if $at <= $start;
        my $rest = substr $lines[$i], $at + 1;
        $lines[$i] = substr($lines[$i], 0, $at) =~ s/\s+$//r;
        if (defined $next && $next == $hang) {
            my $text = substr $lines[$i + 1], $next;
            $lines[$i + 1] = $margin . " " x ($hang - length $margin) . "$rest $text";
        } else {
            splice @lines, $i + 1, 0, $margin . " " x ($hang - length $margin) . $rest;
        }
    }
    return @lines;
}

for my $file (@ARGV) {
    open my $in, "<", $file or die "$file: $!\n";
    my @lines = map { s/\n$//r } <$in>;
    my @wrapped = wrap(@lines);
    next if "@lines" eq "@wrapped" && @lines == @wrapped;
    open my $out, ">", $file or die "$file: $!\n";
    print $out "$_\n" for @wrapped;
    close $out or die "$file: $!\n";
}
