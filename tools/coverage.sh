#!/bin/sh
# Prints line coverage by folder after a run of a --coverage build. Usage: tools/coverage.sh BUILD  (make cov)
set -eu
build=$1
find "$build" -name '*.gcda' -not -path '*/tests/*' -exec gcov -n {} + 2>/dev/null |
    awk -F"'" '/^File/ { file = $2 }
               /^Lines executed/ && file != "" && file !~ /^\// {
                   split($0, part, /[:% ]+/)
                   folder = file
                   sub(/\/.*/, "", folder)
                   n = part[5]
                   if (n > most[file]) most[file] = n
                   hit[file] = part[3] * n / 100 > hit[file] ? part[3] * n / 100 : hit[file]
                   file = ""
               }
               END {
                   for (file in most) {
                       folder = file
                       sub(/\/.*/, "", folder)
                       lines[folder] += most[file]
                       covered[folder] += hit[file]
                   }
                   for (folder in lines) {
                       printf "%-12s %6.1f %% of %6d lines\n", folder, 100 * covered[folder] / lines[folder], lines[folder]
                       all += lines[folder]
                       sum += covered[folder]
                   }
                   if (all > 0) printf "%-12s %6.1f %% of %6d lines\n", "together", 100 * sum / all, all
               }' | sort
