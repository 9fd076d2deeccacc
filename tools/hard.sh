#!/bin/sh
# The competition of hard instances: measures a suite hard-SIZE.suite, whose histories are frozen and whose answers are
# known, proves every answer, prints the ranking and draws the plots. It continues where it was stopped.
#
#     tools/hard.sh [minute|hour|day] [FOLDER]
set -eu

size=${1:-minute}
build=${BUILD:-build}
folder=${2:-$build/hard-$size}
suite=experiments/suites/hard-$size.suite
isolab=$build/isolab
[ -f "$suite" ] || { echo "tools/hard.sh: expected minute, hour or day, found $size" >&2; exit 64; }
mkdir -p "$folder"

status=0
"$isolab" bench -o "$folder/results.sqlite" "$suite" || status=$?
[ $status -le 2 ] || exit $status

# A proof of each answer: from the problem where that is possible, else by a checker's search.
tab=$(printf '\t')
proved=0
open=0
"$isolab" bench --plan "$suite" | awk -F '\t' 'NF == 5 && !seen[$2, $5]++ { print $2 "\t" $5 }' >"$folder/answers"
while IFS="$tab" read -r level source; do
    case $source in
    *"--construction ra2"*) option= ;;
    *) option="--level $level" ;;
    esac
    # The words of a suite have no blanks in them.
    # shellcheck disable=SC2086
    if ! "$isolab" $source $option --to ilb -o "$folder/history.ilb" --certificate "$folder/proof" 2>"$folder/why"; then
        # shellcheck disable=SC2086
        "$isolab" $source --to ilb -o "$folder/history.ilb"
        "$isolab" check -l "$level" --timeout 600 --certificate "$folder/proof" "$folder/history.ilb" >"$folder/why" || true
    fi
    if "$build/isolab-verify" "$folder/history.ilb" "$folder/proof" >"$folder/why" 2>&1; then
        proved=$((proved + 1))
    else
        open=$((open + 1))
        echo "no proof: $source, $level: $(head -n 1 "$folder/why")"
    fi
    rm -f "$folder/proof"
done <"$folder/answers"
rm -f "$folder/history.ilb" "$folder/why" "$folder/answers"
echo "$proved answers are proved, $open are not"

echo
"$isolab" plot quantile "$folder/results.sqlite" -y cpu -o "$folder/ranking.md"
echo "Ranking (answered; then median and slowest in seconds of processor time):"
{ sed -n 1,2p "$folder/ranking.md"; sed -n '3,$p' "$folder/ranking.md" | grep '^|' | sort -t '|' -k4,4nr -k5,5n; } | sed '/^$/d'
for figure in quantile:ranking exponents:work exponents:operations; do
    x=${figure#*:}
    case $x in
    ranking) set -- ;;
    *) set -- -x "$x" --family 'growing*' ;;
    esac
    "$isolab" plot "${figure%:*}" "$folder/results.sqlite" -y cpu "$@" -o "$folder/$x.svg" || echo "no picture $x.svg"
done
echo "results, ranking and pictures are in $folder"
exit $status
