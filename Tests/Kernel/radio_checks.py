"""Checks of the radio with the kernel's HCI user channel. At the start of each check no program runs, and an adapter
is plugged in."""
import base64
import json
import os
import time

from gate import GREEN, PATIENCE, RED, RELAY, expect
from machine import USER

# The bytes of kernel memory that a socket may use unless the program sets more (net.core.rmem_default).
DEFAULT_BUFFER = 212_992


def serves_phones(gate):
    """a valid and a tampered credential, and two phones at once: verdicts, pulses and lights at the pins"""
    gate.start()
    end = gate.bank.watch()
    gate.is_fine()
    wait_for_pulses(gate, 1)
    time.sleep(0.8)
    gate.bank.forget()
    expect(len(end(RELAY)) == 1 and gate.bank.levels()[RELAY] == 0, "no pulse, or more than one")
    expect(gate.visit(gate.tampered) == "rejected", "a tampered credential")
    ended = gate.end_of_visit(2)
    expect(ended["reasons"][0].startswith("proof."), ended)
    expect(1 in [level for _, level in gate.bank.driven(RED)], "not red")
    expect(1 not in [level for _, level in gate.bank.driven(RELAY)], "the gate opened for it")
    gate.bank.forget()
    first = gate.air.begin(gate.uri(), gate.credential, choose=-1, limit=PATIENCE)
    gate.air.heard(first, "identified", PATIENCE)
    gate.wait(lambda: len(gate.events("advertising")) > 2, 30, "next invitation")
    expect(gate.visit() == "accepted", "the second phone, while the first one chose")
    gate.air.choose(first)
    expect(gate.air.ended(first, PATIENCE) == "accepted", "the first phone")
    wait_for_pulses(gate, 2)
    time.sleep(1)
    pulses = [level for _, level in gate.bank.driven(RELAY)].count(1)
    expect(pulses == 2 and 1 in [level for _, level in gate.bank.driven(GREEN)], f"{pulses} pulses")


def takes_an_adapter_that_is_up(gate):
    """an adapter that another program has started is stopped and used"""
    gate.machine.shell("radio up 0")
    gate.start()
    expect(not gate.events("radio.failed"), gate.reason())


def reports_the_holder(gate):
    """another program holds the user channel: reported with its remedy, and the adapter is used when it is free"""
    gate.machine.shell("sleep 3; radio down 0")  # until the kernel has finished its own set-up of the new adapter
    other = gate.radio.other("radio hold 0")
    gate.start(waits=False)
    gate.wait(lambda: gate.fault("fault.radio"), 20, "fault")
    expect("in use by another program; Stop the other user of the adapter" in gate.reason(), gate.reason())
    gate.radio.end(other)
    began = time.monotonic()
    gate.on_air()
    took = time.monotonic() - began
    gate.wait(lambda: gate.fault("fault.radio") is False, 5, "end of the fault")
    return f"on the air after {took:.1f} s"


def lifts_a_block(gate):
    """a block by rfkill before the start is removed; while the program holds the adapter, the kernel refuses a block"""
    expect(gate.radio.block(True), "not blocked")
    gate.start()
    expect(not gate.radio.is_blocked() and not gate.events("radio.failed"), gate.reason())
    expect(not gate.radio.block(True), "blocked under its holder")
    gate.is_fine()


def reports_a_block(gate):
    """the program serves with one capability; it reports a block with its remedy, and notices its end"""
    gate.radio.block(True)
    gate.start(right=1, waits=False)
    gate.wait(lambda: gate.fault("fault.radio"), 20, "fault")
    expect("switched off (rfkill); Run: rfkill unblock bluetooth." in gate.reason(), gate.reason())
    began = time.monotonic()
    gate.radio.block(False)
    gate.on_air()
    took = time.monotonic() - began
    status = gate.machine.shell(f"cat /proc/{gate.process}/status")
    expect(f"CapEff:\t{1 << 12:016x}" in status and f"Uid:\t{USER}\t{USER}\t{USER}" in status, status)
    gate.is_fine()
    return f"on the air after {took:.1f} s"


def waits_for_its_adapter(gate):
    """no adapter at the start: reported, and the adapter is used when it is plugged in"""
    gate.radio.unplug()
    gate.start(waits=False)
    gate.wait(lambda: gate.fault("fault.radio"), 20, "fault")
    expect("hci0: no such adapter or device; Check radio.device" in gate.reason(), gate.reason())
    time.sleep(5)  # until the pauses between the program's attempts have grown
    return f"{plug(gate):.2f} s from adapter to advertising"


def survives_unplugging(gate):
    """the adapter is unplugged during a transfer: the visit fails; the gate advertises within 1 s after replugging"""
    gate.start()
    visit = begin_transfer(gate)
    gate.radio.unplug()
    ended = gate.end_of_visit()
    expect(ended.get("result") == "failed" and "transfer.radio-lost" in ended["reasons"], ended)
    gate.wait(lambda: gate.fault("fault.radio"), 5, "fault")
    gate.air.ended(visit)
    took = plug_in_time(gate)
    gate.is_fine()
    return f"{took:.2f} s from adapter to advertising"


def loses_nothing_while_stopped(gate):
    """2,000 packets arrive while the process is stopped: the process receives all of them when it continues"""
    gate.start()
    visit = begin_transfer(gate, size=1_400_000, pace=0.0005)
    gate.machine.shell(f"kill -STOP {gate.process}")
    stood = -1
    while (now := gate.radio.waiting()) != stood:  # until the phone has sent everything and waits for a response
        stood = now
        time.sleep(1)
    gate.machine.shell(f"kill -CONT {gate.process}")
    sent = gate.air.heard(visit, "sent")["chunks"]
    expect(sent >= 2000 and stood > 8 * DEFAULT_BUFFER, f"{sent} chunks, {stood} bytes")
    expect(gate.air.ended(visit) == "rejected", "no verdict")
    ended = gate.end_of_visit()
    reports = gate.air.said(visit, "report")
    expect(len(reports) == 1 and not reports[0]["missing"], f"{len(reports[0]['missing'])} chunks were lost")
    expect("parse" in ended["reasons"][0] or "shape" in ended["reasons"][0] or "envelope" in ended["reasons"][0], ended)
    return f"{sent} chunks, {stood // 1024} KiB of kernel memory held them"


def needs_no_right_with_the_opener(gate):
    """no capability: the opener removes a block and passes the adapter, also after unplugging; not to other users"""
    gate.radio.block(True)
    opener = gate.radio.open_for()
    gate.start(right=0)
    status = gate.machine.shell(f"cat /proc/{gate.process}/status")
    expect("CapEff:\t0000000000000000" in status and "CapBnd:\t0000000000000000" in status, status)
    expect(not gate.radio.is_blocked() and not gate.events("radio.failed"), gate.reason())
    gate.is_fine()
    gate.radio.unplug()
    gate.wait(lambda: gate.fault("fault.radio"), 10, "fault")
    took = plug_in_time(gate)
    gate.is_fine()
    gate.end()
    # The opener gives another user nothing and does not touch the adapter for this user. An opener that does not run
    # is a separate fault.
    gate.radio.end(opener)
    other = gate.radio.open_for("root")
    gate.start(right=0, waits=False)
    gate.wait(lambda: "the opener of the radio" in gate.reason(), 20, "fault of the opener")
    expect("may not have hci0" in gate.radio.said(other), gate.radio.said(other))
    gate.radio.end(other)
    gate.wait(lambda: "Connection refused" in gate.reason(), 20, "fault of an opener that is gone")
    expect("gatehouse-radio.socket" in gate.reason(), gate.reason())
    gate.radio.open_for()
    gate.on_air()
    return f"{took:.2f} s from adapter to advertising"


def finds_its_adapter_by_address(gate):
    """an adapter that the configuration names by its address"""
    gate.start("address")
    gate.is_fine()


def speaks_h4_on_a_serial_line(gate):
    """a controller on its own serial line, without the kernel's Bluetooth"""
    gate.radio.unplug()
    gate.start("serial")
    gate.is_fine()


def takes_a_serial_adapter_of_the_kernel(gate):
    """a controller on a serial line with the kernel's driver (hci_uart), used by its user channel"""
    gate.radio.unplug()
    gate.radio.other("radio attach /run/h4", says="hci0")
    gate.start()
    gate.is_fine()


def has_nothing_to_reset(gate):
    """a virtual adapter has no power supply to switch off: the reset reports this and does nothing"""
    said = gate.machine.shell("gatehouse reset-radio 2>&1; echo $?")
    expect("hci0 cannot be reset" in said and said.split()[-1] == "1", said)


def plug(gate):
    """Plugs the adapter in. Returns the seconds from the time at which the kernel had the adapter to the invitation."""
    before = len(gate.events("advertising"))
    at = gate.radio.plug()
    gate.wait(lambda: len(gate.events("advertising")) > before, 20, "invitation")
    moment = gate.events("advertising")[before]["time"]
    return float(gate.machine.shell(f"date -u -d '{moment[:19].replace('T', ' ')}' +%s")) + float("0." + moment[20:].rstrip("Z")) - at


def plug_in_time(gate):
    """Plugs the adapter in, and fails if the gate does not advertise within a second. The emulated processor may
    have paused meanwhile, so up to two more attempts are made after further unpluggings."""
    took = plug(gate)
    for _ in range(2):
        if took <= 1:
            break
        gate.wait(lambda: gate.fault("fault.radio") is False, 15, "end of the fault")
        gate.radio.unplug()
        gate.wait(lambda: gate.fault("fault.radio"), 10, "fault")
        took = min(took, plug(gate))
    expect(took <= 1, f"on the air after {took:.2f} s")
    return took


def wait_for_pulses(gate, number):
    """Waits until the relay has had at least this number of pulses and is at rest. A check for more pulses is left
    to the caller."""
    gate.wait(lambda: [level for _, level in gate.bank.driven(RELAY)].count(1) >= number and gate.bank.levels()[RELAY] == 0, 15,
              f"end of {number} pulses")


def begin_transfer(gate, size=200_000, pace=0.02):
    """Starts a phone's visit with a long transfer. Returns the visit during the transfer."""
    payload = gate.credential.parent / f"long-{size}.json"
    payload.write_text(json.dumps({"noise": base64.b64encode(os.urandom(size * 3 // 4)).decode()}))
    visit = gate.air.begin(gate.uri(), payload, manner="ios", pace=pace, choose=-1, limit=120)
    gate.air.heard(visit, "identified")
    gate.air.choose(visit)
    gate.air.heard(visit, "sending")
    time.sleep(0.2)
    return visit


# The first check is the shortest one that uses kernel, radio, phones and lines.
CHECKS = [serves_phones, survives_unplugging, takes_an_adapter_that_is_up, reports_the_holder, lifts_a_block, reports_a_block,
          waits_for_its_adapter, loses_nothing_while_stopped, needs_no_right_with_the_opener,
          finds_its_adapter_by_address, speaks_h4_on_a_serial_line, takes_a_serial_adapter_of_the_kernel, has_nothing_to_reset]
