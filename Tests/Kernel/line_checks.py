"""Checks of the GPIO lines. At the start of each check no program runs, all lines are free, and an adapter is
plugged in."""
import time

import gpiod
from bank import FOLDER
from gate import AMBER, DATA, GREEN, RED, RELAY, TOLERANCE, expect


def is_shut_from_the_start(gate):
    """the lines are inactive when the program requests them, and a start makes none of them active"""
    gate.start()
    expect(set(gate.bank.holders().values()) == {"gatehouse"} and len(gate.bank.holders()) == 5, gate.bank.holders())
    driven = gate.bank.driven(RELAY)
    expect(driven and {level for _, level in driven} == {0}, f"the relay was given {driven}")
    expect(gate.bank.levels()[RELAY] == 0, gate.bank.levels())
    expect(gate.fault("fault.gpio") is None, "a fault was told")
    return f"{len(driven)} settings of the relay, all inactive"


def gives_its_pulse(gate):
    """five visitors cause five pulses of 200 ms, each within 20 ms, measured at the pin"""
    gate.start()
    pulses = []
    for _ in range(5):
        end = gate.bank.watch()
        expect(gate.visit() == "accepted", gate.log()[-3:])
        time.sleep(1)
        found = end(RELAY)
        expect(len(found) == 1 and found[0][1], f"{found}")
        pulses.append(found[0][1] - found[0][0])
        expect(abs(pulses[-1] - 0.2) <= TOLERANCE, f"{pulses[-1] * 1000:.1f} ms")
        gate.wait(lambda: gate.events("advertising")[-1], 10, "next invitation")
    driven = [at for at, level in gate.bank.driven(RELAY) if level]
    expect(len(driven) == 5, driven)
    return ", ".join(f"{pulse * 1000:.1f}" for pulse in pulses) + " ms"


def releases_its_lines_on_sigterm(gate):
    """SIGTERM during a pulse: the relay is released at once, and all lines are free and inactive"""
    gate.open_for_long()
    end = gate.bank.watch()
    took = gate.end()
    time.sleep(0.2)
    shown = gate.bank.levels()
    expect(not any(shown.values()) and not gate.bank.holders(), f"{shown} {gate.bank.holders()}")
    expect(gate.bank.driven(RELAY)[-1][1] == 0, "left to the kernel")
    end(RELAY)
    expect(gate.events("ended"), "it did not end in order")
    return f"ended in {took:.1f} s"


def is_released_after_a_kill(gate):
    """SIGKILL during a pulse: the state that the kernel leaves, and the command that the unit then runs"""
    gate.open_for_long()
    gate.end("KILL")
    by_itself = gate.bank.levels()[RELAY]
    expect(gate.bank.driven(RELAY)[-1][1] == 1, "somebody released it before it was looked at")
    expect(gate.release() == 0, gate.machine.shell("cat /run/released"))
    expect(gate.bank.driven(RELAY)[-1][1] == 0 and gate.bank.levels()[RELAY] == 0, gate.bank.driven(RELAY)[-3:])
    expect(not gate.bank.holders(), gate.bank.holders())
    return "this kernel lets go by itself" if by_itself == 0 else "this kernel goes on driving"


def releases_when_it_crashes(gate):
    """a crash of the program during a pulse: the program releases the relay before it ends"""
    gate.open_for_long()
    gate.end("SEGV")
    expect(gate.bank.driven(RELAY)[-1][1] == 0, "it died with the relay energised")
    expect(gate.bank.levels()[RELAY] == 0, gate.bank.levels())


def knows_lines_that_are_active_low(gate):
    """active-low lines with pull-ups: high except during the pulse, from before the start until after the end"""
    gate.bank.pull("pull-up")
    try:
        gate.start("low")
        expect({level for _, level in gate.bank.driven(RELAY)} == {1}, gate.bank.driven(RELAY))
        end = gate.bank.watch()
        expect(gate.visit() == "accepted", gate.log()[-3:])
        time.sleep(1)
        found = end(RELAY, active=0)
        found = [pulse for pulse in found if pulse[1]]
        expect(len(found) == 1 and abs(found[0][1] - found[0][0] - 0.2) <= TOLERANCE, found)
        gate.end()
        expect(all(gate.bank.levels().values()), gate.bank.levels())
    finally:
        gate.end()
        gate.bank.pull("pull-down")
    return f"{(found[0][1] - found[0][0]) * 1000:.1f} ms"


def waits_for_lines_of_another(gate):
    """another program holds the relay's line: reported, no visitor is admitted, requested when it is free"""
    other = int(gate.machine.shell(f"lines hold /dev/{gate.bank.chip} 0 0 > /run/held 2>&1 & echo $!"))
    try:
        gate.wait(lambda: gate.bank.holders().get(RELAY) == "another", 5, "other program")
        gate.start()
        gate.wait(lambda: gate.fault("fault.gpio"), 10, "fault")
        gate.wait(lambda: gate.fault("gate.unavailable"), 10, "fault of the gate")
        expect(gate.visit() == "rejected", "a visitor was accepted")
        ended = gate.wait(lambda: gate.events("visit.ended"), 10, "end of the visit")[-1]
        expect(ended["reasons"] == ["gate.unavailable"], ended)
        expect(gate.release() == 1, "the lines were released under their holder")
    finally:
        gate.machine.shell(f"kill {other}")
    gate.wait(lambda: gate.fault("fault.gpio") is False, 20, "end of the fault")
    gate.wait(lambda: gate.fault("gate.unavailable") is False, 20, "end of the gate's fault")
    expect(set(gate.bank.holders().values()) == {"gatehouse"}, gate.bank.holders())
    expect(gate.visit() == "accepted", gate.log()[-3:])


def survives_its_chip(gate):
    """a chip that is removed during service is reported, and its lines are requested again when it is back"""
    gate.start()
    gate.bank.unplug()
    gate.wait(lambda: gate.fault("fault.gpio"), 20, "fault")
    gate.wait(lambda: gate.fault("gate.unavailable"), 20, "fault of the gate")
    expect(gate.visit() == "rejected", "a visitor was accepted")
    expect(gate.is_running(), "it ended")
    began = time.monotonic()
    gate.bank.plug()
    gate.bank.forget()
    gate.wait(lambda: gate.fault("fault.gpio") is False and gate.fault("gate.unavailable") is False, 30, "end of the faults")
    took = time.monotonic() - began
    expect(1 not in {level for _, level in gate.bank.driven(RELAY)}, "the relay was driven active when it was taken")
    end = gate.bank.watch()
    expect(gate.visit() == "accepted", gate.log()[-3:])
    time.sleep(1)
    found = end(RELAY)
    expect(len(found) == 1 and abs(found[0][1] - found[0][0] - 0.2) <= TOLERANCE, found)
    return f"taken again after {took:.1f} s"


def waits_for_its_library(gate):
    """without libgpiod the gate serves, reports what to install, admits no visitor; then uses the installed library"""
    gpiod.show(gate.machine, 0)
    try:
        gate.start()
        gate.wait(lambda: gate.fault("fault.gpio"), 10, "fault")
        told = next(line for line in gate.events("fault") if line["code"] == "fault.gpio")
        expect("gpio.no-library" in str(told) and "libgpiod2" in str(told), told)
        gate.wait(lambda: gate.fault("gate.unavailable"), 10, "fault of the gate")
        expect(gate.visit() == "rejected", "a visitor was accepted")
    finally:
        gpiod.show(gate.machine, gate.generation)
    gate.wait(lambda: gate.fault("fault.gpio") is False, 20, "end of the fault")
    gate.wait(lambda: gate.fault("gate.unavailable") is False, 20, "end of the gate's fault")
    expect(gate.visit() == "accepted", gate.log()[-3:])
    said = gate.machine.shell("gatehouse doctor --config /etc/gatehouse/gatehouse.toml 2>&1", check=False)
    expect(f"by libgpiod {gate.generation}." in said, said)


def gives_lines_to_one_alone(gate):
    """Sources/CGPIO: a pulse on an active-high and an active-low line; held lines cannot be requested again"""
    gate.bank.forget()
    end = gate.bank.watch()
    gate.machine.shell(f"requests pulse {gate.bank.label} 200 {RELAY} {GREEN}")
    time.sleep(0.2)
    found = end(RELAY)
    expect(len(found) == 1 and abs(found[0][1] - found[0][0] - 0.2) <= TOLERANCE, found)
    for line, wanted in ((RELAY, [0, 1, 0]), (GREEN, [1, 0, 1])):
        levels = [level for _, level in gate.bank.driven(line)]
        expect(levels == wanted, f"{line} was given {levels}")
    expect(not gate.bank.holders() and not any(gate.bank.levels().values()), gate.bank.holders())
    return f"{(found[0][1] - found[0][0]) * 1000:.1f} ms"


def reports_edges(gate):
    """Sources/CGPIO: edges of two lines in order, one edge for a bouncing contact, and lost edges by their numbers"""
    def edges(debounce, commands):
        shown = gate.machine.shell(
            f"mkfifo /run/end; requests edges {gate.bank.label} {debounce} {GREEN} {RED} < /run/end > /run/edges 2>&1 & "
            "exec 9> /run/end; n=0; until grep -q taken /run/edges; do sleep 0.02; n=$((n+1)); [ $n -lt 200 ] || exit 1; done; "
            f"{commands}; exec 9>&-; wait; cat /run/edges; rm /run/end").split("\n")
        rows = [line.split() for line in shown]
        return [[int(word) for word in row] for row in rows if len(row) == 4], shown

    def pull(line, level, pause=0.0):
        return f"echo pull-{'up' if level else 'down'} > {gate.bank.file(line)[:-5]}pull; sleep {pause}"

    found, shown = edges(0, "; ".join([pull(GREEN, 1), pull(RED, 1), pull(GREEN, 0), pull(GREEN, 1)]))
    expect([row[:2] for row in found] == [[0, 1], [1, 1], [0, 0], [0, 1]], shown)
    expect([row[2] for row in found] == [1, 2, 3, 4], shown)
    expect(sorted(row[3] for row in found) == [row[3] for row in found] and "levels 3" in shown, shown)
    if gate.generation == 1:
        # With generation 1 Sources/CGPIO does not debounce; the program does this. If there are more edges than the
        # kernel stores, the newest are lost.
        found, shown = edges(0, "; ".join(pull(GREEN, at % 2 == 0) for at in range(81)))
        expect([row[1:3] for row in found] == [[(at + 1) % 2, at + 1] for at in range(16)], shown)
        expect("levels 1" in shown, shown)
        found, shown = edges(0, f"echo 0 > {FOLDER}/live; sleep 0.1")
        gate.bank.plug()
        expect("gone" in shown and shown.count("No such device") == 2, shown)
        return "16 of 81 edges are kept"
    # A contact that bounces for less than the debounce time causes one edge.
    bounce = "; ".join(pull(GREEN, at % 2 == 0) for at in range(7))
    found, shown = edges(200_000, f"{bounce}; sleep 0.6; {pull(GREEN, 0)}; {pull(GREEN, 1)}; sleep 0.6")
    expect([row[:2] for row in found] == [[0, 1]], shown)
    # If there are more edges than the kernel stores, the oldest are lost, and the numbers of the rest show this.
    found, shown = edges(0, "; ".join(pull(GREEN, at % 2 == 0) for at in range(81)))
    numbers = [row[2] for row in found]
    expect(numbers[-1] == 81 and numbers[0] > 1 and numbers == list(range(numbers[0], 82)), shown)
    # If the chip is removed, poll and read report it.
    found, shown = edges(0, f"echo 0 > {FOLDER}/live; sleep 0.1")
    gate.bank.plug()
    expect("gone" in shown and shown.count("No such device") == 2, shown)
    return f"{len(numbers)} of 81 edges are kept"


def sends_to_a_controller(gate):
    """each admitted visitor causes one Wiegand card with correct bits and times; a rejected one causes none"""
    wanted = "00101101000000001010001000"
    gate.start("wiegand")
    expect(gate.visit(gate.tampered) == "rejected", gate.log()[-3:])
    gate.end_of_visit(1)
    expect(not any(level for wire in DATA for _, level in gate.bank.driven(wire)), "a card for somebody who may not pass")
    widths, gaps = [], []
    for number in range(2, 5):
        gate.wait(lambda: len(gate.events("advertising")) >= number, 20, "next invitation")
        gate.bank.forget()
        expect(gate.visit() == "accepted", gate.log()[-3:])
        gate.end_of_visit(number)
        pulses = []
        for bit, wire in enumerate(DATA):
            levels = gate.bank.driven(wire)
            pulses += [(at, next(end for end, level in levels if end > at and not level), str(bit))
                       for at, level in levels if level]
        pulses.sort()
        expect("".join(bit for _, _, bit in pulses) == wanted, pulses)
        widths += [end - at for at, end, _ in pulses]
        gaps += [after[0] - before[0] for before, after in zip(pulses, pulses[1:])]
        expect(all(after[0] > before[1] for before, after in zip(pulses, pulses[1:])), "two wires at once")
        relay = [at for at, level in gate.bank.driven(RELAY) if level]
        expect(len(relay) == 1 and abs(relay[0] - pulses[0][0]) < TOLERANCE, f"{relay} {pulses[0]}")
    # The kernel's times have whole microseconds, and the trace records a change shortly after it.
    expect(min(widths) >= 45e-6 and min(gaps) >= 1.9e-3, f"{min(widths)} {min(gaps)}")
    gate.end()
    expect(not gate.bank.holders() and not any(gate.bank.levels().values()), gate.bank.holders())

    def spread(times, unit):
        times = sorted(times)
        return " ".join(f"{times[int(part * (len(times) - 1))] * unit:.0f}" for part in (0, 0.5, 0.9, 1))
    return f"pulses {spread(widths, 1e6)} us, intervals {spread(gaps, 1e6)} us: least, median, 90 %, most"


def is_accepted_pin_by_pin(gate):
    """gatehouse doctor --pins: outputs one by one; refused while the service runs; released when interrupted"""
    doctor = "gatehouse doctor --pins --config /etc/gatehouse/wiegand.toml"

    def ritual(answers):
        gate.bank.forget()
        shown = gate.machine.shell(f"terminal {answers} {doctor} 2>&1; echo exit $?", limit=120)
        expect(not gate.bank.holders() and not any(gate.bank.levels().values()), gate.bank.holders())
        return shown

    # Tests four lamps, then the Wiegand card and the relay, each after an Enter.
    shown = ritual("yyyy-y-y")
    begun = []
    for line in ("GPIO22", AMBER, GREEN, RED, DATA[0], DATA[1], RELAY):
        on = [at for at, level in gate.bank.driven(line) if level]
        expect(len(on) == {DATA[0]: 19, DATA[1]: 7, RELAY: 1}.get(line, 3), f"{line}: {len(on)} times: {shown}")
        begun.append(on[0])
    expect(begun[:4] == sorted(begun[:4]) and max(begun[:4]) < min(begun[4:6]) and max(begun[4:6]) < begun[6], begun)
    expect("the green lamp, GPIO24" in shown and "the card for the controller, GPIO20 and GPIO21" in shown, shown)
    expect("box.output-unseen" not in shown, shown)
    # The second lamp is wrong, and the person then ends the test.
    shown = ritual("yn")
    expect("box.output-unseen" in shown and "exit 2" in shown, shown)
    # Ctrl-C while the relay is energised: the relay is released first.
    gate.bank.forget()
    gate.machine.shell(f"terminal yyyy- {doctor.replace('wiegand', 'long')} > /run/ritual 2>&1 &")
    gate.machine.wait(lambda: any(level for _, level in gate.bank.driven(RELAY)), 60, "relay")
    gate.machine.shell("kill -INT $(grep -lx gatehouse /proc/[0-9]*/comm | cut -d/ -f3)")
    gate.machine.wait(lambda: not gate.bank.holders(), 15, "end of the ritual")
    expect("interrupted" in gate.machine.shell("cat /run/ritual"), gate.machine.shell("cat /run/ritual"))
    expect(gate.bank.driven(RELAY)[-1][1] == 0, gate.bank.driven(RELAY))
    gate.start("wiegand")
    shown = gate.machine.shell(f"{doctor} < /dev/null 2>&1; echo exit $?")
    expect("uses the lines" in shown and "exit 0" not in shown, shown)


def asks_for_inputs(gate):
    """gatehouse doctor --pins: inputs while a person acts; exchanged wires; no terminal, an input active at rest"""
    button, contact = DATA
    doctor = "gatehouse doctor --pins --config /etc/gatehouse/inputs.toml"

    def pulled(line, level):
        return f"echo pull-{'up' if level else 'down'} > {gate.bank.file(line)[:-5]}pull; sleep 0.3"

    def act(line, rest):
        gate.machine.shell(f"{pulled(line, not rest)}; {pulled(line, rest)}")

    def ritual(answers, acts):
        gate.machine.shell(f": > /run/ritual; (terminal {answers} {doctor}; echo exit $?) >> /run/ritual 2>&1 &")
        for number, (line, rest) in enumerate(acts, start=1):
            gate.machine.wait(lambda: gate.machine.shell("cat /run/ritual").count("Do it now") == number, 60, f"call {number}")
            act(line, rest)
        gate.machine.wait(lambda: "exit " in gate.machine.shell("cat /run/ritual"), 90, "end of the ritual")
        expect(not gate.bank.holders(), gate.bank.holders())
        return gate.machine.shell("cat /run/ritual")

    try:
        # At rest, the contact of the button is open, and the contact of the door is closed.
        gate.machine.shell(f"{pulled(button, True)}; {pulled(contact, False)}")
        # Tests four lamps, the relay after an Enter, then each input after an Enter.
        shown = ritual("yyyy-y--", [(button, True), (contact, False)])
        expect(shown.count("Seen.") == 2 and "everything is in order" in shown and "exit 0" in shown, shown)
        expect("request-to-exit, GPIO20: high at rest, low when active" in shown, shown)
        # The person presses the button, but the door contact's line changes. The second input is skipped.
        shown = ritual("yyyy-y--s", [(contact, False)])
        expect("box.input-unseen" in shown and "this one changed instead: contact, GPIO21" in shown and "exit 2" in shown, shown)
        # The wire of the door contact is cut, and no person can answer that the door is closed.
        gate.machine.shell(pulled(contact, True))
        shown = gate.machine.shell(f"{doctor} < /dev/null 2>&1; echo exit $?", limit=120)
        expect("box.input-active" in shown and "high at rest, not tried" in shown and "exit 1" in shown, shown)
    finally:
        gate.bank.pull("pull-down")


CHECKS = [is_shut_from_the_start, gives_its_pulse, releases_its_lines_on_sigterm, is_released_after_a_kill,
          releases_when_it_crashes, knows_lines_that_are_active_low, waits_for_lines_of_another, survives_its_chip,
          waits_for_its_library, gives_lines_to_one_alone, reports_edges, sends_to_a_controller, is_accepted_pin_by_pin,
          asks_for_inputs]
