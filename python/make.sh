#!/bin/sh
# Builds the gym, installs it into a virtual environment and runs its tests: make.sh ENVIRONMENT [PROFILE]. The profile is
# cargo's: release, or dev, which is built sooner. Exits with 75 where this can't be done, after a line that says why.
set -eu
cd "$(dirname "$0")"
environment=$1 profile=${2:-release}

fail() {
    echo "make gym: $1" >&2
    exit 75
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "there is no $python; install Python 3.9 or newer, or name one by PYTHON"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || fail "$python is older than 3.9; name a newer one by PYTHON"
rm -rf "$environment"
"$python" -m venv "$environment" >/dev/null || fail "no virtual environment can be made; on Debian: apt-get install python3-venv"
"$environment/bin/pip" install -q --disable-pip-version-check --retries 1 --timeout 20 \
    'maturin<2' 'pytest<10' 'numpy<3' 'gymnasium<2' 'pettingzoo<2' 2>"$environment/pip.log" ||
    fail "pip can't fetch the packages that the tests need: $(grep -m 1 ^ERROR "$environment/pip.log")"
cargo fetch -q --locked 2>/dev/null || fail "cargo can't fetch the crates that the gym is built of; cargo fetch says why"
# A folder of its own below the arena's, so that it stays built however the arena is built.
"$environment/bin/maturin" build -q --locked --profile "$profile" --out "$environment/wheel" \
    --target-dir "${CARGO_TARGET_DIR:-../target}/python"
"$environment/bin/pip" install -q --disable-pip-version-check --no-deps "$environment"/wheel/*.whl
# From there, so that the package is the installed one.
cd tests
exec "$environment/bin/python" -m pytest -q -p no:cacheprovider .
