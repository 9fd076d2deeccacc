# For the commands of the artifacts: `. ../common.sh` gives suite and plot. Results and pictures go to $OUT (build/paper),
# one file of results and one folder of pictures an artifact. What was measured before is not measured again.
#
# SCALE is smoke (five minutes for all papers), paper (an hour) or full (the papers' sizes). SECONDS_EACH bounds a suite;
# what is not measured by then is measured by the next run. ENGINE has the words after `bench --engine`, for a cluster or for all
# processors: ENGINE=parallel, ENGINE="slurm --wait". HISTORIES names the folder of the papers' real histories.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
name=$(basename "$here")
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
SCALE=${SCALE:-paper}
OUT=${OUT:-$BUILD/paper}
case $OUT in /*) ;; *) OUT=$root/$OUT ;; esac
case $SCALE in
smoke) SECONDS_EACH=${SECONDS_EACH:-30} ;;
paper) SECONDS_EACH=${SECONDS_EACH:-120} ;;
full) SECONDS_EACH=${SECONDS_EACH:-86400} ;;
*) echo "$0: SCALE is smoke, paper or full, not $SCALE" >&2 && exit 64 ;;
esac
if [ -n "${HISTORIES:-}" ]; then
    HISTORIES=$(cd "$HISTORIES" && pwd) || exit 74
    export HISTORIES
fi
PROGRAM=${PROGRAM:-$BUILD/isolab}
results=$OUT/$name.sqlite
mkdir -p "$OUT/$name"

# The baseline in answer-set programming, and the adapters of the user.
sed "s|^program = \./|program = $root/examples/|" "$root/examples/asp.adapters" | cat - ${ISOLAB_ADAPTERS:+"$ISOLAB_ADAPTERS"} >"$OUT/$name.adapters"
ISOLAB_ADAPTERS=$OUT/$name.adapters
export ISOLAB_ADAPTERS
suites=$(grep -cE '^([A-Z_]+=.* )?suite ' "$0")
step=0
unreadable= # suites of which a history could not be read

# A wrong verdict (1), a crash or the end of the time (2) is a result, and a claim fails by it. A given history that cannot be read (65)
# is left out, and the others are measured.
suite() { # FILE OPTIONS...
    file=$1
    shift
    step=$((step + 1))
    echo "== $name $step of $suites: $file ($SCALE, at most $SECONDS_EACH s)"
    status=0
    : >"$OUT/$name/begun"
    "$BUILD/isolab" bench -o "$results" --work "$OUT/histories" --scale "$SCALE" --program "$PROGRAM" \
        --timeout "$SECONDS_EACH" ${ENGINE:+--engine $ENGINE} "$@" "$here/$file" || status=$?
    if [ "$results" -nt "$OUT/$name/begun" ]; then # the load while it was measured
        cut -d' ' -f1 /proc/loadavg >>"$OUT/$name/load" 2>/dev/null || true
    fi
    [ "$status" -ne 65 ] || unreadable="${unreadable:+$unreadable }$file"
    [ "$status" -le 2 ] || [ "$status" -eq 65 ] || exit "$status"
}

form() { # FILE.FORM KIND OPTIONS...: one form of it, without the words on checkers that are left out
    to=$OUT/$name/$1
    kind=$2
    shift 2
    "$BUILD/isolab" plot "$kind" "$results" "$@" -o "$to" 2>"$to.err" || { cat "$to.err" >&2 && exit 74; }
    rm -f "$to.err"
}

plot() { # FILE KIND OPTIONS...: the picture in three forms, and its numbers; nothing if nothing was measured
    file=$1
    kind=$2
    shift 2
    if ! "$BUILD/isolab" plot "$kind" "$results" "$@" -o "$OUT/$name/$file.md" 2>"$OUT/$name/$file.why"; then
        echo "$name/$file: left out: $(head -n 1 "$OUT/$name/$file.why")"
        return
    fi
    sed -n 's/^isolab: left out: //p' "$OUT/$name/$file.why" | paste -sd ';' | sed 's/;/; /g' >"$OUT/$name/$file.absent"
    rm -f "$OUT/$name/$file.why"
    form "$file.csv" "$kind" "$@"
    form "$file.tex" "$kind" "$@"
    case $kind in table | matrix | verdicts | mean) return ;; esac
    if command -v gnuplot >/dev/null 2>&1; then
        for picture in svg pdf png; do
            form "$file.$picture" "$kind" "$@"
        done
    else
        echo "$file: no picture without gnuplot (tools/install-deps.sh bench)" >&2
    fi
}

print_page() { # as PDF, by what is installed
    rm -f "$OUT/$name.pdf"
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
    if command -v weasyprint >/dev/null 2>&1; then
        weasyprint -q "$OUT/$name.html" "$OUT/$name.pdf" || true
    elif [ -n "$browser" ]; then
        profile=$(mktemp -d)
        timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$profile" --no-pdf-header-footer \
            --print-to-pdf="$OUT/$name.pdf" "file://$OUT/$name.html" >/dev/null 2>&1 || true
        rm -rf "$profile"
    else
        echo "$name.pdf is left out: neither weasyprint nor chromium is installed"
        return 0
    fi
    [ -s "$OUT/$name.pdf" ] || echo "$name.pdf could not be printed"
}

about() { # what the page says first: the scale, what it leaves out, and the load of the machine
    all=$(grep -c "^| $name-[0-9]" "$here/claims.md")
    left=$(grep -c "^| $name-[0-9].*| paper |\$" "$here/claims.md")
    case $SCALE in
    smoke)
        echo "Scale smoke: every measurement once, on small histories, to see that everything works. $left of the $all claims"
        echo "are left out: those about times, growth, memory and published programs need larger histories. make paper (an"
        echo "hour) measures them."
        ;;
    paper) echo "Scale paper: an hour on two processors, with histories smaller than the paper's where it used days. All $all claims." ;;
    full) echo "Scale full: the paper's sizes, as far as this machine allows. All $all claims." ;;
    esac
    if [ -s "$OUT/$name/load" ]; then
        echo
        echo "Load of the machine after each suite: $(sort -n "$OUT/$name/load" | sed -n '1p;$p' | uniq | paste -sd ' ' | sed 's/ / to /')," \
            "on $(nproc) processors. Ratios and exponents need an idle machine: a load below 1."
    fi
}

finish() { # says how much rests on a proof, and where the results are
    "$BUILD/isolab" verify-results --histories "$OUT/histories" "$results" >"$OUT/$name/proofs.txt" || true
    tail -n +1 "$OUT/$name/proofs.txt" | head -n 30
    about >"$OUT/$name/about.txt"
    cp "$here/claims.md" "$OUT/$name/claims.md"
    [ ! -f "$root/docs/papers.md" ] || cp "$root/docs/papers.md" "$OUT/papers.md"
    only=
    [ "$SCALE" != smoke ] || only="--scale smoke" # the others are about larger histories
    "$BUILD/isolab" claims --results "$OUT" --to html -o "$OUT/$name.html" --allow-skipped $only "$here/claims.md" || true
    print_page
    [ -z "$unreadable" ] || echo "$name: histories of $unreadable could not be read (see above); they are left out"
    echo "The tables and pictures are in $OUT/$name, and beside the claims in $OUT/$name.html"
}
