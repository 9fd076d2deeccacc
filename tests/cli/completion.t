#!/bin/bash
# Shell completion, by the shells themselves: bash runs the function that Tab would run; zsh loads the file by compinit
# and completes in a terminal of its own (zsh/zpty).
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
mkdir bin && ln -s "$isolab" bin/isolab
PATH=$tmp/bin:$PATH
touch history.jsonl

# What bash offers for a line, whose last word is being typed.
t 0 "the script for bash" "$isolab" completion bash
cp out isolab.bash
in_bash() {
    bash --norc -c 'source isolab.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        _isolab
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'
}
same "" "$(bash -n isolab.bash 2>&1)" "bash can read it"
same "check" "$(in_bash isolab che)" "bash: a command"
same "ser" "$(in_bash isolab check --level se)" "bash: a level"
same "awdit" "$(in_bash isolab check -c aw)" "bash: a checker"
same "jsonl" "$(in_bash isolab convert --to jsonl)" "bash: a format"
same "--timeout" "$(in_bash isolab stats --time)" "bash: an option of every command"
same "--certificate" "$(in_bash isolab check --cert)" "bash: an option of one command"
same "history.jsonl" "$(in_bash isolab check hist)" "bash: a file"
same "databases" "$(in_bash isolab list da)" "bash: a topic"

# What zsh offers: a zsh of its own, in a pseudo-terminal, whose compadd writes down what it is given.
t 0 "the script for zsh" "$isolab" completion zsh
mkdir functions && cp out functions/_isolab
if ! command -v zsh >/dev/null; then
    skip "zsh" "there is no zsh"
    finish
fi
same "" "$(zsh -n functions/_isolab 2>&1)" "zsh can read it"
cat >start.zsh <<'Z'
fpath=($PWD/functions $fpath)
autoload -U compinit
compinit -u -D
unsetopt beep
compadd() {
    local -a found
    if [[ "$*" != *-[OAD]* ]]; then
        builtin compadd -O found "$@"
        (( $#found )) && print -rl -- $found >>hits
    fi
    builtin compadd "$@"
}
print ready >ready
Z
cat >ask.zsh <<'Z'
zmodload zsh/zpty || exit 1
wait_for() {
    local i
    for i in {1..200}; do
        [[ -e $1 ]] && return
        zpty -r -t z >/dev/null
        sleep 0.05
    done
    print "no answer" >>hits
}
zpty -b z zsh -f -i
zpty -w z 'source ./start.zsh'
wait_for ready
zpty -w -n z "$1"$'\t'$'\C-a\C-k'
zpty -w z ': >asked'
wait_for asked
zpty -d z
Z
in_zsh() {
    rm -f hits ready asked
    zsh -f ask.zsh "$1" >/dev/null 2>&1
    LC_ALL=C sort -u hits 2>/dev/null | tr '\n' ' ' | sed 's/ $//'
}
same "check" "$(in_zsh "isolab che")" "zsh: a command"
same "ser" "$(in_zsh "isolab check --level=se")" "zsh: a level"
same "awdit" "$(in_zsh "isolab check -c aw")" "zsh: a checker"
same "jsonl" "$(in_zsh "isolab convert --to=jsonl")" "zsh: a format"
same "--timeout" "$(in_zsh "isolab stats --time" | tr -d =)" "zsh: an option of every command"
same "--certificate" "$(in_zsh "isolab check --cert" | tr -d =)" "zsh: an option of one command"
same "history.jsonl" "$(in_zsh "isolab check hist")" "zsh: a file"
same "databases" "$(in_zsh "isolab list da")" "zsh: a topic"
finish
