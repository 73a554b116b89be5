import Encoding
import Foundation
import Glibc
import TestKit
import Testing

@testable import LinuxIO

private let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
private let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

/// Reads until `count` packets or the end have arrived; waits at most a minute for each batch.
private func collect(_ transport: any HCITransport, _ count: Int) -> [HCITransportEvent] {
    var events: [HCITransportEvent] = []
    while events.count < count, Sockets.waitReadable(transport.descriptor) {
        events += transport.receive()
        if case .closed = events.last { break }
    }
    return events
}

@Suite("HCI transports")
struct TransportTests {
    @Test("a packet socket carries packets unchanged in both directions and reports its end once")
    func packets() throws {
        let (ours, theirs) = try Sockets.pair(SOCK_SEQPACKET)
        let transport = PacketTransport(descriptor: ours)
        #expect(transport.receive() == [])
        #expect(transport.send(reset) == nil)
        #expect(Sockets.readAll(theirs, 4) == reset)
        Sockets.writeAll(theirs, complete)
        Sockets.writeAll(theirs, [0xFF])
        #expect(collect(transport, 2) == [.packet(complete), .packet([0xFF])])
        close(theirs)
        #expect(collect(transport, 1) == [.closed(.gone)])
        #expect(transport.send(reset) == .gone)
        transport.close()
        transport.close()
        #expect(transport.descriptor == -1)
        #expect(transport.send(reset) == .gone)
        #expect(transport.receive() == [])
    }

    @Test("what the kernel does not take waits, is bounded, and goes out in order")
    func backPressure() throws {
        let (ours, theirs) = try Sockets.pair(SOCK_SEQPACKET)
        defer { close(theirs) }
        var limits = TransportLimits()
        limits.sendQueue = 64 * 1024
        let transport = PacketTransport(descriptor: ours, limits: limits)
        var sent = 0
        var failure: TransportError?
        while failure == nil, sent < 100_000 {
            failure = transport.send([0x02] + [UInt8](repeating: UInt8(truncatingIfNeeded: sent), count: 999))
            if failure == nil { sent += 1 }
        }
        #expect(failure == .stalled)
        #expect(transport.interest == [.readable, .writable])
        var received = 0
        var buffer = [UInt8](repeating: 0, count: 2000)
        while received < sent, Sockets.waitReadable(theirs) {
            #expect(read(theirs, &buffer, buffer.count) == 1000)
            #expect(buffer[1] == UInt8(truncatingIfNeeded: received))
            received += 1
            #expect(transport.flush() == nil)
        }
        #expect(received == sent)
        #expect(transport.interest == .readable)
    }

    @Test("sizes on our side are checked")
    func badPackets() throws {
        let (ours, theirs) = try Sockets.pair(SOCK_SEQPACKET)
        defer { close(theirs) }
        var limits = TransportLimits()
        limits.maximumPacket = 10
        let transport = PacketTransport(descriptor: ours, limits: limits)
        #expect(transport.send([]) == .badPacket(0))
        #expect(transport.send([UInt8](repeating: 1, count: 11)) == .badPacket(11))
        Sockets.writeAll(theirs, [UInt8](repeating: 2, count: 11))
        #expect(collect(transport, 1) == [.closed(.framing(.packetTooLong(11)))])
    }

    @Test("a byte stream is cut into packets wherever the pieces end", arguments: 1...12)
    func streamPieces(_ size: Int) throws {
        let (ours, theirs) = try Sockets.pair(SOCK_STREAM)
        defer { close(theirs) }
        let transport = StreamTransport(descriptor: ours, medium: .socket)
        let acl: [UInt8] = [0x02, 0x40, 0x20, 0x03, 0x00, 7, 8, 9]
        let packets = [complete, acl, complete, acl, acl]
        var bytes = packets.flatMap(\.self)[...]
        var events: [HCITransportEvent] = []
        while !bytes.isEmpty {
            Sockets.writeAll(theirs, Array(bytes.prefix(size)))
            bytes = bytes.dropFirst(size)
            events += transport.receive()
        }
        #expect(events == packets.map { .packet($0) })
    }

    @Test("a byte that starts no packet ends the stream, after the packets before it")
    func lostFraming() throws {
        let (ours, theirs) = try Sockets.pair(SOCK_STREAM)
        defer { close(theirs) }
        let transport = StreamTransport(descriptor: ours, medium: .socket)
        Sockets.writeAll(theirs, complete + [0x77, 1, 2, 3])
        #expect(collect(transport, 2) == [.packet(complete), .closed(.framing(.unknownPacketType(0x77)))])
    }

    @Test("TCP: commands out, events in, partial writes, end of the connection", .tags(.realTime))
    func tcp() throws {
        let (listener, port) = try Sockets.listener()
        defer { close(listener) }
        let transport = try TCPTransport.connect(host: "127.0.0.1", port: port)
        let peer = accept(listener, nil, nil)
        #expect(peer >= 0)
        #expect(transport.send(reset) == nil)
        #expect(Sockets.readAll(peer, 4) == reset)
        Sockets.writeAll(peer, complete + complete.prefix(3))
        #expect(collect(transport, 1) == [.packet(complete)])
        Sockets.writeAll(peer, Array(complete.dropFirst(3)))
        #expect(collect(transport, 1) == [.packet(complete)])

        let big: [UInt8] = [0x02, 0x40, 0x00, 0xFF, 0xFF] + [UInt8](repeating: 0x5A, count: 65_535)
        var sent = 0
        while transport.interest == .readable, sent < 1000 {
            #expect(transport.send(big) == nil)
            sent += 1
        }
        #expect(transport.interest == [.readable, .writable])
        let total = sent * big.count
        let reader = Thread {
            _ = Sockets.readAll(peer, total)
            close(peer)
        }
        reader.start()
        while transport.interest != .readable {
            var entry = pollfd(fd: transport.descriptor, events: Int16(POLLOUT), revents: 0)
            #expect(poll(&entry, 1, 60_000) == 1)
            #expect(transport.flush() == nil)
        }
        #expect(collect(transport, 1) == [.closed(.gone)])
    }

    @Test("TCP: a closed port and an unknown name are unreachable", .tags(.realTime))
    func tcpRefused() throws {
        let port = try BoundPort()
        defer { close(port.descriptor) }
        #expect(throws: TransportError.unreachable("127.0.0.1:\(port.number)")) {
            try TCPTransport.connect(host: "127.0.0.1", port: UInt16(port.number))
        }
        #expect(throws: TransportError.unreachable("no-such-host.invalid:1")) {
            try TCPTransport.connect(host: "no-such-host.invalid", port: 1)
        }
    }

    @Test("serial: a pseudo-terminal in raw mode carries every byte value", arguments: [115_200, 3_000_000])
    func serial(_ baud: Int) throws {
        let (master, name) = try Sockets.pseudoTerminal()
        defer { close(master) }
        let transport = try SerialTransport.open(name, baud: baud, flowControl: true)
        let packet: [UInt8] = [0x04, 0xFF, 0xFF] + (0...254).map { UInt8($0) }
        Sockets.writeAll(master, packet)
        #expect(collect(transport, 1) == [.packet(packet)])
        #expect(transport.send(packet) == nil)
        #expect(Sockets.readAll(master, packet.count) == packet)
    }

    @Test("serial: an absent line and an odd speed are named")
    func serialErrors() throws {
        #expect(throws: TransportError.notFound("/dev/no-such-line")) {
            try SerialTransport.open("/dev/no-such-line", baud: 115_200, flowControl: false)
        }
        let (master, name) = try Sockets.pseudoTerminal()
        defer { close(master) }
        #expect(throws: TransportError.unsupportedSpeed(31_250)) {
            try SerialTransport.open(name, baud: 31_250, flowControl: false)
        }
    }

    @Test("user channel: without Bluetooth or the adapter the error is typed and has a remedy")
    func userChannel() throws {
        let opener = "/no/such/opener"
        #expect(throws: TransportError.notFound("eth0")) { try HCIUserChannel.open("eth0", opener: opener) }
        let present = socket(31, Int32(SOCK_RAW.rawValue), 1)
        if present >= 0 { close(present) }
        let expected: TransportError =
            present < 0 ? .noBluetooth : .notFound("hci250", others: Adapters.list().map(\.name))
        let error = #expect(throws: TransportError.self) { try HCIUserChannel.open("hci250", opener: opener) }
        #expect(error == expected || error == .notPermitted("bringing hci250 down"))
        #expect(error?.remedy.isEmpty == false)
    }

    @Test("an adapter is named by its number or its address")
    func names() {
        #expect(AdapterName("hci0") == .number(0))
        #expect(AdapterName("hci12") == .number(12))
        #expect(AdapterName("F0:f1:02:03:04:0A") == .address([0xF0, 0xF1, 2, 3, 4, 10]))
        for bad in [
            "", "hci", "hci-1", "hci0:64", "hci99999", "12", "usb0", "hci١", "F0:F1:02:03:04", "F0:F1:02:03:04:0G",
            "F0:F1:02:03:04:+A", "F0:F1:02:03:04:05:06", "F:0F1:02:03:04:05", "F0F1:02:03:04:05:06",
        ] {
            #expect(AdapterName(bad) == nil, "\(bad)")
        }
    }

    @Test(
        "errno values of the user channel have their meaning",
        arguments: [
            (EAFNOSUPPORT, TransportError.noBluetooth), (ENODEV, .notFound("hci0")), (EBUSY, .busy("hci0")),
            (ERFKILL, .blocked), (EPERM, .notPermitted("binding hci0")),
            (ENOMEM, .system(SystemError("binding hci0", code: ENOMEM))),
        ])
    func codes(_ code: Int32, _ error: TransportError) {
        #expect(TransportError.opening("hci0", "binding hci0", code: code, daemon: false) == error)
    }

    @Test("bluetoothd, when it runs, is named with its remedy")
    func daemon() throws {
        let error = TransportError.opening("hci0", "binding hci0", code: EBUSY, daemon: true)
        #expect(error.description == "hci0 is in use by bluetoothd")
        #expect(error.remedy.contains("systemctl disable --now bluetooth"))
        #expect(TransportError.busy("hci0").description == "hci0 is in use by another program")
        // Control groups version 2, hybrid and legacy.
        for hierarchy in ["", "/unified", "/systemd"] {
            let folder = try TestFolder()
            let slice = "\(folder.path)\(hierarchy)/system.slice"
            try FileManager.default.createDirectory(
                atPath: slice + "/gatehouse.service", withIntermediateDirectories: true)
            #expect(!Adapters.daemonIsRunning(in: folder.path))
            try FileManager.default.createDirectory(
                atPath: slice + "/bluetooth.service", withIntermediateDirectories: false)
            #expect(Adapters.daemonIsRunning(in: folder.path))
        }
    }

    @Test("adapters and their switches are found in the kernel's folder")
    func adapters() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("adapters-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (adapter, soft) in [("hci10", "0"), ("hci2", "1"), ("hci2:64", "0")] {
            let path = folder.appendingPathComponent(adapter).appendingPathComponent("rfkill3")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            try Data("\(soft)\n".utf8).write(to: path.appendingPathComponent("soft"))
            try Data("0\n".utf8).write(to: path.appendingPathComponent("hard"))
        }
        let found = Adapters.list(in: folder.path)
        #expect(found.map(\.name) == ["hci2", "hci10"])
        #expect(found.map(\.softBlocked) == [true, false])
        #expect(found.allSatisfy { !$0.hardBlocked })
        #expect(Adapters.list(in: folder.path + "/absent") == [])
    }
}

@Suite("H4 framing")
struct H4FramingTests {
    @Test("each packet type has its length field")
    func types() throws {
        let packets: [[UInt8]] = [
            [1, 3, 12, 0], [1, 5, 32, 2, 8, 9], [2, 1, 0, 2, 0, 8, 9], [3, 1, 0, 1, 8], [4, 14, 1, 8],
            // The two top bits of an isochronous length are reserved.
            [5, 1, 0, 1, 0xC0, 8],
        ]
        var framing = H4Framing()
        framing.append(packets.flatMap(\.self))
        for packet in packets { #expect(try framing.next() == packet) }
        #expect(try framing.next() == nil)
        #expect(framing.pending == 0)
    }

    @Test("limits: a long announced length is refused before its bytes come")
    func limits() {
        var framing = H4Framing(maximumPacket: 100)
        framing.append([2, 0, 0, 0xFF, 0xFF])
        #expect(throws: H4Framing.Failure.packetTooLong(65_540)) { try framing.next() }
        var unlimited = H4Framing()
        unlimited.append([2, 0, 0, 0xFF, 0xFF])
        #expect(throws: Never.self) { try unlimited.next() }
        #expect(unlimited.pending == 5)
    }

    @Test("every first byte that is no packet type is an error")
    func unknown() {
        for byte in UInt8.min...UInt8.max where H4Framing.PacketType(rawValue: byte) == nil {
            var framing = H4Framing()
            framing.append([byte])
            #expect(throws: H4Framing.Failure.unknownPacketType(byte)) { try framing.next() }
        }
    }
}
