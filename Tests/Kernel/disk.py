"""A disk of the machine with a write cache: a power cut loses a part of the data that were not flushed."""
import pathlib
import random
import shutil
import struct
import subprocess

# The log that QEMU writes of every request (dm-log-writes): one header sector, then for each request a sector that
# describes it, and its data.
MAGIC, SECTOR = 0x6A736677736872, 512
FLUSH, FUA, DISCARD = 1, 2, 4
# The bytes that the drive writes at once. A power cut can occur between two blocks.
BLOCK = 4096


class Disk:
    """An ext4 file system in a file below ``folder``, with the content of ``tree``; without ``tree`` it is empty."""

    def __init__(self, folder: pathlib.Path, random_numbers: random.Random, tree=None, megabytes=256):
        self.image, self.used, self.log = folder / "disk", folder / "disk.used", folder / "disk.log"
        self.random, self.lost, self.kept = random_numbers, 0, 0
        with self.image.open("wb") as file:
            file.truncate(megabytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-E", "root_owner=0:0,lazy_itable_init=0,nodiscard", *(["-d", tree] if tree else []),
                        self.image], check=True)

    def options(self):
        """Returns the options of QEMU for this disk. QEMU works on a copy, so that cut() can choose the writes that
        survive."""
        subprocess.run(["cp", "--sparse=always", "--reflink=auto", self.image, self.used], check=True)
        self.log.write_bytes(b"")
        return ["-blockdev", f"driver=blklogwrites,node-name=disk,file.driver=file,file.filename={self.used},"
                f"log.driver=file,log.filename={self.log},log-super-update-interval=1",
                "-device", "virtio-blk-pci,drive=disk,write-cache=on"]

    def cut(self):
        """Applies a power cut to the disk. All writes before the last flush survive. Of each later write, all
        blocks, some blocks or none survive, at random."""
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
        """Keeps all writes, as after a switch-off without data in the cache."""
        shutil.move(self.used, self.image)

    def _writes(self):
        """Returns offset and bytes of each write in order: the writes before the last flush, and the writes after
        it."""
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
