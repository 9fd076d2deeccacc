#!/bin/sh
# Golden tests: every tests/cli/golden/NAME.cmd is a shell command; NAME.out is what it prints, errors and exit status
# included. `make golden` writes the .out files again: read the diff before you commit it. What differs from run to
# run is masked: times, memory, and the lists of checkers and formats in the help.
. "$(dirname "$0")/tap.sh"
PATH=$BUILD:$PATH
folder=$root/tests/cli/golden
cd "$folder" || exit 1

mask() {
    sed -E -e 's/[0-9.]+(e[-+][0-9]+)? ms(;|$)/# ms\2/' -e 's/most while loading [0-9.]+/most while loading #/' \
        -e 's/[0-9.]+ bytes an operation, [0-9.]+ a transaction/# bytes an operation, # a transaction/' \
        -e '/^ +one of:/d'
}

for command in *.cmd; do
    name=${command%.cmd}
    {
        sh "$command" </dev/null 2>&1
        echo "exit status $?"
    } | mask >"$tmp/$name.out"
    if [ "${GOLDEN:-}" = write ]; then
        cmp -s "$tmp/$name.out" "$name.out" || { cp "$tmp/$name.out" "$name.out" && echo "# wrote $name.out"; }
    fi
    diff -u "$name.out" "$tmp/$name.out" >"$tmp/diff" 2>&1
    ok $? "$name"
    sed 's/^/# /' "$tmp/diff" | head -40
done
finish
