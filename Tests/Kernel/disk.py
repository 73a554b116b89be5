"""A disk of the machine whose drive has a cache: what was not flushed when the power goes is partly gone."""
import pathlib
import random
import shutil
import struct
import subprocess

# The log that QEMU writes of every request (dm-log-writes): a first sector, then for each a sector that names it, and its data.
MAGIC, SECTOR = 0x6A736677736872, 512
FLUSH, FUA, DISCARD = 1, 2, 4
# What a drive writes at once: a power cut may come between two of these.
BLOCK = 4096


class Disk:
    """An ext4 file system in a file below ``folder``: empty when it is made, or what is in ``tree``."""

    def __init__(self, folder: pathlib.Path, random_numbers: random.Random, tree=None, megabytes=256):
        self.image, self.used, self.log = folder / "disk", folder / "disk.used", folder / "disk.log"
        self.random, self.lost, self.kept = random_numbers, 0, 0
        with self.image.open("wb") as file:
            file.truncate(megabytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-E", "root_owner=0:0,lazy_itable_init=0,nodiscard", *(["-d", tree] if tree else []),
                        self.image], check=True)

    def options(self):
        """The options of QEMU. It works on a copy, so that a cut can decide what the drive kept."""
        subprocess.run(["cp", "--sparse=always", "--reflink=auto", self.image, self.used], check=True)
        self.log.write_bytes(b"")
        return ["-blockdev", f"driver=blklogwrites,node-name=disk,file.driver=file,file.filename={self.used},"
                f"log.driver=file,log.filename={self.log},log-super-update-interval=1",
                "-device", "virtio-blk-pci,drive=disk,write-cache=on"]

    def cut(self):
        """The power went: every write up to the last flush is there; of each later one, whole, in part or not at all, whatever the
        drive got round to, in any order."""
        safe, late = self._writes()
        for offset, data in late:
            blocks = [(offset + at, data[at:at + BLOCK]) for at in range(0, len(data), BLOCK)]
            kept = self.random.choice((blocks, [], [block for block in blocks if self.random.random() < 0.5]))
            safe += kept
            self.kept += len(kept)
            self.lost += len(blocks) - len(kept)
        with self.image.open("r+b") as image:
            for offset, data in safe:
                image.seek(offset)
                image.write(data)

    def put_away(self):
        """The power was switched off after everything was written."""
        shutil.move(self.used, self.image)

    def _writes(self):
        """Offset and bytes of each write in order: those before the last flush, and those after it."""
        safe, late = [], []
        with self.log.open("rb") as log:
            head = log.read(SECTOR)
            magic, version, count, size = struct.unpack_from("<QQQI", head)
            if (magic, version, size) != (MAGIC, 1, SECTOR):
                raise ValueError(f"{self.log} is no log of writes")
            for _ in range(count):
                sector, sectors, flags, _ = struct.unpack_from("<QQQQ", log.read(SECTOR))
                if flags & DISCARD:
                    continue
                data = log.read(sectors * SECTOR)
                if flags & FLUSH:
                    safe, late = safe + late, []
                if data:
                    (safe if flags & FUA else late).append((sector * SECTOR, data))
        return safe, late
