#!/bin/sh
# Checks the claims of all artifacts against what was measured. Usage: paper-artifacts/claims.sh [NAME]...
# Each line of a table in claims.md is one claim: | id | claim | expected | command | minutes | memory |. The command prints one
# number, which must be within the expected range `low..high` (either may be left out). It is run where the results are.
# SKIPPED: it was not measured. The exit status is 1 if a claim failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$(cd "$here/.." && pwd)/$BUILD ;; esac
OUT=${OUT:-$BUILD/paper}
[ $# -gt 0 ] || set -- $(cd "$here" && ls -d */ | tr -d /)
mkdir -p "$OUT"
cd "$OUT" || exit 74
PATH=$BUILD:$PATH
export PATH
for name; do
    sed -n 's/^| \([a-z0-9-]*[0-9]\) | \(.*\) | \([-0-9.]*\.\.[-0-9.]*\) | `\(.*\)` |.*|.*|$/\1\t\2\t\3\t\4/p' "$here/$name/claims.md"
done >claims.list
tab=$(printf '\t')
while IFS=$tab read -r id claim range command; do
    if ! value=$(eval "$command" 2>claims.err) || [ -z "$value" ]; then
        verdict=SKIPPED
        value=$(head -1 claims.err)
        value="not measured${value:+ ($value)}"
    else
        verdict=$(awk -v v="$value" -v range="$range" 'BEGIN {
            at = index(range, ".."); low = substr(range, 1, at - 1); high = substr(range, at + 2)
            good = v ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && (low == "" || v + 0 >= low + 0) && (high == "" || v + 0 <= high + 0)
            print good ? "PASS" : "FAIL" }')
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$verdict" "$id" "$value" "$range" "$claim"
done <claims.list >claims.tsv
awk -F '\t' '{ printf "%-8s %-10s %-10s in %-11s %s\n", $1, $2, $3, $4, $5; n[$1]++ }
    END { printf "%d claims: %d PASS, %d FAIL, %d SKIPPED\n", NR, n["PASS"], n["FAIL"], n["SKIPPED"]; exit n["FAIL"] > 0 }' claims.tsv
status=$?
rm -f claims.list claims.err
exit $status
