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
picture director   $sample 3150 --director
picture broken     $sample 1443 --director
picture risen      $sample 3230 --director
picture unspoiled  $sample 1500 --show unspoiled,charts
picture world      $sample 1500 --show world
picture small      $sample 3150 --size 800x600 --select player:13
picture help-small $sample 1500 --size 800x600 --show help
picture large      $sample 2560 --size 2560x1440 --select player:13 --show charts
picture large-text $sample 2000 --scale 2
picture narrow     $sample 2000 --size 480x800

# Twenty teams, some of them called in other scripts.
many=matches/many-teams
if [ ! -f $many/match.zrec ]; then
    bots=
    for name in 狼 红队 日本語 한국어 فريق टीम 🐺 Жуки équipe red blue green gold violet cyan lime pink white sand mint; do
        bots="$bots --bot $name=./zappy_ai"
    done
    # shellcheck disable=SC2086 # one word each
    ./zappy_arena match $bots --clock lockstep --procs 1 --clients 2 --width 30 --height 30 --max-ticks 700 --seed 5 \
        --out $many --force -q
fi
picture many-teams  $many/match.zrec 500 --show charts
picture many-narrow $many/match.zrec 500 --size 800x600

# What it looks like: land, a thing for each level, incantations that run, are doomed, break and succeed, the victory.
picture look-land     $sample 300 --zoom 1.6 --look-at 5,5
picture look-growth   $sample 2900 --show world
picture look-rite     $sample 3150 --zoom 3 --look-at 15,0
picture look-doomed   $sample 1443 --zoom 2.4 --look-at 5,2
picture look-broken   $sample 3122 --zoom 2.4 --look-at 5,2
picture look-risen    $sample 3216 --zoom 2.4 --look-at 15,0
picture look-victory  $sample 99999 --show world

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

# Matches of conquest, in lockstep: a turn is shown for 1,000 ticks, so turn T begins at 1,000 × (T − 1).
# conquest NAME WIDTH FLAGS…
conquest() {
    folder=matches/$1 side=$2
    shift 2
    if [ ! -f "$folder/match.zrec" ]; then
        ./zappy_arena match --game conquest --clock lockstep --width "$side" --height "$side" --seed 7 --cities on "$@" \
            --out "$folder" --force -q
    fi
}
bots=
for name in red blue green gold violet cyan lime pink; do bots="$bots --bot $name=./zappy_ai"; done
# shellcheck disable=SC2086 # one word each
conquest conquest-eight 40 $bots
conquest conquest-two 20 --bot red=./zappy_ai --bot blue=./zappy_ai
eight=matches/conquest-eight/match.zrec two=matches/conquest-two/match.zrec
picture conquest          $eight 60450
picture conquest-large    $eight 60450 --size 2560x1440 --show charts --select faction:1
picture conquest-near     $two 60400 --zoom 2 --select tile:13,13
picture conquest-city     $two 100300 --zoom 2.4 --select city:3,3
picture conquest-unit     $two 60400 --zoom 3 --select unit:45
picture conquest-charts   $two 200000 --show charts
picture conquest-dialogue $two 80450 --size 1600x900 --zoom 1.6 --select faction:1 --show dialogue
picture conquest-help     $two 60000 --show help
picture conquest-small    $two 60400 --size 800x600
picture conquest-end      $two 9999999 --show closing

for name in director push dialogue far conquest conquest-dialogue; do cp "$out/$name.png" docs/pictures/; done
echo "pictures are in $out, those of the documents in docs/pictures"
