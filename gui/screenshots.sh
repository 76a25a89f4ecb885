#!/bin/sh
# Renders the observer's pictures from records: those of the README, and those that show every state of it.
# Usage: gui/screenshots.sh [FOLDER], by default docs/pictures. Needs a display, or xvfb-run for a virtual one.
set -eu
cd "$(dirname "$0")/.."

if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    command -v xvfb-run >/dev/null || {
        echo "screenshots: there is no display; install a virtual one (Debian: apt-get install xvfb libgl1-mesa-dri)" >&2
        exit 1
    }
    exec xvfb-run -a "$0" "$@"
fi

out=${1:-docs/pictures}
mkdir -p "$out"
sample=gui/assets/sample.zrec

# picture NAME RECORD TICK [FLAGS…]
picture() {
    name=$1 record=$2 tick=$3
    shift 3
    ./zappy_gui --replay "$record" --at-tick "$tick" --screenshot "$out/$name.png" "$@"
}

picture early      $sample 160
picture rite       $sample 3150 --zoom 2 --look-at 13,2
picture broadcast  $sample 2250 --zoom 1.8 --look-at 12,2
picture push       $sample 1443 --zoom 2.4 --select player:44
picture win        $sample 99999 --show closing
picture inspector  $sample 2300 --select player:13 --zoom 2.5
picture dialogue   $sample 1715 --select player:15 --show dialogue --zoom 2
picture charts     $sample 2400 --show charts
picture help       $sample 1500 --show help
picture world      $sample 1500 --show world
picture small      $sample 3150 --size 800x600 --select player:13
picture help-small $sample 1500 --size 800x600 --show help
picture large      $sample 2560 --size 2560x1440 --select player:13 --show charts

# A large map with 500 players, played for this.
big=matches/screenshots
if [ ! -f $big/match.zrec ]; then
    bots=
    for team in red blue green gold; do bots="$bots --bot $team=./zappy_ai@--players@125"; done
    # No team's command holds a blank but those that are put back here.
    set --
    for word in $bots; do set -- "$@" "$(echo "$word" | tr @ ' ')"; done
    ./zappy_arena match "$@" --procs 1 --clients 125 --width 100 --height 100 --max-ticks 900 --seed 4 \
        --out $big --force -q
fi
picture far    $big/match.zrec 760
picture middle $big/match.zrec 760 --zoom 4 --look-at 79,13
picture near   $big/match.zrec 760 --zoom 14 --look-at 79,13
