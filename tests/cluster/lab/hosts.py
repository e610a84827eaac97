"""Hosts: namespaces of network, name and mounts, joined by a bridge. Each has its own address, name and `/tmp`; they
share `/mnt`, as machines of a cluster share a file system, and with it `$HOME`.

Everything runs in the process namespace that `tests/cluster/run` opens, and ends with it.
"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

SHARED = Path("/mnt")
SMALL = SHARED / "small"
NETWORK = "10.77.0"


@dataclass
class Outcome:
    """What a command gave, and how long it took."""

    status: int
    out: str
    err: str
    seconds: float


def bounded(command, *, seconds=60, environ=None):
    """Runs a command in a session of its own, which is gone when this returns. It fails the test after a time."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in command],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        out, err = process.communicate()
        raise AssertionError(f"{command} took longer than {seconds} s\n{out}\n{err}") from None
    finally:
        end_session(process.pid)
    return Outcome(process.returncode, out, err, time.monotonic() - begin)


def end_session(leader):
    """Kills what is left of a session that `bounded` started."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def checked(*command):
    """Runs a short command that has to work."""
    result = bounded(command, seconds=20)
    assert result.status == 0, f"{command}: {result.err or result.out}"
    return result.out


# What a process sees of the variables of the tests' own.
KEPT = ("PATH", "PYTHONPATH", "LANG", "CUPROXIDE_LIBRARY_PATH", "CUPROXIDE_CUDA_DRIVER_PATH")


class Host:
    """A machine of the laboratory.

    Parameters
    ----------
    number : int
        From 1; its name is `node` and the number.
    """

    def __init__(self, number):
        self.name, self.address, self.port = f"node{number}", f"{NETWORK}.{number}", f"port{number}"
        script = (
            f"hostname {self.name}; mount -t tmpfs -o size=512m tmpfs /tmp; mount -t tmpfs tmpfs /run; "
            "ip link set lo up; echo up; exec sleep infinity"
        )
        self.process = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", "bash", "-ec", script], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "up\n", f"{self.name} did not start"
        checked("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.process.pid)
        checked("ip", "link", "set", self.port, "up")
        self.plug()
        checked(*self.inside("ip", "address", "add", f"{self.address}/24", "dev", "eth0"))
        checked(*self.inside("ip", "link", "set", "eth0", "up"))

    def inside(self, *command, folder="/"):
        """The command that runs `command` on this host."""
        into = ["nsenter", f"--target={self.process.pid}", "--net", "--uts", "--mount", f"--wdns={folder}"]
        return [*into, "--", *(str(part) for part in command)]

    def environ(self, **variables):
        """The variables that a login gives, and those of a call."""
        plain = {name: os.environ[name] for name in KEPT if name in os.environ}
        if "PYTHONPATH" in plain:
            # Commands run in other folders.
            plain["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, plain["PYTHONPATH"].split(os.pathsep)))
        plain |= {"HOME": str(SHARED / "home"), "USER": "root", "CUPROXIDE_NUM_THREADS": "1"}
        return plain | {name: str(value) for name, value in variables.items()}

    def run(self, *command, seconds=60, folder=SHARED / "home", **variables):
        """Runs a command here and waits for it, so long at most."""
        return bounded(self.inside(*command, folder=folder), seconds=seconds, environ=self.environ(**variables))

    def start(self, *command, log=None, **variables):
        """Starts a command here and does not wait; its output goes to a file of the shared folder."""
        with open(log or os.devnull, "ab") as file:
            return subprocess.Popen(
                self.inside(*command, folder=SHARED / "home"),
                env=self.environ(**variables),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def plug(self):
        """Joins it to the bridge."""
        checked("ip", "link", "set", self.port, "master", "lab0")

    def unplug(self):
        """Takes it off the bridge: what it sends is lost, and it does not see why, as behind a switch that fails."""
        checked("ip", "link", "set", self.port, "nomaster")

    def processes(self, mark):
        """The numbers of the processes of this host whose command line has a word; zombies do not count."""
        own = os.readlink(f"/proc/{self.process.pid}/ns/net")
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "ns/net") == own:
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    if mark in line:
                        found.append(int(entry.name))
            except OSError:
                continue
        return found


class Hosts:
    """So many hosts, and the files that they share."""

    def __init__(self, count):
        checked("mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", SHARED)
        (SHARED / "home").mkdir(mode=0o700)
        # A disk that is soon full.
        SMALL.mkdir()
        checked("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", SMALL)
        checked("ip", "link", "set", "lo", "up")
        checked("ip", "link", "add", "lab0", "type", "bridge")
        checked("ip", "link", "set", "lab0", "up")
        names = ["127.0.0.1 localhost", *(f"{NETWORK}.{number} node{number}" for number in range(1, count + 1))]
        (SHARED / "hosts").write_text("\n".join(names) + "\n")
        checked("mount", "--bind", SHARED / "hosts", "/etc/hosts")
        self.all = [Host(number) for number in range(1, count + 1)]
        # How a launcher of MPI reaches another host, in place of ssh: by the process that holds its namespaces.
        shell = ["#!/bin/bash", 'while [ "${1#-}" != "$1" ]; do shift; done', "host=$1; shift", "case $host in"]
        for host in self.all:
            command = " ".join(host.inside("/bin/bash", "-c", folder=SHARED / "home"))
            shell.append(f'{host.name}|{host.address}) exec {command} "$*" ;;')
        self.shell = SHARED / "shell"
        self.shell.write_text("\n".join([*shell, "esac", "exit 1", ""]))
        self.shell.chmod(0o755)

    def __getitem__(self, index):
        return self.all[index]

    def __len__(self):
        return len(self.all)

    def left_over(self, mark, seconds=15.0):
        """The processes with a word in their command line that do not end within a time."""
        deadline = time.monotonic() + seconds
        while found := [number for host in self.all for number in host.processes(mark)]:
            if time.monotonic() > deadline:
                return found
            time.sleep(0.1)
        return []
