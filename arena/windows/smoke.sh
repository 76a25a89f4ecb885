#!/bin/sh
# Runs programs for Windows under Wine, and holds what they do against the same programs of this system:
# smoke.sh WINDOWS NATIVE, the folders of both. Without Wine a line says what is skipped.
#
# A server and two clients play in lockstep; the arena plays a match between processes and leaves nothing behind; a match in
# one process has the same record as here, to the byte; records from here are verified and shown there, also as a page, and the
# other way round.
set -eu
windows=$(realpath "$1") native=$(realpath "$2")

wine=
for found in wine64 wine /usr/lib/wine/wine64; do
    if [ -z "$wine" ] && command -v "$found" >/dev/null; then wine=$found; fi
done
if [ -z "$wine" ]; then
    echo "smoke.sh: there is no Wine, so nothing was run (Debian: apt-get install wine64)" >&2
    exit 0
fi

here=$(mktemp -d)
# A prefix of its own, so that nothing of the user's is touched; its server ends with the last program.
WINEPREFIX=$here/wine WINEDEBUG=-all
export WINEPREFIX WINEDEBUG
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    # Wine's own server, of this prefix alone, still writes there.
    for ended in wineserver /usr/lib/wine/wineserver; do
        if command -v "$ended" >/dev/null; then "$ended" -k || true; fi
    done
    rm -rf "$here"
}
trap finish EXIT
cp "$windows"/zappy_*.exe "$here/"
cd "$here"

# Wine before 8.5 lacks the library from which Rust's programs take chance: ten lines stand in for it.
if ! timeout 120 "$wine" ./zappy_server.exe --version >/dev/null 2>&1; then
    cat >chance.c <<'C'
#include <stddef.h>
unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *to, size_t count)
{
    return SystemFunction036(to, (unsigned long)count);
}
C
    x86_64-w64-mingw32-gcc -shared -O1 -o bcryptprimitives.dll chance.c -ladvapi32
fi

say() { echo "-- $*"; }
fail() {
    echo "smoke.sh: $*" >&2
    exit 1
}

say "versions"
for program in zappy_server zappy_ai zappy_arena; do
    timeout 120 "$wine" "./$program.exe" --version
done

say "a server and two clients, in lockstep"
timeout 300 "$wine" ./zappy_server.exe -p 0 --bind 127.0.0.1 -n red blue -c 3 --clock lockstep --think-time 20000 --seed 7 \
    --max-ticks 2000 --no-console --record server.zrec --result server.json >server.out 2>server.err &
server=$!
tries=0
until grep -q listening server.out; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "the server doesn't listen: $(cat server.err)"
    sleep 0.1
done
port=$(tr -d '\r' <server.out | sed -n 's/.*:\([0-9]*\)$/\1/p')
timeout 300 "$wine" ./zappy_ai.exe -p "$port" -n red -h 127.0.0.1 --players 3 >red.log 2>&1 &
red=$!
timeout 300 "$wine" ./zappy_ai.exe -p "$port" -n blue -h 127.0.0.1 --players 3 >blue.log 2>&1 &
blue=$!
wait "$server" || fail "the server failed: $(cat server.err)"
server=
{ wait "$red" && wait "$blue"; } || fail "a client failed: $(cat red.log blue.log)"
grep 'the match ended' server.err
grep -q 'in lockstep, and reproducible' server.err || fail "not reproducible: $(cat server.err)"
"$native/zappy_server" --verify server.zrec

say "the same match in one process, here and there"
one_process() {
    out=$1
    shift
    "$@" match --in-process --bot red=zappy_ai --bot blue=zappy_ai --width 12 --height 12 --clients 3 --max-ticks 4000 \
        --seed 11 --quiet --record-level full --out "$out" >/dev/null
}
one_process here "$native/zappy_arena"
one_process there timeout 300 "$wine" ./zappy_arena.exe
cmp here/match.zrec there/match.zrec || fail "the records differ"
sha256sum here/match.zrec there/match.zrec

say "records of here, verified and shown there"
timeout 300 "$wine" ./zappy_server.exe --verify here/match.zrec
timeout 300 "$wine" ./zappy_arena.exe verify here/match.zrec
timeout 300 "$wine" ./zappy_arena.exe show here/match.zrec | tr -d '\r' >there.txt
"$native/zappy_arena" show here/match.zrec >here.txt
cmp here.txt there.txt || fail "they are shown differently"
# What the viewer does is nothing to the page, so words stand in for it beside both programs.
mkdir zappy_web native
echo "const viewer = 'none';" >zappy_web/viewer.js
cp -R zappy_web "$native/zappy_arena" native/
timeout 300 "$wine" ./zappy_arena.exe show here/match.zrec --html there.html
native/zappy_arena show here/match.zrec --html here.html
cmp here.html there.html || fail "their pages differ"

say "a match between processes"
timeout 300 "$wine" ./zappy_arena.exe match --bot red=./zappy_ai.exe --bot blue=./zappy_ai --width 12 --height 12 --clients 3 \
    --clock lockstep --think-time 20000 --max-ticks 2000 --seed 5 --out processes 2>processes.err || fail "$(cat processes.err)"
grep -q 'not to be graded' processes.err || fail "it isn't said that no bot is contained: $(cat processes.err)"
"$native/zappy_arena" verify processes/match.zrec

say "a bot that is checked"
timeout 500 "$wine" ./zappy_arena.exe check ./zappy_ai.exe --only messages || fail "check has refused our own client"

say "what needs Linux says so"
refused() {
    if timeout 120 "$wine" ./zappy_arena.exe "$@" 2>refused.err; then fail "$1 was not refused"; fi
    tr -d '\r' <refused.err
    grep -q "$1 needs Linux" refused.err || fail "that is no clear word"
}
refused grade ./zappy_ai.exe --out graded
refused grade --class . --out graded
refused league season --once
echo "smoke.sh: all of it is as it should be"
