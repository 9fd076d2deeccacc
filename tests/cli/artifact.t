#!/bin/sh
# isolab artifact: a packed artifact is whole, proves its verdicts elsewhere, and what was changed in it is noticed.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
printf 'session A\nt1 commit: w x 1\nsession B\nt2 commit: r x 1\n' >given.txt
mkdir -p pa/x results
cat >pa/x/s.suite <<END
suite: small
levels: ra
checkers: awdit plume
repeat: 2
history: made
    generate: random --txns {n} --sessions 3 --level ser --seed 1
    vary: n 100 200 400
    [full] vary: n 100k
    expect: all satisfied
history: given
    files: $tmp/given.txt
    expect: all satisfied
END
cat >pa/x/claims.md <<'END'
| id | claim | measure | expect |
|---|---|---|---|
| x-1 | right | `isolab plot verdicts x.sqlite --cell all:right` | exactly 8 |
END
echo '#!/bin/sh' >pa/x/run.sh
t 0 "bench writes the results that the artifact is made of" "$isolab" bench -o results/x.sqlite --work results/histories pa/x/s.suite
t 0 "pack writes an artifact" "$isolab" artifact pack --results results -o art.tar.gz pa/x/
t 0 "check finds the new artifact whole" "$isolab" artifact check art.tar.gz
out_like '^[0-9]+ files, 0 differ from the manifest$'
t 0 "can be unpacked" tar -xzf art.tar.gz
for f in README.md MANIFEST.txt MACHINE.txt paper-artifacts/x/s.suite results/x.sqlite bin/isolab-verify source/Makefile; do
    [ -e "art/$f" ]
    ok $? "the unpacked artifact has $f"
done
matches '^    bin/isolab verify-results --generate --histories histories results/x.sqlite$' art/README.md "its commands can be pasted"
matches '^\| x \| full \| `make paper-full` \| 8 \| [0-9.]+ (s|min) \| ' art/README.md "the README predicts the full run"
same 1 "$(ls art/histories | grep -c given)" "the given history is packed"
mkdir fake
printf '#!/bin/sh\nwhile [ "$1" != -czf ]; do shift; done\necho half >"$2"\nexit 1\n' >fake/tar
chmod +x fake/tar
cp art.tar.gz before.tar.gz
PATH="$PWD/fake:$PATH" t 74 "a pack that fails" "$isolab" artifact pack --results results -o art.tar.gz pa/x/
cmp art.tar.gz before.tar.gz
ok $? "leaves the older artifact as it was"
# A file of results may name any file.
cp -r results forged
echo secret >secret
sqlite3 forged/x.sqlite "UPDATE history SET source = '$PWD/secret' WHERE source LIKE '%given.txt'"
t 0 "a file of results that names another file" "$isolab" artifact pack --results forged -o forged.tar.gz pa/x/
err_like "^isolab: .*/secret: not packed: it is not the history that was measured$"
mkdir forged.d
tar -xzf forged.tar.gz -C forged.d
same '' "$(grep -rl '^secret$' forged.d)" "the other file is not packed"
mkfifo pipe
sqlite3 forged/x.sqlite "UPDATE history SET source = '$PWD/pipe' WHERE source LIKE '%/secret'"
t 0 "nor is a pipe opened" timeout 60 "$isolab" artifact pack --results forged -o forged.tar.gz pa/x/
rm -r forged forged.d
cp art.tar.gz host:art.tar.gz
t 0 "a colon in the name is no host" "$isolab" artifact check host:art.tar.gz
mkdir -p piped/a
mkfifo piped/a/MANIFEST.txt
tar -czf piped.tar.gz -C piped a
for of in piped.tar.gz piped piped/a; do
    t 65 "a manifest that is a pipe: $of" timeout 20 "$isolab" artifact check "$of"
done
mkdir h
touch h/x.ilb
mkfifo h/x.json
t 0 "facts that are a pipe are none" timeout 60 "$isolab" verify-results --generate --histories h results/x.sqlite
rm -r given.txt results/histories
t 0 "every verdict is proved without the original files" art/bin/isolab verify-results --generate --histories art/histories art/results/x.sqlite
out_like '^all +8 +8 +0 +0$'
t 0 "its claims hold" art/bin/isolab claims --results art/results art/paper-artifacts/x/claims.md
t 0 "check takes the unpacked folder, too" "$isolab" artifact check art
t 0 "against results of this machine" "$isolab" artifact check --results results art
out_like '^1 claims, 0 with another state'
mkdir spaces # the name of one file may end with the name of another, after two spaces
echo 1 >'spaces/a  b'
echo 2 >spaces/b
(cd spaces && sha256sum -- * >MANIFEST.txt)
t 0 "a name with two spaces" "$isolab" artifact check spaces
out_like '^2 files, 0 differ from the manifest$'
mkdir other
t 1 "and against others" "$isolab" artifact check --results other art
out_like '^x-1 was PASS \(8\), is SKIPPED'
echo more >>art/paper-artifacts/x/claims.md
echo new >art/new
rm art/results/x.sqlite
t 1 "changes are noticed" "$isolab" artifact check art
out_like '^changed: paper-artifacts/x/claims.md$'
out_like '^not in the manifest: new$'
out_like '^1 files of the manifest are missing$'
sed -i 's/^processors: .*/processors: 4096/' art/MACHINE.txt
t 1 "another machine than the packed one is named as a difference" "$isolab" artifact check art
out_like '^another machine: processors: 4096; here processors: '
ln -s /etc/passwd art/link
t 65 "an artifact with a symbolic link is refused" "$isolab" artifact check art
err_like 'link: expected a file or a folder'
mkdir empty
t 65 "a folder that is no artifact is refused" "$isolab" artifact check empty
err_like 'expected an artifact with MANIFEST.txt'
echo nonsense >bad.tar.gz
t 65 "a file that is no tar file is refused" "$isolab" artifact check bad.tar.gz
t 74 "a file that does not exist is an I/O error" "$isolab" artifact check none.tar.gz
t 64 "a verb other than pack and check is wrong use" "$isolab" artifact copy x
t 74 "pack without results is an I/O error" "$isolab" artifact pack --results other -o y.tar.gz pa/x
[ ! -e y.tar.gz ]
ok $? "a pack that fails leaves no file"
finish
