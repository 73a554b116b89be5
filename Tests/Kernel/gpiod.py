"""The libgpiod of Debian 12 and of Debian 13, for a machine in which the program runs with either."""
import pathlib
import shutil
import subprocess

# By generation of libgpiod: suite of Debian, package, file.
LIBRARIES = {1: ("bookworm", "libgpiod2", "libgpiod.so.2"), 2: ("trixie", "libgpiod3", "libgpiod.so.3")}
# PLACE: the folder in which programs look for libraries. Its links lead to SHOWN, which has links to the libraries
# that programs shall find at present. KEPT contains all libraries.
PLACE, SHOWN, KEPT = "usr/lib/x86_64-linux-gnu", "run/gpiod", "opt/gpiod"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def fetch(folder: pathlib.Path):
    """Downloads the libraries that are not in the folder. apt uses only their suite, and assumes that no package is
    installed."""
    folder.mkdir(parents=True, exist_ok=True)
    for suite, package, name in LIBRARIES.values():
        if (folder / name).exists():
            continue
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        for part in ("state/lists/partial", "cache/archives/partial", "tree"):
            (work / part).mkdir(parents=True)
        (work / "status").touch()
        (work / "sources.list").write_text(f"deb [arch=amd64 signed-by={KEYRING}] {mirror()} {suite} main\n")
        options = {"Dir::Etc::SourceList": work / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
                   "Dir::State": work / "state", "Dir::State::Status": work / "status", "Dir::Cache": work / "cache",
                   "APT::Architecture": "amd64", "APT::Sandbox::User": "root"}
        apt = ["apt-get", "-qq", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
        subprocess.run([*apt, "update"], check=True, timeout=150)
        subprocess.run([*apt, "download", package], check=True, timeout=150, cwd=work)
        subprocess.run(["dpkg-deb", "-x", next(work.glob("*.deb")), work / "tree"], check=True)
        shutil.copy(next((work / "tree").glob(f"usr/lib/*/{name}")), folder / name)
        shutil.rmtree(work)


def mirror() -> str:
    """Returns the Debian mirror of this machine's apt."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return shown[0] if shown else "http://deb.debian.org/debian"


def furnish(tree: pathlib.Path, folder: pathlib.Path):
    """Copies both libraries into a tree. ``show`` selects the one that programs find."""
    (tree / KEPT).mkdir(parents=True)
    (tree / PLACE).mkdir(parents=True, exist_ok=True)
    for _, _, name in LIBRARIES.values():
        shutil.copy(folder / name, tree / KEPT / name)
        (tree / PLACE / name).symlink_to(f"/{SHOWN}/{name}")


def show(machine, generation: int):
    """Selects the generation that programs in the machine find from now on; 0: none."""
    names = [LIBRARIES[generation][2]] if generation else []
    machine.shell(f"rm -f /{SHOWN}/*; " + "; ".join(f"ln -s /{KEPT}/{name} /{SHOWN}/" for name in names))
