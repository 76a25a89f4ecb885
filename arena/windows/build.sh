#!/bin/sh
# Builds the four programs for Windows: build.sh OUTPUT, the folder of cargo's output. They are put into OUTPUT/windows. With
# rustup its target is added; without, a distribution's compiler builds the standard library from its sources (Debian:
# rustc-web cargo-web rust-web-src). Both need mingw's linker. Cargo and rustc may be given as CARGO and RUSTC, and PROFILE
# as cargo names it (release).
set -eu
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
built="$1/win"
profile=${PROFILE:-release}

fail() {
    echo "make windows: $*" >&2
    exit 2
}

. .ci/compiler.sh

linker=x86_64-w64-mingw32-gcc
command -v "$linker" >/dev/null || fail "there is no linker $linker; on Debian: apt-get install gcc-mingw-w64-x86-64"
choose "$target" panic_unwind "rustc-web cargo-web rust-web-src"
RUSTC=$rustc
CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$linker
CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_DEV_DEBUG=false
export RUSTC CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER CARGO_PROFILE_RELEASE_DEBUG CARGO_PROFILE_DEV_DEBUG
# shellcheck disable=SC2086
nice "$cargo" build --profile "$profile" --bin zappy_server --bin zappy_ai --bin zappy_arena --bin zappy_gui \
    $flags --target "$target" --target-dir "$built"
[ "$profile" != dev ] || profile=debug
mkdir -p "$1/windows"
for program in zappy_server zappy_ai zappy_arena zappy_gui; do
    cp "$built/$target/$profile/$program.exe" "$1/windows/"
done
echo "the programs for Windows are in $1/windows"
