#!/bin/sh
# The demo (`make demo`): a history from a serializable store, a copy with one value changed, and the ladder of
# levels for both. Leaves its files in build/demo. DEMO_MAKE: the command that builds isolab first.
set -eu
BUILD=${BUILD:-build}
isolab=$BUILD/isolab
out=$BUILD/demo
seed=${SEED:-1}
mkdir -p "$out"

say() { printf '\n%s\n' "$*"; }
show() {
    printf '\n  $ isolab %s\n' "$*" | sed "s,$out/,,g"
    status=0
    "$isolab" "$@" >"$out/answer" 2>&1 || status=$?
    sed "s/^/    /; s,$out/,,g" "$out/answer"
    [ "$status" -le 1 ] || exit "$status"
}

# Builds in one line. What make prints is shown only if it fails.
if [ -n "${DEMO_MAKE:-}" ]; then
    files=$(find . -name '*.c' ! -path './tests/*' ! -path "./$BUILD/*" | wc -l)
    printf 'building isolab, %s files of C (a minute on two processors) ... ' "$files"
    since=$(date +%s)
    $DEMO_MAKE >"$out/build.log" 2>&1 || {
        echo 'failed:'
        cat "$out/build.log"
        exit 1
    }
    echo "$(($(date +%s) - since)) s"
fi

say "isolab answers one question: does this history satisfy this isolation level?
A history is what the clients of a database saw: which values they read and wrote. First we need one. The built-in
generator runs 4 clients against a simulated store that is strictly serializable:"
show generate random --sessions 4 --txns 24 --keys 4 --ops 4 --reads 0.6 --level sser --seed "$seed" --to isolab -o "$out/good.txt"
# Names for people: transactions t1, t2, ... and keys a, b, c, d.
awk '/^session/ { print; next }
     { at = index($0, ":"); head = substr($0, 1, at - 1); n = split(substr($0, at + 1), op, /, */)
       for (i = 1; i <= n; i++) {
           split(op[i], w, " ")
           head = head (i == 1 ? ": " : ", ") w[1] " " substr("abcd", w[2] + 1, 1) " " w[3]
       }
       print "t" ++t " " head }' "$out/good.txt" >"$out/named" && mv "$out/named" "$out/good.txt"
say "We give its transactions and keys names. The first lines (w a 3 writes 3 to a, r a 3 reads it; @ are the times at
which a transaction began and ended):"
head -7 "$out/good.txt" | sed 's/^/    /'

say "Which levels does it satisfy? From the strongest to the weakest:"
show check --brief "$out/good.txt"

# One read is changed: of two reads that return values of one transaction, the first now returns the initial value,
# as if the reader had seen only half of that transaction.
awk -v broken="$out/broken.txt" '
    { line[NR] = $0 }
    function operations(text) { sub(/^[^:]*: */, "", text); return split(text, op, /, */) }
    / commit[^:]*:/ {
        n = operations($0)
        for (i = 1; i <= n; i++) if (split(op[i], w, " ") == 3 && w[1] == "w") writer[w[2] " " w[3]] = NR
    }
    END {
        for (l = 1; l <= NR && !done; l++) {
            if (line[l] !~ /commit[^:]*:/) continue
            n = operations(line[l])
            for (i = 1; i < n && !done; i++) for (j = i + 1; j <= n && !done; j++) {
                split(op[i], a, " "); split(op[j], b, " ")
                if (a[1] != "r" || b[1] != "r" || a[2] == b[2]) continue
                from = writer[a[2] " " a[3]]
                if (from == "" || from == l || from != writer[b[2] " " b[3]]) continue
                head = line[l]; sub(/:.*/, ":", head)
                op[i] = "r " a[2] " nil"
                for (k = 1; k <= n; k++) head = head (k == 1 ? " " : ", ") op[k]
                line[l] = head
                done = 1
            }
        }
        if (!done) exit 1
        for (l = 1; l <= NR; l++) print line[l] >broken
    }' "$out/good.txt" || {
    echo "demo.sh: no transaction reads twice from one writer; try another seed: SEED=2 make demo" >&2
    exit 1
}

say "Now we break a copy. Some transaction read two values that another one wrote. We change the first of them to the
initial value, as if the database had shown half of that transaction:"
{ diff "$out/good.txt" "$out/broken.txt" || true; } | sed -n 's/^</    before:/p; s/^>/    after: /p'
say "The same question again. What each transaction saw still makes sense by itself, so weak levels hold; the level
that forbids half-seen transactions, and all above it, do not. Below the levels: why."
show check --brief "$out/broken.txt"

say "The answer can be proved. The proof is a file, and isolab-verify, a small program that shares no code with the
checkers, checks it:"
show check --brief -l ra --certificate "$out/proof.txt" "$out/broken.txt"
if [ -s "$out/proof.txt" ]; then
    printf '\n  $ isolab-verify broken.txt proof.txt\n'
    "$BUILD/isolab-verify" "$out/broken.txt" "$out/proof.txt" | sed 's/^/    /'
fi
say "A real database now: SQLite, by four connections at once. With a write-ahead log it is serializable, and what was
recorded says so. With a shared cache and PRAGMA read_uncommitted, readers see what others have not committed:"
show collect sqlite --level wal --workload mini --keys 8 --sessions 4 --txns 400 --aborts 0.1 -o "$out/wal.jsonl"
show check --brief -l sser "$out/wal.jsonl"
weaker() { # DATABASE LEVEL CHECKED: records until the level is violated, at most thirty times, and shows the smallest counterexample
    file=$out/$1-$2.jsonl
    for try in $(seq 30); do
        "$isolab" collect "$1" --level "$2" --workload random --keys 6 --txns 500 --aborts 0.2 --pause 20 --seed "$try" -o "$file" 2>/dev/null || continue
        "$isolab" check -l "$3" "$file" >/dev/null || break
    done
    printf '\n  $ isolab collect %s --level %s --workload random --keys 6 --txns 500 --aborts 0.2 --pause 20 -o %s\n' "$1" "$2" "$1-$2.jsonl"
    show shrink --slice -l "$3" "$file" -o "$out/$1-small.txt"
    show check --brief -l "$3" "$out/$1-small.txt"
}
weaker sqlite read-uncommitted int
if "$isolab" list databases | grep -A1 '^rocksdb' | grep -q 'not available'; then
    say "(RocksDB is not installed: tools/install-deps.sh databases, then make demo again)"
else
    say "RocksDB without snapshots is read committed, and no snapshot isolation:"
    weaker rocksdb pessimistic si
fi

case $BUILD in
/*) where=$BUILD ;;
*) where=\$PWD/$BUILD ;;
esac
say "To go on, paste this; all commands above then work as they are printed:

    export PATH=$where:\$PATH; cd $out

    isolab check broken.txt                   # everything about the copy: each step of the reasons, where it is in the file
    isolab report -o page.html broken.txt     # the same as a page with pictures, for a browser
    isolab check YOUR-HISTORY                 # a log of your own: Jepsen's EDN, JSON lines and others (isolab list formats)
    isolab help                               # all commands

docs/record.md, beside README.md, says how to record a database or a program of yours."
