"""A virtual machine with its own kernel, and commands that run in it."""
import base64
import contextlib
import ctypes
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import gpiod
from container import Container, Failure

# The user ID and group ID of the service's user.
USER = 999
LIBC = ctypes.CDLL(None)
COMPILER = ["gcc", "-O2", "-Wall", "-Werror"]


def libraries(program: pathlib.Path):
    """Returns the paths of the libraries that the program loads."""
    shown = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return {word for word in shown.split() if word.startswith("/")}


class NoStart(Failure):
    """The emulator ended or did not connect before the machine wrote anything. The start is repeated once."""


class Machine:
    """A context manager: boots a virtual machine, and ends it at the end of the `with` block.

    The machine boots a tree, which is its read-only root file system, or, without a tree, the card ``disk``. With a
    tree, ``disk`` contains /var/lib/gatehouse, which is otherwise in memory. The machine reaches 127.0.0.1 of this
    machine as 10.0.2.2. Its third serial line is connected to the TCP port ``port`` of this machine. The processor
    is emulated, which works on every machine and is about ten times slower."""

    host = "10.0.2.2"

    def __init__(self, image, tree: pathlib.Path, log: pathlib.Path, port: int, disk=None):
        self.image, self.tree, self.log, self.port, self.disk = image, tree, log, port, disk

    def __enter__(self):
        try:
            return self._boot()
        except NoStart as failure:
            print(f"      {failure}: once more", flush=True)
            return self._boot()

    def _boot(self):
        self.log.write_bytes(b"")
        self.folder = tempfile.TemporaryDirectory(prefix="gatehouse-kernel-")
        path = pathlib.Path(self.folder.name) / "line"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(1)
        self.said = pathlib.Path(self.folder.name) / "said"
        tree = [] if self.tree is None else [
            "-fsdev", f"local,id=tree,path={self.tree},security_model=none,readonly=on",
            "-device", "virtio-9p-pci,fsdev=tree,mount_tag=tree"]
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", "768", "-smp", "1", "-display", "none",
             "-no-reboot", "-nodefaults", "-kernel", self.image.kernel, "-initrd", self.image.initramfs,
             "-append", "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check random.trust_cpu=on"
             + ("" if tree else " gatehouse.card net.ifnames=0"),
             "-serial", f"file:{self.log}", "-chardev", f"socket,id=line,path={path}", "-serial", "chardev:line",
             "-chardev", f"socket,id=h4,host=127.0.0.1,port={self.port}", "-device", "pci-serial,chardev=h4",
             "-device", "virtio-rng-pci", "-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net", *tree,
             *(self.disk.options() if self.disk else [])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said.open("wb"),
            preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG: the emulator ends with this program
        try:
            self.line = self._accepted(listener)
            self.line.settimeout(120 if tree else 600)
            self.input = b""
            if self._first_answer() != "ready":
                raise Failure("the machine did not boot: " + self.console())
        except BaseException:
            self.__exit__()
            raise
        finally:
            listener.close()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def console(self) -> str:
        """Returns the last 2,000 letters that the kernel and its first process wrote to the console."""
        return self.log.read_text(errors="replace")[-2000:]

    def shell(self, command: str, check=True, limit=60) -> str:
        """Runs a command in the machine, as root. Returns its output; raises Failure if ``check`` is true and the
        exit status is not 0."""
        self.line.settimeout(limit)
        self.line.sendall(base64.b64encode(command.encode()) + b"\n")
        text, _, status = self._answer().rpartition(".")
        text = base64.b64decode(text).decode(errors="replace")
        if check and status != "0":
            raise Failure(f"{command}: exit {status}: {text.strip()[-500:]}")
        return text

    def _accepted(self, listener):
        """Waits for the emulator's connection to the serial line of commands, and returns the socket."""
        until = time.monotonic() + 60
        while True:
            try:
                return listener.accept()[0]
            except TimeoutError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise NoStart(self._no_start()) from None

    def _first_answer(self) -> str:
        try:
            return self._answer()
        except Failure:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
            if self.process.returncode is None or self.console():  # the kernel ran: the failure is a finding
                raise
            raise NoStart(self._no_start()) from None

    def _no_start(self) -> str:
        return f"QEMU did not start, status {self.process.poll()}: {self.said.read_text(errors='replace').strip()[-500:]}"

    def _answer(self) -> str:
        while b"\n" not in self.input:
            try:
                part = self.line.recv(65536)
            except TimeoutError:
                part = b""
            if not part:
                raise Failure("the machine does not answer: " + self.console())
            self.input += part
        line, _, self.input = self.input.partition(b"\n")
        return line.decode()

    wait = staticmethod(Container.wait)


def furnish(tree: pathlib.Path, program: pathlib.Path, repository: pathlib.Path, libraries_of_lines: pathlib.Path):
    """Makes a root file system: the program as `deploy/install` installs it, its libraries, a shell and the tools of
    the checks."""
    for name in ("bin", "sbin", "proc", "sys", "dev", "tmp", "run", "var", "root", "etc"):
        (tree / name).mkdir(parents=True)
    subprocess.run([repository / "deploy/install", "--binary", program], check=True,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DESTDIR": str(tree)}, stdout=subprocess.DEVNULL)
    busybox = shutil.which("busybox")
    shutil.copy(busybox, tree / "bin/busybox")
    for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if not (tree / "bin" / name).exists():
            (tree / "bin" / name).symlink_to("busybox")
    for path in libraries(tree / "usr/bin/gatehouse"):
        target = tree / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    gpiod.furnish(tree, libraries_of_lines)
    guest, gpio = pathlib.Path(__file__).parent / "guest", repository / "Sources/CGPIO"
    equip(tree)
    # Not linked statically, because it loads libgpiod as the program does.
    sources = [guest / "requests.c", *gpio.glob("*.c")]
    subprocess.run([*COMPILER, f"-I{gpio}/include", "-o", tree / "bin/requests", *sources], check=True)
    (tree / "etc/passwd").write_text(f"root:x:0:0:root:/tmp:/bin/sh\ngatehouse:x:{USER}:{USER}::/tmp:/bin/sh\n")
    (tree / "etc/group").write_text(f"root:x:0:\ngatehouse:x:{USER}:\n")


def equip(tree: pathlib.Path):
    """Adds to a tree what the checks need: the server that runs commands, and tools for lines and adapters."""
    guest = pathlib.Path(__file__).parent / "guest"
    shutil.copy(guest / "serve", tree / "sbin/serve")
    for tool in ("lines", "radio", "terminal"):
        subprocess.run([*COMPILER, "-static", "-o", tree / "bin" / tool, guest / f"{tool}.c"], check=True)
