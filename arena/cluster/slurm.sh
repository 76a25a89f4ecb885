#!/usr/bin/env bash
# Plays a planned tournament on a Slurm cluster: a job array of chunks of the plan, then one job that merges.
# Each chunk plays many matches, since starting a task costs the scheduler about as long as playing a match.
set -eu

# A word for any shell, whatever is in it.
quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }
usage() {
    cat >&2 <<'END'
usage: slurm.sh DIR [CHUNKS [CORES]] [-- FLAGS FOR SBATCH]

DIR     a tournament that was planned, in a folder that all nodes share under the same path
CHUNKS  parts of the plan, each a task of the array; by default 20 matches each, at most 1000
CORES   cores of each task, and matches that it plays at a time; by default 2

ZAPPY_ARENA names the program, on the shared folder too; by default ./zappy_arena.
It may be called again whatever became of the jobs: what has a result isn't played again.

Example:
  ./zappy_arena tournament plan --bots bots.toml --out /shared/night
  arena/cluster/slurm.sh /shared/night 40 4 -- --partition=students --time=2:00:00
END
    exit 2
}

[ $# -ge 1 ] && [ "${1#-}" = "$1" ] || usage
command -v sbatch >/dev/null || { echo "slurm.sh: there is no sbatch here; call it where jobs are submitted" >&2; exit 1; }
dir=$(readlink -f "$1")
[ -f "$dir/plan.jsonl" ] || { echo "slurm.sh: $1 holds no plan; make one with zappy_arena tournament plan" >&2; exit 2; }
shift
arena=$(readlink -f "${ZAPPY_ARENA:-./zappy_arena}")
[ -x "$arena" ] || { echo "slurm.sh: there is no program $arena; build it with make, or set ZAPPY_ARENA" >&2; exit 2; }

matches=$(wc -l <"$dir/plan.jsonl")
chunks=$(((matches + 19) / 20))
[ "$chunks" -le 1000 ] || chunks=1000
cores=2
if [ $# -ge 1 ] && [ "$1" != -- ]; then chunks=$1; shift; fi
if [ $# -ge 1 ] && [ "$1" != -- ]; then cores=$1; shift; fi
if [ $# -ge 1 ]; then [ "$1" = -- ] || usage; shift; fi
case "$chunks$cores" in *[!0-9]*) usage ;; esac

logs="$dir/slurm"
mkdir -p "$logs"
quoted="$(quote "$arena") tournament run $(quote "$dir")"
# Slurm asks the chunk to end a minute before its time is over; what it then plays is given up in order.
array=$(sbatch --parsable --job-name=zappy --array="1-$chunks" --cpus-per-task="$cores" --signal=B:TERM@60 \
    --output="$logs/%A-%a.log" "$@" \
    --wrap "exec $quoted --shard \$SLURM_ARRAY_TASK_ID/$chunks --jobs $cores --quiet")
merge=$(sbatch --parsable --job-name=zappy-merge --dependency="afterany:${array%%;*}" --output="$logs/%A-merge.log" "$@" \
    --wrap "exec $(quote "$arena") tournament merge $(quote "$dir")")
echo "$matches matches in $chunks chunks of $cores cores: job ${array%%;*}; then job ${merge%%;*} merges"
echo "watch:  squeue -j ${array%%;*},${merge%%;*};  $arena tournament status $dir"
echo "after:  $dir/merged/index.html; what the jobs said is in $logs"
