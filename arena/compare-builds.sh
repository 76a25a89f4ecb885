#!/bin/sh
# Shows that two builds play, record, tell and draw the same: records, results, stories, rankings and pictures of a
# fixed list of seeds, compared to the byte.
# Usage: arena/compare-builds.sh OLD NEW [SEEDS], where OLD and NEW are two checkouts with their programs built by
# `cargo build --release`. Needs python3; pictures need xvfb-run, and a line says so where there is none.
#
# What is left out, because formats may grow: a record's header and the places that its footer names, in results the
# versions and keys that only the newer build has, and in matches.csv the columns that only the newer build has.
set -eu
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd) seeds=${3:-10}
command -v python3 >/dev/null || { echo "compare-builds: there is no python3" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/compare-builds.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

programs() { echo "$1/target/release"; }

# The body of a record, without what the header's length moves.
body() { sed -e '1,/^begin$/d' -e '/^keyframe /d' -e '/^check /d' "$1"; }

same() { # same WHAT OLD NEW
    if cmp -s "$2" "$3"; then
        echo "same       $1"
    else
        echo "DIFFERENT  $1"
        diff "$2" "$3" | head -5 || true
        failed=1
    fi
}

# Everything that the older result says stands in the newer one.
cat >"$work/holds.py" <<'PYTHON'
import json, sys
VERSIONS = {"server_version", "record_version", "version", "seconds", "leaving_seconds", "path", "lateness"}
def holds(old, new, at="result"):
    if isinstance(old, dict):
        for key in old.keys() - VERSIONS:
            if not isinstance(new, dict) or key not in new:
                sys.exit(f"{at}.{key} is gone")
            holds(old[key], new[key], f"{at}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new)):
            holds(one, other, f"{at}[{place}]")
    elif old != new:
        sys.exit(f"{at} was {old!r}, it is {new!r}")
with open(sys.argv[1]) as one, open(sys.argv[2]) as other:
    for older, newer in zip(one.read().splitlines(), other.read().splitlines(), strict=True):
        holds(json.loads(older), json.loads(newer))
PYTHON

# Keeps of a table the columns that another table has, too.
cat >"$work/columns.py" <<'PYTHON'
import csv, sys
with open(sys.argv[1], newline="") as one, open(sys.argv[2], newline="") as other:
    older, rows = next(csv.reader(one)), list(csv.DictReader(other))
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(older)
out.writerows([row[name] for name in older] for row in rows)
PYTHON

holds() { # holds WHAT OLD NEW, files with one JSON object per line
    if python3 "$work/holds.py" "$2" "$3"; then echo "same       $1"; else echo "DIFFERENT  $1"; failed=1; fi
}

in_process() { # in_process NAME FLAGS…
    name=$1
    shift
    for build in old new; do
        eval "root=\$$build"
        (cd "$work" && "$(programs "$root")/zappy_arena" match --in-process --seeds "$seeds" --seed 1 -q \
            --record-level full --out "$build-$name" "$@" >/dev/null)
        for record in "$work/$build-$name"/records/*.zrec; do
            echo "# $(basename "$record")"
            body "$record"
        done >"$work/$build-$name.body"
        first=$work/$build-$name/records/1.zrec
        (cd "$work/$build-$name/records" && for flags in "" "--all" "--player 3" "--json" "--json --player 3"; do
            # shellcheck disable=SC2086
            "$(programs "$root")/zappy_arena" show 1.zrec $flags
        done) | sed -e 's/"rules_version".*"seed"/"seed"/' >"$work/$build-$name.story"
        [ -s "$first" ] || { echo "compare-builds: no record of $name" >&2; exit 1; }
    done
    same "records of $seeds seeds, $name" "$work/old-$name.body" "$work/new-$name.body"
    holds "results of $seeds seeds, $name" "$work/old-$name/results.jsonl" "$work/new-$name/results.jsonl"
    same "stories and dialogues, $name" "$work/old-$name.story" "$work/new-$name.story"
}

in_process two-teams --bot red=zappy_ai --bot blue=zappy_ai
in_process strict --rules strict --bot red=zappy_ai --bot blue='zappy_ai --level hard'
in_process three-levels --width 10 --height 12 --clients 3 --max-ticks 3000 --bot red=zappy_ai \
    --bot blue='zappy_ai --level aggressor' --bot green='zappy_ai --level easy'

mkdir "$work/old" "$work/new"
for build in old new; do
    eval "root=\$$build"
    cd "$work/$build"
    "$(programs "$root")/zappy_arena" match -q --clock lockstep --seed 7 --out sockets \
        --bot "red='$(programs "$root")/zappy_ai'" --bot "blue='$(programs "$root")/zappy_ai' --level medium" >/dev/null
    body sockets/match.zrec >sockets.body
    # The same bots for both builds: the players of the starter in Python.
    cp -R "$old/ai-client/starters/python" python
    cat >bots.toml <<TOML
[[bot]]
name = "one"
command = "python3 -B bot.py -p {port} -n {team} -h {host}"
folder = "python"
[[bot]]
name = "two"
command = "python3 -B -O bot.py -p {port} -n {team} -h {host}"
folder = "python"
TOML
    "$(programs "$root")/zappy_arena" tournament plan --bots bots.toml --out night --first 1 --seeds 2 --max-ticks 600 \
        --clients 2 >/dev/null
    "$(programs "$root")/zappy_arena" tournament run night -q >/dev/null
    "$(programs "$root")/zappy_arena" tournament merge night >table.txt
    (cd night/merged && for file in *; do
        echo "# $file"
        if [ "$file" = matches.csv ]; then
            python3 "$work/columns.py" "$work/old/night/merged/matches.csv" matches.csv
        else
            cat "$file"
        fi
    done) >merged.txt
    cd - >/dev/null
done
same "record of a lockstep match over sockets" "$work/old/sockets.body" "$work/new/sockets.body"
same "plan of a tournament" "$work/old/night/plan.jsonl" "$work/new/night/plan.jsonl"
same "table of a tournament" "$work/old/table.txt" "$work/new/table.txt"
same "page, CSV and JSON of a tournament" "$work/old/merged.txt" "$work/new/merged.txt"

if command -v xvfb-run >/dev/null || [ -n "${DISPLAY:-}" ]; then
    run=""
    [ -n "${DISPLAY:-}" ] || run="xvfb-run -a"
    for view in "160" "1443 --zoom 2.4 --select player:44" "1715 --select player:15 --show dialogue" \
        "2400 --show charts" "1500 --show world" "2250 --zoom 1.8 --look-at 12,2" "99999 --show closing"; do
        for build in old new; do
            eval "root=\$$build"
            # shellcheck disable=SC2086
            LIBGL_ALWAYS_SOFTWARE=1 $run "$(programs "$root")/zappy_gui" --replay "$root/gui/assets/sample.zrec" \
                --screenshot "$work/$build.png" --at-tick $view >/dev/null 2>&1 || true
        done
        same "picture at tick $view" "$work/old.png" "$work/new.png"
    done
else
    echo "pictures are not compared: there is no display and no xvfb-run (Debian: apt-get install xvfb xauth)"
fi
exit "$failed"
