"""The program in the machine, with what the checks need to observe it."""
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
# The time limit of a phone for a visit, in seconds. It is long, because visits are slow with an emulated processor.
PATIENCE = 120
# The permitted difference of a pulse from the configured length, in seconds.
TOLERANCE = 0.020


def expect(is_right, what):
    if not is_right:
        raise Failure(str(what))


class Gate:
    """The program in the machine, with its lines, its radio and its phones."""

    def __init__(self, machine: Machine, bank: Bank, radio: Radio, air: Air, samples: pathlib.Path):
        self.machine, self.bank, self.radio, self.air, self.process = machine, bank, radio, air, None
        self.generation = max(gpiod.LIBRARIES)  # the generation of libgpiod that programs in the machine find
        self.credential, self.tampered = samples / "credential.json", samples / "tampered.json"

    def start(self, configuration="gatehouse", waits=True, right=None):
        """Starts the program. If ``waits``, returns after the first invitation. ``right`` None: the program runs as
        root; otherwise as the service's user, with CAP_NET_ADMIN (1) or without a capability (0)."""
        self.bank.forget()
        user = "" if right is None else f"radio as {USER} {right}"
        # The program refuses to run as root in folders of another user, so set the owner. The previous check may have
        # changed it.
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
        """Returns the complete lines of the log."""
        return self.machine.shell("cat /run/log").rpartition("\n")[0].splitlines()

    def events(self, name):
        lines = [json.loads(line) for line in self.log() if line.startswith('{"time"')]
        return [line for line in lines if line["event"] == name]

    def fault(self, code):
        """Returns whether the fault is present; None if it was never reported."""
        return next((line["present"] for line in reversed(self.events("fault")) if line["code"] == code), None)

    def reason(self):
        """Returns the text of the radio's last failure; empty if it has not failed."""
        failed = self.events("radio.failed")
        return failed[-1]["reason"] if failed else ""

    def uri(self):
        """Returns the invitation that is advertised."""
        return self.events("advertising")[-1]["uri"]

    def visit(self, payload=None):
        return self.air.visit(self.uri(), payload or self.credential, PATIENCE)

    def is_fine(self):
        """Fails unless a visitor with a valid credential is admitted."""
        outcome = self.visit()
        expect(outcome == "accepted", f"{outcome}: {self.log()[-4:]}")

    def end_of_visit(self, number=1):
        """Waits for the end of the visit with this number, and returns its event from the log."""
        return self.wait(lambda: self.events("visit.ended")[number - 1:], 15, f"end of visit {number}")[0]

    def open_for_long(self):
        """Starts the program with a pulse of three seconds, admits a visitor, and returns during the pulse."""
        self.start("long")
        self.air.begin(self.events("advertising")[-1]["uri"], self.credential)
        self.wait(lambda: self.bank.levels()[RELAY] == 1, 40, "open gate")

    def is_running(self):
        return bool(self.machine.shell(f"grep '^State:.[RSD]' /proc/{self.process}/status 2>/dev/null", check=False))

    def end(self, signal="TERM"):
        """Ends the program by a signal. Returns the seconds until it has ended."""
        if self.process is None:
            return 0
        self.machine.shell(f"kill -{signal} {self.process}", check=False)
        began = time.monotonic()
        Machine.wait(lambda: not self.is_running(), 10, "end of the program")
        self.process = None
        return time.monotonic() - began

    def release(self, configuration="gatehouse"):
        """Runs the command `release-lines`, which the unit runs after the program's end. Returns its exit status."""
        return int(self.machine.shell(
            f"gatehouse release-lines --config /etc/gatehouse/{configuration}.toml > /run/released 2>&1; echo $?"))


def configure(tree: pathlib.Path, agent=""):
    """Writes the configurations, which differ in the radio's transport, in the pulse, in the lines and in their
    active level. ``agent`` is a text that is added to all of them."""
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
