#!/bin/sh
# Installs what isolab needs and is missing. The one list of packages.
# Usage: tools/install-deps.sh [build|pictures|test|bench|fuzz|clang|cluster|browser|databases|servers|fresh|all]...   (default: build)
# Debian and its relatives: apt-get, as root or through sudo, in one line; what apt-get says is shown where it fails. Elsewhere: prints
# what to install.
set -eu

build="gcc make pkg-config libc6-dev libgmp-dev libgsl-dev libigraph-dev libcadical-dev libjansson-dev
       libzstd-dev zlib1g-dev liblzma-dev libxxhash-dev libsqlite3-dev g++"
test="perl python3 zstd git jq parallel sqlite3 clang-format gringo clasp poppler-utils"
pictures="gnuplot-nox librsvg2-bin"
bench="valgrind"
fuzz="clang libclang-rt-dev"
clang="clang" # a second compiler for CI: with clang-format it is three megabytes more
cluster="parallel openssh-server openssh-client slurmctld slurmd slurm-client munge"
browser="chromium cmark-gfm" # tests that open hostile pages, which are skipped without them
databases="librocksdb-dev libdb5.3-dev liblmdb-dev libwiredtiger-dev
           libpq-dev libmariadb-dev libhiredis-dev" # what isolab collect records
servers="postgresql mariadb-server galera-4 rsync redis-server etcd-server" # what collect --spawn starts
fresh="debootstrap" # what make fresh needs
shells="zsh" # tests of completion, which are skipped without it

[ $# -gt 0 ] || set -- build
wanted=""
for set_name in "$@"; do
    case $set_name in
    build) wanted="$wanted $build" ;;
    pictures) wanted="$wanted $pictures" ;;
    test) wanted="$wanted $build $pictures $test" ;;
    bench) wanted="$wanted $build $pictures $bench" ;;
    fuzz) wanted="$wanted $build $fuzz" ;;
    clang) wanted="$wanted $build $clang" ;;
    cluster) wanted="$wanted $cluster" ;;
    browser) wanted="$wanted $browser" ;;
    databases) wanted="$wanted $build $databases" ;;
    servers) wanted="$wanted $build $databases $servers" ;;
    fresh) wanted="$wanted $fresh" ;;
    all) wanted="$wanted $build $pictures $test $bench $fuzz $cluster $browser $databases $servers $fresh $shells" ;;
    *)
        echo "install-deps.sh: unknown set '$set_name' (build, pictures, test, bench, fuzz, clang, cluster, browser, databases, servers, fresh or all)" >&2
        exit 64
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is not a Debian system. Please install the equivalents of:" $wanted
    exit 0
fi
missing=""
for package in $wanted; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1; then
    as_root="sudo"
else
    echo "Missing packages, and neither root nor sudo to install them. Please run as root:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 69
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Runs apt-get; its output is shown where it fails.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -y "$@" >"$log" 2>&1 && return
    cat "$log" >&2
    echo "apt-get failed. Missing packages:$missing" >&2
    exit 69
}
apt update -qq
apt install --no-install-recommends --print-uris $missing
sed -nE 's/^([0-9]+) upgraded, ([0-9]+) newly installed.*/\1 \2/p; s/^Need to get (.*\/)?(.*) of archives.*/\2/p; s/^After this operation, (.*) of additional.*/\1/p' "$log" |
    awk 'NR == 1 { n = $1 + $2 } NR > 1 { gsub(/\.[0-9]+/, ""); size = size (NR == 2 ? " (" : ", ") $0 (NR == 2 ? " to fetch" : " on disk") }
         END { print "Installing " n " packages" (size != "" ? size ")" : "") }'
apt install --no-install-recommends -qq $missing
