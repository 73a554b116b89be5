"""air.py: simulates the radio between one kiosk and any number of phones; needs no radio and no privileges.

The kiosk connects by TCP on loopback and finds a Bluetooth controller (HCI with H4 framing, Bumble's). Each new
connection of a kiosk finds a controller that was just reset. With "--rootcanal PROGRAM" the controllers are those of
rootcanal, which listens on every address; this program must then run in its own network namespace (unshare). Phones are
Bumble centrals with the wallet of tuvali_wallet.py; each visit is a new phone with a new address and a new wallet key.
The program reads JSON lines, writes JSON lines (with "t", seconds since 1970), and ends at the end of its input:

    <- {"event": "listening", "port": N}
    <- {"event": "kiosk.attached"} / {"event": "kiosk.detached"}
    -> {"visit": {"id": "1", "uri": "OPENID4VP://…", "payload": FILE}}     and, optionally:
         "wrap": true          put the file's credential into a wallet record first
         "manner": "android"   or "ios"
         "mtu": 517            the MTU that the phone requests (iOS: default 527); see Phone.android_mtu
         "settle": 0.5         Android's pause after the MTU exchange; iOS: "pace": 0.02 between chunks
         "choose": 0           seconds until the person has chosen a credential; -1: until {"chosen": "1"} comes
         "lose": [2, 3]        numbers of the chunks that are lost in the first pass
         "leave": "identified" or "sent": the phone leaves at this point
         "limit": 20           seconds for the whole visit
    <- {"visit": "1", "event": "seen", "address": …, "key": …}   connected, mtu, identified, sending, sent, unheard,
       report, verdict, disconnect-request, disconnected; at last "ended" with "outcome": accepted, rejected, left,
       disconnected, not-found, timeout, wallet-error, or "failed" (with "reason")
"""
import asyncio
import contextlib
import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys
import time

from bumble import core, hci, ll
from bumble.controller import Controller
from bumble.device import Device, Peer
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport

import tuvali_wallet as tuvali


def say(**line):
    print(json.dumps({"t": round(time.time(), 4), **line}), flush=True)


class Air(LocalLink):
    """Bumble's link with two corrections. It finds a sender by the sender's address in the connection, not by the
    present random address. A connection that no controller accepts is reported as failed; with Bumble it stays half
    open."""

    def __init__(self):
        super().__init__()
        self.kiosks = 0
        self.chosen = set()  # ids of the visits whose person has chosen a credential

    async def listen(self):
        """Opens the TCP port for the kiosk, and returns its number."""
        self.server = await asyncio.start_server(lambda r, w: serve_kiosk(self, r, w), "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def phone(self, address):
        """Returns a phone's Bluetooth device, and a function that switches the device off."""
        controller = VirtualController("phone", link=self)
        return Device(name="phone", address=address, host=Host(controller, controller)), controller.remove

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection and receiver:
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)

    def send_advertising_pdu(self, sender_controller, packet):
        super().send_advertising_pdu(sender_controller, packet)
        if isinstance(packet, ll.ConnectInd):
            # Check after the scheduled calls that deliver the packet to all controllers.
            asyncio.get_running_loop().call_soon(self.check_accepted, sender_controller, packet)

    def check_accepted(self, initiator, packet):
        accepted = any(packet.initiator_address in c.le_connections for c in self.controllers if c is not initiator)
        connection = initiator.le_connections.get(packet.advertiser_address)
        if connection and not accepted:
            initiator.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        with contextlib.suppress(core.InvalidArgumentError):  # the receiver was switched off
            super().send_ll_control_pdu(sender_address, receiver_address, packet)


class VirtualController(Controller):
    """Bumble's controller with long packets, legacy advertising and a scan response. Bumble alone would repeat the
    advertising data as the scan response."""

    le_acl_data_packet_length = 251
    supported_max_tx_octets = supported_max_rx_octets = suggested_max_tx_octets = 251
    le_features = Controller.le_features & ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING

    def on_advertising_pdu(self, pdu):
        scanning, self.le_scan_enable = self.le_scan_enable, False
        super().on_advertising_pdu(pdu)  # connects if the controller shall connect to this advertiser
        self.le_scan_enable = scanning
        if not scanning or not isinstance(pdu, ll.AdvInd):
            return
        advertiser = next(
            (c.le_legacy_advertiser for c in self.link.controllers if c.le_legacy_advertiser.address == pdu.advertiser_address),
            None)
        answer = bytes(advertiser.scan_response_data) if advertiser else b""
        event = hci.HCI_LE_Advertising_Report_Event
        for kind, data in ((event.EventType.ADV_IND, pdu.data), (event.EventType.SCAN_RSP, answer)):
            report = event.Report(
                event_type=kind, address_type=pdu.advertiser_address.address_type, address=pdu.advertiser_address,
                data=data, rssi=-50)
            self.send_hci_packet(event([report]))

    def on_hci_reset_command(self, command):
        self.fall_silent()
        return super().on_hci_reset_command(command)

    def fall_silent(self):
        """Stops advertising and drops every link, as a controller without power does. The peers see a timeout."""
        self.le_legacy_advertiser.stop()
        for connection in list(self.le_connections.values()):
            peer = self.link.find_le_controller(connection.peer_address)
            theirs = peer.le_connections.get(connection.self_address) if peer else None
            if theirs:
                peer.on_le_disconnected(theirs, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.le_connections.clear()

    def remove(self):
        self.fall_silent()
        self.link.remove_controller(self)


class RootcanalAir:
    """The same interface with rootcanal's controllers, each of which exists as long as a connection to rootcanal's
    port."""

    kiosks = 1  # the number of connected kiosks is unknown

    def __init__(self, program):
        self.program = program
        self.chosen = set()

    async def listen(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:  # loopback is down in a new network namespace
            request = struct.pack("16sh", b"lo", 0)
            flags = struct.unpack("16sh", fcntl.ioctl(s, 0x8913, request)[:18])[1]  # SIOCGIFFLAGS
            fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP
        ports = {"-hci_port": 6402, "-test_port": 6401, "-link_port": 6403, "-link_ble_port": 6404}
        self.process = await asyncio.create_subprocess_exec(
            self.program, *(str(word) for pair in ports.items() for word in pair),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG: ends with this program
        for _ in range(200):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", ports["-hci_port"])).close()
                return ports["-hci_port"]
            await asyncio.sleep(0.05)
        raise RuntimeError("rootcanal does not listen")

    async def phone(self, address):
        transport = await open_transport("tcp-client:127.0.0.1:6402")
        device = Device.with_hci("phone", address, transport.source, transport.sink)
        return device, lambda: asyncio.ensure_future(transport.close())


class HostConnection:
    """Passes a controller's packets to the kiosk at the other end of a TCP connection."""

    def __init__(self, writer):
        self.writer = writer

    def on_packet(self, packet):
        if not self.writer.is_closing():
            self.writer.write(packet)


# By indicator byte of an H4 packet: the length of the header after this byte, and the header's bytes with the body's
# length.
H4_HEADERS = {1: (3, slice(2, 3)), 2: (4, slice(2, 4)), 3: (3, slice(2, 3)), 5: (4, slice(2, 4))}


async def serve_kiosk(air, reader, writer):
    controller = VirtualController("kiosk", host_sink=HostConnection(writer), link=air, public_address="F0:F1:F2:F3:F4:01")
    air.kiosks += 1
    say(event="kiosk.attached")
    try:
        while True:
            indicator = await reader.readexactly(1)
            size, length = H4_HEADERS[indicator[0]]
            header = await reader.readexactly(size)
            body = await reader.readexactly(int.from_bytes(header[length], "little"))
            controller.on_packet(indicator + header + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    except Exception as error:  # the kiosk sent a packet that Bumble cannot read
        say(event="kiosk.protocol-error", reason=repr(error))
    finally:
        air.kiosks -= 1
        controller.remove()
        writer.close()
        say(event="kiosk.detached")


class Left(Exception):
    """The phone leaves during the visit."""


class Phone:
    """One visitor's phone, for one visit."""

    def __init__(self, air, order):
        self.air, self.order, self.name = air, order, order["id"]
        self.manner = order.get("manner", "android")
        self.wallet = tuvali.Wallet(order["uri"], self.manner)
        with open(order["payload"], encoding="utf-8") as file:
            text = file.read()
        self.payload = (tuvali.wallet_record(text) if order.get("wrap", True) else text).encode()
        self.heard = asyncio.Queue()

    def say(self, event, **details):
        say(visit=self.name, event=event, **details)

    async def visit(self):
        address = hci.Address.generate_static_address()
        device, switch_off = await self.air.phone(address)
        outcome, details = "failed", {}
        try:
            await device.power_on()
            outcome = await asyncio.wait_for(self.share(device), self.order.get("limit", 20))
        except asyncio.TimeoutError:
            outcome = "timeout"
        except Left:
            outcome = "left"
        except tuvali.WalletError as error:
            outcome, details = "wallet-error", {"code": error.code}
        except (asyncio.CancelledError, core.BaseBumbleError, Exception) as error:
            outcome, details = ("failed" if device.connections else "disconnected"), {"reason": repr(error)}
            if asyncio.current_task().cancelling():
                raise
        finally:
            for connection in list(device.connections.values()):
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(connection.disconnect(), 1)
            switch_off()
            self.say("ended", outcome=outcome, phone=str(address), walletKey=self.wallet.channel.public.hex(), **details)

    async def share(self, device):
        for _ in range(5):
            kiosk = await self.scan(device)
            if kiosk is None:
                return "not-found"
            connection = await device.connect(kiosk, own_address_type=hci.OwnAddressType.RANDOM, timeout=5)
            await asyncio.sleep(0.005)  # until a connection that another phone got first has been reported as failed
            if device.connections:
                break
        connection.on("disconnection", lambda reason: self.heard.put_nowait(("disconnected", reason)))
        self.say("connected", address=str(kiosk))
        peer = Peer(connection)
        characteristics = await self.prepare(peer)
        await self.write(peer, characteristics, self.wallet.connected(peer.gatt_client.mtu))
        self.say("identified")
        if self.order.get("leave") == "identified":
            raise Left
        await self.person()
        writes = self.wallet.share(self.payload)
        await self.write(peer, characteristics, writes, set(self.order.get("lose", [])))
        self.say("sent", bytes=sum(len(p) - 4 for p in self.wallet.pieces), chunks=len(self.wallet.pieces))
        if self.order.get("leave") == "sent":
            raise Left
        return await self.listen(peer, characteristics)

    async def person(self):
        """Waits as long as the person needs to choose a credential."""
        seconds = self.order.get("choose", 0)
        if seconds >= 0:
            await self.while_connected(seconds)
        while seconds < 0 and self.name not in self.air.chosen:
            await self.while_connected(0.01)

    async def scan(self, device):
        """Looks for the kiosk of the invitation. Returns its address; None if it is not found."""
        found, first = asyncio.get_running_loop().create_future(), {}

        def on_report(report):
            if isinstance(report, hci.HCI_LE_Extended_Advertising_Report_Event.Report):
                scan_response = bool(report.event_type & hci.HCI_LE_Extended_Advertising_Report_Event.EventType.SCAN_RESPONSE)
            else:
                scan_response = report.event_type == hci.HCI_LE_Advertising_Report_Event.EventType.SCAN_RSP
            data = core.AdvertisingData.from_bytes(report.data)
            service = tuvali.SCAN_RESPONSE_SERVICE if scan_response else tuvali.SERVICE
            for uuid, value in data.get_all(core.AdvertisingData.SERVICE_DATA_16_BIT_UUID):
                if uuid != core.UUID.from_16_bits(service):
                    continue
                if not scan_response:
                    first[report.address] = value
                elif not found.done() and self.wallet.meets(first.get(report.address), value):
                    found.set_result(report.address)

        device.host.on("advertising_report", on_report)
        await device.start_scanning(active=True, filter_duplicates=False)
        until = time.monotonic() + self.order.get("limit", 20) / 2
        try:
            while not found.done():
                if time.monotonic() > until or self.air.kiosks == 0:
                    return None
                await asyncio.sleep(0.005)
            address = found.result()
        finally:
            device.host.remove_listener("advertising_report", on_report)
            await device.stop_scanning()
        self.say("seen", address=str(address), key=self.wallet.verifier_public.hex())
        return address

    async def prepare(self, peer):
        """Exchanges the MTU, discovers the characteristics and, for iOS, writes descriptors, in the order of each
        system. Returns the characteristics by UUID."""
        if self.manner == "ios":
            await peer.request_mtu(self.order.get("mtu", 527))
        await peer.discover_service(core.UUID.from_16_bits(tuvali.SERVICE))
        if not peer.services:
            raise tuvali.WalletError("TVW_CON_003")
        await peer.services[0].discover_characteristics()
        found = {c.uuid: c for c in peer.services[0].characteristics}
        characteristics = {name: found[core.UUID(name)] for name in tuvali.WRITTEN + tuvali.NOTIFIED}
        # Register the callbacks directly: Bumble's subscribe() would write descriptors, which an Android wallet never
        # does.
        for name in tuvali.NOTIFIED:
            handle = characteristics[name].handle
            for subscribers in (peer.gatt_client.notification_subscribers, peer.gatt_client.indication_subscribers):
                subscribers[handle] = {lambda value, name=name: self.heard.put_nowait((name, bytes(value)))}
        if self.manner == "ios":
            for name in tuvali.NOTIFIED:
                await characteristics[name].discover_descriptors()
                descriptor = characteristics[name].get_descriptor(GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR)
                if descriptor:
                    await descriptor.write_value(b"\x02\x00", with_response=True)
        else:
            await self.android_mtu(peer)
        self.say("mtu", mtu=peer.gatt_client.mtu)
        return characteristics

    async def android_mtu(self, peer):
        """Requests an MTU above 512 only once, as Android 14 does with 517. With a limit up to 512 it requests 512, 185
        and 100, as far as the limit permits, until an answer results in the requested MTU."""
        asked = self.order.get("mtu", 517)
        for request in [asked] if asked > tuvali.LARGEST_MTU else [m for m in (512, 185, 100) if m <= asked]:
            peer.gatt_client.mtu_exchange_done = False  # so that Bumble makes a further exchange
            mtu = await peer.request_mtu(request)
            await self.while_connected(self.order.get("settle", 0.5))
            if min(mtu, tuvali.LARGEST_MTU) == min(request, tuvali.LARGEST_MTU):
                return
        raise tuvali.WalletError("TVW_CON_002")

    async def write(self, peer, characteristics, writes, lost=()):
        for write in writes:
            chunk = write.characteristic == tuvali.SUBMIT_RESPONSE
            if not (chunk and int.from_bytes(write.value[:2], "big") in lost):
                await peer.gatt_client.write_value(characteristics[write.characteristic], write.value, write.response)
            self.wallet.written(write)
            if write.characteristic == tuvali.RESPONSE_SIZE:
                self.say("sending")
            if self.manner == "ios" and chunk and not write.response:
                await self.while_connected(self.order.get("pace", 0.02))
            elif not write.response:
                await asyncio.sleep(0)

    async def while_connected(self, seconds):
        """Waits for this time; raises ConnectionError as soon as the kiosk has disconnected."""
        until = time.monotonic() + seconds
        while True:
            await asyncio.sleep(max(0, min(0.01, until - time.monotonic())))
            if any(kind == "disconnected" for kind, _ in self.heard._queue):
                raise ConnectionError("disconnected")
            if time.monotonic() >= until:
                return

    async def listen(self, peer, characteristics):
        """Answers the kiosk's notifications until a verdict or the end of the link."""
        while True:
            source, value = await self.heard.get()
            if source == "disconnected":
                self.say("disconnected", reason=int(value))
                return "disconnected"
            heard = self.wallet.notified(source, value)
            self.say(heard.word, **heard.details)
            if heard.word == "verdict":
                return "accepted" if heard.details["status"] == 0 else "rejected"
            if heard.word == "disconnect-request" and heard.details["value"] == 1:
                return "disconnected"
            await self.write(peer, characteristics, heard.writes)


async def main():
    air = RootcanalAir(sys.argv[2]) if sys.argv[1:2] == ["--rootcanal"] else Air()
    say(event="listening", port=await air.listen())
    orders = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    visits = set()
    while line := await orders.readline():
        order = json.loads(line)
        if "chosen" in order:
            air.chosen.add(order["chosen"])
            continue
        order = order["visit"]
        try:
            visit = asyncio.create_task(Phone(air, order).visit())
        except (OSError, ValueError, tuvali.WalletError) as error:
            say(visit=order["id"], event="ended", outcome="failed", reason=repr(error))
            continue
        visits.add(visit)
        visit.add_done_callback(visits.discard)
    # Exit at once: no program reads the rest of the output.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
