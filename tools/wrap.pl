#!/usr/bin/perl
# Lays out what clang-format leaves alone, in 120 columns. In C, lines of block comments that are longer lose their last words to
# the next line; clang-format would also join the lines of tables. In Markdown, paragraphs and items with a line that is longer, or
# that is broken though the next word fits easily, are filled again. Code, tables and headings stay as they are.
#
#     tools/wrap.pl FILE...
use strict;
use warnings;

my $most = 120;

# The text of a comment's line begins after this prefix: ` * ` and its indentation.
sub prefix { return $_[0] =~ m{^(\s*/?\*+ *)\S} ? length $1 : undef }

# Lines of code and of tables of several columns are no prose. inside: the line begins in a comment.
sub is_prose {
    my ($line, $inside) = @_;
    return $line =~ ($inside ? qr!^\s*\*! : qr!^\s*/\*!) && $line !~ m!\*/\s*\S! && $line !~ m!^ \* {8,}.*[;{]$! && $line !~ m!^ \*\s*\S.*\S {3,}\S.* {3,}\S!;
}

# Whether a line ends in a comment; inside: whether it begins in one.
sub ends_inside {
    my ($line, $inside) = @_;
    while ($inside ? $line =~ s{^.*?\*/}{} : $line =~ s{^(?:[^"'/]|/(?![*/])|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+')*/\*}{}) {
        $inside = !$inside;
    }
    return $inside;
}

sub wrap_comments {
    my @lines = @_;
    my $inside = 0;
    for (my $i = 0; $i < @lines; $i++) {
        $inside = ends_inside($lines[$i - 1], $inside) if $i > 0;
        next if length $lines[$i] <= $most || !is_prose($lines[$i], $inside);
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

# The number of columns of a text: its characters, which are UTF-8.
sub columns { my $n = () = $_[0] =~ /[^\x80-\xbf]/g; return $n }

# Fills a paragraph again: `first` is before its first word, the others hang below it.
sub fill {
    my ($first, $words) = @_;
    my ($line, $hang, @filled) = ($first, " " x length $first);
    my $empty = 1;
    for my $word (@$words) {
        # a word that would begin an item, a heading or a quotation stays on the line of another one
        my $fits = columns($line) + 1 + columns($word) <= $most || $word =~ /^(?:[-+*>]|#+|\d+[.)])$/;
        if (!$empty && !$fits) {
            push @filled, $line;
            ($line, $empty) = ($hang, 1);
        }
        $line .= ($empty ? "" : " ") . $word;
        $empty = 0;
    }
    return (@filled, $line);
}

use constant SLACK => 12; # columns: a line that could take so much more was broken by an edit

sub wrap_markdown {
    my (@lines, @out, @paragraph, $code) = @_;
    my $end = sub {
        return unless @paragraph;
        my ($first) = $paragraph[0] =~ /^(\s*(?:[-*] |\d+\. )?)/;
        my $bad = grep { columns($_) > $most } @paragraph;
        for my $i (0 .. $#paragraph - 1) {
            my ($next) = $paragraph[$i + 1] =~ /(\S+)/;
            $bad ||= columns($paragraph[$i]) + 1 + columns($next) + SLACK <= $most && $paragraph[$i] !~ /(?:  |\\)$/;
        }
        my $text = join " ", @paragraph;
        push @out, $bad ? fill($first, [split " ", substr $text, length $first]) : @paragraph;
        @paragraph = ();
    };
    for my $line (@lines) {
        $code = !$code if $line =~ /^\s*```/;
        my $item = $line =~ /^\s{0,3}(?:[-*] |\d+\. )\S/;
        my $prose = !$code && $line =~ /\S/ && $line !~ /^(?:\||#|<|>|```| {4})/;
        $end->() if !$prose || $item;
        if ($prose) { push @paragraph, $line }
        else { push @out, $line }
    }
    $end->();
    return @out;
}

for my $file (@ARGV) {
    open my $in, "<", $file or die "$file: $!\n";
    my @lines = map { s/\n$//r } <$in>;
    my @wrapped = $file =~ /\.md$/ ? wrap_markdown(@lines) : wrap_comments(@lines);
    next if join("\n", @lines) eq join("\n", @wrapped);
    open my $out, ">", $file or die "$file: $!\n";
    print $out "$_\n" for @wrapped;
    close $out or die "$file: $!\n";
}
