#!/bin/sh
# Plume's evaluation on this machine: table 5 and figure 12. About five minutes.
set -e
. "$(dirname "$0")/../common.sh"
suite table5.suite
suite figure12.suite
plot table5 matrix --suite table5
plot table5-verdicts verdicts --suite table5
plot figure12-sessions line --suite figure12 --family sessions -x sessions -c plume,plume-vc,plume-dfs
plot figure12-transactions line --suite figure12 --family transactions -c plume,plume-vc,plume-dfs
plot figure12 ablation --suite figure12 -c plume,plume-vc,plume-dfs
echo "The tables and pictures are in $OUT/$name"
