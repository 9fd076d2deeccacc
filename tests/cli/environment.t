#!/bin/sh
# No test depends on who starts it: tests/run gives each the same environment, also where it is started by itself.
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

# What a user's account may be like: no home, another language, odd times, a narrow terminal without colours, a folder of its own first.
mkdir "$tmp/bin"
for program in gnuplot jq python3; do
    printf '#!/bin/sh\necho "the %s of someone" >&2\nexit 9\n' $program >"$tmp/bin/$program"
    chmod +x "$tmp/bin/$program"
done
hostile() { # COMMAND...
    (umask 077 && exec env -i PATH="$tmp/bin:$PATH" LANG=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 TZ=Pacific/Chatham HOME=/nonexistent/home \
        TERM=xterm COLUMNS=30 NO_COLOR=1 ISOLAB_ADAPTERS=/nowhere ISOLAB_PLOTS=/nowhere HISTORIES=/nowhere BUILD="$BUILD" ISOLAB_QUICK=1 "$@")
}
t 0 "a test in any environment" hostile tests/run /usr/bin/env
same "$(tests/run /usr/bin/env -u ISOLAB_QUICK -u ISOLAB_COMMIT_SEED -u BUILD | grep -v -e '^ISOLAB_QUICK' -e '^BUILD' -e '^MAKE' -e '^CI=' -e '^ASAN' | sort)" \
    "$(grep -v -e '^ISOLAB_QUICK' -e '^BUILD' "$tmp/out" | sort)" "has the environment of all tests"
for test in ci convert examples pictures plot usage json; do
    t 0 "$test.t, started by itself" hostile "tests/cli/$test.t"
done
finish
