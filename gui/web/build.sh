#!/bin/sh
# Builds the observer for browsers: build.sh OUTPUT PROGRAMS, the folders of cargo's output and of the programs. Writes
# PROGRAMS/zappy_web/viewer.js, the one file that a page needs. With rustup its target for the web is added; without, a
# distribution's compiler builds the standard library from its sources (Debian: rustc-web cargo-web rust-web-src lld).
# Cargo and rustc may be given as CARGO and RUSTC.
set -eu
cd "$(dirname "$0")/../.."
built="$1/web"
viewer="$2/zappy_web/viewer.js"
target=wasm32-unknown-unknown

fail() {
    echo "make web: $*" >&2
    exit 2
}

. .ci/compiler.sh

choose "$target" panic_abort "rustc-web cargo-web rust-web-src lld"
RUSTC=$rustc
export RUSTC
if [ -n "$flags" ] && ! command -v rust-lld >/dev/null; then
    command -v wasm-ld >/dev/null || fail "there is no linker for the web; on Debian: apt-get install lld"
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
fi
# shellcheck disable=SC2086
nice "$cargo" build --profile web -p zappy-gui --bin zappy_web --features web $flags --target "$target" --target-dir "$built"
program="$built/$target/web/zappy_web.wasm"

# Smaller still. Only what all browsers of the last three years have is allowed to it.
features="--enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int"
features="$features --enable-reference-types --enable-multivalue"
# shellcheck disable=SC2086
if command -v wasm-opt >/dev/null && wasm-opt -Oz $features "$program" -o "$built/small.wasm" 2>"$built/wasm-opt.log"; then
    program="$built/small.wasm"
else
    echo "make web: no wasm-opt that understands the program, so it is a little larger (Debian: binaryen)" >&2
fi

# miniquad's own JavaScript, as cargo has fetched it with the crate, under the MIT licence that stands beside it.
miniquad=$("$cargo" metadata --format-version 1 --filter-platform "$target" |
    tr ',' '\n' | sed -n 's/.*"manifest_path":"\(.*miniquad-[0-9][^"]*\)\/Cargo.toml".*/\1/p' | head -n 1)
[ -f "$miniquad/js/gl.js" ] || fail "cargo metadata names no miniquad with js/gl.js"

mkdir -p "$2/zappy_web"
{
    echo '/*!'
    echo 'The viewer of Zappy Arena.'
    sed 's/^/  /' LICENSE
    echo 'It contains miniquad:'
    sed 's/^/  /' "$miniquad/LICENSE-MIT"
    echo 'It contains the typefaces IBM Plex:'
    sed 's/^/  /; s/\*\//* \//g' gui/assets/fonts/LICENSE.txt
    echo '*/'
    echo 'var ZappyViewer = (function () {'
    echo '"use strict";'
    echo 'function miniquad() {'
    cat "$miniquad/js/gl.js" gui/web/inside.js
    echo '}'
    printf 'const PROGRAM = "'
    gzip -9 -n -c "$program" | base64 | tr -d '\n'
    echo '";'
    cat gui/web/glue.js
    echo '})();'
} >"$viewer.new"
mv -f "$viewer.new" "$viewer"
echo "$viewer: $(wc -c <"$viewer") bytes, $(gzip -9 -c "$viewer" | wc -c) compressed"
