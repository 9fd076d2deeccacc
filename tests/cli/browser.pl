# A real browser for tests of pages: headless Chromium. Files are in the current folder.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
use JSON::PP;

my $chromium;

# Chromium's name; undef: it is not installed.
sub browser {
    ($chromium) = grep { system("command -v $_ >/dev/null 2>&1") == 0 } qw(chromium chromium-browser) unless defined $chromium;
    return $chromium;
}

# Runs Chromium with arguments, and returns what it prints.
sub run_browser {
    my $profile = tempdir(CLEANUP => 1);
    return scalar qx(timeout 120 $chromium --headless --no-sandbox --disable-gpu --no-first-run --allow-file-access-from-files --disable-background-networking --user-data-dir=$profile @_ 2>/dev/null);
}

# Opens a page in a frame of a size, runs the script `do` in the page around it, and returns what it put into `seen`; undef: it
# did not end.
sub drive {
    my ($page, $width, $height, $do) = @_;
    my $here = getcwd();
    open my $out, ">", "drive.html" or die $!;
    print $out "<!DOCTYPE html><html><body style='margin:0'><pre id='out'></pre><iframe id='f' src='$page' style='border:0;" .
        "width:${width}px;height:${height}px'></iframe><script>
        const seen={errors:[]};const f=document.getElementById('f');
        f.onload=()=>{const w=f.contentWindow,d=f.contentDocument;
          w.addEventListener('error',e=>seen.errors.push(e.message));
          const \$=s=>d.querySelector(s),all=s=>Array.from(d.querySelectorAll(s));
          const key=(e,k)=>e.dispatchEvent(new w.KeyboardEvent('keydown',{key:k,bubbles:true,cancelable:true}));
          seen.ready=d.documentElement.dataset.ready;
          try{$do}catch(e){seen.errors.push(String(e))}
          seen.requests=w.performance.getEntriesByType('resource').length;
          document.getElementById('out').textContent=JSON.stringify(seen);};</script></body></html>";
    close $out or die $!;
    my $dom = run_browser("--virtual-time-budget=4000", "--window-size=1600,1200", "--dump-dom", "file://$here/drive.html");
    my ($json) = $dom =~ m{<pre id="out">(.*?)</pre>}s or return undef;
    $json =~ s/&lt;/</g; $json =~ s/&gt;/>/g; $json =~ s/&quot;/"/g; $json =~ s/&amp;/&/g;
    return decode_json($json);
}

1;
