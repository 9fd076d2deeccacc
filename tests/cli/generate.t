#!/bin/sh
# isolab generate: options by generator, formats, the same bytes from the same seed.
. "$(dirname "$0")/tap.sh"

t 0 "generators are listed" "$isolab" list generators
for g in $("$isolab" list generators --json | jq -r '.[].name'); do
    case $g in separator | calls) continue ;; esac # they have no store
    t 0 "help of $g" "$isolab" generate "$g" --help
    out_like "generator \"$g\""
    t 0 "$g runs" "$isolab" generate "$g" --txns 100 --level si --seed 3 --to jsonl -o "$tmp/a.jsonl"
    out_is ''
    "$isolab" generate "$g" --txns 100 --level si --seed 3 >"$tmp/b.txt"
    "$isolab" generate "$g" --txns 100 --level si --seed 3 --to jsonl | cmp -s - "$tmp/a.jsonl"
    ok $? "$g: the same bytes again"
    t 0 "$g: its history can be read" "$isolab" stats "$tmp/b.txt"
done
# Every generator in every format, read back: as many operations of each kind, and the same verdict.
counts() { "$isolab" stats --json "$@" | sed -nE 's/.*("sessions":.*"list_reads":[0-9]+).*/\1/p'; }
for g in $("$isolab" list generators --json | jq -r '.[].name'); do
    options="--txns 150 --sessions 4 --level si --seed 7 --preload yes"
    case $g in
    separator) options='--satisfies pc --violates si' ;;
    calls) options='--txns 150 --open 0.1 --seed 7' ;;
    list-append) options="--txns 150 --sessions 4 --level si --seed 7" ;;
    rubis) options="$options --users 20 --items 20" ;;
    twitter) options="$options --users 5" ;;
    tpcc) options="$options --customers 3 --items 20" ;;
    esac
    "$isolab" generate "$g" $options --to jsonl -o "$tmp/first.jsonl"
    counts "$tmp/first.jsonl" >"$tmp/first.counts"
    "$isolab" check -l si "$tmp/first.jsonl" >/dev/null
    verdict=$?
    [ -s "$tmp/first.counts" ]
    ok $? "the history of $g has counts"
    for f in $("$isolab" list formats --json | jq -r '.[] | select(.writes).name'); do
        name="$g as $f"
        rm -rf "$tmp/again"
        "$isolab" generate "$g" $options --to "$f" -o "$tmp/again" >/dev/null 2>"$tmp/err"
        case $?-$g-$f in
        0-*)
            [ "$(counts --format "$f" "$tmp/again")" = "$(cat "$tmp/first.counts")" ]
            ok $? "$name is read back"
            "$isolab" check --format "$f" -l si "$tmp/again" >/dev/null 2>&1
            [ $? = $verdict ]
            ok $? "$name has the same verdict"
            ;;
        65-list-append-* | 65-calls-* | 65-*-elle-registers) err_like 'cannot hold' "$name is refused" ;;
        65-separator-test) err_like 'initial' "$name is refused" ;;
        *) ok 1 "$name: $(cat "$tmp/err")" ;;
        esac
    done
done
# Logs of calls are linearizable, and not where the register answers wrongly.
t 0 "a log of calls" "$isolab" generate calls --txns 500 --clients 6 --keys 3 --open 0.05 --seed 5 -o "$tmp/calls.jsonl"
t 0 "generated calls are linearizable" "$isolab" check -l sser --certificate "$tmp/calls.proof" "$tmp/calls.jsonl"
t 0 "with a valid certificate" "$verify" "$tmp/calls.jsonl" "$tmp/calls.proof"
t 0 "the same again" "$isolab" generate calls --txns 500 --clients 6 --keys 3 --open 0.05 --seed 5 -o "$tmp/again.jsonl"
cmp -s "$tmp/calls.jsonl" "$tmp/again.jsonl"
ok $? "the same seed gives the same bytes"
t 0 "one with wrong answers" "$isolab" generate calls --txns 500 --clients 2 --wrong 0.2 --seed 5 -o "$tmp/calls.jsonl"
t 1 "is not linearizable" "$isolab" check -l sser "$tmp/calls.jsonl"
t 0 "bugs are listed" "$isolab" list bugs --json
[ "$(jq length "$tmp/out")" -ge 22 ]
ok $? "the list has at least 22 bugs"
t 64 "an unknown generator" "$isolab" generate radnom
err_like 'did you mean "random"'
t 64 "an option of another generator" "$isolab" generate blindw --theta 1
t 64 "a name after the options of another generator" "$isolab" generate --txns 3 blindw
t 64 "a number out of range" "$isolab" generate --reads 1.5
t 64 "an unknown bug" "$isolab" generate --bug nonesuch
t 64 "a bug of lists" "$isolab" generate random --bug lost-append
err_like 'bug lost-append is one of lists, and this workload has registers'
t 64 "a bug of registers" "$isolab" generate list-append --bug conflict-cm
err_like 'bug conflict-cm is one of registers, and this workload has lists'
for bug in duplicated-append incompatible-order lost-element; do
    "$isolab" generate list-append --level sser --txns 3000 --bug $bug --bug-rate 0.01 --to elle -o "$tmp/broken.edn"
    t 1 "$bug violates g1" "$isolab" check -l g1 --all "$tmp/broken.edn"
    case $bug in duplicated*) found=duplicate-append ;; *) found=$bug ;; esac
    out_like "$found"
    t 0 "and no read of it is inconsistent by itself" "$isolab" check -l int "$tmp/broken.edn"
done
t 64 "lists on replicas" "$isolab" generate list-append --level cc
t 65 "what a format cannot hold is not dropped silently" \
    "$isolab" generate --aborts 0.5 --to test -o "$tmp/lost.txt"
err_like 'aborted transactions'
[ ! -e "$tmp/lost.txt" ]
ok $? "and nothing is written"
t 0 "--lossy writes what a format cannot hold" "$isolab" generate --aborts 0.5 --to test --lossy -o "$tmp/lost.txt"
t 0 "after a preload no read is of the initial value" "$isolab" generate --preload yes --to test -o "$tmp/loaded.txt"
t 64 "lists are not preloaded" "$isolab" generate list-append --preload yes
t 0 "a separator takes names of levels as aliases" "$isolab" generate --satisfies snapshot-isolation --violates ser -o "$tmp/separator.jsonl"
t 0 "satisfies the one level" "$isolab" check -l si "$tmp/separator.jsonl"
t 1 "and violates the other" "$isolab" check -l ser "$tmp/separator.jsonl"
pairs=0
for a in int ci g1 rc-plume rc ra cc pc si ser lser sser; do
    for b in int ci g1 rc-plume rc ra cc pc si ser lser sser; do
        "$isolab" generate --satisfies $a --violates $b --size 100 --to ilb -o "$tmp/pair.ilb" 2>"$tmp/err"
        case $? in
        0)
            if "$isolab" check -l $a "$tmp/pair.ilb" >/dev/null && ! "$isolab" check -l $b "$tmp/pair.ilb" >/dev/null; then
                pairs=$((pairs + 1))
            else
                echo "# $a without $b: wrong"
            fi
            ;;
        64) grep -q "^isolab: every history that satisfies $a satisfies $b too" "$tmp/err" && pairs=$((pairs + 1)) ;;
        *) echo "# $a without $b: $(cat "$tmp/err")" ;;
        esac
    done
done
same 144 "$pairs" "a large history between any two levels, or one clear sentence"
t 64 "there is none where the one implies the other" "$isolab" generate --satisfies ser --violates si
t 64 "an unknown level" "$isolab" generate --satisfies sre --violates si
t 0 "a large separator" "$isolab" generate separator --satisfies ra --violates cc --size 500 -o "$tmp/large.jsonl"
t 1 "violates the level too" "$isolab" check -l cc "$tmp/large.jsonl"
t 0 "levels have aliases" "$isolab" generate --level serializable --txns 3
t 0 "no transactions make an empty history" "$isolab" generate --txns 0
for mix in RH BL WH HD GeneralRH GeneralRW GeneralWH; do
    t 0 "the mix $mix" "$isolab" generate ycsb --mix $mix --txns 20 -o "$tmp/mix.jsonl"
done
t 64 "an exponent without repeated values" "$isolab" generate ycsb --mix GeneralRW --theta 1 --txns 20
finish
