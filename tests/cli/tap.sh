# TAP for shell tests. Source it: `. "$(dirname "$0")/tap.sh"`. The programs are $isolab and $verify, $tmp is a
# folder that goes away. t STATUS NAME COMMAND... runs a command with its output in $tmp/out and $tmp/err.
root=$(cd "$(dirname "$0")/../.." && pwd)
[ -n "${ISOLAB_TESTS:-}" ] || exec "$root/tests/run" "$0" "$@"
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
isolab=$BUILD/isolab
verify=$BUILD/isolab-verify
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
n_tests=0
n_failed=0

ok() { # STATUS NAME
    n_tests=$((n_tests + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n_tests - $2"
    else
        n_failed=$((n_failed + 1))
        echo "not ok $n_tests - $2"
    fi
}

t() { # STATUS NAME COMMAND...
    expected=$1
    name=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" = "$expected" ]
    ok $? "$name"
    if [ "$got" != "$expected" ]; then
        echo "# $*: exit status $got instead of $expected"
        sed 's/^/# /' "$tmp/err" | head -5
    fi
}

same() { # EXPECTED GOT NAME
    [ "$1" = "$2" ]
    ok $? "$3"
    [ "$1" = "$2" ] || printf '%s\n' "expected: $1" "found: $2" | sed 's/^/# /' | head -20
}

only() { # PROGRAM...: prints a folder that has these programs alone, for a PATH that hides all others
    folder=$(mktemp -d "$tmp/only-XXXXXX")
    for program in "$@"; do
        ln -s "$(command -v "$program")" "$folder/"
    done
    echo "$folder"
}

out_is() { same "$1" "$(cat "$tmp/out")" "${2:-$name: its output}"; }
err_is() { same "$1" "$(cat "$tmp/err")" "${2:-$name: its errors}"; }
matches() { # REGEX FILE NAME
    grep -Eq -- "$1" "$2"
    found=$?
    ok $found "$3"
    [ $found = 0 ] || { echo "# expected: $1" && head -5 "$2" | sed 's/^/# /'; }
}
out_like() { matches "$1" "$tmp/out" "${2:-$name: its output}"; }
err_like() { matches "$1" "$tmp/err" "${2:-$name: its errors}"; }
skip() { # NAME WHY
    n_tests=$((n_tests + 1))
    echo "ok $n_tests - $1 # skip $2"
}
skip_all() {
    echo "1..0 # skip $1"
    exit 0
}

wait_for() { # COMMAND: at most two minutes, on a machine that is busy
    tries=0
    until eval "$1" >/dev/null 2>&1; do
        sleep 0.1
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || return 1
    done
}

finish() {
    echo "1..$n_tests"
    [ "$n_failed" = 0 ]
    exit
}
