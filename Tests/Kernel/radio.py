"""The machine's Bluetooth adapter, which checks plug in, unplug, block, and use with other programs."""
import re

from machine import USER

# The address of the controller in `air.py`.
ADDRESS = "F0:F1:F2:F3:F4:01"
OPENER = "/run/gatehouse-radio.sock"


class Radio:
    """An adapter of the kernel (hci_vhci) whose controller is outside the machine, in `air.py`."""

    def __init__(self, machine, port):
        self.machine, self.port, self.bridge, self.others = machine, port, None, []
        self.started, self.files = 0, {}
        line = machine.shell("ls -d /sys/bus/pci/drivers/serial/*/tty/tty*").strip().rpartition("/")[2]
        machine.shell(f"ln -sf /dev/{line} /run/h4")
        self.plug()

    def plug(self):
        """Adds the adapter. Returns the time at which the kernel had it, in seconds of the machine's clock."""
        if self.bridge is None:
            self.bridge = self._start(f"radio bridge {self.machine.host} {self.port}")
        shown = self.machine.wait(lambda: re.match(r"hci0 (\S+)", self.said(self.bridge)), 15, "adapter")
        return float(shown.group(1))

    def unplug(self):
        """Removes the adapter, even if it is in use."""
        if self.bridge is not None:
            self._end(self.bridge)
            self.bridge = None

    def other(self, command, says="held"):
        """Starts another program, and waits until it has printed ``says``. Returns its process."""
        process = self._start(command)
        self.others.append(process)
        if says:
            self.machine.wait(lambda: says in self.said(process), 15, f"{says} of {command}")
        return process

    def open_for(self, user="gatehouse"):
        """Starts the opener as systemd runs it: as root with only one capability."""
        process = self.other(f"radio listen {OPENER} {USER} radio as 0 1 gatehouse open-radio --user {user}", says=None)
        self.machine.wait(lambda: self.machine.shell(f"test -S {OPENER} && echo yes", check=False), 5, "opener")
        return process

    def end(self, process):
        """Ends another program."""
        self.others.remove(process)
        self._end(process)

    def restore(self):
        """Restores the state before the check."""
        for process in list(self.others):
            self.end(process)
        self.machine.shell(f"rm -f {OPENER}")
        self.block(False)
        self.plug()

    def block(self, is_blocked):
        """Blocks or unblocks the adapter with rfkill. Returns whether it is blocked then."""
        self.machine.shell(f"for switch in /sys/class/rfkill/*/soft; do echo {int(is_blocked)} > $switch; done", check=False)
        return self.is_blocked()

    def is_blocked(self):
        return "1" in self.machine.shell("cat /sys/class/rfkill/*/soft", check=False)

    def waiting(self):
        """Returns the bytes of kernel memory with packets that the holder of the user channel has not read."""
        rows = self.machine.shell("cat /proc/net/hci").splitlines()[1:]
        return max(int(row.split()[2]) for row in rows)

    def _start(self, command):
        self.started += 1
        process = int(self.machine.shell(f"{command} > /run/said.{self.started} 2>&1 & echo $!"))
        self.files[process] = f"/run/said.{self.started}"
        return process

    def said(self, process):
        """Returns what another program has printed."""
        return self.machine.shell(f"cat {self.files[process]}", check=False)

    def _end(self, process):
        self.machine.shell(f"kill -9 {process}; while kill -0 {process} 2>/dev/null; do sleep 0.02; done; rm -f {self.files.pop(process)}",
                           check=False)
