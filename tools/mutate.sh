#!/bin/sh
# Which small changes of the sources do the tests notice? Makes mutants of C files (tools/mutants.pl), compiles each, runs the
# tests that concern it, and lists the mutants that all tests let pass.
#
#     mutate.sh [OPTION...] FILE|FOLDER...      a FILE.inc is compiled with the C file that includes it
#         -t TESTS     tests to run, in this order, instead of the tests that concern the file: 'unit/history_join cli/check.t'; each with
#                      few random rounds, except all:unit/history_join; asan:unit/history_join has the changed file under the address sanitizer
#         -n N         a sample of N mutants
#         -s SEED      ... of another seed than 1
#         -f WORDS     only mutants of the functions WORDS: 'one|other'
#         -r FILE      only mutants that survived in these results: what tests written since notice
#         -k FILE      mutants known to change nothing (tests/mutants/equivalent.tsv); -k '' for none
#         -o FOLDER    leave results.tsv there: a line for each mutant; a run that was ended goes on from results.tsv.part
#         -l           list the mutants, and run nothing
#         -c           only compare the list of known mutants with the sources
#
# All happens in a copy of the tree in a temporary folder. Each test program is linked once, with the files that are mutated in
# a shared library of their own: a mutant costs a compilation of one file, a link of a few, and tests until the first that
# fails. A test may take three times its usual processor time and two seconds; a mutant that takes longer is killed, as is one that crashes.
# Mutants whose object code is that of the original, or of an earlier mutant, are not run.
#
# A known mutant is in a list by its content: file, function, the lines before and after, and the reason why it changes nothing
# but speed. Entries that fit no mutant any more are reported as stale. Exit status: 0 when nothing survived that is not known.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tab=$(printf '\t')
tests= sample= seed=1 function= again= known=$root/tests/mutants/equivalent.tsv out= mode=run
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 64; }
while getopts t:n:s:f:r:k:o:lc option; do
    case $option in
    t) tests=$OPTARG ;;
    n) sample=$OPTARG ;;
    s) seed=$OPTARG ;;
    f) function=$OPTARG ;;
    r) again=$(realpath "$OPTARG") ;;
    k) known=${OPTARG:-/dev/null} ;;
    o) out=$OPTARG ;;
    l) mode=list ;;
    c) mode=check ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

# The tests that concern a file: tests that take milliseconds first, the address sanitizer last.
tests_of() {
    [ -z "$tests" ] || { echo "$tests" && return; }
    case $1 in
    verify/explain.c) echo unit/verify_case unit/verify_explain cli/verify.t ;;
    verify/case.c) echo unit/verify_case asan:unit/verify_case unit/verify_explain ;;
    verify/main.c) echo cli/verify.t cli/claims.t cli/initial.t ;;
    verify/*)
        echo unit/verify_refusals unit/verify_case unit/verify_order unit/verify_large unit/verify_proof unit/verify_commits exhaustive/closure
        case $1 in
        verify/edges.c | verify/lists.c) echo unit/verify_offences unit/verify_edges unit/verify_rules ;;
        *) echo unit/verify_rules unit/verify_edges unit/verify_offences ;;
        esac
        echo exhaustive/clauses asan:unit/verify_large asan:unit/verify_refusals
        ;;
    history/about.c) echo unit/history_about unit/reductions_problems asan:unit/history_about ;;
    history/clock.c) echo unit/history_clock asan:unit/history_clock cli/clock.t ;;
    history/initial_value.c) echo unit/history_initial_number asan:unit/history_initial_number ;;
    history/suspect*) echo unit/history_suspect asan:unit/history_suspect cli/suspect.t ;;
    history/*)
        case $1 in
        */rest.c | */copy.c) echo unit/history_copy unit/further ;;
        */resolve.c) echo exhaustive/negations ;;
        */history.c) echo unit/history_names unit/explain_story ;;
        esac
        echo unit/history_builder unit/history_copy unit/history_equal unit/history_level unit/history_text unit/history_initial unit/history_lists \
            unit/history_read_consistency unit/checkers_histories unit/history_join unit/library_calls unit/formats_round_trip unit/formats_ilb unit/verify_refusals exhaustive/levels \
            exhaustive/everyone asan:unit/history_builder asan:unit/history_initial asan:unit/history_lists \
            asan:unit/checkers_histories
        ;;
    checkers/awdit/*)
        case $1 in */sieve*) echo unit/awdit_sieve ;; esac
        case $1 in */cc.c | */clock.inc) echo unit/awdit_strands asan:unit/awdit_strands ;; esac
        echo unit/checkers_histories unit/awdit_witness exhaustive/agree exhaustive/patterns unit/awdit asan:unit/checkers_histories \
            asan:unit/awdit_witness
        ;;
    checkers/plume/*)
        echo unit/checkers_histories unit/plume_patterns unit/plume_shortest exhaustive/patterns exhaustive/plume asan:unit/checkers_histories \
            asan:exhaustive/patterns
        ;;
    checkers/strong/*)
        case $1 in
        */keys.c) echo unit/linear ;;
        */frugal.c) echo unit/anneal_frugal ;;
        */cool.c | */beam.c) echo unit/anneal ;;
        */direct.c) echo unit/strong_shortest ;;
        esac
        echo unit/strong_saturate unit/strong_orders unit/checkers_histories unit/strong_repair unit/strong_execution exhaustive/names exhaustive/everyone unit/strong \
            asan:unit/checkers_histories asan:unit/strong_execution
        ;;
    checkers/mtc/mini.c) echo unit/mtc_mini asan:unit/mtc_mini ;;
    checkers/mtc/*)
        echo unit/mtc_shortest unit/mtc_mini exhaustive/mtc unit/checkers_histories exhaustive/names unit/linear asan:exhaustive/mtc \
            asan:unit/mtc_shortest
        ;;
    checkers/candidates/*)
        echo unit/candidates_parts unit/candidates_narrow unit/candidates unit/checkers_histories exhaustive/everyone exhaustive/names \
            asan:unit/candidates_parts asan:unit/candidates
        ;;
    linear/*) echo unit/linear unit/checkers_histories exhaustive/everyone asan:unit/linear ;;
    *)
        echo "mutate.sh: no tests are known for $1: name some with -t" >&2
        exit 64
        ;;
    esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
[ -f "$known" ] || known=/dev/null
[ -z "$out" ] || { mkdir -p "$out" && out=$(cd "$out" && pwd); }

cd "$root"
files=
for path; do
    [ -e "$path" ] || { echo "mutate.sh: there is no $path" >&2 && exit 64; }
    path=${path#"$root"/}
    if [ -d "$path" ]; then
        files="$files $(find "${path%/}" '(' -name '*.c' -o -name '*.inc' ')' | sort)"
    else
        files="$files $path"
    fi
done

mkdir "$work/mutants" "$work/sanitized"
perl tools/mutants.pl "$work/mutants" $files >"$work/all"

# ---- known mutants ----

grep -v '^#' "$known" >"$work/known" || true
awk -F '\t' -v work="$work" -v files=" $(echo $files) " '
    BEGIN { printf "" >(work "/open"); printf "" >(work "/stale") }
    FILENAME == ARGV[1] { key = $1 FS $2 FS $3 FS $4; entry[key] = $0; next }
    { key = $2 FS $4 FS $5 FS $6 }
    key in entry { met[key] = 1; n_known++; next }
    { print >(work "/open") }
    END {
        for (key in entry) {
            split(key, part, FS)
            if (!(key in met) && index(files, " " part[1] " ")) print entry[key] >(work "/stale")
        }
        print n_known + 0 >(work "/n_known")
    }' "$work/known" "$work/all"
n_known=$(cat "$work/n_known")
if [ -s "$work/stale" ]; then
    echo "stale entries of ${known#"$root"/}:"
    cat "$work/stale"
fi
if [ $mode = check ]; then
    echo "$n_known known mutants, $(wc -l <"$work/stale") stale entries"
    [ ! -s "$work/stale" ]
    exit
fi
if [ -n "$function" ]; then
    awk -F '\t' -v f="^($function)$" '$4 ~ f' "$work/open" >"$work/some"
    mv "$work/some" "$work/open"
fi
if [ -n "$again" ]; then
    awk -F '\t' 'FILENAME == ARGV[1] { if ($1 == "survived") survived[$3, $5, $6, $7]; next } ($2, $4, $5, $6) in survived' \
        "$again" "$work/open" >"$work/some"
    mv "$work/some" "$work/open"
fi
if [ -n "$sample" ]; then
    awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' "$work/open" | sort -n | head -n "$sample" |
        cut -f 2- >"$work/some" # in random order: what was judged when a run is ended is a sample, too
    mv "$work/some" "$work/open"
fi
if [ $mode = list ]; then
    cut -f 2- "$work/open"
    exit
fi

# ---- the copy, built, with the files in a library ----

tree=$work/tree
mkdir "$tree"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$tree"
cd "$tree"
# A block of memory then ends where its bytes end, so that a changed file under the address sanitizer cannot overrun it unseen.
sed -i '1i #define __SANITIZE_ADDRESS__ 1' base/env.c
all_tests=
for file in $files; do
    for test in $(tests_of "$file"); do
        case " $all_tests " in *" $test "*) ;; *) all_tests="$all_tests $test" ;; esac
    done
done
programs=$(for test in $all_tests; do test=${test#*:}; case $test in *.t) echo build/isolab build/isolab-verify ;; *) echo "build/tests/$test" ;; esac; done | sort -u)
build() {
    make -s LDFLAGS="-pthread -Wl,--no-as-needed,--allow-shlib-undefined $work/libmutant.so -Wl,-rpath,$work" $programs >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 70; }
}
compile() { gcc -std=gnu11 -O1 -w -fPIC -I. -pthread ${3:-} -c "$1" -o "$2" 2>/dev/null; }
library() { # FOLDER FLAG [OBJECT]: with this one instead of $object
    gcc -shared $2 -Wl,-soname,libmutant.so -o "$1/libmutant.so" ${3:+"$3"} $(for o in $objects; do [ -n "${3:-}" ] && [ "$o" = "$object" ] || echo "$o"; done)
}
unit_of() { # FILE: the C file that is compiled for it
    case $1 in
    *.inc) grep -lF "#include \"$1\"" "${1%/*}"/*.c ;;
    *) echo "$1" ;;
    esac
}
object_of() { echo "$work/$(echo "${1%.c}" | tr / _).o"; } # UNIT
units=$(for file in $files; do unit_of "$file"; done | sort -u)
objects=
for unit in $units; do
    compile "$unit" "$(object_of "$unit")" || { echo "mutate.sh: cannot compile $unit" >&2; exit 70; }
    objects="$objects $(object_of "$unit")"
done
library "$work" ''
build
for unit in $units; do # the programs take these from the library alone
    echo | gcc -x c -c -o "build/${unit%.c}.o" -
done
for file in $files; do
    mkdir -p "$work/original/${file%/*}"
    cp "$file" "$work/original/$file"
done
rm -f $programs
build

# ---- one mutant ----

asan=$(gcc -print-file-name=libasan.so)
run() { # TEST SECONDS FILE
    name=${1#*:}
    case $name in *.t) program=tests/$name ;; *) program=build/tests/$name ;; esac
    case $1 in asan:*)
        [ -e "$work/sanitized.o" ] || compile "$3" "$work/sanitized.o" -fsanitize=address || return 70
        library "$work/sanitized" -fsanitize=address "$work/sanitized.o"
        ;;
    esac
    (
        ulimit -t "$2" && ulimit -c 0
        case $1 in
        asan:*) export ISOLAB_QUICK=1 LD_LIBRARY_PATH="$work/sanitized" LD_PRELOAD="$asan" ASAN_OPTIONS=detect_leaks=0 ;;
        all:*) ulimit -v 8000000 ;;
        *) ulimit -v 8000000 && export ISOLAB_QUICK=1 ;;
        esac
        ISOLAB_SEED=1 BUILD=build timeout -k 1 $(($2 * 60)) "$program" || exit # the shell here, whose words are in a file, says how it was killed
    ) >"$work/output" 2>&1
}

unit=$(unit_of "$file") # of the last file: the tests below run without any change of it
object=$(object_of "$unit")
used() { times >"$work/times" && awk 'NR == 2 { split($1, a, /[ms]/); print 60 * a[1] + a[2] }' "$work/times"; } # by children
for test in $all_tests; do
    used >"$work/before"
    run "$test" 600 "$unit" || { echo "mutate.sh: $test fails without any change:" >&2; tail -5 "$work/output" >&2; exit 70; }
    used >"$work/after" # not in a pipe, which would count the pipe's own
    paste "$work/before" "$work/after" | awk -v test="$test" '{ print test, int(3 * ($2 - $1)) + 2 }' >>"$work/limits"
done

# Sets verdict and by.
judge() { # NUMBER FILE
    by=-
    rm -f "$work/sanitized.o"
    cp "$work/mutants/$1.c" "$2"
    unit=$(unit_of "$2")
    object=$(object_of "$unit")
    if ! compile "$unit" "$work/mutant.o"; then
        verdict='does not compile'
    elif cmp -s "$work/mutant.o" "$object"; then
        verdict='same code'
    elif code=$(sha256sum <"$work/mutant.o") && grep -qxF "$code" "$work/seen"; then
        verdict=duplicate
    else
        echo "$code" >>"$work/seen"
        library "$work" '' "$work/mutant.o"
        verdict=survived
        for by in $(tests_of "$2"); do
            status=0
            run "$by" "$(awk -v t="$by" '$1 == t { print $2 }' "$work/limits")" "$unit" || status=$?
            case $status in
            0) continue ;;
            124 | 137 | 152) verdict='timed out' ;;
            *) verdict=killed ;;
            esac
            break
        done
    fi
    cp "$work/original/$2" "$2"
}

: >"$work/seen"
: >"$work/results"
[ -z "$out" ] || [ ! -f "$out/results.tsv.part" ] || cp "$out/results.tsv.part" "$work/results"
cut -f 3- "$work/results" >"$work/judged"
while IFS=$tab read -r number file line function was became; do
    ! grep -qxF "$file$tab$line$tab$function$tab$was$tab$became" "$work/judged" || continue
    judge "$number" "$file" </dev/null
    [ "$verdict" != survived ] || by=-
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$verdict" "$by" "$file" "$line" "$function" "$was" "$became" >>"$work/results"
    [ -z "$out" ] || tail -n 1 "$work/results" >>"$out/results.tsv.part"
    [ "$verdict" != survived ] || printf '%s\t%s\t%s\t%s\t%s\n' "$file" "$line" "$function" "$was" "$became"
done <"$work/open"
[ -z "$out" ] || mv "$out/results.tsv.part" "$out/results.tsv"

format='%-28s %8s %8s %8s %10s %10s %10s %8s\n'
printf "$format" file killed '(slow)' survived 'same code' duplicate 'no program' score
awk -F '\t' -v format="$format" '
    { n[$3, $1]++; n["together", $1]++; files[$3] = files["together"] = 1 }
    END {
        for (f in files) {
            killed = n[f, "killed"] + n[f, "timed out"]
            all = killed + n[f, "survived"]
            printf format, f, killed, n[f, "timed out"] + 0, n[f, "survived"] + 0, n[f, "same code"] + 0, n[f, "duplicate"] + 0,
                n[f, "does not compile"] + 0, all == 0 ? "-" : sprintf("%.1f %%", 100 * killed / all)
        }
    }' "$work/results" | sed 's/^together/~&/' | LC_ALL=C sort | sed 's/^~//'
echo "$n_known mutants known to change nothing were left out"
! grep -q '^survived' "$work/results"
