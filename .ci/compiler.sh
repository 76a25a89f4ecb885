# For scripts that build for another target, read by them with `.`; needs `fail`, which says what is missing and ends the script.

# choose TARGET PANIC PACKAGES: sets cargo, rustc and the flags with which they build for it. With rustup the target is added;
# without, a distribution's compiler builds the standard library from its sources, which PACKAGES bring on Debian.
# Cargo and rustc may be given as CARGO and RUSTC.
choose() {
    cargo=${CARGO:-cargo} rustc=${RUSTC:-rustc} flags=
    if command -v rustup >/dev/null && rustup target add "$1" >/dev/null 2>&1; then
        return
    fi
    for folder in "" /usr/bin/; do
        rustc=$folder${RUSTC:-rustc} cargo=$folder${CARGO:-cargo}
        command -v "$rustc" >/dev/null && command -v "$cargo" >/dev/null || continue
        root=$("$rustc" --print sysroot)
        [ ! -d "$root/lib/rustlib/$1/lib" ] || return 0
        # A compiler of a distribution, whose sources lie where rustup's would.
        [ ! -f "$root/lib/rustlib/src/rust/library/std/Cargo.toml" ] || break
        root=
    done
    if [ -z "${root:-}" ]; then
        fail "no compiler for $1 is here; with rustup, and the network: rustup target add $1;" \
            "on Debian: apt-get install $3"
    fi
    flags="-Z build-std=std,$2"
    RUSTC_BOOTSTRAP=1
    export RUSTC_BOOTSTRAP
}
