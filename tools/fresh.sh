#!/bin/bash
# The README's two commands on a bare Debian: make fresh [QUICK=1] [BUSY=N]
#
# Debian is made by debootstrap in a temporary folder, the committed HEAD is cloned into it, and the README's `make demo` and `make check`
# run there with an empty environment. Nothing that this machine happens to have hides a mistake: no package, locale, home or cache.
#   QUICK=1   `make demo`, and then all tests with few random rounds, by an ordinary user and without sanitizers
#   BUSY=N    beside N busy loops
# It needs root (mounts in a name space of its own), debootstrap and the network. The bare system and the packages are kept between runs
# in $XDG_CACHE_HOME/isolab-fresh. Status 0: all passed; 1: something failed; 69: it cannot run here.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
suite=bookworm
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/isolab-fresh
base=$cache/$suite.tar
log=$root/build/fresh.log

cannot() {
    echo "fresh: it cannot run here: $1" >&2
    exit 69
}

say() { echo "fresh: $1 (after $((SECONDS / 60)) min $((SECONDS % 60)) s)"; }

# Runs a command in the bare system with nothing in its environment.
inside() { # ACCOUNT COMMAND
    chroot --userspec="$1:$1" "$folder" /usr/bin/env -i HOME="/home/$1" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /home/stranger/isolab 2>/dev/null || cd /; $2" </dev/null
}

# How this machine's apt fetches Debian: its options for fetching, and where it finds the suite. Nothing of it: debootstrap's own choice.
host_sources() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
        awk -v suite=$suite '$2 == suite || index($2, suite "-") == 1 { at[$1 " " $2] = at[$1 " " $2] " " $3 } END { for (i in at) print "deb " i at[i] }' | sort
}
host_options() {
    apt-config dump 2>/dev/null | grep -E '^Acquire::(http|https|ftp|Retries|Check-Valid-Until|ForceIPv4)\b' | grep -v ' "";$'
    for proxy in http https; do
        name=${proxy}_proxy
        [ -z "${!name:-}" ] || echo "Acquire::$proxy::Proxy \"${!name}\";"
    done
}

# The bare system, from the cache or by debootstrap. What a stranger must have is added: git, with which the tree was cloned, and make.
make_base() {
    find "$base" -mtime +30 -delete 2>/dev/null
    if [ -e "$base" ]; then
        tar -C "$folder" -xf "$base" || cannot "$base is damaged: remove it"
        return
    fi
    say "debootstrap makes a bare Debian ($suite)"
    mirror=$(host_sources | awk -v suite=$suite '$3 == suite { print $2; exit }')
    proxy=$(host_options | sed -n 's/^Acquire::http::Proxy "\(.*\)";$/\1/p' | tail -1)
    http_proxy=${http_proxy:-$proxy} debootstrap --variant=minbase "$suite" "$folder" ${mirror:+"$mirror"} >>"$log" 2>&1 ||
        cannot "debootstrap failed (no network?): $(tail -1 "$log"); see $log"
    [ -z "$mirror" ] || host_sources >"$folder/etc/apt/sources.list"
    host_options >"$folder/etc/apt/apt.conf.d/90host"
    echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/fresh"
    inside root "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends git make" >>"$log" 2>&1 ||
        cannot "apt-get does not find git and make (no network?): see $log"
    mkdir -p "$cache" && tar -C "$folder" --one-file-system --exclude './proc/*' --exclude './sys/*' --exclude './dev/pts/*' \
        --exclude './dev/shm/*' --exclude './var/cache/apt/archives/*.deb' -cf "$base.$$" . && mv "$base.$$" "$base"
}

# Runs in a mount and process name space of its own: its mounts and its processes end with it, whatever ends it.
run_inside() {
    folder=$1 quick=$2 busy=$3
    make_base
    chmod 755 "$folder" # an ordinary user works in it
    mkdir -p "$cache/archives/partial"
    mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc" || cannot "nothing can be mounted"
    mountpoint -q "$folder/sys" || mount -t sysfs -o ro sysfs "$folder/sys" 2>/dev/null
    mkdir -p "$folder/dev/pts" "$folder/dev/shm"
    mount -t tmpfs -o mode=1777 shm "$folder/dev/shm" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts" &&
        ln -sf pts/ptmx "$folder/dev/ptmx" && mount --bind "$cache/archives" "$folder/var/cache/apt/archives" ||
        cannot "something cannot be mounted"
    cp /etc/resolv.conf "$folder/etc/resolv.conf"
    echo "127.0.0.1 localhost" >"$folder/etc/hosts"
    inside root "apt-get update -qq" >>"$log" 2>&1 || cannot "apt-get update failed (no network?): see $log"
    chroot "$folder" useradd --create-home stranger
    git -C "$root" bundle create -q "$folder/home/stranger/bundle" HEAD && inside root "cd /home/stranger && git -c advice.detachedHead=false clone -q bundle isolab" ||
        cannot "the tree cannot be cloned"
    for ((i = 0; i < busy; i++)); do
        while :; do :; done &
    done
    status=0
    step root "make demo"
    if [ "$quick" = 1 ]; then
        step root "make deps"
        inside root "chown -R stranger: /home/stranger"
        step stranger "make few-rounds"
    else
        step root "make check"
    fi
    return $status
}

step() { # ACCOUNT COMMAND
    say "$2"
    echo "== $2" >>"$log"
    if inside "$1" "$2" >>"$log" 2>&1; then
        return
    fi
    status=1
    echo "fresh: FAILED: $2"
    sed -n "\|^== $2\$|,\$p" "$log" | sed -n '/^These tests failed:/,$p' | grep . || tail -20 "$log"
}

if [ "${1:-}" = --inside ]; then
    shift
    run_inside "$@"
    exit
fi
[ "$(id -u)" = 0 ] || cannot "it needs root"
command -v debootstrap >/dev/null || [ -e "$base" ] || cannot "debootstrap is not installed: tools/install-deps.sh fresh"
unshare --mount --pid --fork true 2>/dev/null || cannot "no name space for mounts: a container needs to be privileged"
[ -z "$(git -C "$root" status --porcelain --untracked-files=no)" ] || echo "fresh: what is not committed is not tested"

folder=$(mktemp -d "${TMPDIR:-/var/tmp}/isolab-fresh-XXXXXX")
mkdir -p "$root/build"
: >"$log"
child=
end() {
    trap '' HUP INT TERM
    [ -z "$child" ] || kill -KILL "$child" 2>/dev/null && wait "$child" 2>/dev/null
    rm -rf --one-file-system "$folder" || { sleep 1 && rm -rf --one-file-system "$folder"; }
}
trap end EXIT
trap 'exit 130' HUP INT TERM
unshare --mount --pid --fork --kill-child "$0" --inside "$folder" "${QUICK:-0}" "${BUSY:-0}" &
child=$!
wait "$child"
status=$?
child=
[ $status != 0 ] || say "all passed; the log is $log"
exit $status
