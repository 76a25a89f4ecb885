#!/usr/bin/env bash
# Plays one tournament three times: here, by a Slurm of one node with a job killed on the way, and by GNU parallel
# over ssh. The merged files must be the same to the byte. Sets up Slurm, munge and sshd in a folder of its own, on
# this machine's own addresses, and ends them. Needs root, since slurmd does.
set -eu
cd "$(dirname "$0")/../.."

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }
fail() { echo "cluster test: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || fail "slurmd and munged need root; run it in a container or a virtual machine"
PATH=$PATH:/usr/sbin:/sbin
needed="slurmctld slurmd sbatch munged parallel sshd ssh-keygen python3"
missing() { for tool in $needed; do command -v "$tool" >/dev/null || printf '%s ' "$tool"; done; }
if [ -n "$(missing)" ]; then
    command -v apt-get >/dev/null || fail "these are missing, install them: $(missing)"
    say "installing what is missing: $(missing)"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge \
        parallel openssh-server openssh-client python3 >/dev/null
fi
[ -z "$(missing)" ] || fail "these are missing still: $(missing)"

work=$(mktemp -d)
pids=()
# shellcheck disable=SC2317
clean_up() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    if [ "${KEEP:-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
}
trap clean_up EXIT
trap 'exit 143' INT TERM

# Waits for a condition, so many seconds at most.
await() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || { tail -n 20 "$work"/*.log >&2 || true; fail "waited in vain for $what"; }
        sleep 0.2
    done
}

free_ports() {
    python3 -c 'import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))'
}

host=$(hostname -s)
read -r controller node ssh_port <<<"$(free_ports)"
arena=$(readlink -f "${ZAPPY_ARENA:-./zappy_arena}")
export ZAPPY_ARENA=$arena SLURM_CONF=$work/slurm.conf

start_slurm() {
    head -c 1024 /dev/urandom >"$work/munge.key"
    chmod 400 "$work/munge.key"
    chmod 755 "$work"
    munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --seed-file="$work/munge.seed" \
        --pid-file="$work/munge.pid" --log-file="$work/munge.log" >"$work/munged.log" 2>&1 &
    pids+=($!)
    cat >"$SLURM_CONF" <<END
ClusterName=zappy
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$node
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    mkdir -p "$work/state" "$work/spool"
    await 20 munged test -S "$work/munge.socket"
    slurmctld -D >"$work/slurmctld.log" 2>&1 &
    pids+=($!)
    slurmd -D >"$work/slurmd.log" 2>&1 &
    pids+=($!)
    idle() { [ "$(sinfo -h -o %T)" = idle ]; }
    await 60 "the node" idle
}

start_ssh() {
    mkdir -p /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$work/user_key"
    cat >"$work/sshd_config" <<END
ListenAddress 127.0.0.1
Port $ssh_port
HostKey $work/host_key
AuthorizedKeysFile $work/user_key.pub
PermitRootLogin yes
PasswordAuthentication no
StrictModes no
PidFile none
END
    cat >"$work/ssh" <<END
#!/bin/sh
exec ssh -p $ssh_port -i $work/user_key -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR "\$@"
END
    chmod +x "$work/ssh"
    "$(command -v sshd)" -D -f "$work/sshd_config" >"$work/sshd.log" 2>&1 &
    pids+=($!)
    await 20 sshd "$work/ssh" 127.0.0.1 true
}

# Three of our own; what is compared is the runner, not the bots.
cat >"$work/bots.toml" <<END
[[bot]]
name = "plain"
command = "'$(dirname "$arena")/zappy_ai'"
[[bot]]
name = "seven"
command = "'$(dirname "$arena")/zappy_ai' --seed 7"
[[bot]]
name = "seeded"
command = "'$(dirname "$arena")/zappy_ai' --seed {seed}"
END
plan() {
    "$arena" tournament plan --bots "$work/bots.toml" --out "$work/$1" --first 1 --seeds "${SEEDS:-10}" --max-ticks 3000 >/dev/null
}
drained() { [ -z "$(squeue -h)" ]; }
compare() { diff -r -x times.html -x .arena-signature "$work/here/merged" "$work/$1/merged" || fail "$2 merged something else"; }

say "Slurm $(slurmctld -V | cut -d' ' -f2), munge $(munged --version | sed -n '1s/munge-\([0-9.]*\).*/\1/p')," \
    "GNU parallel $(parallel --version | sed -n '1s/.* //p'), $(ssh -V 2>&1 | cut -d, -f1), $(nproc) cores"
plan here
say "playing $(wc -l <"$work/here/plan.jsonl") matches here"
"$arena" tournament run "$work/here" --quiet >"$work/here.log" 2>&1 || { cat "$work/here.log"; fail "the run failed"; }
"$arena" tournament merge "$work/here" >"$work/ranking.txt"

say "starting a Slurm of one node"
start_slurm
say "a job array of 20 tasks that do nothing, for what a task costs"
from=$(date +%s%N)
sbatch --array=1-20 --output=/dev/null --wrap true >/dev/null
await 120 "tasks that do nothing" drained
say "$((($(date +%s%N) - from) / 20000000)) ms a task"

plan slurm
say "handing the plan to Slurm"
submitted=$(arena/cluster/slurm.sh "$work/slurm" 6 1)
printf '%s\n' "$submitted"
job=$(printf '%s\n' "$submitted" | sed -n 's/.*: job \([0-9]*\); then.*/\1/p')
results() { find "$work/slurm/results" -name '*.json' | wc -l; }
some() { [ "$(results)" -ge 5 ]; }
await 120 "the first results" some
say "$(results) results are there; killing the job"
scancel --signal=KILL --full "$job"
scancel "$job"
await 120 "the end of the jobs" drained
left=$(($(wc -l <"$work/slurm/plan.jsonl") - $(results)))
[ "$left" -gt 0 ] || fail "nothing was left when the job was killed; call it with a larger SEEDS"
say "$(results) results, $left are left; handing the plan to Slurm again"
arena/cluster/slurm.sh "$work/slurm" 6 1 >/dev/null
await 900 "the end of the jobs" drained
compare slurm "the run by Slurm"
say "the merged files are the same as here, to the byte"
"$arena" tournament status "$work/slurm"

plan parallel
start_ssh
say "GNU parallel over ssh"
printf '127.0.0.1\n' >"$work/hosts"
PARALLEL_FLAGS="--ssh $work/ssh" arena/cluster/parallel.sh "$work/parallel" "$work/hosts" 4 >"$work/parallel.log" 2>&1 ||
    { cat "$work/parallel.log"; fail "the run by GNU parallel failed"; }
compare parallel "the run by GNU parallel"
say "the merged files are the same as here, to the byte"
cat "$work/ranking.txt"
say "the cluster test passed"
