#!/bin/sh
# Builds the gym, installs it into a virtual environment and runs its tests: make.sh ENVIRONMENT [PROFILE]. The profile is
# cargo's: release, or dev, which is built sooner. Exits with 3 where packages can't be fetched.
set -eu
cd "$(dirname "$0")"
environment=$1 profile=${2:-release}

fail() {
    echo "make gym: $2" >&2
    exit "$1"
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail 2 "there is no $python; install Python 3.9 or newer, or name one by PYTHON"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || fail 2 "$python is older than 3.9; name a newer one by PYTHON"
"$python" -m venv "$environment" || fail 2 "no virtual environment can be made; on Debian: apt-get install python3-venv"
"$environment/bin/pip" install -q --disable-pip-version-check maturin pytest numpy gymnasium pettingzoo ||
    fail 3 "the packages can't be fetched, so the gym is not tested"
rm -rf "$environment/wheel"
"$environment/bin/maturin" build -q --locked --profile "$profile" --out "$environment/wheel"
"$environment/bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps "$environment"/wheel/*.whl
# From there, so that the package is the installed one.
cd tests
exec "$environment/bin/python" -m pytest -q -p no:cacheprovider .
