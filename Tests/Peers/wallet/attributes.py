"""attributes.py FILE: compares our answers to ATT requests with those of Bumble's attribute server.

The first line of FILE has the services of both, {"name": …, "services": [{"uuid", "characteristics": [{"uuid",
"properties", "value"}]}]}; each further line is a connection: [[request, our answer or null], …]. Bytes are in
hexadecimal, UUIDs in the order in which they are sent. There is no radio and no controller: Bumble's server gets the
requests directly.

`PERMITTED` lists the differences that the Core Specification allows, and those in which Bumble is known to be wrong.
Each of them must occur, so that the list has no superfluous entries. Exit code 1: another difference, or a superfluous
entry.
"""
import asyncio
import collections
import json
import logging
import struct
import sys

from bumble import att, gatt, gatt_server
from bumble.core import UUID
from bumble.utils import AsyncRunner

LIMIT = 517
# By opcode of a request: the permitted lengths of its parameters, in bytes.
LENGTHS = {
    0x02: [2], 0x04: [4], 0x08: [6, 20], 0x0A: [2], 0x0C: [4], 0x10: [6, 20], 0x18: [1],
}
SHORTEST = {0x06: 6, 0x0E: 4, 0x12: 2, 0x16: 4, 0x20: 4, 0x52: 2}
ANSWERS = {0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1E, 0x21, 0x23}
KNOWN = set(LENGTHS) | set(SHORTEST) | ANSWERS | {0x1D}


class Bearer:
    """The properties of a connection that Bumble's server reads."""

    handle = 0x40
    encryption = authenticated = False

    def __init__(self):
        self.att_mtu = 23

    def on_att_mtu_update(self, mtu):
        self.att_mtu = mtu


class Device:
    """The device through which Bumble's server sends; it stores the sent answers."""

    def __init__(self):
        self.sent = []

    def send_l2cap_pdu(self, _handle, channel, pdu):
        assert channel == att.ATT_CID
        self.sent.append(bytes(pdu))


class Peer:
    """Bumble's attribute server with the same services."""

    def __init__(self, table):
        self.device = Device()
        self.server = gatt_server.Server(self.device)
        own = {
            "1800": [("2a00", 0x02, table["name"]), ("2a01", 0x02, "0000")],
            "1801": [("2a05", 0x20, "")],
        }
        for uuid, characteristics in own.items():
            self.add(UUID(uuid), [(UUID(u), p, bytes.fromhex(v)) for u, p, v in characteristics])
        for service in table["services"]:
            self.add(
                UUID.from_bytes(bytes.fromhex(service["uuid"])),
                [(UUID.from_bytes(bytes.fromhex(c["uuid"])), c["properties"], bytes.fromhex(c["value"]))
                 for c in service["characteristics"]])
        self.configurations = {
            attribute.handle for attribute in self.server.attributes
            if attribute.type == gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
        }

    def add(self, uuid, characteristics):
        """Adds a service. Bumble lets the application check whether a value may be read or written, so this adds
        these checks."""
        def guarded(allowed, error, result):
            def act(*_):
                if not allowed:
                    raise att.ATT_Error(error)
                return result
            return act

        first = len(self.server.attributes)
        members = []
        for kind, properties, value in characteristics:
            content = gatt.CharacteristicValue(
                read=guarded(properties & 0x02, att.ATT_READ_NOT_PERMITTED_ERROR, value),
                write=guarded(properties & 0x0C, att.ATT_WRITE_NOT_PERMITTED_ERROR, None))
            members.append(gatt.Characteristic(kind, properties, 0, content))
        self.server.add_service(gatt.Service(uuid, members))
        for attribute in self.server.attributes[first:]:
            if isinstance(attribute.value, bytes):  # a declaration
                attribute.value = gatt.CharacteristicValue(
                    read=guarded(True, None, attribute.value),
                    write=guarded(False, att.ATT_WRITE_NOT_PERMITTED_ERROR, None))

    async def ask(self, bearer, request):
        """Returns the only answer, b"" if there is none, or None if Bumble raises an exception instead."""
        self.device.sent.clear()
        raised = False
        try:
            self.server.on_gatt_pdu(bearer, att.ATT_PDU.from_bytes(request))
        except Exception:
            raised = True
        while AsyncRunner.running_tasks:
            await asyncio.sleep(0)
        if len(self.device.sent) > 1:
            raise SystemExit("Bumble sent two answers to %s" % request.hex())
        if self.device.sent:
            return self.device.sent[0]
        raised = errors.take() > 0 or raised
        # No answer is due to commands and to answers.
        return None if raised and not request[0] & 0x40 and request[0] not in ANSWERS else b""


class Errors(logging.Handler):
    """Counts the exceptions that Bumble logs and does not pass on."""

    count = 0

    def emit(self, record):
        self.count += bool(record.exc_info)

    def take(self):
        count, self.count = self.count, 0
        return count


errors = Errors()


def word(request, place):
    return struct.unpack_from("<H", request, place)[0]


def error(request, code, handle=None):
    return struct.pack("<BBHB", 1, request[0], word(request, 1) if handle is None else handle, code)


def is_malformed(request):
    opcode, count = request[0], len(request) - 1
    if opcode in LENGTHS:
        return count not in LENGTHS[opcode]
    if opcode in (0x0E, 0x20) and count % 2:
        return True
    return count < SHORTEST.get(opcode, 0)


def has_bad_range(request):
    return word(request, 1) == 0 or word(request, 1) > word(request, 3)


# The permitted differences: the section of the Core Specification (Vol 3 Part F) with the reason, and the condition.
PERMITTED = [
    ("3.4.1.1: a request of the wrong length is an Invalid PDU; Bumble takes it all the same, or raises an exception",
     lambda request, ours, theirs, peer, mtu: is_malformed(request)
     and ours == (b"" if request[0] in (0x52,) else error(request, 0x06 if request[0] in (0x16, 0x18) else 0x04, 0))),
    ("3.4.1.1, table 4.1: queued writes are optional; a server without them says Request Not Supported",
     lambda request, ours, theirs, peer, mtu: request[0] in (0x16, 0x18) and ours == error(request, 0x06, 0)),
    ("3.4.1.1: so is whatever else is no known request; Bumble is silent",
     lambda request, ours, theirs, peer, mtu: not request[0] & 0x40 and theirs in (b"", None) and request[0] not in KNOWN
     and ours == error(request, 0x06, 0)),
    ("3.4.7.3: an indication is confirmed; Bumble leaves that to its client",
     lambda request, ours, theirs, peer, mtu: request[0] == 0x1D and ours == b"\x1e" and theirs in (b"", None)),
    ("3.4.3.3, 3.4.4.9: a range from 0 or backwards is an Invalid Handle; Bumble looks into it",
     lambda request, ours, theirs, peer, mtu: request[0] in (0x06, 0x10) and has_bad_range(request)
     and ours == error(request, 0x01)),
    ("3.4.3.3: an attribute that may not be read is passed over; Bumble raises an exception",
     lambda request, ours, theirs, peer, mtu: request[0] == 0x06 and theirs is None and ours == error(request, 0x0A)),
    ("3.4.4.5: a value that fits into a Read Response may be refused as Attribute Not Long, or be read",
     lambda request, ours, theirs, peer, mtu: request[0] == 0x0C and theirs == error(request, 0x0B)
     and (ours[0] == 0x0D and len(ours) <= mtu or ours == error(request, 0x07))),
    ("3.4.4.7, 3.4.4.11: a handle that there is not is an Invalid Handle; Bumble says Attribute Not Found",
     lambda request, ours, theirs, peer, mtu: request[0] in (0x0E, 0x20) and len(theirs or b"") == 5 and theirs[4] == 0x0A
     and (ours == theirs[:4] + b"\x01")),
    ("3.4.4.7, 3.4.4.11: a value that may not be read is Read Not Permitted; Bumble raises an exception",
     lambda request, ours, theirs, peer, mtu: request[0] in (0x0E, 0x20) and theirs is None
     and ours[:2] == bytes([1, request[0]]) and ours[4] in (0x01, 0x02)),
    ("3.4.4.7, 3.4.4.11: any of the handles may be refused; Bumble looks at no more of them than fit",
     lambda request, ours, theirs, peer, mtu: request[0] in (0x0E, 0x20) and theirs is not None
     and theirs[:1] == bytes([request[0] + 1]) and ours[:2] == bytes([1, request[0]]) and ours[4] in (0x01, 0x02)),
    ("3.4.4.7, 3.4.4.11: the answer is cut at the MTU; Bumble leaves the last value out, or sends more than the MTU",
     lambda request, ours, theirs, peer, mtu: request[0] in (0x0E, 0x20) and theirs is not None
     and ours[:1] == bytes([request[0] + 1]) and len(ours) <= mtu and (ours.startswith(theirs) or theirs.startswith(ours))),
    ("3.4.5.1, Part G 3.3.3.3: a client configuration has two bytes, of which two bits mean something; Bumble takes any",
     lambda request, ours, theirs, peer, mtu: request[0] == 0x12 and word(request, 1) in peer.configurations
     and theirs == b"\x13" and ours == error(request, 0x0D if len(request) != 5 else 0xFD)),
    ("3.4.5.1: the order of the checks is free: Bumble looks at the length of a value before it may be written",
     lambda request, ours, theirs, peer, mtu: request[0] == 0x12 and len(request) - 3 > 512
     and theirs == error(request, 0x0D) and ours == error(request, 0x03)),
]


async def main():
    logging.getLogger().addHandler(errors)
    lines = open(sys.argv[1], encoding="ascii")
    peer = Peer(json.loads(next(lines)))
    seen = collections.Counter()
    connections = requests = differences = 0
    for line in lines:
        connections += 1
        bearer = Bearer()
        for request, ours in json.loads(line):
            request, ours = bytes.fromhex(request), bytes.fromhex(ours or "")
            requests += 1
            mtu = bearer.att_mtu
            wishes = dict(peer.server.subscribers.get(bearer, {}))
            theirs = await peer.ask(bearer, request)
            if theirs != ours:
                reason = next((text for text, holds in PERMITTED if holds(request, ours, theirs, peer, mtu)), None)
                seen[reason] += 1
                if reason is None:
                    differences += 1
                    if differences <= 20:
                        shown = "an exception" if theirs is None else theirs.hex() or "nothing"
                        print("connection %d, MTU %d: %s: ours %s, Bumble %s"
                              % (connections, mtu, request.hex(), ours.hex() or "nothing", shown))
            # If one of the servers has refused a write, or the write has no defined effect, undo it in Bumble, so
            # that both continue from the same state.
            if ours[:1] != b"\x13" and word(request.ljust(3, b"\0"), 1) in peer.configurations and request[:1] == b"\x12":
                peer.server.subscribers[bearer] = wishes
            if request[:1] == b"\x52" and len(request) != 5 or request[:1] == b"\x52" and word(request, 3) > 2:
                peer.server.subscribers[bearer] = wishes
            if request[:1] == b"\x02":
                bearer.att_mtu = max(23, min(LIMIT, word(request, 1))) if len(request) == 3 else mtu
        peer.server.on_disconnection(bearer)
    for text, _ in PERMITTED:
        print("%7d  %s" % (seen[text], text))
        if not seen[text]:
            print("never seen: this difference need not be permitted")
            differences += 1
    print("%d connections, %d requests, %d answers differ" % (connections, requests, differences))
    sys.exit(1 if differences or not requests else 0)


logging.getLogger().setLevel(logging.ERROR)
asyncio.run(main())
