#!/bin/sh
# Options, help and exit statuses that need no history.
. "$(dirname "$0")/tap.sh"

t 0 "help goes to standard output" "$isolab" help
out_like '^Usage: isolab COMMAND'
err_is ''
for command in $("$isolab" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    t 0 "help of $command" "$isolab" help "$command"
    out_like "^Usage: isolab $command"
    err_is ''
done
t 0 "the version" "$isolab" --version
out_like '^isolab [0-9]+\.[0-9]+\.[0-9]+$'
t 64 "no command is a wrong use" "$isolab"
out_is ''
t 64 "an unknown command is fatal, with a hint" "$isolab" chek
err_like 'did you mean "check"'
t 64 "an unknown option is fatal, with a hint" "$isolab" check --levle ra x
err_like 'unknown option --levle; did you mean "--level"'
t 64 "an unknown letter is fatal" "$isolab" check -q x
t 64 "an unknown level is fatal, with a hint" "$isolab" check -l serializible x
err_like 'did you mean "ser'
t 64 "a refused level says why" "$isolab" check -l repeatable-read x
err_like 'different levels in different databases'
t 64 "an unknown checker" "$isolab" check -c nobody -l ra x
t 64 "an unknown checker option" "$isolab" check --option no-such=1 -l ra x
err_like 'no-such'
t 64 "a bad size" "$isolab" check --memory 10Q x
t 64 "a size that overflows" "$isolab" check --memory 99999999999999G x
t 64 "a bad time" "$isolab" check --timeout -1 x
t 64 "a flag with an argument" "$isolab" check --json=1 x
t 64 "an option without its argument" "$isolab" check x --level
t 64 "bad patterns" "$isolab" check --patterns TAP-z x
t 64 "no file" "$isolab" check -l ra
t 74 "a file that does not exist" "$isolab" check -l ra "$tmp/none"
err_like "none: cannot open: "
t 65 "a file of no known format" "$isolab" check -l ra "$isolab"
t 0 "options may be written in all ways" "$isolab" list levels --json --timeout=5 --memory 1G
[ "$(jq 'length' "$tmp/out")" -ge 11 ]
ok $? "levels as JSON"
if [ -e /dev/full ]; then
    "$isolab" list levels >/dev/full 2>"$tmp/err"
    [ $? = 74 ]
    ok $? "a full disk is an I/O error"
fi
("$isolab" help check; echo $? >"$tmp/status") | true
ok 0 "a closed pipe does no harm"
finish
