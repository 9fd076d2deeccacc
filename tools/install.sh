#!/bin/sh
# Installs what `make all` built. Usage: tools/install.sh BUILD DESTDIR PREFIX VERSION LIBS   (make install)
set -eu
build=$1 dest=$2 prefix=$3 version=$4 libs=$5
so=${version%%.*}

install -d "$dest$prefix/bin" "$dest$prefix/lib/pkgconfig" "$dest$prefix/include" "$dest$prefix/share/man/man1" \
    "$dest$prefix/share/bash-completion/completions" "$dest$prefix/share/zsh/site-functions" \
    "$dest$prefix/share/isolab/plots" "$dest$prefix/share/isolab/suites"
install -m 755 "$build/isolab" "$build/isolab-verify" "$dest$prefix/bin/"
install -m 644 include/isolab.h "$dest$prefix/include/"
install -m 644 plots/*.gp "$dest$prefix/share/isolab/plots/"
install -m 644 experiments/suites/*.suite "$dest$prefix/share/isolab/suites/"
install -m 644 "$build/installed/libisolab.a" "$dest$prefix/lib/"
install -m 755 "$build/libisolab.so" "$dest$prefix/lib/libisolab.so.$version"
ln -sf "libisolab.so.$version" "$dest$prefix/lib/libisolab.so.$so"
ln -sf "libisolab.so.$so" "$dest$prefix/lib/libisolab.so"
cat >"$dest$prefix/lib/pkgconfig/isolab.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: isolab
Description: Checks histories of transactions against isolation levels
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lisolab
Libs.private: $libs -pthread
PC
"$build/isolab" man >"$dest$prefix/share/man/man1/isolab.1"
install -m 644 docs/isolab-verify.1 "$dest$prefix/share/man/man1/"
"$build/isolab" completion bash >"$dest$prefix/share/bash-completion/completions/isolab"
"$build/isolab" completion zsh >"$dest$prefix/share/zsh/site-functions/_isolab"
echo "Installed isolab $version under $dest$prefix"
