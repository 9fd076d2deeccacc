#!/bin/sh
# A stranger adds a format, two checkers (a file, and a folder), a command, and what the skeletons make: one line each
# in a table. Done in a copy of the tree, with what is already built, so that only the new files and the tables are compiled.
. "$(dirname "$0")/tap.sh"
copy=$tmp/isolab
cd "$root" || exit 1
# What is built knows its sources by paths below the root, so the copy has the same build folder.
case $BUILD in
"$root"/*) b=${BUILD#"$root"/} ;;
*) b=build ;;
esac
mkdir -p "$copy/$b"
for part in Makefile base history formats graph linear certificates checkers shrink report explain generators reductions collectors library cli \
    experiments verify include tools tests docs; do
    [ ! -e "$part" ] || cp -a "$part" "$copy/"
    [ ! -d "$BUILD/$part" ] || [ "$part" = tests ] || cp -a "$BUILD/$part" "$copy/$b/"
done
for file in flags commit database-headers; do # what it was built with: without them everything is compiled again
    [ ! -e "$BUILD/$file" ] || cp -a "$BUILD/$file" "$copy/$b/"
done
cd "$copy" || exit 1
git init -q . && git add -A -f -- $(ls -d [a-zA-Z]* | grep -v '^build$') >/dev/null 2>&1

cat >formats/names.c <<'C'
/* The simplest format: the first byte is N, and each line is a key that the only transaction writes. */
#include <string.h>

#include "formats/format.h"

static int detect(const iso_source *source) { return source->size > 1 && memcmp(source->bytes, "N\n", 2) == 0 ? 99 : 0; }

static isolab_history *read_names(iso_source *source) {
    iso_builder *b = iso_builder_new(source->pool);
    uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
    for (const char *at = (const char *)source->bytes + 2; *at != '\0';) {
        size_t n = strcspn(at, "\n");
        iso_builder_op(b, t, ISO_WRITE, iso_builder_key(b, iso_builder_string(b, at, n)), iso_atom_int(1));
        at += n + (at[n] == '\n');
    }
    return iso_builder_finish(b);
}

const iso_format iso_format_names = {
    .name = "names", .summary = "keys, one a line", .extensions = ".names", .detect = detect, .read = read_names};
C
cat >checkers/yes.c <<'C'
/* The simplest checker: says yes to everything. */
#include "checkers/checker.h"

static void run(const iso_checker *self, const isolab_history *h, const iso_question *question,
                iso_result *result) {
    (void)self, (void)h;
    if (question->options == NULL) { /* else it forgets to say anything */
        result->verdict = ISOLAB_SATISFIED;
    }
}

static const iso_option options[] = {{ISO_FLAG("quiet", "no", "says nothing")}, ISO_END};

const iso_checker iso_checker_yes = {.name = "yes", .summary = "says yes", .complexity = "O(1)",
                                     .levels = ISO_LEVEL_BIT(ISO_SER), .can = ISO_CAN_DUPLICATES,
                                     .options = options, .run = run};
C
mkdir checkers/no
cat >checkers/no/no.h <<'C'
/* A checker in a folder of its own: no.c, the descriptor, and summary.c. */
extern const char iso_no_summary[];
C
cat >checkers/no/summary.c <<'C'
#include "checkers/no/no.h"

const char iso_no_summary[] = "knows nothing";
C
cat >checkers/no/no.c <<'C'
/* A checker of several files: it never decides. */
#include "checkers/no/no.h"
#include "checkers/checker.h"

static void run(const iso_checker *self, const isolab_history *h, const iso_question *question,
                iso_result *result) {
    (void)self, (void)h, (void)question;
    result->verdict = ISOLAB_UNKNOWN;
    result->reason[0] = iso_no_summary[0];
}

const iso_checker iso_checker_no = {.name = "no", .summary = "knows nothing", .complexity = "O(1)",
                                    .levels = ISO_LEVEL_BIT(ISO_INT), .can = ISO_CAN_DUPLICATES, .run = run};
C
cat >cli/greet.c <<'C'
/* `isolab greet`: the simplest command. */
#include "base/print.h"
#include "cli/command.h"

typedef struct values {
    const char *whom;
} values;

static int run(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    (void)cli, (void)n, (void)operands;
    iso_say(stdout, "hello, %s\n", v->whom);
    return ISOLAB_OK;
}

const iso_command iso_command_greet = {
    .summary = "says hello",
    .size = sizeof(values),
    .options = (const iso_option[]){
        {ISO_TEXT("whom", "stranger", "whom to greet"), .letter = 'w', ISO_TO(values, whom)}, ISO_END},
    .run = run,
};
C
echo 'FORMAT(names)' >>formats/formats.def
echo 'CHECKER(yes)' >>checkers/checkers.def
echo 'CHECKER(no)' >>checkers/checkers.def
echo 'COMMAND(greet)' >>cli/commands.def
git add -A -f -N formats checkers cli
same "checkers/checkers.def checkers/no/no.c checkers/no/no.h checkers/no/summary.c checkers/yes.c cli/commands.def cli/greet.c formats/formats.def formats/names.c" \
    "$(git diff --name-only | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" "a file or a folder, and one line for each"
same 4 "$(git diff --numstat -- '*.def' | awk '{ n += $1 + $2 } END { print n }')" "four lines in the tables"
# The skeletons become a checker, a format, a database and a workload in the same way.
skeleton() { # FILE FOLDER TABLE LINE
    sed 's/skeleton/mine/g' "$root/examples/$1" >"$2/mine.c"
    echo "$4(mine)" >>"$2/$3"
}
skeleton skeleton.c checkers checkers.def CHECKER
skeleton skeleton_format.c formats formats.def FORMAT
skeleton skeleton_collector.c collectors collectors.def COLLECTOR
skeleton skeleton_workload.c generators generators.def GENERATOR
extra=""
nm "$BUILD/libisolab.a" 2>/dev/null | grep -q __asan_init && extra="EXTRA=-fsanitize=address,undefined -fno-sanitize-recover=all"
# What is printed must be escaped: the functions that do not escape are no functions here.
cp cli/greet.c "$tmp/greet.c"
sed -i 's/iso_say(stdout, /printf(/' cli/greet.c
t 2 "a command that prints past the writers does not build" make "B=$b" ${extra:+"$extra"} "$b/cli/greet.o"
err_like 'iso_say\(\) or iso_print\(\) of base/print.h, which escape'
mv "$tmp/greet.c" cli/greet.c
t 0 "the tree with a new checker builds" make -j2 "B=$b" ${extra:+"$extra"} "$b/isolab"
t 0 "the new format is listed" "$b/isolab" list formats
out_like '^names +keys, one a line \(read only\)'
t 0 "the new checker is listed" "$b/isolab" list checkers
out_like '^yes +says yes'
out_like '^no +knows nothing'
t 0 "the new command is in the help" "$b/isolab" help
out_like '^  greet +says hello'
printf 'N\nx\ny\n' >"$tmp/h"
t 0 "the new checker answers about the new format, which is detected" "$b/isolab" check -c yes -l ser "$tmp/h"
out_like 'h: satisfied ser'
t 70 "a checker that says no verdict is wrong, and satisfies nothing" "$b/isolab" check -c yes -l ser --option quiet=yes "$tmp/h"
err_like 'checker yes ended without a verdict'
out_is ''
t 70 "a checker that is wrong is found by the others" "$b/isolab" check -c all -l ser tests/cli/golden/fractured.txt
err_like 'the checkers disagree'
t 70 "on the ladder too" "$b/isolab" check -c all --json tests/cli/golden/fractured.txt
same false "$(jq .agree "$tmp/out")" "and in the JSON"
t 0 "the new command runs" "$b/isolab" greet --whom world
out_is 'hello, world'
t 0 "the completion knows the new checker" "$b/isolab" completion bash
out_like 'greet'
t 0 "and is in the manual" "$b/isolab" man
out_like 'isolab greet'
t 0 "the skeleton agrees with the definition" "$b/isolab" referee --checkers brute,mine -l ra --random --count 3000 --out mine --json
same "true" "$(jq '.comparisons > 2000 and .questions[0].violated > 500 and .questions[0].satisfied > 500' "$tmp/out")" "on random histories of both kinds"
t 0 "and has a certificate" "$b/isolab" check -c mine -l ra --certificate "$tmp/proof" tests/histories/ra/causality-violation.txt
t 0 "the proof of the new checker is valid" "$BUILD/isolab-verify" tests/histories/ra/causality-violation.txt "$tmp/proof"
# The skeleton of a format: what it writes is detected, and is the same history again.
t 65 "the skeleton of a format loses nothing in silence" "$b/isolab" convert tests/histories/si/write-skew.txt "$tmp/skew.mine"
err_like 'format mine cannot hold 2 strings, 4 names'
t 0 "it writes" "$b/isolab" convert --lossy tests/histories/si/write-skew.txt "$tmp/skew.mine"
t 1 "which is detected, and has the same verdict" "$b/isolab" check -l ser "$tmp/skew.mine"
t 0 "and at the weaker level, too" "$b/isolab" check -l si "$tmp/skew.mine"
printf 'session,transaction,operation,key,value\n0,0,w,1,1\n0,0,x,1,2\n' >"$tmp/bad.mine"
t 65 "a malformed row" "$b/isolab" check "$tmp/bad.mine"
err_like 'line 3: byte [0-9]+: expected r or w, and a comma, found .x.' "is named with its place"
# The skeleton of a workload: the seed decides what the clients ask for, and the store keeps its level.
t 0 "the skeleton of a workload generates" "$b/isolab" generate mine --level si --txns 300 --hot 0.8 --seed 5 -o "$tmp/hot1.jsonl"
"$b/isolab" generate mine --level si --txns 300 --hot 0.8 --seed 5 -o "$tmp/hot2.jsonl" && cmp -s "$tmp/hot1.jsonl" "$tmp/hot2.jsonl"
ok $? "the same history from the same seed"
t 0 "which has the level of the store" "$b/isolab" check -l si "$tmp/hot1.jsonl"
# The skeleton of a database: its scripts show what each of its levels does, and its recordings keep what it promises.
t 0 "the skeleton of a database keeps its promises in scripts" "$b/isolab" hermitage mine
out_like '^G2-item +ser +refused +allowed' "write skew is refused at one level and happens at the other"
out_like '^G1a +rc +prevented +prevented' "no uncommitted value is read at either"
"$b/isolab" hermitage mine >"$tmp/again" && cmp -s "$tmp/out" "$tmp/again"
ok $? "and so is every answer when they are played again"
t 0 "it is recorded, by the new workload" "$b/isolab" collect mine -w mine --keys 4 --txns 300 --sessions 4 --aborts 0.1 -o "$tmp/mine.jsonl"
t 0 "and is what it promises" "$b/isolab" check -l sser "$tmp/mine.jsonl"
# A level is one row: rc with session order. The program below knows its definition by itself (docs/levels.md).
awk '{ print } /ISO_RULES_SSER}/ {
    print "    {\"rcs\", \"read committed with session order\", \"rc-sessions\", \"As rc, and nothing older than the session.\","
    print "     ISO_RULES_RC | ISO_SEES_SESSION}," }' history/level.c >"$tmp/level.c"
cp "$tmp/level.c" history/level.c
same 2 "$(git diff --numstat -- history/level.c | cut -f 1)" "a level is one row"
t 0 "the tree with a new level builds" make -j2 "B=$b" ${extra:+"$extra"} "$b/isolab" "$b/isolab-verify"
cp "$root/examples/skeleton.py" "$tmp/skeleton.py"
cat >"$tmp/rcs.py" <<'PY'
#!/usr/bin/env python3
import sys
import skeleton as s


def check_rcs(txns):
    writer, keys = s.writers_of(txns)
    committed = [txn.get("status", "committed") != "aborted" for txn in txns]
    edges, earlier = set(), {}
    for t, txn in enumerate(txns):
        if not committed[t]:
            continue
        before = earlier.setdefault(txn["session"], [])
        sees = set(before)
        edges |= {(u, t) for u in before}
        for key, source in s.reads_of(t, txn, writer, committed):
            for other in sees - {source}:
                if key in keys[other]:
                    if source == s.INIT:
                        raise s.Violated("an initial value is read too late")
                    edges.add((other, source))
            sees |= {source} - {s.INIT}
            edges |= {(source, t)} if source != s.INIT else set()
        before.append(t)
    if s.has_cycle(len(txns), edges):
        raise s.Violated("no order of the transactions is possible")


s.CHECKS["rcs"] = check_rcs
s.main(sys.argv[1], sys.argv[2:])
PY
chmod +x "$tmp/rcs.py"
sed 's/skeleton/rcs/g; s/^levels = .*/levels = rcs/' "$root/examples/skeleton.adapters" >"$tmp/rcs.adapters"
t 0 "every checker that decides the new level agrees with its definition" "$b/isolab" referee --checkers brute,sat,ext:rcs --adapters "$tmp/rcs.adapters" \
    -l rcs --random --count 1500 --out rcs --json
same "true" "$(jq '.comparisons == 1500 and .questions[0].violated > 300 and .questions[0].satisfied > 300' "$tmp/out")" "on random histories of both kinds"
printf 'session A\nt1 commit: w x 1\nt2 commit: r x nil\n' >"$tmp/older"
t 1 "every checker decides the new level or refuses it" "$b/isolab" check -l rcs -c all "$tmp/older"
for c in awdit plume naive candidates strong mtc dbcop; do
    t 2 "$c refuses a level that it was not made for" "$b/isolab" check -l rcs -c $c "$tmp/older"
    out_like "checker $c does not support level rcs"
done
t 1 "a violation has a certificate" "$b/isolab" check -l rcs -c sat --certificate "$tmp/proof" "$tmp/older"
t 0 "which the verifier understands by the rules of the row" "$b/isolab-verify" "$tmp/older" "$tmp/proof"
printf 'session A\nt1 commit: w x 1, w y 1\nt2 commit: w x 2\nsession B\nt3 commit: r y 1, r x 2\n' >"$tmp/newer"
t 0 "so has satisfaction" "$b/isolab" check -l rcs --certificate "$tmp/proof" "$tmp/newer"
out_like '; evidence (at least )?[1-9]'
t 0 "which is verified, too" "$b/isolab-verify" "$tmp/newer" "$tmp/proof"
t 1 "the ladder has the new level" "$b/isolab" check "$tmp/older"
out_like "NO +violated rcs"
same violated "$("$b/isolab" check --json "$tmp/older" | jq -r '.ladder[] | select(.level == "rcs") | .verdict')" "in JSON, too"
t 0 "the include rules hold" perl tests/cli/includes.t
finish
