#!/usr/bin/perl
# The tree keeps its own standard: short functions, no file without a reader, no word that the glossary replaces, unit tests that
# name what they test, documents that name files and options that exist, and one layout.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Temp qw(tempdir);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $build);
chdir($root) or die $!;

# The files of the tree, by folder: without git (a copy, a packed source) the same.
my @folders = grep { -d && !/^build$/ } glob("* .ci");
my @files;
sub walk {
    my ($folder) = @_;
    for my $entry (sort glob("$folder/*")) {
        if (-d $entry) { walk($entry) }
        elsif ($entry !~ /\.(?:sqlite|o|d)$/) { push @files, $entry }
    }
}
walk($_) for @folders;
push @files, grep { -f } glob("*");
my @source = grep { /\.(?:c|h|inc)$/ } @files;
my @words  = grep { /\.(?:c|h|inc|def|md|t|sh|pl|gp|1|suite)$|Makefile$|^\.ci/ } @files;
my %text   = map { $_ => slurp($_) } @words;

# Functions: from a line that begins at the margin and ends in `{` to the next `}` at the margin.
sub long_functions {
    my ($file, $text, $most) = @_;
    my ($begin, $name, @long);
    my $n = 0;
    for (split /\n/, $text) {
        $n++;
        if (!defined $begin && /^(?!typedef|struct|enum|union|static const\b.*=)[A-Za-z].*\)\s*\{\s*$/) {
            ($begin, $name) = ($n, /(\w+)\(/ ? $1 : "?");
        } elsif (/^\}/) {
            push @long, "$file:$begin: $name() has " . ($n - $begin + 1) . " lines" if defined $begin && $n - $begin >= $most;
            undef $begin;
        }
    }
    return @long;
}
my @production = grep { !m{^tests/} } @source;
none("no function is longer than 70 lines", map { long_functions($_, $text{$_}, 70) } @production);
my $seventy = "int f(void) {\n" . "    x();\n" x 68 . "}\n";
my $more    = "int f(int a,\n      int b) {\n" . "    x();\n" x 70 . "}\n";
none("a function of 71 lines would be found, and one of 70 is not",
    long_functions("f.c", "int f(void) {\n" . "    x();\n" x 69 . "}\n", 70) == 1 ? () : "71 lines pass",
    long_functions("f.c", $seventy, 70) == 0 ? () : "70 lines are refused");

# Names: a stack of `run`, `look`, `run` says nothing, and neither does a struct that is called what all of them are.
sub empty_names {
    my ($file, $text) = @_;
    my @found = map { "$file: $_()" } $text =~ /^(?:static |inline |const )*[a-z]\w* \*?(run|report|add|look)\(/mg;
    push @found, map { "$file: struct $_" } $text =~ /\bstruct (job|work|task) \{/g;
    return @found;
}
none("no function is called run, report, add or look, and no struct job, work or task", map { empty_names($_, $text{$_}) } @production);
none("a function and a struct with such a name would be found",
    empty_names("f.c", "static void run(void *arg) {\n}\ntypedef struct job {\n} job;\nvoid run_txn(int n) {\n}\n") == 2 ? () : "they pass");

# Tests have one environment (tests/run): each takes it from tap.sh or tap.pl, and hides programs by a folder that has only some.
sub own_environment {
    my ($file, $text) = @_;
    return $text !~ m{^\. "\$\(dirname "\$0"\)/tap\.sh"$}m && $text !~ m{^require\(.*/tap\.pl['"]\);}m ? "$file: neither tap.sh nor tap.pl"
        : $text =~ m{PATH=\S*(?:dirname.*command -v|/usr/bin)} ? "$file: $&"
        : ();
}
none("every test takes the environment of tests", map { own_environment($_, $text{$_}) } grep { m{^tests/cli/.*\.t$} && $_ ne "tests/cli/tidy.t" } @files);
none("a test that does not would be found",
    (grep { !own_environment("f.t", $_) } "#!/bin/sh\nroot=.\n", qq(. "\$(dirname "\$0")/tap.sh"\nPATH=\$(dirname "\$(command -v perl)") true\n)),
    own_environment("f.t", qq(. "\$(dirname "\$0")/tap.sh"\nPATH=\$(only perl) true\n)));

# Files without a reader.
my %included = map { $_ => 1 } map { $text{$_} =~ /#\s*include\s+"([^"]+)"/g } @source;
none("every header is included", grep { /\.(?:h|inc)$/ && !$included{$_} && !/^tests\/fuzz/ && $text{Makefile} !~ /\Q$_\E/ } @source);
my $all = join "\n", map { $text{$_} } @words;
# Whether a line that is no comment of a script has the name.
sub has_user {
    my ($name) = @_;
    for (my $at = index($all, $name); $at >= 0; $at = index($all, $name, $at + 1)) {
        return 1 if substr($all, rindex($all, "\n", $at) + 1, 1) ne "#";
    }
    return 0;
}
none("every script and plot has a user",
    grep { !has_user(basename($_)) && index($text{Makefile}, basename($_)) < 0 }
        grep { m{^(?:tools|plots)/} && !/style\.gp/ && !/ablation|exponents|line|memory|quantile|scatter|stages/ } @files);
my $linked = join "\n", map { $text{$_} } grep { /\.md$/ } @words;
none("every document is linked", grep { my $name = basename($_); $linked !~ /\(\S*\Q$name\E[)#]/ } grep { m{^docs/.*\.md$} } @files);

# Functions that a header declares, and that no other file uses: they become static, or they go. Names that a macro makes of the words
# of a table (`iso_family_##NAME`) are used.
sub without_comments { return $_[0] =~ s{"(?:[^"\\\n]|\\.)*"|/\*.*?\*/}{}gsr }
my $declaration = qr/^(?!static|typedef|return)[A-Za-z_][\w ]*[ *](\w+)\((?:[^(){};]|\([^()]*\))*\)[^{};]*;/m;
sub unused_declarations {
    my ($declares, %source) = @_;
    my (%declared, %uses);
    my $made = join "|", map { /\b(\w+_)##\w/g } values %source;
    for my $file (keys %source) {
        my $code = without_comments($source{$file});
        if ($file =~ /\.h$/) {
            $declared{$_} = $file for $declares->($file) ? $code =~ /$declaration/g : ();
            $code =~ s/$declaration//g;
        }
        my %words = map { $_ => 1 } $code =~ /\w+/g;
        $uses{$_}++ for keys %words;
    }
    return map { "$declared{$_}: $_()" } grep { ($uses{$_} // 0) < 2 && ($made eq "" || !/^(?:$made)/) } sort keys %declared;
}
my %code = map { $_ => $text{$_} } @source;
none("every function that a header declares is used by another file than its own",
    unused_declarations(sub { $_[0] !~ m{^tests/|^base/print_only\.h$} }, %code));
none("a function that only its own file uses would be found, and a used one or a made one is not",
    (join " ", unused_declarations(sub { 1 }, "a.h" => "int one(int a);\nvoid two(\n    void (*f)(int));\nint to_x(void); /* one() */\n#define M(t) to_##t\n",
        "a.c" => "int one(int a) {\n    return one(a);\n}\nvoid two(void) {\n}\n", "b.c" => "/* one() */\n    two(g);\n")) eq "a.h: one()" ? () : "it is not");

# Assertions are evaluated in some builds only.
sub with_effects {
    my ($file, $text) = @_;
    my $inner = qr/(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*/;
    return map { /\+\+|--|(?<![=!<>])=(?!=)/ ? "$file: iso_assert($_)" : () } $text =~ /\biso_assert\(($inner)\);/g;
}
none("no assertion has a side effect", map { with_effects($_, $text{$_}) } @source);
none("an assertion with one would be found, and a comparison is not",
    with_effects("f.c", "iso_assert(next(i++) <= 3);\niso_assert((n = 1));\n") == 2 ? () : "it passes",
    with_effects("f.c", "iso_assert(a[f(g(i), -1)] <= 3 && b != c && d == e);\n") == 0 ? () : "a comparison is refused");
my $asserted = () = join("", map { $text{$_} } @production) =~ /\biso_assert\(/g;
none("invariants are asserted", $asserted >= 150 ? () : "only $asserted assertions are left");

# Words that the glossary replaces.
my ($table) = slurp("docs/glossary.md") =~ /^## Words not used\n(.*)/ms;
my @banned = grep { $_ ne "instead of" && !/^-+$/ } $table =~ /^\| ([^|]+?) \|/mg;
my $banned = join "|", map { quotemeta =~ s/\\ /\\s+(?:\\*\\s+)?/gr } @banned;
sub banned_words {
    my ($file, $text) = @_;
    my @found;
    while ($text =~ /\b($banned)\b/gi) {
        my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
        push @found, "$file:$line: \"" . ($1 =~ s/\s+/ /gr) . "\"";
    }
    return @found;
}
none("no text has a word that docs/glossary.md replaces (" . @banned . " of them)",
    map { banned_words($_, $text{$_}) } grep { !m{^docs/glossary\.md$|^tests/cli/tidy\.t$} } @words);
none("a replaced word would be found, also across lines",
    banned_words("x", "all of them but\n * for one") == 1 ? () : "it is not", @banned > 10 ? () : "the table was not read");

# Unit tests name a file or a folder of what they test, in the comment that they begin with.
none("every unit test names what it tests",
    grep { my ($head) = $text{$_} =~ m{^(/\*.*?\*/)}s; !grep { s/[.:]+$//r && -e s/[.:]+$//r } (($head // "") =~ m{([a-z]\w*/[\w./]*)}g) }
        grep { m{^tests/unit/.*\.c$} } @files);

# Documents name files that exist.
my $rooms = join "|", grep { !/^build$|^\.ci$/ } @folders;
my @missing;
for my $file (grep { /\.md$/ } @words) {
    while ($text{$file} =~ m{(?<![\w./~<-])((?:$rooms)/[\w/-]+\.\w+)}g) {
        push @missing, "$file: $1" unless -e $1 || $1 =~ /NAME|FORMAT|LEVEL/ || $1 =~ m{\.sqlite$|^build/};
    }
    while ($text{$file} =~ m{\]\(([^)#:]+)(?:#[^)]*)?\)}g) {
        my $path = dirname($file) . "/$1";
        push @missing, "$file links $1" unless -e $path;
    }
}
none("documents name files that exist", @missing);

# Options that documents name are options of some command or script.
my $help = join "\n", map { scalar `'$build/isolab' help $_ 2>/dev/null` } "", map { /^COMMAND(?:_CALLED)?\((?:\w+, ")?([\w-]+)"?\)/ } split /\n/, $text{"cli/commands.def"};
$help .= `'$build/isolab' list generators 2>/dev/null` . `'$build/isolab' list reductions 2>/dev/null` . `'$build/isolab-verify' --help 2>&1`;
my %option = map { $_ => 1 } $help =~ /(--[a-z][a-z-]+)/g;
my %foreign = map { $_ => 1 } qw(--args --exclusive --strong-session --callgrind-out-file --collect-atstart --toggle-collect); # of gdb, sbatch, Viper, valgrind
my $scripts = join "\n", map { $text{$_} } grep { !/\.md$/ } @words;
my @unknown;
for my $file (grep { m{^docs/|^README} && /\.md$/ } @words) {
    while ($text{$file} =~ /(?<![\w-])(--[a-z][a-z-]+)/g) {
        my $o = $1;
        push @unknown, "$file: $o" unless $option{$o} || $scripts =~ /["' ]\Q$o\E/ || $scripts =~ /"\Q@{[substr $o, 2]}\E"/ || $foreign{$o};
    }
}
none("documents name options that exist", @unknown);

# The layout. clang-format breaks lines of code; tools/wrap.pl, which `make format` calls too, those of comments.
sub long_lines {
    my ($file, $text) = @_;
    my $n = 0;
    return map { $n++; my $columns = () = /[^\x80-\xbf]/g; $columns > 120 ? "$file:$n: $columns columns" : () } split /\n/, $text;
}
none("no line of a source has more than 120 columns (make format)", map { long_lines($_, $text{$_}) } grep { /\.[ch]$/ } @source);
none("a line of 121 columns would be found, and one of 120 is not",
    long_lines("x", "a" x 121) == 1 ? () : "121 pass", long_lines("x", "a" x 120) == 0 ? () : "120 are refused");
my $code = "    *out = *in * " . "second_factor * " x 8 . "last;\n    *next = 1;\n";
my $long = " * " . "word " x 30 . "\n";
my $tmp  = tempdir(CLEANUP => 1);
spew("$tmp/x.c", "/* Prose.\n$long */\nint f(void) {\n$code}\nchar quote = '\"'; /* closed */ char *s = \"/*\";\n$code");
system "tools/wrap.pl", "$tmp/x.c";
my $laid = slurp("$tmp/x.c");
none("tools/wrap.pl breaks a long line of a comment, and no long line of code that begins with a star",
    $laid =~ /word\n \* word/ ? () : "a comment was not broken", (() = $laid =~ /\Q$code\E/g) == 2 ? () : "code was changed");
my $formatter = (grep { -x } map { "$_/clang-format" } split /:/, $ENV{PATH})[0];
if (defined $formatter && `$formatter --version` =~ /version 14\./) {
    my @formatted = grep { /\.[ch]$/ } @source;
    my @differ = map { /^(\S+?:\d+):\d+: / ? $1 : () } `$formatter --dry-run @formatted 2>&1`;
    none("the tree has the layout of .clang-format (make format)", @differ);
} else {
    skip("the tree has the layout of .clang-format", "clang-format 14 is not here");
}
finish();
