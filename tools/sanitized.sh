#!/bin/sh
# Runs test programs that were built with sanitizers. Usage: tools/sanitized.sh BUILD PROGRAM...   (make asan)
# Leaks are looked for where the system lets LeakSanitizer trace its own process (some containers do not).
set -eu
build=$1
shift
probe=$build/tests/unit/base_libraries
case $("$probe" 2>&1 || true) in
*"LeakSanitizer has encountered a fatal error"*)
    echo "LeakSanitizer cannot work on this system: running without it"
    export ASAN_OPTIONS=detect_leaks=0
    ;;
esac
ISOLAB_QUICK=1 BUILD=$build exec tools/run-tests.pl -j"$(nproc)" "$@"
