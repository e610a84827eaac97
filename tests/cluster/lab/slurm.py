"""SLURM on the hosts: munged and slurmd on each, slurmctld on the first, two GPUs each that are names of files."""

import os
import time

from .hosts import SHARED, bounded, checked

FOLDER = SHARED / "slurm"

CONFIGURATION = """\
ClusterName=lab
SlurmctldHost={first}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
GresTypes=gpu
MpiDefault=none
ReturnToService=2
SlurmdTimeout=30
KillWait=5
InactiveLimit=0
StateSaveLocation={folder}/state
SlurmdSpoolDir=/tmp/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
PropagateResourceLimits=NONE
NodeName={names} CPUs=4 RealMemory=2000 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


class Slurm:
    """A cluster of the hosts."""

    def __init__(self, hosts):
        self.hosts = hosts
        (FOLDER / "etc").mkdir(parents=True)
        (FOLDER / "state").mkdir()
        first, last = hosts[0].name, len(hosts)
        text = CONFIGURATION.format(first=first, folder=FOLDER, names=f"node[1-{last}]")
        (FOLDER / "etc" / "slurm.conf").write_text(text)
        # Any file passes for a device; nothing opens it.
        (FOLDER / "etc" / "gres.conf").write_text("Name=gpu File=/dev/lab_gpu[0-1]\n")
        (FOLDER / "etc" / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        key = FOLDER / "munge.key"
        checked("mungekey", "--create", f"--keyfile={key}")
        key.chmod(0o400)
        self.daemons = []
        for host in hosts:
            os.makedirs("/etc/slurm", exist_ok=True)
            checked(*host.inside("mount", "--bind", FOLDER / "etc", "/etc/slurm"))
            checked(*host.inside("mount", "-t", "tmpfs", "tmpfs", "/dev"))
            checked(*host.inside("bash", "-ec", DEVICES))
            log = FOLDER / f"munged-{host.name}.log"
            checked(*host.inside("mkdir", "-m", "755", "/run/munge", "/tmp/slurmd"))
            self.daemons.append(
                host.start("munged", "--foreground", "--force", f"--key-file={key}", "--num-threads=1", log=log)
            )
        self.daemons.append(hosts[0].start("slurmctld", "-D", log=FOLDER / "slurmctld.out"))
        for host in hosts:
            log = FOLDER / f"slurmd-{host.name}.out"
            self.daemons.append(host.start("slurmd", "-D", "-N", host.name, log=log))
        self.ready()

    def ready(self, seconds=15.0):
        """Waits until all hosts are idle."""
        deadline = time.monotonic() + seconds
        while True:
            said = bounded(self.hosts[0].inside("sinfo", "-h", "-t", "idle", "-o", "%D"), seconds=30)
            if said.out.strip() == str(len(self.hosts)):
                return
            if time.monotonic() > deadline:
                logs = "\n".join(
                    f"== {log.name}\n{log.read_text()[-3000:]}" for log in sorted(FOLDER.glob("*.[lo][ou][gt]"))
                )
                raise AssertionError(f"SLURM does not start: {said.out} {said.err}\n{logs}")
            time.sleep(0.3)

    def idle(self, seconds=20.0):
        """Whether no job is left within a time."""
        deadline = time.monotonic() + seconds
        while self.hosts[0].run("squeue", "-h").out.strip():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.3)
        return True

    def srun(self, *arguments, seconds=60, **variables):
        """`srun` of the first host."""
        return self.hosts[0].run("srun", *arguments, seconds=seconds, **variables)

    def batch(self, script, *arguments, options=(), seconds=120, folder=None, **variables):
        """Submits a job script, waits for its end, and gives what it wrote to its own output."""
        folder = folder or SHARED / "home"
        return self.hosts[0].run(
            "sbatch", "--wait", *options, script, *arguments, seconds=seconds, folder=folder, **variables
        )


# A /dev of a host's own, with two files for GPUs: of other numbers, so that a cgroup can hide the second alone.
DEVICES = """
for name in null:1:3 zero:1:5 random:1:8 urandom:1:9 tty:5:0 lab_gpu0:1:3 lab_gpu1:1:7; do
    IFS=: read -r file major minor <<< "$name"
    mknod -m 666 "/dev/$file" c "$major" "$minor"
done
ln -s /proc/self/fd /dev/fd; ln -s fd/0 /dev/stdin; ln -s fd/1 /dev/stdout; ln -s fd/2 /dev/stderr
mkdir -m 1777 /dev/shm /dev/pts; mount -t tmpfs tmpfs /dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts; ln -s pts/ptmx /dev/ptmx
"""
