#!/bin/sh
# isolab verify-results: certificates in files of results, whole, damaged and hostile; checkers that lie.
. "$(dirname "$0")/tap.sh"
command -v sqlite3 >/dev/null 2>&1 || skip_all "sqlite3 is not installed"
cd "$tmp" || exit 1

cat >s.suite <<'END'
suite: small
levels: ra ser
checkers: awdit strong sat
repeat: 1
history: good
    generate: random --txns 40 --sessions 3 --level ser --seed 1
    expect: all satisfied
history: bad
    generate: random --txns 60 --sessions 4 --keys 10 --level ser --bug fractured-read-co --bug-rate 0.2 --seed 1
    expect: all violated
END
t 0 "a suite is measured with certificates" "$isolab" bench -o good.sqlite s.suite
t 0 "all of its certificates" "$isolab" verify-results good.sqlite
out_like '^s +8 +8 +0 +0$'
out_like '^4 certificates: 4 valid, 0 refused, 0 not verified$'
t 0 "the same as JSON" "$isolab" verify-results --json good.sqlite
same '8 4 0' "$(jq -r '"\(.suites[-1].proved) \(.valid) \(.refused)"' out)" "the JSON counts proved, valid and refused certificates"
t 0 "a second run asks nothing again" "$isolab" bench -o good.sqlite s.suite
same 4 "$(sqlite3 good.sqlite 'SELECT count(*) FROM certificate')" "no certificate is made twice"
# A suite that its time limit ends: the histories before the last one are measured and proved.
printf '#!/bin/sh\nsleep 0.1\nexec %s "$@"\n' "$isolab" >tired
chmod +x tired
cat >long.suite <<'END'
suite: long
levels: cc
checkers: awdit plume
repeat: 2
history: h-{seed}
    generate: random --txns 40 --sessions 3 --level ser --seed {seed}
    vary: seed 1..100
END
t 2 "a suite that its time limit ends" "$isolab" bench --program "$tmp/tired" --timeout 4 -o long.sqlite long.suite
cells=$(sqlite3 long.sqlite "SELECT count(DISTINCT history || checker) FROM run WHERE state = 'ok'")
"$isolab" verify-results --json long.sqlite >out
proved=$(jq -r '.suites[-1].proved' out)
[ "$cells" -ge 4 ] && [ "$cells" -lt 200 ] && [ "$proved" -ge $((cells - 2)) ]
ok $? "its cells are proved, except those of the last history" # $proved of $cells

t 0 "a suite is measured without certificates" sh -c "sed 's/^levels/certificates: no\n&/' s.suite >none.suite; '$isolab' bench -o none.sqlite none.suite"
t 0 "nothing rests on a proof" "$isolab" verify-results none.sqlite
out_like '^none +8 +0 +0 +8$'

change() { # NAME SQL...: a copy of good.sqlite, changed
    cp good.sqlite "$1.sqlite"
    printf '%s;\n' "$2" | sqlite3 -bail "$1.sqlite"
}
verify() { # STATUS NAME
    t "$1" "$2" "$isolab" verify-results --histories good.sqlite.histories "$3.sqlite"
}
# Replaces the data of a certificate by other bytes with their right SHA-256.
forge() { # NAME ID FILE
    cp good.sqlite "$1.sqlite"
    sha=$(sha256sum <"$3" | cut -d ' ' -f 1)
    sqlite3 "$1.sqlite" "UPDATE certificate SET data = readfile('$3'), sha256 = '$sha' WHERE id = $2"
}
sqlite3 good.sqlite "SELECT writefile('c' || id || '.zst', data) FROM certificate" >/dev/null
for id in 1 2 3 4; do zstd -q -d -f "c$id.zst" -o "c$id.txt"; done

change flip "UPDATE run SET verdict = 'satisfied', state = 'ok' WHERE verdict = 'violated' AND checker = 'strong'"
verify 1 "a verdict that was changed" flip
out_like '^s +8 +7 +1 +0$'
out_like '^refuted: bad ser strong said satisfied$'
change both "UPDATE run SET verdict = 'satisfied', state = 'ok' WHERE verdict = 'violated'; UPDATE certificate SET verdict = 'satisfied'"
verify 1 "with the words of its certificate" both
out_like '^refused: bad ser satisfied: the certificate says violated, and not satisfied$'
out_like '^s +8 +4 +0 +4$'
change level "UPDATE certificate SET level = CASE level WHEN 'ra' THEN 'ser' ELSE 'ra' END"
verify 1 "certificates of another level" level
out_like '^refused: good ser satisfied: the certificate is about level ra, and not about ser$'
out_like '^4 certificates: 0 valid, 4 refused'
change bytes "UPDATE certificate SET data = zeroblob(length(data)) WHERE id = 1"
verify 1 "other bytes" bytes
out_like 'its bytes are not those of its SHA-256'
change swap "UPDATE certificate SET history = (SELECT max(id) FROM history) + min(0, history) WHERE history = 1"
verify 1 "certificates of another history" swap
out_like 'the certificate is for another history'
change sha "UPDATE history SET sha256 = replace(sha256, substr(sha256, 1, 1), '0') WHERE name = 'good'"
verify 2 "a history that is not there" sha
out_like '^not verified: good ra satisfied: its history was not found'
change name "UPDATE history SET sha256 = '../../../../etc/passwd' WHERE name = 'good'"
verify 2 "a SHA-256 that is a path" name

# Each certificate with a part missing, cut, or with a bit flipped is refused or proves the same.
n=0
for id in 1 2 3 4; do
    for cut in 1 20 50; do
        head -c "$(($(wc -c <"c$id.zst") - cut))" "c$id.zst" >half.zst
        forge cut $id half.zst
        "$isolab" verify-results --histories good.sqlite.histories cut.sqlite >out 2>err
        status=$?
        [ $status = 1 ] && grep -q ' 3 valid, 1 refused' out || { echo "# certificate $id without $cut bytes: $status"; n=$((n + 1)); }
    done
    sed '$d' "c$id.txt" | zstd -q -c >half.zst
    forge cut $id half.zst
    "$isolab" verify-results --histories good.sqlite.histories cut.sqlite >out 2>err
    [ $? = 1 ] || { echo "# certificate $id without its last line"; n=$((n + 1)); }
    printf 'isolab-certificate 1\n' | zstd -q -c >half.zst
    forge cut $id half.zst
    "$isolab" verify-results --histories good.sqlite.histories cut.sqlite >out 2>err
    [ $? = 1 ] || { echo "# certificate $id of one line"; n=$((n + 1)); }
done
same 0 $n "certificates that are cut are refused"
head -c 1G /dev/zero | zstd -q -c >bomb.zst
forge bomb 1 bomb.zst
verify 1 "a gigabyte of zeros" bomb
out_like ' 3 valid, 1 refused'

# The tables of a file from outside.
wrong() { # NAME SQL WORDS
    change wrong "$2"
    t 65 "$1" "$isolab" verify-results wrong.sqlite
    err_like "^isolab: wrong.sqlite: .*$3"
    same 1 "$(wc -l <err)" "in one line"
}
wrong "a certificate of no history" "UPDATE certificate SET history = 99 WHERE id = 1" 'certificate 1 is of no history'
wrong "data that are text" "UPDATE certificate SET data = 'text' WHERE id = 1" 'data: expected at most 64 MiB of bytes'
wrong "a verdict that is none" "UPDATE certificate SET verdict = 'maybe' WHERE id = 1" 'verdict: expected satisfied or violated'
wrong "certificates that are a view" "ALTER TABLE certificate RENAME TO c; CREATE VIEW certificate AS SELECT * FROM c" 'no table certificate'
echo nonsense >wrong.sqlite
t 65 "a file that is no file of results is refused" "$isolab" verify-results wrong.sqlite
change old "DROP TABLE certificate"
verify 0 "results of an older isolab have none" old
out_like '^0 certificates'

# Histories are made again by their commands, and by no other command.
mkdir empty
t 2 "without its histories a certificate cannot be verified" "$isolab" verify-results --histories empty good.sqlite
out_like '4 certificates: 0 valid, 0 refused, 4 not verified'
t 0 "histories that are made again" "$isolab" verify-results --histories empty --generate good.sqlite
out_like '4 certificates: 4 valid'
change write "UPDATE history SET source = source || ' -o $tmp/loot'"
t 2 "a command that writes" "$isolab" verify-results --histories empty --generate write.sqlite
change other "UPDATE history SET source = 'bench ' || '$tmp/s.suite'"
t 2 "a source that is another command is refused" "$isolab" verify-results --histories empty --generate other.sqlite
[ ! -e loot ] && [ ! -e s.sqlite ]
ok $? "the refused commands wrote nothing"

# A checker that lies: it always says satisfied.
cat >liar <<END
#!/bin/sh
case " \$* " in *" strong "*) echo '{"verdict":"satisfied","milliseconds":{"check":1}}'; exit 0 ;; esac
exec "$isolab" "\$@"
END
chmod +x liar
t 1 "a checker that lies" "$isolab" bench --program "$tmp/liar" -o liar.sqlite s.suite
t 1 "is refuted by the others" "$isolab" verify-results liar.sqlite
out_like '^s +10 +8 +2 +0$' "it also answers ra: of its four answers two are refuted"
out_like '^refuted: bad ser strong said satisfied$'
finish
