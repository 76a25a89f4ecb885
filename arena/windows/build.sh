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

# Sets cargo, rustc and the flags with which they build for Windows.
choose() {
    cargo=${CARGO:-cargo} rustc=${RUSTC:-rustc} flags=
    if command -v rustup >/dev/null && rustup target add "$target" >/dev/null 2>&1; then
        return
    fi
    for folder in "" /usr/bin/; do
        rustc=$folder${RUSTC:-rustc} cargo=$folder${CARGO:-cargo}
        command -v "$rustc" >/dev/null && command -v "$cargo" >/dev/null || continue
        root=$("$rustc" --print sysroot)
        [ ! -d "$root/lib/rustlib/$target/lib" ] || return 0
        # A compiler of a distribution, whose sources lie where rustup's would.
        [ ! -f "$root/lib/rustlib/src/rust/library/std/Cargo.toml" ] || break
        root=
    done
    if [ -z "${root:-}" ]; then
        fail "no compiler for Windows is here; with rustup, and the network: rustup target add $target;" \
            "on Debian: apt-get install rustc-web cargo-web rust-web-src"
    fi
    flags="-Z build-std=std,panic_unwind"
    RUSTC_BOOTSTRAP=1
    export RUSTC_BOOTSTRAP
}

linker=x86_64-w64-mingw32-gcc
command -v "$linker" >/dev/null || fail "there is no linker $linker; on Debian: apt-get install gcc-mingw-w64-x86-64"
choose
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
