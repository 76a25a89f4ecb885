#!/usr/bin/env bash
# One target under libFuzzer: simulation/fuzz.sh TARGET SECONDS [libFuzzer's flags, or files]. Without a target it lists them.
#
# All that it takes is cargo, a stable rustc and a C++ compiler. Inputs that reach new code are kept in target/fuzz/corpus, and
# the next run begins with them and with the repository's corpus, which is never changed. An input that breaks a promise is put
# into target/fuzz/findings. Where files are named, these are tried and nothing else.
set -eu
cd "$(dirname "$0")/.."
target=${1:-} seconds=${2:-60}
shift "$(($# < 2 ? $# : 2))"
targets() {
    echo "targets: $(cd simulation/corpus && echo *)"
    echo "for example: make fuzz TARGET=record TIME=60"
}
if [ -z "$target" ]; then
    targets
    exit
fi
if [ ! -d "simulation/corpus/$target" ]; then
    echo "make fuzz: there is no target $target; $(targets)" >&2
    exit 2
fi
if ! command -v "${CXX:-c++}" >/dev/null; then
    echo "make fuzz: libFuzzer is built from its source, which takes a C++ compiler; install one (Debian: apt-get install g++) or" \
        "name it: CXX=clang++" >&2
    exit 1
fi

# Edges are counted and comparisons are told: LLVM does both, so a stable rustc can. Since the host is named, programs that run
# while this is built are built without it.
host=$(rustc -vV | sed -n 's/^host: //p')
build=$(realpath -m "${CARGO_TARGET_DIR:-target}")/fuzz
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
CARGO_TARGET_DIR=$build RUSTFLAGS="${RUSTFLAGS:-} $coverage" "${CARGO:-cargo}" build --profile fuzz -p zappy-simulation \
    --features guided --bin zappy_fuzz --target "$host"

found=$build/corpus/$target findings=$build/findings/$target
mkdir -p "$found" "$findings"
inputs=("$found" "simulation/corpus/$target")
for argument; do
    [ ! -f "$argument" ] || inputs=()
done
status=0
ZAPPY_FUZZ_TARGET=$target "$build/$host/fuzz/zappy_fuzz" -artifact_prefix="$findings/" -max_total_time="$seconds" \
    -max_len=16384 -timeout=100 -rss_limit_mb=2048 -print_final_stats=1 "$@" ${inputs[@]+"${inputs[@]}"} || status=$?
if [ "$status" != 0 ]; then
    echo "make fuzz: $target is broken by the newest file in $findings; keep it in simulation/corpus/$target when that is mended" >&2
fi
exit "$status"
