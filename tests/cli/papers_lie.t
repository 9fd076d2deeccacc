#!/bin/sh
# Claims about verdicts notice checkers that lie. Each claim that an honest checker passes and that is about verdicts is
# measured with five liars, and each pair of claims (no wrong verdict; violated histories are found) notices each of them.
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
same "" "$(grep -h 'isolab plot verdicts ' "$root"/paper-artifacts/*/claims.md | grep -v '| any |$' | grep -v 'no verdict')" "all of them"
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
finish
