"""The guest's kernel, with the module gpio-sim, and its initramfs: made once, from Debian's packages."""
import lzma
import os
import pathlib
import re
import shutil
import subprocess

import gpiod
from packages import Missing, provide

HERE = pathlib.Path(__file__).resolve().parent
# Debian's packages to build and boot the guest, each with one of its programs, which shows whether it is installed.
TOOLS = {"qemu-system-x86": "qemu-system-x86_64", "busybox-static": "busybox", "cpio": "cpio", "kmod": "depmod", "make": "make",
         "gcc": "gcc", "xz-utils": "xz"}
MODULES = ("virtio_pci", "9p", "9pnet_virtio", "virtio_net", "virtio_blk", "crc32c_generic", "ext4", "configfs", "hci_vhci", "hci_uart")
# Source files of the module gpio-sim, which is built separately, because Debian's kernels do not contain it
# (CONFIG_GPIO_SIM).
SOURCES = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
MAKEFILE = """\
obj-m := gpio-sim-oot.o
gpio-sim-oot-y := gpio-sim.o irq_sim.o
ccflags-y += -DCONFIG_IRQ_SIM=1 -I$(src)
CFLAGS_irq_sim.o := -include $(src)/descriptor.h
"""
# The kernel does not export irq_to_desc() to modules. This function finds the same descriptor from the interrupt's
# data.
DESCRIPTOR = """\
#include <linux/irq.h>
#include <linux/irqdesc.h>
static inline struct irq_desc *descriptor_of(unsigned int irq)
{
    struct irq_data *data = irq_get_irq_data(irq);
    return data ? irq_data_to_desc(data) : NULL;
}
#define irq_to_desc descriptor_of
"""


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


class NoMachine(Exception):
    """The reason why no machine can be made here."""


class Image:
    """The files ``kernel`` and ``initramfs``, and both generations of libgpiod (``libraries``), below a folder."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.packages, self.tree = folder, folder / "packages", folder / "tree"
        self.kernel, self.initramfs, self.libraries = folder / "vmlinux", folder / "initramfs", folder / "gpiod"

    def make(self):
        """Makes the missing files, after an installation of the packages to build and boot them. Raises NoMachine."""
        try:
            provide(TOOLS)
            self._make()
            gpiod.fetch(self.libraries)
        except Missing as missing:
            raise NoMachine(missing) from missing
        except (OSError, subprocess.SubprocessError) as failure:
            raise NoMachine(f"{failure}: is there a Debian mirror for amd64?") from failure

    def _make(self):
        shown = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True).stdout
        found = re.search(r"Depends: linux-image-(\S+)", shown)
        stamp, wanted = self.folder / "stamp", f"{found and found.group(1)} {MODULES} {MAKEFILE}"
        if found is None or stamp.exists() and stamp.read_text() == wanted:
            if not self.initramfs.exists():
                raise FileNotFoundError("no package linux-image-amd64")
            return self._pack()
        print("making a kernel with gpio-sim (once) ...", flush=True)
        self.release = found.group(1)
        for folder in (self.tree, self.packages):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        self._download(f"linux-image-{self.release}")
        version = run("dpkg-deb", "-f", next(self.packages.glob("linux-image-*")), "Version", capture_output=True,
                      text=True).stdout.strip()
        series = ".".join(self.release.split(".")[:2])
        common = self.release.removesuffix("-amd64") + "-common"
        for name in (f"linux-headers-{self.release}", f"linux-headers-{common}", f"linux-kbuild-{series}",
                     f"linux-source-{series}"):
            self._download(f"{name}={version}")
        for package in self.packages.iterdir():
            run("dpkg-deb", "-x", package, self.tree)
        self._module(series, common)
        self.kernel.write_bytes(self._uncompressed((self.tree / "boot" / f"vmlinuz-{self.release}").read_bytes()))
        self._modules()
        for folder in (self.tree, self.packages):
            shutil.rmtree(folder)
        self._pack()
        stamp.write_text(wanted)

    def _download(self, package):
        run("apt-get", "-qq", "download", package, cwd=self.packages, stderr=subprocess.DEVNULL, timeout=150)

    def _module(self, series, common):
        """Builds gpio-sim against the headers of exactly this kernel."""
        headers, place = self.tree / "usr/src", self.tree / "gpio-sim"
        place.mkdir()
        source = headers / f"linux-source-{series}.tar.xz"
        run("tar", "-xJf", source, "-C", place, "--strip-components=3", "--wildcards", *("*/" + name for name in SOURCES))
        (place / "Makefile").write_text(MAKEFILE)
        (place / "descriptor.h").write_text(DESCRIPTOR)
        makefile = headers / f"linux-headers-{self.release}" / "Makefile"
        makefile.write_text(re.sub("(?m)^include .*", f"include {headers / f'linux-headers-{common}' / 'Makefile'}",
                                   makefile.read_text()))
        run("make", "-s", "-C", makefile.parent, f"M={place}", "modules", stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def _modules(self):
        """Copies the modules that the guest loads, with their dependencies, and makes the tables of modprobe."""
        modules, there = self.folder / "modules", self.tree / "lib/modules" / self.release
        shutil.rmtree(modules, ignore_errors=True)
        here = modules / "lib/modules" / self.release
        here.mkdir(parents=True)
        run("depmod", "-b", self.tree, self.release)
        for module in MODULES:
            # A module that is built into the kernel has no file to copy.
            shown = subprocess.run(["modprobe", "-d", self.tree, "-S", self.release, "--show-depends", module],
                                   capture_output=True, text=True).stdout
            for path in re.findall(r"insmod (\S+)", shown):
                shutil.copy(path, here)
        shutil.copy(self.tree / "gpio-sim/gpio-sim-oot.ko", here / "gpio-sim.ko")
        run("strip", "--strip-debug", here / "gpio-sim.ko")
        for name in ("modules.builtin", "modules.order"):
            shutil.copy(there / name, here)
        run("depmod", "-b", modules, self.release, stderr=subprocess.DEVNULL)

    def _pack(self):
        """Packs modules, busybox and the first process (guest/init). This runs each time, because it is fast and
        guest/init may have changed."""
        root = self.folder / "initramfs.tree"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.folder / "modules", root)
        for name in ("bin", "proc", "sys", "dev", "root"):
            (root / name).mkdir()
        shutil.copy(shutil.which("busybox"), root / "bin/busybox")
        shutil.copy(HERE / "guest/init", root / "init")
        names = subprocess.run(["find", "."], cwd=root, check=True, capture_output=True).stdout
        with self.initramfs.open("wb") as output:
            subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=root, input=names, stdout=output, check=True)
        shutil.rmtree(root)

    @staticmethod
    def _uncompressed(image: bytes) -> bytes:
        """Returns the kernel inside a bzImage, because the emulated processor would take long to decompress it."""
        at = image.find(b"\xfd7zXZ\0")
        while at >= 0:
            kernel = lzma.LZMADecompressor().decompress(image[at:])
            if kernel.startswith(b"\x7fELF"):
                return kernel
            at = image.find(b"\xfd7zXZ\0", at + 1)
        raise ValueError("the kernel image has no part that is compressed with xz")
