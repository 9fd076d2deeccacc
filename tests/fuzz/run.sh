#!/bin/sh
# Fuzzes every format of formats.def and the verifier of certificates, or replays where there is no libFuzzer. Called by
# `make fuzz` with the build folder. SECONDS_EACH (10): time for each fuzzer. Corpora start from tests/malformed and the
# folders of tests/fuzz, and grow in $BUILD/fuzz/corpus, so that a later run goes on. REPLAY=1 replays though there is a
# fuzzer. TARGETS: only those, by name.
set -eu
build=${1:-build/fuzz}
formats=$(sed -n 's/^FORMAT(\([a-z_]*\))$/\1/p' formats/formats.def)
targets=${TARGETS:-$formats certificate}
status=0
mkdir -p "$build/corpus"

# Whether a fuzzer can be built here, and the flags for it.
probe() {
    [ "${REPLAY:-}" != 1 ] || return 1
    command -v clang >/dev/null 2>&1 || return 1
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return b == 0 && n > 1; }' \
        >"$build/probe.c"
    clang -fsanitize=fuzzer,address,undefined "$build/probe.c" -o "$build/probe" >/dev/null 2>&1
}

verifier=$(ls verify/*.c | grep -v '/main\.c$')
sources="base/*.c history/*.c formats/*.c $verifier tests/equal.c tests/executions.c"
libraries="-lzstd -lz -llzma -lxxhash -lm -pthread"
if probe; then
    compiler="clang -DFUZZER -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
else
    echo "fuzz: no fuzzer (clang with libFuzzer: tools/install-deps.sh fuzz): replaying inputs, damaged at random"
    compiler="${CC:-gcc} -fsanitize=address,undefined -fno-sanitize-recover=all"
fi

# The library once, then each target.
for source in $sources; do
    object=$build/$(echo "${source%.c}" | tr / _).o
    case $compiler in
    clang*) clang -std=gnu11 -O1 -g -I. -DISOLAB_ASSERT -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
        -c "$source" -o "$object" ;;
    *) $compiler -std=gnu11 -O1 -g -I. -DISOLAB_ASSERT -c "$source" -o "$object" ;;
    esac
done
library="$build/base_*.o $build/history_*.o $build/formats_*.o"
for target in $targets; do
    name=$(echo "$target" | tr _ -)
    if [ "$target" = certificate ]; then
        $compiler -std=gnu11 -O1 -g -I. -DISOLAB_ASSERT tests/fuzz/certificate.c $library "$build"/verify_*.o "$build/tests_executions.o" \
            $libraries -o "$build/$target"
        seeds=tests/fuzz/certificates
    else
        $compiler -std=gnu11 -O1 -g -I. -DISOLAB_ASSERT -DFORMAT="$target" tests/fuzz/format.c tests/equal.c $library $libraries -o "$build/$target"
        seeds="tests/malformed/$name tests/fuzz/seeds"
    fi
    case $compiler in
    clang*)
        mkdir -p "$build/corpus/$target"
        find $seeds -type f 2>/dev/null | while read -r f; do
            cp "$f" "$build/corpus/$target/$(echo "$f" | tr / _)"
        done
        words=
        [ ! -e "tests/fuzz/$target.dict" ] || words=-dict=tests/fuzz/$target.dict
        if "$build/$target" $words -max_total_time="${SECONDS_EACH:-10}" -max_len=4096 -timeout=10 -verbosity=0 \
            -artifact_prefix="$build/$target-" "$build/corpus/$target" >"$build/$target.log" 2>&1; then
            echo "$name: nothing found in ${SECONDS_EACH:-10} s, $(ls "$build/corpus/$target" | wc -l) inputs kept"
        else
            echo "$name: FOUND something, see $build/$target.log"
            tail -5 "$build/$target.log"
            status=1
        fi
        ;;
    *) "$build/$target" $seeds || status=1 ;;
    esac
done
exit $status
