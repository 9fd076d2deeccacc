#!/bin/sh
# The demo keeps its promises.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
for seed in 1 2; do
    t 0 "the demo runs (seed $seed)" env SEED=$seed BUILD="$BUILD" tools/demo.sh
    out_like 'strongest satisfied: sser$' "the good history satisfies every level"
    out_like 'NO  violated ra ' "the broken one is not read atomic"
    out_like 'yes satisfied rc ' "but read committed"
    same 1 "$(grep -c '^    before:' "$tmp/out")" "one line was changed"
done
finish
