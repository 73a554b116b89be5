"""A root file system in which only the given commands run and no service, as when images for cards are made."""
import pathlib
import subprocess

from container import Failure

# Paths that do not belong to the tree or to any package: mounts, user lists, and data of dpkg, apt and the linker.
KEPT = ("./proc", "./sys", "./dev", "./run", "./tmp", "./root", "./srv", "./var/lib/dpkg", "./var/log", "./var/cache", "./etc/passwd*",
        "./etc/group*", "./etc/shadow*", "./etc/gshadow*", "./etc/.pwd.lock", "./etc/subuid*", "./etc/subgid*",
        "./etc/machine-id", "./etc/resolv.conf")


class Chroot:
    """Commands in a tree. They use this machine's network, so that apt reaches its mirror."""

    def __init__(self, root: pathlib.Path):
        self.root = root

    def shell(self, command: str, check=True, limit=60) -> str:
        """Runs a command in the tree, as root. Returns its output; raises Failure if ``check`` is true and the
        exit status is not 0."""
        done = subprocess.run(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--pipe", "-D", self.root, "sh", "-c", command],
            capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
        if check and done.returncode:
            raise Failure(f"{command}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[-2000:]}")
        return done.stdout

    def start(self, command: str, log):
        """Starts a command in the tree, with its output to `log`, and does not wait for its end."""
        return subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--pipe", "-D", self.root, "sh", "-c", f"exec {command}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def files(self) -> set:
        """Returns all paths in the tree, except those in KEPT, which a removal of the package may leave."""
        words = [word for path in KEPT for word in ("-path", path, "-prune", "-o")]
        found = subprocess.run(["find", ".", *words, "-print"], cwd=self.root, capture_output=True, text=True, check=True)
        return {line[1:] for line in found.stdout.splitlines()}
