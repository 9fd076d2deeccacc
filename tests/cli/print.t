#!/usr/bin/perl
# Printed pages: Chromium prints a page of `isolab report` as PDF, on a light and on a dark screen, and the paper has all steps,
# transactions and neighbours, white, with nothing outside of its edges.
use strict;
use warnings;
use Cwd qw(abs_path getcwd);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

require(abs_path(dirname(__FILE__)) . "/tap.pl");
our ($root, $isolab);
require "$root/tests/cli/browser.pl";
skip_all("chromium is not installed: tools/install-deps.sh browser") unless browser();
skip_all("pdftotext is not installed (poppler-utils)") unless have("pdftotext");
chdir(tempdir(CLEANUP => !$ENV{KEEP})) or die $!;
print "# ", getcwd(), "\n" if $ENV{KEEP};

# Words of a text, in order, without the places where lines are broken.
sub squeezed { return $_[0] =~ s/\s+//gr }
# What HTML shows of a piece of a page.
sub shown { return $_[0] =~ s/<[^>]*>//gr =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&quot;/"/gr =~ s/&#39;/'/gr =~ s/&amp;/&/gr }

# A cycle of twenty transactions with long names, each of which reads what the next one overwrites.
my $n = 20;
my $long = "x" x 60;
open my $out, ">", "long.txt" or die $!;
print $out "session s$_\nt$_-$long commit: r k$_ nil, w k" . ($_ == 1 ? $n : $_ - 1) . " $_\n" for 1 .. $n;
close $out;
system("$isolab report -o long.html long.txt 2>/dev/null");
my @recorded = glob("$root/tests/histories/recorded/mariadb-repeatable-read-*.jsonl");
system("$isolab report -o real.html $recorded[0] 2>/dev/null");

for my $page ("long", "real") {
    for my $theme ("light", "dark") {
        my $html = slurp("$page.html");
        (my $themed = $html) =~ s/<html /<html data-theme="$theme" /;
        open my $to, ">", "shown.html" or die $!;
        print $to $themed;
        close $to;
        my $pdf = "$page-$theme.pdf";
        run_browser("--no-pdf-header-footer", "--print-to-pdf=" . getcwd() . "/$pdf", "file://" . getcwd() . "/shown.html");
        next unless ok(-s $pdf, "$page, $theme: it is printed");
        my $text = squeezed(scalar qx(pdftotext -layout $pdf - 2>/dev/null) =~ s/\f//gr);
        my $raw = squeezed(scalar qx(pdftotext -raw $pdf - 2>/dev/null) =~ s/\f//gr);
        my @steps = map { squeezed(shown($_)) } $html =~ m{<span class="said">(.*?)</span></li>}gs;
        my @gone = grep { index($raw, $_) < 0 && index($text, $_) < 0 } @steps;
        ok(@steps >= 4 && !@gone, "$page, $theme: all " . @steps . " steps are on the paper", @gone);
        my $seen = drive("shown.html", 1200, 900, 'w.dispatchEvent(new w.Event("beforeprint")); seen.rows = all("details td.mono").map(x => x.textContent);');
        my @rows = map { squeezed($_) } @{ $seen->{rows} // [] };
        @gone = grep { index($raw, $_) < 0 && index($text, $_) < 0 } @rows;
        ok(@rows > 0 && !@gone, "$page, $theme: so is what else touched the keys: " . @rows . " operations", @gone);
        my $boxes = qx(pdftotext -bbox $pdf - 2>/dev/null);
        my ($width, $height) = $boxes =~ /<page width="([\d.]+)" height="([\d.]+)"/;
        my @outside = grep { /xMin="(-?[\d.]+)" yMin="(-?[\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)"/ && ($1 < 0 || $2 < 0 || $3 > $width || $4 > $height) }
            split /\n/, $boxes;
        ok(defined $width && !@outside, "$page, $theme: no word is outside of the paper", @outside[0 .. ($#outside < 4 ? $#outside : 4)]);
        system("pdftoppm -gray -r 20 $pdf gray 2>/dev/null");
        my ($sum, $pixels) = (0, 0);
        for my $file (glob("gray*.pgm")) {
            my $bytes = slurp($file);
            $bytes =~ s/^P5\s+\d+\s+\d+\s+\d+\s//;
            $sum += unpack("%64C*", $bytes);
            $pixels += length $bytes;
            unlink $file;
        }
        ok($pixels > 0 && $sum / $pixels > 225, "$page, $theme: dark on white", $pixels > 0 ? $sum / $pixels : "nothing");
    }
}
finish();
