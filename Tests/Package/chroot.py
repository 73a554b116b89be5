"""A tree in which nothing runs but the command that is given, as where images for cards are made."""
import pathlib
import subprocess

from container import Failure

# What is not the tree's own, or of no package: the lists of users, and what dpkg, apt and the linker keep for themselves.
KEPT = ("./proc", "./sys", "./dev", "./run", "./tmp", "./root", "./srv", "./var/lib/dpkg", "./var/log", "./var/cache", "./etc/passwd*",
        "./etc/group*", "./etc/shadow*", "./etc/gshadow*", "./etc/.pwd.lock", "./etc/subuid*", "./etc/subgid*",
        "./etc/machine-id", "./etc/resolv.conf")


class Chroot:
    """Shares this machine's network, so that apt finds its mirror."""

    def __init__(self, root: pathlib.Path):
        self.root = root

    def shell(self, command: str, check=True, limit=60) -> str:
        """Runs a command in the tree, as root; returns what it writes."""
        done = subprocess.run(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--pipe", "-D", self.root, "sh", "-c", command],
            capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
        if check and done.returncode:
            raise Failure(f"{command}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[-2000:]}")
        return done.stdout

    def start(self, command: str, log):
        """Starts a command in the tree that goes on, and writes into `log`."""
        return subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--pipe", "-D", self.root, "sh", "-c", f"exec {command}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def files(self) -> set:
        """The paths of all that is there, but for what is not the package's to take away."""
        words = [word for path in KEPT for word in ("-path", path, "-prune", "-o")]
        found = subprocess.run(["find", ".", *words, "-print"], cwd=self.root, capture_output=True, text=True, check=True)
        return {line[1:] for line in found.stdout.splitlines()}
