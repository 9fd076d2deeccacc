#!/bin/bash
# Logs of registers, mutexes and strings, as Knossos and Porcupine check them: what each call becomes, verdicts that follow by hand,
# and the published logs with their verdicts (ISOLAB_HISTORIES), every certificate verified.
. "$(dirname "$0")/tap.sh"

# A log of one register: Knossos's EDN, the same as JSON, as lines, and as Jepsen's timeline.
cat >"$tmp/log.edn" <<'END'
[{:process 0, :type :invoke, :f :write, :value 1}
 {:process 1, :type :invoke, :f :read, :value nil}
 {:process 0, :type :ok, :f :write, :value 1}
 {:process :nemesis, :type :info, :f :start, :value "anything"}
 {:process 1, :type :ok, :f :read, :value nil}
 {:process 0, :type :invoke, :f :cas, :value [1 2]}
 {:process 1, :type :invoke, :f :cas, :value [4 5]}
 {:process 0, :type :info, :f :cas, :value :timed-out}
 {:process 1, :type :fail, :f :cas, :value [4 5]}
 {:process 0, :type :invoke, :f :read, :value nil}
 {:process 0, :type :info, :f :read, :value nil}
 {:process 1, :type :invoke, :f :write, :value 7}
 {:process 1, :type :fail, :f :write, :value 7}
 {:process 2, :type :invoke, :f :cas, :value [1 3]}]
END
want='session 0
commit @0..2: w register 1
maybe @4..: r register 1, w register 2
session
maybe @8..:
session 1
commit @1..3: r register nil
abort @5..7:
abort @10..11:
session 2
maybe @12..: r register 1, w register 3'
t 0 "EDN of a register" "$isolab" convert --to isolab "$tmp/log.edn" -
out_is "$want" "a call is a transaction, an open call may happen or not, and a failed call did not"
perl -ne '/process (:?\w+), :type (:\w+), :f (:\w+), :value (.*?)\}/ and print "$1\t$2\t$3\t$4\n"' <"$tmp/log.edn" >"$tmp/history.txt"
perl -F'\t' -lane 'next if $F[0] eq ":nemesis"; my ($type, $f, $value) = map { s/^://r } @F[1 .. 3];
    $value = $value eq "nil" ? "null" : $value =~ /^[a-z]/ ? "\"$value\"" : $value =~ tr/ /,/r;
    print "{\"process\":$F[0],\"type\":\"$type\",\"f\":\"$f\",\"value\":$value}"' "$tmp/history.txt" >"$tmp/log.json"
t 0 "JSON of a register" "$isolab" convert --to isolab "$tmp/log.json" -
out_is "$want" "it is the same history"
sed 's/^/INFO  jepsen.util - /; 3i some other line\n\tat clojure.core$eval' "$tmp/history.txt" >"$tmp/jepsen.log"
observed=${want/abort @5..7:/commit @5..7: r register not 4}
for log in history.txt jepsen.log; do
    t 0 "the same in $log" "$isolab" convert --to isolab "$tmp/$log" -
    out_is "$observed" "$log: there, a compare-and-set that failed is an observation"
done
t 0 "EDN, read so that it is one" "$isolab" convert --format elle-observed --to isolab "$tmp/log.edn" -
out_is "$observed" "is the history of the lines"
cat >"$tmp/timeline.html" <<'END'
<html><head><style>.op.ok { background: #6DB6FE; }</style></head><body><div class="ops">
<div class="op ok" style="width:100;left:0;top:0;height:32" title="1 ms
nil">0 :write 1</div>
<div class="op ok" style="width:100;left:106;top:16;height:32" title="1 ms">1 :read </div>
<div class="op fail" style="width:100;left:106;top:80;height:32" title="1 ms">1 :cas [4 5]</div>
<div class="op info" style="width:100;left:0;top:64;height:32" title="1 ms">0 :cas [1 2]</div></div></body></html>
END
t 0 "the timeline of a log is read as a history" "$isolab" convert --to isolab "$tmp/timeline.html" -
out_is 'session 0
commit @0..2: w register 1
maybe @4..: r register 1, w register 2
session 1
commit @1..3: r register nil
abort @5..6:' "it is the log that was drawn"

# Independent keys, and a mutex.
cat >"$tmp/keys.edn" <<'END'
{:process 0, :type :invoke, :f :write, :value [:a 1]}
{:process 0, :type :ok, :f :write, :value [:a 1]}
{:process 1, :type :invoke, :f :cas, :value ["b" [nil 1]]}
{:process 1, :type :ok, :f :cas, :value ["b" [nil 1]]}
{:process 0, :type :invoke, :f :read, :value ["b" nil]}
{:process 0, :type :ok, :f :read, :value ["b" 1]}
END
t 0 "independent keys of a log become keys" "$isolab" convert --to isolab "$tmp/keys.edn" -
out_is 'session 0
commit @0..1: w :a 1
commit @4..5: r b 1
session 1
commit @2..3: r b nil, w b 1' "each key has its register"
cat >"$tmp/errors.edn" <<'END'
{:process 0, :type :invoke, :f :write, :value ["a" 1]}
{:process 1, :type :invoke, :f :read, :value [:b nil]}
{:process 0, :type :info, :f :write, :value :timed-out, :error :timeout}
{:process 1, :type :ok, :f :read, :value [:b nil]}
END
t 0 "a completion that gives an error as its value" "$isolab" convert --to isolab "$tmp/errors.edn" -
out_is 'session 0
maybe @0..: w a 1
session 1
commit @1..3: r :b nil' "is what its invocation asked for"
cat >"$tmp/unanswered.edn" <<'END'
{:process 0, :type :invoke, :f :read, :value nil}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 0, :type :info, :f :read, :value :timed-out, :error :timeout}
{:process 1, :type :fail, :f :read, :value nil}
END
t 0 "a log in which no call was answered" "$isolab" check -l sser "$tmp/unanswered.edn"
lock() { # STATUS NAME PROCESS:FUNCTION...: calls one after the other
    status=$1
    name=$2
    shift 2
    for call in "$@"; do
        printf '{:process %s, :type :%s, :f :%s, :value nil}\n' "${call%:*}" invoke "${call#*:}" "${call%:*}" ok "${call#*:}"
    done >"$tmp/mutex.edn"
    t "$status" "$name" "$isolab" check -l sser "$tmp/mutex.edn"
}
lock 0 "a mutex that changes hands" 0:acquire 0:release 1:acquire
lock 1 "a mutex that two hold" 0:acquire 1:acquire
lock 1 "a mutex that was released twice" 0:acquire 0:release 1:release

# What was only observed must be true: x was 4 from its only write on.
printf '%s\n' '0 :invoke :write 4' '0 :ok :write 4' '1 :invoke :cas [4 5]' '1 :fail :cas [4 5]' >"$tmp/observed.log"
t 1 "a compare-and-set that should not have failed" "$isolab" check -l sser -c all "$tmp/observed.log"
t 2 "a checker that cannot honour it refuses" "$isolab" check -l sser -c dbcop "$tmp/observed.log"
out_like 'checker dbcop needs to know what each read returned, unlike .r register not 4' "and says why"
t 65 "a format that cannot hold it" "$isolab" convert --to plume "$tmp/observed.log" -
err_like '1 read of a value other than one' "the warning counts reads of other values"

# Strings, as Porcupine checks them: FILE, then calls one after the other (PROCESS:get=RESULT, put=TEXT, append=TEXT).
strings() {
    file=$tmp/$1.edn
    shift
    for call in "$@"; do
        process=${call%%:*} f=${call#*:} text=${call#*=}
        f=${f%%=*}
        [ "$f" = get ] && asked=nil || asked="\"$text\""
        printf '{:process %s, :type :%s, :f :%s, :key "k", :value %s}\n' "$process" invoke "$f" "$asked" "$process" ok "$f" "\"$text\""
    done >"$file"
}
strings kv 0:get= 0:append=x 1:append=y 1:get=xy 0:put=z 0:append=never 1:put=q 1:append= 0:append=r 0:get=qr
t 0 "a log of strings" "$isolab" convert --to isolab "$tmp/kv.edn" -
out_is 'session 0
commit @0..1: r k nil
commit @2..3: r k nil, w k 2
commit @8..9: w k z
commit @10..11: w k 10
commit @16..17: r k q, w k qr
commit @18..19: r k qr
session 1
commit @4..5: r k 2, w k xy
commit @6..7: r k xy
commit @12..13: w k q
commit @14..15:' "an append reads and writes what gets tell of it; a value that none observed is the number of an event"
t 0 "its order explains it" "$isolab" check -l sser -c all "$tmp/kv.edn"
t 0 "in JSON, too" sh -c "sed 's/:\([a-z]*\) :\([a-z]*\)/\"\1\":\"\2\"/g; s/:\([a-z]*\) /\"\1\":/g; s/nil/null/' '$tmp/kv.edn' | '$isolab' check -l sser -"
strings stale 0:append=x 0:append=y 1:get=x
t 1 "a get that misses an append" "$isolab" check -l sser -c all "$tmp/stale.edn"
strings order 0:append=x 0:append=y 1:get=yx
t 1 "appends in the other order" "$isolab" check -l sser -c all "$tmp/order.edn"
strings thin 0:append=x 1:get=xz
t 1 "a text that no calls make up" "$isolab" check -l sser -c all "$tmp/thin.edn"
strings twice 0:append=x 1:get=xx
t 1 "one append, seen twice" "$isolab" check -l sser -c all "$tmp/twice.edn"
out_like 'thin-air-read' "is a text that nothing writes"
strings repeated 0:append=x 0:get=x 0:append=x 0:get=xx 0:put=x 0:append=x 0:get=xx 0:get=xx
t 0 "a text that is appended three times, with gets between" "$isolab" check -l sser -c all "$tmp/repeated.edn"
t 0 "a log with repeated values becomes a history" "$isolab" convert --to isolab "$tmp/repeated.edn" -
out_is 'session 0
commit @0..1: r k nil, w k 0
commit @2..3: r k 0
commit @4..5: r k 0, w k xx
commit @6..7: r k xx
commit @8..9: w k x
commit @10..11: r k x, w k 10
commit @12..13: r k 10
commit @14..15: r k 10' "tells pasts of one text apart"
strings lost 0:append=x 0:get=x 0:append=x 0:get=xx 0:put=x 0:append=x 0:get=xx 0:get=x
t 1 "and one of them lost" "$isolab" check -l sser -c all "$tmp/lost.edn"
printf '{:process %s, :type :%s, :f :%s, :key 7, :value %s}\n' 0 invoke append '"x"' 1 invoke append '"x"' 0 ok append '"x"' 1 info append '"x"' \
    2 invoke get nil 2 ok get '"xx"' >"$tmp/unclear.edn"
t 65 "a get that does not tell which appends it observed" "$isolab" check "$tmp/unclear.edn"
err_like 'line 6: byte [0-9]*: expected a get that tells which puts and appends it observed, found one whose string several' "the error has the line, and what the get should tell"
t 65 "an initial value" "$isolab" check --initial 0 "$tmp/kv.edn"
err_like 'its strings begin empty, so it is read without an initial value' "cannot be given"
sed 's/:key "k", //' "$tmp/kv.edn" >"$tmp/keyless.edn"
t 65 "calls without a key" "$isolab" check "$tmp/keyless.edn"
err_like 'expected a :key in this call' "a call without a key is refused"
(cat "$tmp/kv.edn" && cat "$tmp/mutex.edn") >"$tmp/mixed.edn"
t 65 "strings and a mutex" "$isolab" check "$tmp/mixed.edn"
err_like 'expected :f :get, :put or :append, as in the rest of this log of strings' "another function in a log of strings is refused"

real=${ISOLAB_HISTORIES:-$root/../shared/histories}/registers
if [ -e "$real/EXPECTED.tsv" ]; then
    wrong= n=0
    while IFS=$'\t' read -r file verdict _; do
        n=$((n + 1))
        rm -f "$tmp/certificate"
        said=$("$isolab" check -l sser --certificate "$tmp/certificate" "$real/$file" 2>&1 | head -n 1)
        case $said in *": $verdict sser "*) ;; *) wrong="$wrong $file ($said)" ;; esac
        [ -e "$tmp/certificate" ] && "$verify" "$real/$file" "$tmp/certificate" >"$tmp/out" 2>&1 || wrong="$wrong $file (certificate)"
    done < <(tail -n +2 "$real/EXPECTED.tsv")
    same "" "$wrong" "$n published logs have their verdicts, with valid certificates"
else
    skip "published logs" "there are none in ../shared/histories"
fi
# Written as Jepsen's EDN of registers, a log has the same answer. By hand: a read after a write that ended misses it.
cat >"$tmp/stale.txt" <<'END'
session A
t1 commit @1..2: w x 1
t2 maybe @3..: r x 1, w x 2
session B
t3 commit @3..4: r y nil
t4 commit @5..6: r x nil
t5 abort @7..8: w x 3
END
t 65 "what a log of registers cannot hold" "$isolab" convert "$tmp/stale.txt" --to elle-registers "$tmp/stale.edn"
err_like '1 aborted transaction, 4 transactions with times'
t 0 "is left out" "$isolab" convert --lossy "$tmp/stale.txt" --to elle-registers "$tmp/stale.edn"
same ':write ["x" 1]|:cas ["x" [1 2]]|:read ["y" nil]|:read ["x" nil]' \
    "$(sed -n 's/.*:invoke.*:f \([^,]*\), :value\(.*\)}/\1\2/p' "$tmp/stale.edn" | paste -sd '|')" "calls are written as they are asked for"
t 1 "and the answer stays" "$isolab" check -l sser "$tmp/stale.edn"
sed '$d; s/t4 commit @5..6: r x nil/t4 commit @5..6: r x 2/' "$tmp/stale.txt" >"$tmp/seen.txt"
"$isolab" convert --lossy "$tmp/seen.txt" --to elle-registers "$tmp/seen.edn" 2>/dev/null
t 0 "an open call may have happened" "$isolab" check -l sser "$tmp/seen.edn"
finish
