"""Debian's packages that a check needs on this machine.

packages.py PACKAGE=PROGRAM...      installs those whose program is not there; ends with 2, and says what to do, where it cannot
"""
import os
import shutil
import subprocess
import sys
import time


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
    # A limit that ends apt and does not kill it: dpkg would be left half way.
    apt = ["timeout", "--foreground", "--kill-after=300", "1200",
           "apt-get", "--quiet", "--quiet", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=5"]
    options = {"stdin": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    # As in deploy/bootstrap: lists that are not to be had may be good enough as they are, which installing shows.
    for pause in (2, 4, 8, 16, 0):
        if subprocess.run([*apt, "-o", "APT::Update::Error-Mode=any", "update"], **options).returncode == 0:
            break
        time.sleep(pause)
    else:
        print("the lists of packages could not be brought up to date; going on with those that are there", file=sys.stderr)
    try:
        subprocess.run([*apt, "install", "--yes", "--no-install-recommends", *packages], stdout=subprocess.DEVNULL, check=True, **options)
    except subprocess.SubprocessError as failure:
        raise Missing(f"installing {' '.join(packages)}: {failure}") from failure


if __name__ == "__main__":
    try:
        provide(dict(word.split("=", 1) for word in sys.argv[1:]))
    except Missing as missing:
        print(missing, file=sys.stderr)
        sys.exit(2)
