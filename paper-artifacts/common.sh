# For the commands of the artifacts: `. ../common.sh` gives suite and plot. Results and pictures go to $OUT (build/paper),
# one file of results and one folder of pictures an artifact. What was measured before is not measured again.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
name=$(basename "$here")
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
OUT=${OUT:-$BUILD/paper}
results=$OUT/$name.sqlite
mkdir -p "$OUT/$name"

# SECONDS_EACH bounds a suite; what is not measured by then is measured by the next run.
suite() { # FILE OPTIONS...: a wrong verdict (1) or a crash (2), or the end of the time (2), is a result, and a claim fails by it
    file=$1
    shift
    status=0
    "$BUILD/isolab" bench -o "$results" --work "$OUT/histories" --timeout "${SECONDS_EACH:-300}" "$@" "$here/$file" || status=$?
    [ "$status" -le 2 ] || exit "$status"
}

plot() { # FILE KIND OPTIONS...: the picture in three forms, and its numbers
    file=$1
    kind=$2
    shift 2
    "$BUILD/isolab" plot "$kind" "$results" "$@" -o "$OUT/$name/$file.md"
    "$BUILD/isolab" plot "$kind" "$results" "$@" -o "$OUT/$name/$file.csv"
    "$BUILD/isolab" plot "$kind" "$results" "$@" -o "$OUT/$name/$file.tex"
    case $kind in table | matrix | verdicts) return ;; esac
    if command -v gnuplot >/dev/null 2>&1; then
        for form in svg pdf png; do
            "$BUILD/isolab" plot "$kind" "$results" "$@" -o "$OUT/$name/$file.$form"
        done
    else
        echo "$file: no picture without gnuplot (tools/install-deps.sh bench)" >&2
    fi
}
