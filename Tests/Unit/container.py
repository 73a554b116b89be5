"""A Debian with its own systemd in a container, and commands that run in it."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import zlib

from packages import Missing, provide

PACKAGES = (
    "systemd,systemd-sysv,dbus,libsodium23,libqrencode4,libgpiod2,libsqlite3-0,zlib1g,libssl3,libstdc++6,"
    "ca-certificates,tzdata"
)


class Failure(Exception):
    """The result of a failed check, or the reason why a check cannot be made."""


class Unavailable(Exception):
    """Packages that no mirror delivered, so that nothing was checked."""


def need(name: str):
    """Installs the tools for containers. If this machine cannot have them or run containers, ends the program with
    exit code 2; `name` is the prefix of the message."""
    try:
        provide({"debootstrap": "debootstrap", "systemd-container": "systemd-nspawn"})
    except Missing as missing:
        print(f"{name}: {missing}", file=sys.stderr)
        sys.exit(2)
    if os.geteuid() != 0:
        print(f"{name}: a container with a systemd needs root", file=sys.stderr)
        sys.exit(2)
    # Root inside another container may not have the right to make containers.
    try:
        subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-c",
                        "mount -t tmpfs none /mnt && mknod /mnt/null c 1 3 && : > /mnt/null"],
                       check=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        why = getattr(failure, "stderr", None) or failure
        print(f"{name}: root may make no containers here: {str(why).strip()}", file=sys.stderr)
        sys.exit(2)


def tree(folder: pathlib.Path, suite="bookworm", packages=PACKAGES, name="") -> pathlib.Path:
    """Returns the pristine tree of a Debian with these packages, below `folder`. Makes the tree if it does not
    exist."""
    # The default name depends on the packages, so that other packages have another tree.
    name = name or f"{suite}-{zlib.crc32(packages.encode()):08x}"
    made = folder / name
    if not made.exists():
        new = folder / f"{name}.new"
        folder.mkdir(parents=True, exist_ok=True)
        print(f"making a Debian, {name} (once) ...", flush=True)

        def make():
            shutil.rmtree(new, ignore_errors=True)
            # Do not use Python's own timeout: it kills debootstrap, which would then leave its mounts.
            subprocess.run(
                ["timeout", "--foreground", "--kill-after=60", "1200",
                 "debootstrap", "--variant=minbase", "--include=" + packages, suite, new], check=True,
                stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )

        twice(make)
        new.rename(made)
    return made


def twice(fetch):
    """Fetches something from a mirror, with one repetition after a failure. Raises Unavailable after the second
    failure."""
    try:
        return fetch()
    except (Failure, subprocess.SubprocessError):
        time.sleep(10)
    try:
        return fetch()
    except (Failure, subprocess.SubprocessError) as failure:
        raise Unavailable(f"not to be had: {failure}") from failure


class Container:
    """A context manager: boots a tree in a container, and ends it at the end of the `with` block. The container shares
    this machine's network, so that it reaches a controller on 127.0.0.1."""

    def __init__(self, root: pathlib.Path, log: pathlib.Path):
        self.root, self.log = root, log

    def __enter__(self):
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--console=pipe",
             "--capability=CAP_NET_ADMIN", "-D", self.root],
            stdin=subprocess.DEVNULL, stdout=self.log.open("wb"), stderr=subprocess.STDOUT,
        )
        try:
            self.leader = self.wait(self._leader, 30, "its first process")
            self.wait(lambda: self.shell("systemctl is-system-running", check=False).strip() in ("running", "degraded"),
                      60, "a booted system")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def shell(self, command: str, check=True, limit=60) -> str:
        """Runs a command in the container, as root. Returns its output; raises Failure if ``check`` is true and
        the exit status is not 0."""
        done = subprocess.run(
            ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--pid", "--root", "--wd=/", "sh", "-c",
             command], capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "TERM": "dumb"},
        )
        if check and done.returncode:
            raise Failure(f"{command}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}")
        return done.stdout

    def show(self, unit: str, name: str) -> str:
        """Returns a property of a unit."""
        return self.shell(f"systemctl show --property={name} --value {unit}").strip()

    @staticmethod
    def wait(what, limit: float, name: str):
        """Calls ``what`` until it returns a true value, and returns it. Raises Failure after ``limit`` seconds."""
        until = time.monotonic() + limit
        while True:
            answer = what()
            if answer:
                return answer
            if time.monotonic() > until:
                raise Failure(f"no {name} within {limit} s")
            time.sleep(0.05)

    def _leader(self):
        """Returns the process ID of the container's first process: it has number 1 in its own PID namespace, and the
        tree as root."""
        if self.process.poll() is not None:
            raise Failure(f"the container did not start: {self.log.read_text(errors='replace')[-500:]}")
        ours = os.stat(self.root)
        for folder in pathlib.Path("/proc").iterdir():
            try:
                if not folder.name.isdigit() or int(folder.name) == 1:
                    continue
                numbers = next(line for line in (folder / "status").open() if line.startswith("NSpid:")).split()[1:]
                root = os.stat(folder / "root")
                if len(numbers) > 1 and numbers[-1] == "1" and (root.st_dev, root.st_ino) == (ours.st_dev, ours.st_ino):
                    return int(folder.name)
            except (OSError, StopIteration):
                continue
        return None
