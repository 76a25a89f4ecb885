#!/usr/bin/env bash
# Plays a planned tournament on several machines over ssh with GNU parallel, then merges.
set -eu

# A word for any shell, whatever is in it.
quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }
usage() {
    cat >&2 <<'END'
usage: parallel.sh DIR HOSTS [CHUNKS]

DIR     a tournament that was planned, in a folder that all machines share under the same path
HOSTS   a file with one ssh login per line, as GNU parallel reads it; : is this machine
CHUNKS  parts of the plan; by default ten per machine. A machine plays one chunk at a time,
        as many matches of it at once as it has cores

ZAPPY_ARENA names the program, on the shared folder too; by default ./zappy_arena.
PARALLEL_FLAGS are handed to GNU parallel. It may be called again whatever became of it:
what has a result isn't played again.

Example:
  ./zappy_arena tournament plan --bots bots.toml --out /shared/night
  arena/cluster/parallel.sh /shared/night hosts.txt
END
    exit 2
}

[ $# -ge 2 ] && [ $# -le 3 ] && [ "${1#-}" = "$1" ] || usage
command -v parallel >/dev/null || { echo "parallel.sh: there is no GNU parallel here; install the package parallel" >&2; exit 1; }
dir=$(readlink -f "$1")
hosts=$2
[ -f "$dir/plan.jsonl" ] || { echo "parallel.sh: $1 holds no plan; make one with zappy_arena tournament plan" >&2; exit 2; }
[ -r "$hosts" ] || { echo "parallel.sh: the file of hosts $hosts can't be read" >&2; exit 2; }
arena=$(readlink -f "${ZAPPY_ARENA:-./zappy_arena}")
[ -x "$arena" ] || { echo "parallel.sh: there is no program $arena; build it with make, or set ZAPPY_ARENA" >&2; exit 2; }
machines=$(grep -c '^[^#]' "$hosts") || { echo "parallel.sh: $hosts names no machine" >&2; exit 2; }
chunks=${3:-$((machines * 10))}
case "$chunks" in *[!0-9]*) usage ;; esac

status=0
# A chunk that fails is tried on another machine; a machine that is gone costs nothing but its chunk's time.
# shellcheck disable=SC2086
seq "$chunks" | parallel --sshloginfile "$hosts" --jobs 1 --retries 3 --joblog "$dir/parallel.log" ${PARALLEL_FLAGS:-} \
    "$(quote "$arena") tournament run $(quote "$dir") --shard {}/$chunks --quiet" || status=$?
"$arena" tournament merge "$dir" || status=$?
exit "$status"
