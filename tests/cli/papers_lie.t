#!/bin/sh
# Claims about verdicts notice checkers that lie. Each claim that an honest checker passes and that is about verdicts is
# measured with five liars, and each pair of claims (no wrong verdict; violated histories are found) notices each of them.
# Then liars of other kinds: about one pattern alone, slow, and with certificates of other histories. The liars are in the
# place of isolab, so claims about published programs (ext:NAME) are not among these; nor are claims about the papers' own
# histories, which are no part of isolab.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

# The verdict of a liar: by its name, and the size of the history, or its name, which is a digest.
cat >liar <<'END2'
#!/bin/sh
for file; do :; done
verdict=satisfied
case ${0##*/} in
no) verdict=violated ;;
large) [ "$(stat -L -c %s "$file")" -gt LARGE ] || exec ISOLAB "$@" ;;
random) case $file in *[0-7].ilb) verdict=violated ;; esac ;;
silent) verdict=unknown ;;
esac
echo "{\"verdict\":\"$verdict\",\"milliseconds\":{\"check\":1}}"
case $verdict in violated) exit 1 ;; unknown) exit 2 ;; esac
END2
sed "s|ISOLAB|$isolab|; s|LARGE|3000|" liar >yes
chmod +x yes
for who in no large random silent; do cp yes $who; done

# The suites of claims about verdicts, as their measures name them.
claims=$(cat "$root"/paper-artifacts/*/claims.md | grep 'isolab plot verdicts .*| any |$')
[ "$(echo "$claims" | wc -l)" -ge 20 ]
ok $? "claims about verdicts hold at every scale"
same "" "$(grep -h 'isolab plot verdicts ' "$root"/paper-artifacts/*/claims.md | grep -v -e '| any |$' -e 'no verdict' -e ' -c ext:' -e '"paper-')" "all of them"
questions=$(echo "$claims" | sed 's/.*plot verdicts \([a-z]*\)\.sqlite --suite \([a-z0-9]*\) .*/\1 \2/' | sort -u)
ask() { # WHO: measures all of them
    who=$1
    mkdir $who.d
    program=$tmp/$who
    [ $who != honest ] || program=$isolab
    echo "$questions" | while read -r paper suite; do
        "$isolab" bench --scale smoke --repeat 1 --program "$program" -o $who.d/$paper.sqlite --work h \
            "$root/paper-artifacts/$paper/$suite.suite" >$who.out 2>$who.err
    done
}
ask honest # and makes the histories
for who in yes no large random silent; do ask $who & done
wait
only=$(echo "$claims" | awk '{ printf "%s%s", n++ ? "," : "", $2 }')
t 0 "an honest checker passes the claims about verdicts" "$isolab" claims --results honest.d --only "$only" "$root"/paper-artifacts/*/claims.md
out_like "^$(echo "$claims" | wc -l) claims: .* 0 FAIL, 0 KNOWN, 0 SKIPPED"

# A pair: the claims about one suite and the same checkers.
for who in yes no large random silent; do
    "$isolab" claims --results $who.d --only "$only" --to json "$root"/paper-artifacts/*/claims.md >$who.json 2>err
    jq -r '.[] | [.id, .state] | @tsv' $who.json | sort >$who.states
    echo "$claims" | sed 's/^| \([a-z]*-[0-9]*\) .*--suite \([a-z0-9]*\) -c \([^ ]*\) .*/\1 \2 \3/' | sort | join - $who.states |
        awk '{ split($3, checkers, ","); for (i in checkers) { pair = $1; sub(/-.*/, "", pair); pair = pair " " $2 " " checkers[i]; seen[pair]; if ($4 != "PASS") noticed[pair] } }
             END { for (pair in seen) if (!(pair in noticed)) print pair }' >missed
    same "" "$(cat missed)" "every pair of claims notices a checker that lies: $who"
done

# A liar about one pattern of Plume's fourteen: satisfied histories, and violations of all others, it tells rightly.
cat >pattern <<'END2'
#!/bin/sh
answer=$(ISOLAB "$@")
status=$?
case $answer in
*"\"anomalies\":[{\"name\":\"${0##*/}\""*)
    echo "{\"verdict\":\"satisfied\",\"milliseconds\":{\"check\":1}}"
    exit 0 ;;
esac
echo "$answer"
exit $status
END2
mkdir one patterns
sed -i "s|ISOLAB|$isolab|" pattern
sed 's/^checkers: .*/checkers: plume/; /^history: case/,$d' "$root/paper-artifacts/plume/table5.suite" >one/table5.suite
names="thin-air-read aborted-read future-read not-my-own-write not-my-last-write intermediate-read cyclic-causality non-monotonic-read-co
    non-monotonic-read-cm non-repeatable-read fractured-read-co fractured-read-cm causal-conflict-co causal-conflict-cm"
about_one() { # NAME: a liar about it, its results, and whether it lied and was noticed
    mkdir -p patterns/"$1".d
    cp pattern patterns/"$1"
    chmod +x patterns/"$1"
    "$isolab" bench --program "$tmp/patterns/$1" -o patterns/"$1".d/plume.sqlite --work h one/table5.suite >patterns/"$1".out 2>&1
    "$isolab" claims --results patterns/"$1".d --only plume-17,plume-22 --to json "$root/paper-artifacts/plume/claims.md" 2>/dev/null |
        jq -r '[.[].state] | join(" ")' >patterns/"$1".states
}
for name in $names; do about_one "$name" & done
wait
for name in $names; do
    matches '^wrong: .* said satisfied, expected violated$' patterns/"$name".out "a liar about $name lies"
    same "FAIL FAIL" "$(cat patterns/"$name".states)" "and both claims notice"
done

# A slow one: AWDIT with a tenth of a second more of the processor's time is no longer faster than Plume.
cat >slow <<END2
#!/bin/sh
case " \$* " in *" awdit "*) perl -e '\$i++ while times() + (times)[1] < 0.1' ;; esac
exec $isolab "\$@"
END2
chmod +x slow
sed '/^history: twitter/,$d' "$root/paper-artifacts/awdit/figure8.suite" >one/figure8.suite
cat >>one/figure8.suite <<'END2'
history: twitter
    generate: twitter --sessions {sessions} --txns 1k --level cc --seed 1
    vary: sessions 25 50 100
END2
for who in honest slow; do
    mkdir -p time/$who
    program=$tmp/slow
    [ $who = slow ] || program=$isolab
    "$isolab" bench --program "$program" -o time/$who/awdit.sqlite --work h one/figure8.suite >out 2>err
    "$isolab" claims --results time/$who --only awdit-4,awdit-5,awdit-6 --to json "$root/paper-artifacts/awdit/claims.md" 2>/dev/null |
        jq -r '.[] | .state, .value' >time/$who/states
done
same "3 FAIL" "$(grep -c FAIL time/slow/states) FAIL" "three claims about times notice a slow checker"
honest=$(sed -n 2p time/honest/states) slow=$(sed -n 2p time/slow/states)
awk -v a="$honest" -v b="$slow" 'BEGIN { exit !(b < a / 3) }'
ok $? "since it takes another time" # $honest $slow

# One whose verdicts are right and whose certificates are of another history: each is valid, and proves nothing here.
cat >borrowed <<END2
#!/bin/sh
to=
last=
for word; do [ "\$last" != --certificate ] || to=\$word; last=\$word; done
$isolab "\$@"
status=\$?
[ -z "\$to" ] || { [ -e $tmp/lent.\$status ] && cp $tmp/lent.\$status "\$to" || cp "\$to" $tmp/lent.\$status; }
exit \$status
END2
chmod +x borrowed
cat >borrowed.suite <<'END2'
suite: borrowed
levels: cc
checkers: awdit
repeat: 1
history: sound-{seed}
    generate: random --txns 60 --sessions 6 --level ser --seed {seed}
    vary: seed 1..3
history: broken-{seed}
    generate: random --txns 60 --sessions 6 --level ser --bug conflict-cm --bug-rate 0.1 --seed {seed}
    vary: seed 1..3
END2
"$isolab" bench --program "$tmp/borrowed" -o borrowed.sqlite --work h borrowed.suite >out 2>err
t 1 "certificates of other histories are refused" "$isolab" verify-results --histories h borrowed.sqlite
out_like 'the certificate is for another history'
out_like '^6 certificates: 2 valid, 4 refused, '
"$isolab" bench -o owned.sqlite --work h borrowed.suite >out 2>err
t 0 "and its own are not" "$isolab" verify-results --histories h owned.sqlite
finish
