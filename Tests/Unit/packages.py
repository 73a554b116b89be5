"""Installs Debian's packages that a check needs on this machine.

packages.py PACKAGE=PROGRAM...      installs each package whose program is absent

Exit code 2: the packages cannot be installed; the message contains the command to install them.
"""
import os
import shutil
import subprocess
import sys
import time


class Missing(Exception):
    """The packages that this machine lacks, with the command to install them."""


def provide(wanted: dict):
    """Installs the packages (keys) whose program (value) is absent; needs root. Raises Missing."""
    # The programs for administration are not on every user's path.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    packages = [package for package, program in wanted.items() if not shutil.which(program)]
    if not packages:
        return
    if os.geteuid() != 0:
        raise Missing("packages are missing. Run:\nsudo apt-get install --yes --no-install-recommends " + " ".join(packages))
    print("installing", *packages, flush=True)
    # A timeout that sends apt SIGTERM first: SIGKILL would leave dpkg in the middle of an installation.
    apt = ["timeout", "--foreground", "--kill-after=300", "1200",
           "apt-get", "--quiet", "--quiet", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=5"]
    options = {"stdin": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    # If no mirror is available, continue, as deploy/bootstrap does: the existing package lists may be sufficient.
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
