#!/bin/sh
# tools/mutate.sh without its long part: the mutants of a small file, and the list of known ones. It takes perl.
. "$(dirname "$0")/tap.sh"
command -v perl >/dev/null || skip_all "perl is missing"
cd "$root" || exit 1

cat >"$tmp/toy.c" <<'END_OF_C'
/* not here: a < b */
static bool fits(int a, int b, const char *text) {
    if (a < b && text != NULL) {
        refuse("a < b");
    }
    return a + 1 == b;
}
END_OF_C
mkdir "$tmp/mutants"
t 0 "mutants of a small file" perl tools/mutants.pl "$tmp/mutants" "$tmp/toy.c"
cut -f 3- "$tmp/out" >"$tmp/list"
mutant() { # LINE BECAME
    grep -qxF "$1	fits	$(sed -n "$1p" "$tmp/toy.c" | sed 's/^ *//')	$2" "$tmp/list"
    ok $? "a mutant: $2"
}
mutant 3 'if ( text != NULL) {'
mutant 3 'if (a < b ) {'
mutant 3 'if (a <= b && text != NULL) {'
mutant 3 'if (a < b || text != NULL) {'
mutant 3 'if (a < b && text == NULL) {'
mutant 3 'if (!(a < b && text != NULL)) {'
mutant 3 'if ((void)(a < b && text != NULL), false) {'
mutant 4 ';'
mutant 6 'return a - 1 == b;'
mutant 6 'return a + 0 == b;'
mutant 6 'return ((void)(a + 1 == b), true);'
same "$(wc -l <"$tmp/list")" "$(find "$tmp/mutants" -name '*.c' | wc -l)" "every mutant has a file of its own"
same "$(ls "$tmp/mutants" | while read -r f; do cksum <"$tmp/mutants/$f"; done | sort -u | wc -l)" \
    "$(wc -l <"$tmp/list")" "no two are the same"
! grep -q 'not here' "$tmp/list"
ok $? "comments are left alone"

t 0 "the mutants of a file of the tree" tools/mutate.sh -l -k '' verify/causal.c
cut -f 1,3- "$tmp/out" | sed -n '5{s/$/	a reason/p;s/^\([^	]*	[^	]*	\)[^	]*/\1something else/p}' >"$tmp/known"
t 1 "a known mutant, and an entry that fits nothing" tools/mutate.sh -c -k "$tmp/known" verify/causal.c
out_like '^stale entries of '
out_like '^1 known mutants, 1 stale entries$'
sed -i 1q "$tmp/known"
t 0 "known ones alone" tools/mutate.sh -c -k "$tmp/known" verify/causal.c
out_is '1 known mutants, 0 stale entries'
t 0 "they are left out" tools/mutate.sh -l -k "$tmp/known" verify/causal.c
! grep -qF "$(cut -f 4 "$tmp/known")" "$tmp/out"
ok $? "and are not there"
printf 'verify/edges.c\tnone\tno\tline\ta reason\n' >"$tmp/stale"
t 1 "an entry that fits nothing in a folder" tools/mutate.sh -c -k "$tmp/stale" verify
tools/mutate.sh -l -k '' verify/causal.c | sed -n '3s/^/survived	-	/p;7s/^/killed	unit\/verify_order	/p' >"$tmp/results.tsv"
t 0 "what survived in other results" tools/mutate.sh -l -k '' -r "$tmp/results.tsv" verify/causal.c
out_is "$(sed -n '1s/^[^	]*	[^	]*	//p' "$tmp/results.tsv")"
t 64 "mutate.sh needs a file" tools/mutate.sh
t 64 "a file that does not exist" tools/mutate.sh verify/none.c
finish
