"""A bank of simulated GPIO lines in the machine: their levels, their holders, and every level that a program has
set."""
import re

LINES = ("GPIO17", "GPIO22", "GPIO23", "GPIO24", "GPIO25", "GPIO20", "GPIO21")
LABEL = "gatehouse-sim"
FOLDER = "/sys/kernel/config/gpio-sim/gate"
TRACING = "/sys/kernel/tracing"


class Bank:
    """A chip of the kernel's driver gpio-sim. Its first line is the relay's line."""

    label = LABEL

    def __init__(self, machine):
        self.machine = machine
        names = "; ".join(f"mkdir -p {FOLDER}/bank/line{at}; echo {name} > {FOLDER}/bank/line{at}/name"
                          for at, name in enumerate(LINES))
        machine.shell(f"mkdir -p {FOLDER}/bank; echo 8 > {FOLDER}/bank/num_lines; echo {LABEL} > {FOLDER}/bank/label; {names}")
        machine.shell(f"echo mono > {TRACING}/trace_clock; echo 1 > {TRACING}/events/gpio/enable")
        self.plug()

    def plug(self):
        """Adds the chip."""
        shown = self.machine.shell(f"echo 1 > {FOLDER}/live; cat {FOLDER}/bank/chip_name {FOLDER}/dev_name").split()
        self.chip, self.lines = shown[0], f"/sys/devices/platform/{shown[1]}/{shown[0]}"
        shown = self.machine.shell("cat /sys/kernel/debug/gpio")
        self.base = int(re.search(rf"GPIOs (\d+)-\d+,.*{LABEL}", shown).group(1))

    def unplug(self):
        """Removes the chip, even if its lines are in use."""
        self.machine.shell(f"echo 0 > {FOLDER}/live")

    def file(self, line):
        """Returns the path at which the kernel shows the level of a line."""
        return f"{self.lines}/sim_gpio{LINES.index(line)}/value"

    def levels(self):
        """Returns the level of each line at its pin."""
        shown = self.machine.shell("cat " + " ".join(map(self.file, LINES)))
        return dict(zip(LINES, map(int, shown.split())))

    def holders(self):
        """Returns the holder of each line that is held, as the kernel reports it."""
        shown = self.machine.shell("cat /sys/kernel/debug/gpio")
        return {name: holder for name, holder in re.findall(r"\((GPIO\d+)\s*\|(\S+)\s*\)", shown)}

    def pull(self, direction):
        """Sets the level that the pins have while no output drives them: "pull-up" or "pull-down"."""
        self.machine.shell("; ".join(f"echo {direction} > {self.file(line)[:-5]}pull" for line in LINES))

    def forget(self):
        """Clears the kernel's trace of levels."""
        self.machine.shell(f"echo > {TRACING}/trace")

    def driven(self, line):
        """Returns the levels that programs have set on the line since forget(), each with its time in seconds. They
        are from the kernel's trace, which contains even the shortest pulse."""
        number = self.base + LINES.index(line)
        shown = self.machine.shell(f"cat {TRACING}/trace")
        return [(float(at), int(level)) for at, level in
                re.findall(rf"(\d+\.\d+): gpio_value: {number} set (\d)", shown)]

    def watch(self):
        """Starts to observe the levels at the pins. Returns a function that ends this and returns the begin and end
        of each pulse of a line, in seconds."""
        output = "/run/watch"
        self.machine.shell(f"lines watch {output} {' '.join(map(self.file, LINES))} > /dev/null 2>&1 & echo $! > /run/watch.pid")

        def end(line, active=1):
            shown = self.machine.shell(f"kill $(cat /run/watch.pid); cat {output}").splitlines()
            changes = [(int(at) / 1e9, int(level)) for at, index, level in map(str.split, shown)
                       if int(index) == LINES.index(line)]
            begun = [at for at, level in changes if level == active]
            over = [at for at, level in changes if level != active]
            return [(start, next((at for at in over if at > start), None)) for start in begun]
        return end
