#!/bin/sh
# A sweep as an array job of Slurm, on a cluster of this machine alone: a part is killed and
# queued again, and the table is that of one process. Needs Debian's slurm-wlm, as root, on a
# machine where Slurm is not running; it takes about a minute.
#
#   tests/slurm.sh [PROGRAM]
set -eu

program=$(realpath "${1:-target/release/crosswave}")
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
name=$(hostname -s)

finish() {
    for daemon in slurmd slurmctld munged; do
        if [ -s "$place/$daemon.pid" ]; then kill "$(cat "$place/$daemon.pid")" || true; fi
    done
    sleep 1
    rm -rf "$place"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

mkdir "$place/state" "$place/spool"
chmod 755 "$place"
head -c 64 /dev/urandom >"$place/munge.key"
chmod 600 "$place/munge.key"
munged --force --key-file="$place/munge.key" --socket="$place/munge.socket" \
    --pid-file="$place/munged.pid" --log-file="$place/munged.log" --seed-file="$place/munge.seed"

cat >"$place/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$name(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
CredType=cred/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=$name NodeAddr=127.0.0.1 $(slurmd -C | grep -o 'CPUs=.*RealMemory=[0-9]*')
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
CONF
export SLURM_CONF="$place/slurm.conf"
slurmctld -L "$place/slurmctld.log"
slurmd -L "$place/slurmd.log"
until sinfo -h -o %T | grep -q idle; do sleep 0.2; done

# What docs/how-to/sweeps.md shows, with points that take longer.
sed -n '/^#!.bin.sh/,/^```/p' "$root/docs/how-to/sweeps.md" | sed '/^```/d' >"$place/load.slurm"
cd "$place"
mkdir bin
ln -s "$program" bin/crosswave
cp -r "$root/examples" .
export PATH="$place/bin:$PATH"
sed -i 's/--out load/--set traffic.cycles=200000 --out load/' load.slurm
cat load.slurm

job=$(sbatch --parsable load.slurm)
# The second part is killed in the middle, and queued again.
state() { scontrol show job "$1" | grep -o 'JobState=[A-Z]*'; }
until [ "$(find load/points -name '*.json' 2>/dev/null | wc -l)" -ge 2 ]; do sleep 0.1; done
pkill -KILL -f 'shard [2]/4'
while state "${job}_2" | grep -q 'RUNNING\|COMPLETING'; do sleep 0.2; done
echo "part 2: $(state "${job}_2"), $(find load/points -name '*.json' | wc -l) points are there"
scontrol requeue "${job}_2"
# Slurm lets what it queues again wait for two minutes.
scontrol update "JobId=${job}_2" StartTime=now
while [ -n "$(squeue -h -j "$job")" ]; do sleep 0.5; done
for part in 1 2 3 4; do
    scontrol show job "${job}_$part" | grep -o 'JobState=[A-Z]*\|Restarts=[0-9]*' | tr '\n' ' '
done
echo
tail -n +1 slurm-*.out

# The line that writes the table, and one process by itself.
line=$(grep '^crosswave' load.slurm | sed 's/ --shard.*//')
sh -c "$line"
sh -c "$(echo "$line" | sed 's/--out load/--out alone/')"
cmp load/sweep.csv alone/sweep.csv
for picture in load/*.svg; do cmp "$picture" "alone/${picture#load/}"; done
echo "the table of $(wc -l <load/sweep.csv) lines is that of one process"
