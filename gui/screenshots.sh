#!/bin/sh
# Renders the observer in all its states from records, and the documents' pictures into docs/pictures.
# Usage: gui/screenshots.sh [FOLDER], by default matches/pictures. Needs the programs (make all) and a display, or
# xvfb-run for a virtual one.
set -eu
cd "$(dirname "$0")/.."

if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    command -v xvfb-run >/dev/null || {
        echo "screenshots: there is no display; install a virtual one (Debian: apt-get install xvfb xauth libgl1 libgl1-mesa-dri libxi6 libxkbcommon0)" >&2
        exit 1
    }
    exec xvfb-run -a gui/screenshots.sh "$@"
fi

out=${1:-matches/pictures}
mkdir -p "$out" docs/pictures
sample=gui/assets/sample.zrec

# picture NAME RECORD TICK [FLAGS…]
picture() {
    name=$1 record=$2 tick=$3
    shift 3
    ./zappy_gui --replay "$record" --at-tick "$tick" --screenshot "$out/$name.png" "$@"
}

picture early      $sample 160
picture incantation $sample 3150 --zoom 2 --look-at 13,2
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
big=matches/large-map
if [ ! -f $big/match.zrec ]; then
    crowd='./zappy_ai --players 125'
    ./zappy_arena match --bot "red=$crowd" --bot "blue=$crowd" --bot "green=$crowd" --bot "gold=$crowd" \
        --procs 1 --clients 125 --width 100 --height 100 --max-ticks 900 --seed 4 --out $big --force -q
fi
picture far    $big/match.zrec 760
picture middle $big/match.zrec 760 --zoom 4 --look-at 50,50
picture near   $big/match.zrec 760 --zoom 14 --select player:100

for name in push dialogue far; do cp "$out/$name.png" docs/pictures/; done
echo "pictures are in $out, those of the documents in docs/pictures"
