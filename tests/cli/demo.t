#!/bin/sh
# The demo keeps its promises.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
for seed in 1 2; do
    t 0 "the demo runs (seed $seed)" env SEED=$seed BUILD="$BUILD" tools/demo.sh
    out_like 'strongest satisfied: sser$' "the good history satisfies every level"
    out_like 'NO   ra  *read atomic' "the broken one is not read atomic"
    out_like 'yes  rc  *read committed' "but read committed"
    same 1 "$(grep -c '^    before:' "$tmp/out")" "one line was changed"
    same 1 "$(sed '/broken.txt$/,/proof/!d' "$tmp/out" | sed '/can be proved/,$d' | grep -c '^ *why not')" "one anomaly is told"
    same 0 "$(grep -cE 'evidence|rests on|TAP-|follows from|[0-9] ms|G-single' "$tmp/out")" "no word that only papers know, and no time of a row"
done
cp "$tmp/out" "$tmp/demo"

# What it prints can be pasted: the line of the PATH, then its commands.
sed -n 's/^    \(export PATH=.*\)/\1/p' "$tmp/demo" >"$tmp/paste"
{
    cat "$tmp/paste"
    sed -n 's/^  \$ \(isolab.* check .*\|isolab-verify .*\)/\1/p; s/^    \(isolab \(check broken\|report\)[^#]*\)#.*/\1/p' "$tmp/demo"
} >"$tmp/all.sh"
same 1 "$(grep -c . "$tmp/paste")" "it says how to get isolab into the PATH"
t 0 "its commands work where it says" sh -c '. "$1" && [ "$(command -v isolab)" -ef "$2" ]' sh "$tmp/all.sh" "$BUILD/isolab"
same "" "$(grep -E 'not found|cannot open' "$tmp/err")" "and find their files"
t 0 "the page is made" test -s "$BUILD/demo/page.html"

# It builds in one line, and shows what make said only if it fails.
t 0 "a build that succeeds is a line" env DEMO_MAKE="echo compiling" BUILD="$BUILD" tools/demo.sh
out_like '^building isolab, [0-9]+ files of C .* [0-9]+ s$' "with its size and time"
same 0 "$(grep -cE '^compiling' "$tmp/out")" "and not what make prints"
t 1 "a build that fails ends it" env DEMO_MAKE="ls --no-such-option" BUILD="$BUILD" tools/demo.sh
out_like 'failed:$' "with a word"
out_like 'no-such-option' "and with all that make printed"
finish
