#!/bin/sh
# Packs what people need to play, watch and grade without building: the programs of a release build for this machine, the
# contracts and the starters. Usage: .github/archive.sh, after `make`; prints the archive's path.
set -eu
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=zappy-arena-$version-$host
built=${CARGO_TARGET_DIR:-target}
case $host in *windows*) ending=.exe ;; *) ending= ;; esac

rm -rf "$built/archive"
mkdir -p "$built/archive/$name"
for program in $(sed -n 's/^\(BINARIES\|SITE\) *= //p' Makefile); do
    cp "$built/release/$program$ending" "$built/archive/$name/"
    # What debuggers read is most of it; a panic names its line without.
    case $host in *windows*) ;; *) strip -S "$built/archive/$name/$program" ;; esac
done
# The observer for browsers, where it was built.
[ ! -d zappy_web ] || cp -R zappy_web "$built/archive/$name/"
cp -R README.md protocol.md conquest.md CHANGELOG.md LICENSE bots.toml docs "$built/archive/$name/"
mkdir -p "$built/archive/$name/ai-client" "$built/archive/$name/gui/assets/fonts"
cp -R ai-client/README.md ai-client/STRATEGY.md ai-client/starters "$built/archive/$name/ai-client/"
cp gui/assets/fonts/LICENSE.txt "$built/archive/$name/gui/assets/fonts/"

cd "$built/archive"
case $host in
*windows*) archive=$name.zip && 7z a -bso0 "$archive" "$name" ;;
*) archive=$name.tar.gz && tar -czf "$archive" "$name" ;;
esac
echo "$PWD/$archive"
