"""Debian's packages that a check needs on this machine.

packages.py PACKAGE=PROGRAM...      installs those whose program is not there; ends with 2, and says what to do, where it cannot
"""
import os
import shutil
import subprocess
import sys


class Missing(Exception):
    """What this machine lacks, and how it comes there."""


def provide(wanted: dict):
    """Installs those packages whose program, their value, this machine lacks; only root can."""
    # Tools of administration are not on everybody's path.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    packages = [package for package, program in wanted.items() if not shutil.which(program)]
    if not packages:
        return
    if os.geteuid() != 0:
        raise Missing("packages are missing. Run:\nsudo apt-get install --yes --no-install-recommends " + " ".join(packages))
    print("installing", *packages, flush=True)
    apt = ["apt-get", "--quiet", "--quiet", "-o", "DPkg::Lock::Timeout=300"]
    options = {"check": True, "stdin": subprocess.DEVNULL}
    try:
        subprocess.run([*apt, "update"], timeout=150, **options)
        subprocess.run([*apt, "install", "--yes", "--no-install-recommends", *packages], stdout=subprocess.DEVNULL, timeout=300,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, **options)
    except subprocess.SubprocessError as failure:
        raise Missing(f"installing {' '.join(packages)}: {failure}") from failure


if __name__ == "__main__":
    try:
        provide(dict(word.split("=", 1) for word in sys.argv[1:]))
    except Missing as missing:
        print(missing, file=sys.stderr)
        sys.exit(2)
