"""The program in the machine, and what the checks say of it."""
import json
import pathlib
import time

import gpiod
from air import Air
from bank import LABEL, Bank
from machine import USER, Failure, Machine
from radio import ADDRESS, Radio

RELAY, AMBER, GREEN, RED = "GPIO17", "GPIO23", "GPIO24", "GPIO25"
DATA = ("GPIO20", "GPIO21")
# A phone's patience in seconds: with an emulated processor a visit that is as it should be takes its time.
PATIENCE = 120
# What a pulse may be longer or shorter than configured.
TOLERANCE = 0.020


def expect(is_right, what):
    if not is_right:
        raise Failure(str(what))


class Gate:
    """The program in the machine."""

    def __init__(self, machine: Machine, bank: Bank, radio: Radio, air: Air, samples: pathlib.Path):
        self.machine, self.bank, self.radio, self.air, self.process = machine, bank, radio, air, None
        self.generation = max(gpiod.LIBRARIES)  # of libgpiod, that programs in the machine find
        self.credential, self.tampered = samples / "credential.json", samples / "tampered.json"

    def start(self, configuration="gatehouse", waits=True, right=None):
        """Starts the program; returns once it is on the air. ``right``: as the service's user, who may (1) or may not (0)
        administrate the network; else as root."""
        self.bank.forget()
        user = "" if right is None else f"radio as {USER} {right}"
        # The program refuses to run as root in folders of another user, which the check before may have left.
        owner = USER if user else 0
        self.machine.shell(f"mkdir -p /var/lib/gatehouse /run/gatehouse; chown -R {owner} /var/lib/gatehouse /run/gatehouse"
                           + ("; chmod 666 /dev/gpiochip*" if user else ""))
        self.process = int(self.machine.shell(
            f"cd /run; {user} gatehouse run --config /etc/gatehouse/{configuration}.toml > /run/log 2>&1 & echo $!"))
        if waits:
            self.on_air()

    def on_air(self):
        self.wait(lambda: self.events("advertising"), 180, "invitation")

    def wait(self, what, limit, name):
        try:
            return Machine.wait(what, limit, name)
        except Failure as failure:
            raise Failure(f"{failure}: {self.log()[-3:]}") from None

    def log(self):
        """The lines that are there as a whole."""
        return self.machine.shell("cat /run/log").rpartition("\n")[0].splitlines()

    def events(self, name):
        lines = [json.loads(line) for line in self.log() if line.startswith('{"time"')]
        return [line for line in lines if line["event"] == name]

    def fault(self, code):
        """Whether it is in force; nil when it was never reported."""
        return next((line["present"] for line in reversed(self.events("fault")) if line["code"] == code), None)

    def reason(self):
        """Why the radio failed last, in words."""
        failed = self.events("radio.failed")
        return failed[-1]["reason"] if failed else ""

    def uri(self):
        """The invitation that is on the air."""
        return self.events("advertising")[-1]["uri"]

    def visit(self, payload=None):
        return self.air.visit(self.uri(), payload or self.credential, PATIENCE)

    def is_fine(self):
        """Whether a visitor with a good credential is admitted."""
        outcome = self.visit()
        expect(outcome == "accepted", f"{outcome}: {self.log()[-4:]}")

    def end_of_visit(self, number=1):
        """What the log says of the end of a visit."""
        return self.wait(lambda: self.events("visit.ended")[number - 1:], 15, f"end of visit {number}")[0]

    def open_for_long(self):
        """Starts with a pulse of three seconds, admits a visitor and returns during the pulse."""
        self.start("long")
        self.air.begin(self.events("advertising")[-1]["uri"], self.credential)
        self.wait(lambda: self.bank.levels()[RELAY] == 1, 40, "open gate")

    def is_running(self):
        return bool(self.machine.shell(f"grep '^State:.[RSD]' /proc/{self.process}/status 2>/dev/null", check=False))

    def end(self, signal="TERM"):
        """Ends the program; the seconds until it is gone."""
        if self.process is None:
            return 0
        self.machine.shell(f"kill -{signal} {self.process}", check=False)
        began = time.monotonic()
        Machine.wait(lambda: not self.is_running(), 10, "end of the program")
        self.process = None
        return time.monotonic() - began

    def release(self, configuration="gatehouse"):
        """Runs the unit's command after the program; returns its exit status."""
        return int(self.machine.shell(
            f"gatehouse release-lines --config /etc/gatehouse/{configuration}.toml > /run/released 2>&1; echo $?"))


def configure(tree: pathlib.Path, agent=""):
    """The configurations, which differ in the way to the radio, in pulse and in the level that is active; ``agent``: lines of all."""
    def text(radio='device = "hci0"', pulse="200ms", low="false"):
        return (f'[kiosk]\nname = "Kernel-Gate"\n[radio]\n{radio}\n'
                f'[gpio]\nchip = "{LABEL}"\n[gate]\nline = "{RELAY}"\npulse = "{pulse}"\nactiveLow = {low}\n'
                f'[indicator]\nblue = "GPIO22"\namber = "{AMBER}"\ngreen = "{GREEN}"\nred = "{RED}"\nactiveLow = {low}\n'
                f'[clock]\nminimum = "unset"\n{agent}')
    folder = tree / "etc/gatehouse"
    for name, content in {
            "gatehouse": text(), "long": text(pulse="3s"), "low": text(low="true"),
            "wiegand": text() + f'[wiegand]\ndata0 = "{DATA[0]}"\ndata1 = "{DATA[1]}"\nfacility = 90\ncard = 324\n',
            "inputs": text() + f'[[door.input]]\nuse = "request-to-exit"\nline = "{DATA[0]}"\nbias = "as-is"\n'
                               f'[[door.input]]\nuse = "contact"\nline = "{DATA[1]}"\nbias = "as-is"\n',
            "address": text(f'device = "{ADDRESS}"'),
            "serial": text('transport = "serial"\ndevice = "/run/h4"\nbaud = 115200\nflowControl = false')}.items():
        (folder / f"{name}.toml").write_text(content)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
