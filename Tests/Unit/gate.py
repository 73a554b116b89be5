"""The service in its container, with what the checks need to observe it."""
import json
import pathlib
import subprocess

from air import Air
from container import Container, Failure


class Gate:
    """The service in its container."""

    def __init__(self, box: Container, air: Air, credential: pathlib.Path, unit="gatehouse"):
        self.box, self.air, self.credential, self.unit = box, air, credential, unit

    def journal(self):
        lines = self.box.shell(f"journalctl -q -o cat -u {self.unit} --no-pager").splitlines()
        return [json.loads(line) for line in lines if line.startswith('{"time"')], lines

    def events(self, name):
        return [line for line in self.journal()[0] if line["event"] == name]

    def show(self, name):
        return self.box.show(self.unit, name)

    def main(self):
        return int(self.show("MainPID"))

    def wait(self, what, limit, name):
        return Container.wait(what, limit, name)

    def on_air(self, after=0):
        """Waits until the gate is ready and has more than ``after`` invitations; returns the newest invitation."""
        found = self.wait(lambda: self.events("advertising")[after:], 30, "invitation")
        self.wait(lambda: self.show("ActiveState") == "active", 10, "active unit")
        return found[-1]["uri"]

    def begin(self):
        """Returns the number of invitations so far, for ``on_air``."""
        return len(self.events("advertising"))

    def records(self):
        return [json.loads(line) for line in
                self.box.shell("gatehouse ledger list --last 1000 --json").splitlines() if line.startswith("{")]

    def start_id(self):
        return self.box.shell("cat /run/gatehouse/start-id", check=False).strip()


def expect(is_right, what):
    if not is_right:
        raise Failure(str(what))


def credential(folder: pathlib.Path, program: str):
    """Writes the sample of the demonstration. Returns its credential and its trust directory."""
    subprocess.run([program, "demo", "--export", folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "credential.json", folder / "trust"
