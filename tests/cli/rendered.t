#!/bin/sh
# Every picture looks alike in two programs that share no code: rsvg-convert and a browser. Neither makes it black, nor empty, and
# its PDF looks like it, too.
. "$(dirname "$0")/tap.sh"
command -v rsvg-convert >/dev/null || skip_all "rsvg-convert is not installed: tools/install-deps.sh pictures"
chromium=$(command -v chromium || command -v chromium-browser) || skip_all "chromium is not installed: tools/install-deps.sh browser"
command -v python3 >/dev/null || skip_all "python3 is not installed"
mkdir "$tmp/pictures"
cd "$tmp/pictures" || exit 1

# Pictures of anomalies: every kind of arrow, letters outside of ASCII, an aborted transaction.
printf '%s\n' 'session "é€<&>"' 't1 commit: w "kéy" 1, w y 1' 'session B' 't2 commit: r "kéy" 1, r y nil' >"$tmp/odd.txt"
n=0
for file in "$tmp/odd.txt" "$root"/tests/patterns/tap-k.txt "$root"/tests/patterns/tap-n.txt "$root"/tests/histories/rc/*.txt \
    "$root"/tests/histories/ser/*.txt; do
    [ $n -lt 8 ] || break
    "$isolab" check --svg "anomaly-$n.svg" "$file" >/dev/null 2>&1
    [ ! -e "anomaly-$n.svg" ] || n=$((n + 1))
done
rm -f anomaly-*-*.svg
[ $n -ge 5 ]
ok $? "$n pictures of anomalies"

# Figures: of usual results, of many series, of few points.
if command -v gnuplot >/dev/null; then
    cp "$root/tests/cli/known-checker.sh" "$tmp/fake"
    printf '%s\n' 'levels: cc' 'checkers: awdit naive' 'repeat: 2' 'format: jsonl' 'history: known' \
        '    generate: random --txns {n} --sessions 2 --level ser --seed 1' '    vary: n 100 200 400 800' 'history: other' \
        '    generate: random --txns {n} --sessions 3 --level ser --seed 1' '    vary: n 150 300' >"$tmp/known.suite"
    printf '%s\n' 'levels: ra ser' 'checkers: awdit plume strong veristrong sat naive' 'repeat: 1' 'history: h' \
        '    generate: random --txns 300 --sessions 4 --keys 20 --seed 1' >"$tmp/stages.suite"
    "$isolab" bench --program "$tmp/fake" -o "$tmp/r.sqlite" "$tmp/known.suite" >/dev/null 2>&1
    "$isolab" bench -o "$tmp/s.sqlite" "$tmp/stages.suite" >/dev/null 2>&1
    for kind in line exponents scatter quantile stages memory ablation; do
        "$isolab" plot $kind "$tmp/r.sqlite" -c naive,awdit -o $kind.svg
        "$isolab" plot $kind "$tmp/s.sqlite" -o many-$kind.svg 2>/dev/null
    done
    "$isolab" report -o "$tmp/page.html" "$tmp/r.sqlite"
    perl -0777 -ne 'my $n = 0; for (/<figure>.*?(<svg.*?<\/svg>)/gs) { open my $f, ">", "page-" . $n++ . ".svg"; print $f $_ }' "$tmp/page.html"
    same "7 3" "$(for kind in line exponents scatter quantile stages memory ablation; do echo $kind.svg; done | xargs ls | wc -l | tr -d ' ') $(find . -name 'page-*.svg' | wc -l | tr -d ' ')" "figures of each kind, and the ones of a page"
else
    skip "figures of each kind" "gnuplot is not installed"
fi

# Draws all pictures at half their size on one page of the browser, at known places, and each of them by rsvg-convert; then
# compares grey values.
cat >"$tmp/compare.py" <<'P'
import glob, re, struct, subprocess, sys, zlib

def png(path):
    """Returns width, height and rows of grey values 0..1."""
    data, at, packed, palette, clear = open(path, "rb").read(), 8, b"", b"", b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        at += 12 + size
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
    assert depth == 8 and colour in (0, 2, 6), (path, depth, colour)
    step = {0: 1, 2: 3, 6: 4}[colour]
    raw, line, before, rows = zlib.decompress(packed), width * step, bytearray(width * step), []
    for y in range(height):
        kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for x in range(line):
            a = row[x - step] if x >= step else 0
            b, c = before[x], before[x - step] if x >= step else 0
            if kind == 1:
                row[x] = (row[x] + a) & 255
            elif kind == 2:
                row[x] = (row[x] + b) & 255
            elif kind == 3:
                row[x] = (row[x] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                row[x] = (row[x] + near) & 255
        before, grey = row, []
        for x in range(0, line, step):
            value = row[x] if step == 1 else 0.3 * row[x] + 0.59 * row[x + 1] + 0.11 * row[x + 2]
            alpha = row[x + 3] / 255 if step == 4 else 1
            grey.append((value * alpha + 255 * (1 - alpha)) / 255)
        rows.append(grey)
    return width, height, rows

def squares(rows, size=8):
    """Returns the mean greys of squares of pixels."""
    result = []
    for y in range(0, len(rows) - size + 1, size):
        for x in range(0, len(rows[0]) - size + 1, size):
            result.append(sum(sum(row[x : x + size]) for row in rows[y : y + size]) / size / size)
    return result

chromium, names, shown, top = sys.argv[1], sorted(glob.glob("*.svg")), [], 0
for name in names:
    subprocess.run(["rsvg-convert", "-z", "0.5", "-b", "white", "-o", name + ".png", name], check=True)
    shown.append((name, top, png(name + ".png")))
    top += shown[-1][2][1]
wide = max(picture[0] for _, _, picture in shown)
with open("all.html", "w") as out:
    out.write("<!DOCTYPE html><body style='margin:0;background:#fff'>")
    for name, at, (width, height, _) in shown:
        out.write(f"<img src='{name}' style='position:absolute;left:0;top:{at}px' width={width} height={height}>")
subprocess.run(["timeout", "120", chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
                "--user-data-dir=browser", "--screenshot=all.png", f"--window-size={wide},{top}", "file://" + sys.argv[2] + "/all.html"],
               stderr=subprocess.DEVNULL, check=True)
_, _, page = png("all.png")
for name, at, (width, height, one) in shown:
    other = [row[:width] for row in page[at : at + height]]
    a, b = squares(one), squares(other)
    differ = sum(abs(x - y) for x, y in zip(a, b)) / len(a)
    black = max(sum(v < 0.2 for row in rows for v in row) for rows in (one, other)) / width / height
    ink = min(sum(v < 0.8 for row in rows for v in row) for rows in (one, other)) / width / height
    good = differ < 0.012 and black < 0.2 and ink > 0.002
    print(("good" if good else "bad"), name, f"difference {differ:.4f}, black {black:.3f}, ink {ink:.4f}")
P
t 0 "a browser and rsvg-convert draw all pictures" python3 "$tmp/compare.py" "$chromium" "$tmp/pictures"
cp "$tmp/out" "$tmp/compared"
[ "$(wc -l <"$tmp/compared")" -eq "$(find . -name '*.svg' | wc -l)" ] && [ -s "$tmp/compared" ]
ok $? "$(wc -l <"$tmp/compared" | tr -d ' ') pictures are compared"
same "" "$(grep -v '^good' "$tmp/compared")" "each looks alike, is not black, and is not empty"

# The comparison can fail: a picture whose colours are variables, which rsvg-convert does not know, and one that is empty.
mkdir "$tmp/bad"
sed 's/#f4f6f9/var(--lane)/g; s/#ffffff/var(--paper)/g; s/<style>/<style>svg{--lane:#f4f6f9;--paper:#ffffff}/' anomaly-0.svg >"$tmp/bad/black.svg"
echo '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"/>' >"$tmp/bad/empty.svg"
cd "$tmp/bad" || exit 1
t 0 "bad pictures are compared" python3 "$tmp/compare.py" "$chromium" "$tmp/bad"
same 2 "$(grep -c '^bad' "$tmp/out")" "and refused"

# Pictures as PDF are the same pictures. No text leaves the page.
cd "$tmp" || exit 1
"$isolab" check -l ra --picture odd.pdf "$tmp/odd.txt" >/dev/null
if command -v pdftoppm >/dev/null; then
    mkdir pdf
    cp "$tmp/pictures/anomaly-0.svg" pdf/odd.svg
    pdftoppm -r 48 -singlefile -png odd.pdf odd
    sed 's|\["rsvg-convert".*check|["cp", "../odd.png", name + ".png"], check|' compare.py >compare_pdf.py
    cd pdf || exit 1
    t 0 "a picture as PDF" python3 ../compare_pdf.py "$chromium" "$tmp/pdf"
    out_like '^good odd.svg' "is the same picture"
else
    skip "a picture as PDF" "pdftoppm is not installed: tools/install-deps.sh test"
fi
finish
