#!/bin/sh
# Which small changes of the sources do the tests notice? Makes mutants of C files (tools/mutants.pl), compiles each, runs the
# tests that concern it, and lists the mutants that all tests let pass.
#
#     mutate.sh [OPTION...] FILE|FOLDER...
#         -t TESTS     tests to run, in this order, instead of the ones that concern the file: 'unit/history_join cli/check.t'
#         -n N         a sample of N mutants
#         -s SEED      ... of another seed than 1
#         -f WORD      only mutants of the function WORD
#         -k FILE      mutants known to change nothing (tests/mutants/equivalent.tsv); -k '' for none
#         -o FOLDER    leave results.tsv there: a line for each mutant
#         -l           list the mutants, and run nothing
#         -c           only compare the list of known mutants with the sources
#
# All happens in a copy of the tree in a temporary folder. Each test program is linked once, with the files that are mutated in
# a shared library of their own: a mutant costs a compilation of one file, a link of a few, and tests until the first that
# fails. A test may take twice its usual processor time and five seconds; a mutant that takes longer is killed, as is one that crashes.
# Mutants whose object code is that of the original, or of an earlier mutant, are not run.
#
# A known mutant stands in a list by its content: file, function, the lines before and after, and the reason why it changes nothing
# but speed. Entries that fit no mutant any more are reported as stale. Exit status: 0 when nothing survived that is not known.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tab=$(printf '\t')
tests= sample= seed=1 function= known=$root/tests/mutants/equivalent.tsv out= mode=run
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 64; }
while getopts t:n:s:f:k:o:lc option; do
    case $option in
    t) tests=$OPTARG ;;
    n) sample=$OPTARG ;;
    s) seed=$OPTARG ;;
    f) function=$OPTARG ;;
    k) known=${OPTARG:-/dev/null} ;;
    o) out=$OPTARG ;;
    l) mode=list ;;
    c) mode=check ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

# The tests that concern a file: the ones that notice most in the shortest time come first.
tests_of() {
    [ -z "$tests" ] || { echo "$tests" && return; }
    seen=
    case $1 in
    verify/main.c) echo cli/verify.t cli/claims.t ;;
    verify/*)
        case $1 in
        verify/proof.c | verify/axiom.c) first="unit/verify_rules unit/verify_refusals" ;;
        verify/clauses.c) first="unit/verify_proof unit/verify_commits" ;;
        verify/edges.c | verify/lists.c) first="unit/verify_offences unit/verify_edges" ;;
        verify/order.c | verify/causal.c | verify/reads.c) first="unit/verify_order" ;;
        *) first="unit/verify_refusals" ;;
        esac
        for test in $first unit/verify_refusals unit/verify_large unit/verify_order unit/verify_offences unit/verify_edges \
            unit/verify_rules unit/verify_proof unit/verify_commits exhaustive/closure exhaustive/clauses cli/claims.t \
            cli/verify.t all:unit/verify_order all:unit/verify_rules; do
            case " $seen " in *" $test "*) ;; *) seen="$seen $test" && echo "$test" ;; esac
        done
        ;;
    history/*)
        name=${1#history/}
        [ ! -f "tests/unit/history_${name%.c}.c" ] || echo "unit/history_${name%.c}"
        echo unit/history_builder unit/history_join unit/history_read_consistency unit/history_lists unit/checkers_histories \
            exhaustive/everyone unit/formats_round_trip
        ;;
    checkers/awdit/*) echo unit/awdit unit/awdit_witness unit/checkers_histories ;;
    checkers/plume/*) echo exhaustive/plume unit/plume_patterns unit/checkers_histories ;;
    checkers/strong/*) echo unit/strong unit/strong_execution unit/checkers_histories exhaustive/names ;;
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
        files="$files $(find "${path%/}" -name '*.c' | sort)"
    else
        files="$files $path"
    fi
done

mkdir "$work/mutants"
perl tools/mutants.pl "$work/mutants" $files >"$work/all"

# ---- known mutants ----

grep -v '^#' "$known" >"$work/known" || true
awk -F '\t' -v work="$work" -v files=" $files " '
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
    awk -F '\t' -v f="$function" '$4 == f' "$work/open" >"$work/some"
    mv "$work/some" "$work/open"
fi
if [ -n "$sample" ]; then
    awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' "$work/open" | sort -n | head -n "$sample" |
        cut -f 2- | sort -n >"$work/some"
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
all_tests=
for file in $files; do
    for test in $(tests_of "$file"); do
        case " $all_tests " in *" $test "*) ;; *) all_tests="$all_tests $test" ;; esac
    done
done
programs=$(for test in $all_tests; do test=${test#all:}; case $test in *.t) echo build/isolab build/isolab-verify ;; *) echo "build/tests/$test" ;; esac; done | sort -u)
build() {
    make -s LDFLAGS="-pthread -Wl,--no-as-needed,--allow-shlib-undefined $work/libmutant.so -Wl,-rpath,$work" $programs >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 70; }
}
compile() { gcc -std=gnu11 -O1 -w -fPIC -I. -pthread -c "$1" -o "$2" 2>/dev/null; }
objects=
for file in $files; do
    object=$work/$(echo "${file%.c}" | tr / _).o
    compile "$file" "$object" || { echo "mutate.sh: cannot compile $file" >&2; exit 70; }
    objects="$objects $object"
done
gcc -shared -o "$work/libmutant.so" $objects
build
for file in $files; do # the programs take these from the library alone
    echo | gcc -x c -c -o "build/${file%.c}.o" -
    mkdir -p "$work/original/${file%/*}"
    cp "$file" "$work/original/$file"
done
rm -f $programs
build

# ---- one mutant ----

run() { # TEST SECONDS
    name=${1#all:}
    case $name in *.t) program=tests/$name ;; *) program=build/tests/$name ;; esac
    (
        ulimit -t "$2" && ulimit -v 8000000 && ulimit -c 0
        [ "$name" != "$1" ] || export ISOLAB_QUICK=1
        ISOLAB_SEED=1 BUILD=build timeout -k 1 $(($2 * 20)) "$program"
    ) >"$work/output" 2>&1
}

used() { times >"$work/times" && awk 'NR == 2 { split($1, a, /[ms]/); print 60 * a[1] + a[2] }' "$work/times"; } # by children
for test in $all_tests; do
    used >"$work/before"
    run "$test" 600 || { echo "mutate.sh: $test fails without any change:" >&2; tail -5 "$work/output" >&2; exit 70; }
    used >"$work/after" # not in a pipe, which would count the pipe's own
    paste "$work/before" "$work/after" | awk -v test="$test" '{ print test, int(2 * ($2 - $1)) + 5 }' >>"$work/limits"
done

# Sets verdict and by.
judge() { # NUMBER FILE
    by=-
    cp "$work/mutants/$1.c" "$2"
    object=$work/$(echo "${2%.c}" | tr / _).o
    if ! compile "$2" "$work/mutant.o"; then
        verdict='does not compile'
    elif cmp -s "$work/mutant.o" "$object"; then
        verdict='same code'
    elif code=$(sha256sum <"$work/mutant.o") && grep -qxF "$code" "$work/seen"; then
        verdict=duplicate
    else
        echo "$code" >>"$work/seen"
        gcc -shared -o "$work/libmutant.so" "$work/mutant.o" $(for o in $objects; do [ "$o" = "$object" ] || echo "$o"; done)
        verdict=survived
        for by in $(tests_of "$2"); do
            status=0
            run "$by" "$(awk -v t="$by" '$1 == t { print $2 }' "$work/limits")" || status=$?
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
while IFS=$tab read -r number file line function was became; do
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
