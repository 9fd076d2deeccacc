#!/bin/sh
# The public library: installed to a temporary folder, the header's example compiled and run against it.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# Under the names that everything was built with, and as the same commit: nothing is built again under other tests' feet.
install() { make --no-print-directory install "B=${BUILD#"$root"/}" "COMMIT=$(cat "$BUILD/commit")" "$@"; }
t 0 "make install to a prefix" install "prefix=$tmp/usr"
t 0 "make install to a DESTDIR" install "DESTDIR=$tmp/stage" prefix=/opt
for file in bin/isolab bin/isolab-verify include/isolab.h lib/libisolab.a lib/libisolab.so lib/pkgconfig/isolab.pc \
    share/man/man1/isolab.1 share/man/man1/isolab-verify.1 share/bash-completion/completions/isolab \
    share/zsh/site-functions/_isolab; do
    [ -s "$tmp/usr/$file" ] && [ -s "$tmp/stage/opt/$file" ]
    ok $? "$file is there"
done
grep -q "^prefix=/opt$" "$tmp/stage/opt/lib/pkgconfig/isolab.pc"
ok $? "the prefix of a staged tree is where it will be"

# The example is what the header shows, without the comment's stars.
sed -n '/^ \* Example/,/^ \*\//p' include/isolab.h | sed -n 's/^ \*     //p' >"$tmp/example.c"
grep -q 'int main' "$tmp/example.c"
ok $? "the header has an example"
export PKG_CONFIG_PATH="$tmp/usr/lib/pkgconfig"
sanitize=""
nm "$BUILD/libisolab.a" 2>/dev/null | grep -q __asan_init && sanitize="-fsanitize=address,undefined"
nm "$BUILD/libisolab.a" 2>/dev/null | grep -q __gcov_init && sanitize="--coverage"
# shellcheck disable=SC2046
t 0 "it compiles against the installed tree" gcc -std=c99 -Wall -Wextra -Wpedantic -Werror $sanitize "$tmp/example.c" \
    -o "$tmp/example" $(pkg-config --cflags --libs isolab)
t 0 "the example of isolab.h runs with the installed library" env LD_LIBRARY_PATH="$tmp/usr/lib" "$tmp/example"
out_like '^violated$' "and finds the fractured read"
out_like '^[a-z-]+:$' "and names the anomaly"
out_like '^where: t2 is transaction 1 of session bob$' "and its transactions"
# shellcheck disable=SC2046
t 0 "it compiles against the static library" gcc -std=c99 $sanitize "$tmp/example.c" -o "$tmp/static" \
    $(pkg-config --cflags isolab) "$tmp/usr/lib/libisolab.a" \
    $(pkg-config --static --libs-only-l isolab | sed 's/-lisolab//')
t 0 "and runs without the shared one" "$tmp/static"
same "" "$(nm -g --defined-only "$tmp/usr/lib/libisolab.a" | awk 'NF == 3 { print $3 }' | grep -v '^isolab_')" \
    "the static library exports isolab_* alone"

# The second example lists anomalies as transactions, with their places, and as edges: what check says, as JSON, of the same.
# shellcheck disable=SC2046
t 0 "examples/anomalies.c compiles" gcc -std=c99 -Wall -Wextra -Wpedantic -Werror $sanitize examples/anomalies.c -o "$tmp/anomalies" \
    $(pkg-config --cflags --libs isolab)
export LD_LIBRARY_PATH="$tmp/usr/lib"
t 1 "it finds a lost update" "$tmp/anomalies" tests/histories/pc/lost-update.txt si
# by hand: the file has t1 in line 4, and t2 in line 6; each read the x that the other one overwrote
out_like '^anomaly	si	lost-update$'
out_like '^transaction	t1	A	1	4	-	-$' "and says where it is"
out_like '^transaction	t2	B	1	6	-	-$' "as well as the other transaction"
out_like '^operation	w x 1$' "what it wrote"
out_like '^happened	Both t1 .* and t2 .* read x = nil' "the anomaly says what happened"
out_like '^edge	[12]	rw	t[12]	t[12]	x$' "and the edges"
n=0 shown=0
for file in tests/histories/recorded/mariadb-repeatable-read-1.jsonl tests/histories/recorded/redis-unwatched-3.jsonl \
    tests/histories/recorded/postgres-read-committed-1.jsonl tests/histories/findings/*.txt; do
    for level in ra si ser; do
        "$BUILD/isolab" check -l $level --all --json "$file" >"$tmp/json" 2>/dev/null
        said=$?
        "$tmp/anomalies" "$file" $level >"$tmp/listed"
        [ $? = $said ] || n=$((n + 1))
        jq -r '.anomalies[]? | .name, (.steps[]? | .number)' "$tmp/json" >"$tmp/by-json"
        awk -F'\t' '$1 == "anomaly" { print $3 } $1 == "edge" { print $2 }' "$tmp/listed" >"$tmp/by-library"
        shown=$((shown + $(wc -l <"$tmp/by-json")))
        cmp -s "$tmp/by-json" "$tmp/by-library" || { n=$((n + 1)); echo "# $file $level"; diff "$tmp/by-json" "$tmp/by-library" | head -5 | sed 's/^/# /'; }
    done
done
same 0 "$n" "and of recorded histories the anomalies and steps that check --json has"
[ "$shown" -gt 20 ]
ok $? "of which there are $shown"
t 1 "without a level, it climbs the ladder" "$tmp/anomalies" tests/histories/recorded/mariadb-repeatable-read-1.jsonl
out_like '^anomaly	ser	write-skew$'
out_like '^anomaly	si	'
t 65 "a file that is no history" "$tmp/anomalies" README.md
t 64 "a level that does not exist" "$tmp/anomalies" tests/histories/pc/lost-update.txt nosuch
unset LD_LIBRARY_PATH
printf '#include <isolab.h>\nint main() { return isolab_version()[0] == 0; }\n' >"$tmp/plus.cc"
# shellcheck disable=SC2046
t 0 "C++ can use the header" g++ -Wall -Wextra -Wpedantic -Werror $sanitize "$tmp/plus.cc" -o "$tmp/plus" \
    $(pkg-config --cflags --libs isolab)
nm -D --defined-only "$tmp/usr/lib/libisolab.so" | awk '{print $NF}' | grep -v '^isolab_' >"$tmp/other"
same "" "$(cat "$tmp/other")" "the shared library exports isolab_* alone"
[ "$(nm -D --defined-only "$tmp/usr/lib/libisolab.so" | grep -c ' isolab_')" -ge 20 ]
ok $? "and does export them"
missing=""
for name in $(grep -oE '\bisolab_[a-z_]+\(' include/isolab.h | tr -d '(' | sort -u); do
    grep -qE "^(static inline|typedef) .*\b$name\(" include/isolab.h && continue # the header defines it
    nm -D --defined-only "$tmp/usr/lib/libisolab.so" | grep -q " $name$" || missing="$missing $name"
done
same "" "$missing" "every function of the header is defined"
t 0 "an installed program runs" "$tmp/usr/bin/isolab" --version
if command -v man >/dev/null 2>&1; then
    t 0 "the manual page is well-formed" man --warnings -E UTF-8 -l -Tutf8 -Z "$tmp/usr/share/man/man1/isolab.1"
    err_is ''
fi
t 0 "the bash completion is bash" bash -n "$tmp/usr/share/bash-completion/completions/isolab"
cat >"$tmp/complete.bash" <<'B'
. "$1"
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _isolab; echo "${COMPREPLY[*]}"; }
complete_line isolab che
complete_line isolab check --lev
complete_line isolab check -l ss
complete_line isolab list for
B
t 0 "the installed completion completes" bash "$tmp/complete.bash" "$tmp/usr/share/bash-completion/completions/isolab"
out_is "check
--level
sser
formats" "completes commands, options, levels and operands"
if command -v zsh >/dev/null 2>&1; then
    t 0 "the zsh completion is zsh" zsh -n "$tmp/usr/share/zsh/site-functions/_isolab"
fi
finish
