#!/bin/sh
# Records tests/histories/recorded/: twelve small histories of each database, two thirds of them from levels at which something is
# violated, if something is found in a hundred recordings (eight of a server, which is started for each). EXPECTED.tsv has the strongest satisfied levels of each.
# Usage: tools/record.sh [DATABASE]...   (default: all embedded ones that are installed; servers by name)
set -eu
cd "$(dirname "$0")/.."
isolab=${BUILD:-build}/isolab
to=tests/histories/recorded
mkdir -p $to
[ $# -gt 0 ] || set -- $("$isolab" list --json databases | jq -r '.[] | select(.server == null and .missing == null and .name != "exec") | .name')

one() { # DATABASE LEVEL WORKLOAD SEED FILE
    timeout -k 1 60 "$isolab" collect "$1" $spawn --level "$2" --workload "$3" --keys 4 --sessions 4 --txns 24 --aborts 0.15 --pause 40 --retries 1 \
        --seed "$4" -o "$5" 2>/dev/null
}
for database in "$@"; do
    levels=$("$isolab" list --json databases | jq -r ".[] | select(.name == \"$database\") | .levels[].name")
    lists=$("$isolab" list --json databases | jq -r ".[] | select(.name == \"$database\") | .lists")
    server=$("$isolab" list --json databases | jq -r ".[] | select(.name == \"$database\") | .server != null")
    spawn= tries=100
    [ "$server" = false ] || { spawn=--spawn tries=8; }
    rm -f $to/"$database"-*
    n=0
    while [ $n -lt 12 ]; do
        for level in $levels; do
            [ $n -lt 12 ] || break
            n=$((n + 1))
            case $((n % 3)) in
            0) workload=mini ;;
            1) workload=random ;;
            *) [ "$lists" = true ] && workload=list-append || workload=mini ;;
            esac
            file=$to/$database-$level-$n.jsonl
            for try in $(seq $tries); do
                one "$database" "$level" $workload $((100 * n + try)) "$file" || continue
                [ $((n % 3)) != 0 ] || break
                "$isolab" check -l sser "$file" >/dev/null || break
            done
        done
    done
done
for file in "$to"/*.jsonl; do
    printf '%s\t%s\n' "$(basename "$file")" "$("$isolab" check --json "$file" | jq -r '.strongest | join(" ")')"
done >$to/EXPECTED.tsv
