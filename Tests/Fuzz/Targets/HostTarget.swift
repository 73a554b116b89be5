import Encoding

@testable import BluetoothHost

extension FuzzTarget {
    /// A whole host with arbitrary events of its controller, its clock and its owner. Two bytes begin each
    /// step.
    static let hci = FuzzTarget(
        name: "hci", longest: 2048,
        seeds: {
            func packet(_ bytes: [UInt8]) -> [UInt8] { [0, UInt8(bytes.count)] + bytes }
            let up: [UInt8] = [5, 0, 6, 0, 1, 0]
            let visit =
                up + packet(Packets.connectionComplete()) + packet(Packets.acl(4, [0x02, 0x05, 0x02])[0])
                + packet(Packets.acl(4, [0x12, 18, 0, 2, 0])[0]) + [3, 0, 3, 1] + packet(Packets.acl(4, [0x1E])[0])
            return [
                visit + [4, 0, 2, 3] + packet(Packets.disconnectionComplete()),
                visit + packet(Packets.connectionComplete(0x41)) + packet(Packets.connectionComplete(0x41)) + [2, 200],
                visit + packet(Packets.meta(0x05, [0x40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
                    + packet(Packets.meta(0x06, [0x40, 0, 6, 0, 12, 0, 0, 0, 100, 0]))
                    + packet(Packets.meta(0x03, [0, 0x40, 0, 6, 0, 0, 0, 100, 0])),
                // Missing answers, missing credits, a hardware error, a second start.
                [7, 1] + up + [2, 20, 2, 30, 5, 0, 8, 0] + packet([0x04, 0x10, 1, 0x42]) + [5, 0, 9, 0],
                up + [8, 1] + packet(Packets.connectionComplete()) + (0..<20).flatMap { _ in [3, 10] as [UInt8] }
                    + packet([0x04, 0x13, 5, 1, 0x40, 0, 0xFF, 0xFF]),
                up + packet(Packets.connectionComplete(status: 0x3E)) + packet([0x04, 0x3E, 3, 0x12, 0, 0]) + [2, 100],
            ]
        },
        check: { bytes in
            var script = HostScript()
            var reader = ByteReader(bytes)
            while let kind = try? reader.uint8(), let value = try? reader.uint8() {
                let data = kind % 11 == 0 ? (try? reader.take(min(Int(value), reader.remaining))) ?? [] : []
                script.step(kind % 11, value, [UInt8](data))
            }
            script.settle()
        })
}

/// A host, a controller that answers unless the input mutes it, and the properties of both.
private struct HostScript {
    private var host: Host
    private var controller = FakeController()
    private var now = Instant.zero
    private var isMute = false
    private var pending: [[UInt8]] = []
    private var linked: Set<ConnectionHandle> = []
    private var isUp = false
    private var isStarted = false
    private var answered: [HCIOpcode] = []

    init() {
        host = Host(configuration: HostConfiguration(), services: [Bench.service])
    }

    mutating func step(_ kind: UInt8, _ value: UInt8, _ data: [UInt8]) {
        let handle = ConnectionHandle(rawValue: 0x40 + UInt16(value & 3))
        switch kind {
        case 0: give(.received(data))
        case 1: give(.advertise([advertisement(value)]))
        case 2: pass(.milliseconds(Int(value) * 50))
        case 3: give(.notify(handle, Bench.ID.indicate, [UInt8](repeating: value, count: Int(value >> 2))))
        case 4: give(.disconnect(handle, value & 4 == 0 ? .userTerminated : .lowResources))
        case 5: give(.start)
        case 6: give(.advertise((0...(value & 3)).map { advertisement(value ^ $0) }))
        case 7:
            isMute = value & 1 == 1
            if !isMute { deliver() }
        case 8: controller.completesData = value & 1 == 0
        case 9: give(.advertise([]))
        default: give(.transportLost)
        }
    }

    /// Lets more time pass than any wait may take.
    mutating func settle() { pass(.seconds(120)) }

    private func advertisement(_ value: UInt8) -> Advertisement {
        let address = DeviceAddress(bytes: [value, 1, 2, 3, 4, 0x45], isRandom: true)
        return (try? Advertisement(address: address, data: [2, 1, 6], scanResponse: [3, 0x16, 2, value]))
            ?? Bench.advertisement
    }

    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        var timers = 0
        while let deadline = host.deadline, deadline <= end {
            now = max(now, deadline)
            give(.timer)
            timers += 1
            require(timers < 1000, "the clock is asked for so often")
        }
        now = end
    }

    private mutating func give(_ event: HostEvent) {
        if case .start = event { (isStarted, linked) = (true, []) }
        take(host.handle(event, at: now), after: event)
        if !isMute { deliver() }
    }

    private mutating func deliver() {
        while !pending.isEmpty {
            let event = HostEvent.received(pending.removeFirst())
            take(host.handle(event, at: now), after: event)
        }
    }

    private mutating func take(_ actions: [HostAction], after event: HostEvent) {
        require(actions.count <= 400, "so many actions")
        var commands = 0
        for action in actions {
            switch action {
            case .send(let packet):
                check(packet)
                if packet[0] == 1 { commands += 1 }
                pending += controller.receive(packet)
            case .connected(let connection, _):
                require(linked.insert(connection.handle).inserted, "a connection begins once")
                require(linked.count <= host.configuration.limits.connections, "so many connections")
            case .disconnected(let handle, _): require(linked.remove(handle) != nil, "what ends has begun")
            case .written(let handle, _, _, _), .mtuChanged(let handle, _), .subscribed(let handle, _, _),
                .parametersChanged(let handle, _), .unconfirmed(let handle, _), .delivered(let handle, _, _):
                require(linked.contains(handle), "news are of somebody who is here")
            case .failed:
                require(linked.isEmpty, "all connections end before")
                (isStarted, pending) = (false, [])
            case .ready, .advertisingStarted, .advertisingStopped, .advertisingRefused, .advertisingLapsed:
                require(isStarted, "only a host that runs")
            case .notDelivered: break
            }
        }
        require(commands <= 1, "one command at a time")
        require(
            host.commands.count <= host.configuration.limits.queuedCommands + 16, "the queue of commands is bounded")
        require(Set(host.links.map(\.handle)) == linked, "what is told is what is there")
        if case .timer = event { require(host.deadline.map { $0 > now } ?? true, "what is due is done") }
        if !isStarted { require(host.deadline == nil, "a host that is down waits for nothing") }
    }

    private func check(_ packet: [UInt8]) {
        require(isStarted, "a host that is down says nothing")
        switch packet.first {
        case 0x01: require(packet.count >= 4 && packet.count == 4 + Int(packet[3]), "a command is whole")
        case 0x02:
            require(
                packet.count > 5 && packet.count == 5 + Int(packet[3]) + Int(packet[4]) << 8, "a data packet is whole")
            require(packet.count - 5 <= Int(controller.aclLength), "and fits the controller")
        default: require(false, "packets are commands or data")
        }
    }
}

extension FuzzTarget {
    /// A stream of HCI packets, split into pieces. The first byte gives the length of the pieces and the
    /// limit for a packet.
    static let h4 = FuzzTarget(
        name: "h4", longest: 4096,
        seeds: {
            let packets =
                [
                    Packets.connectionComplete(), Packets.disconnectionComplete(), [0x01, 0x03, 0x0C, 0],
                    [0x03, 1, 0, 2, 7, 7],
                ]
                + Packets.acl(4, [UInt8](repeating: 3, count: 300), size: 27) + [[0x05, 1, 0, 3, 0xC0, 9, 9, 9]]
            let stream = packets.flatMap { $0 }
            return [
                [1] + stream, [7] + stream, [255] + stream, [3] + stream + [0x02, 0x40, 0, 0xFF, 0xFF],
                [2] + stream + [9],
            ]
        },
        check: { bytes in
            guard let step = bytes.first else { return }
            let stream = Array(bytes.dropFirst())
            let limit = step & 0x80 == 0 ? 65_540 : 300
            var framing = H4Framing(maximumPacket: limit)
            var (packets, failure): ([[UInt8]], H4Framing.Failure?) = ([], nil)
            var place = 0
            while place < stream.count, failure == nil {
                let end = min(place + Int(step & 0x7F) + 1, stream.count)
                framing.append(stream[place..<end])
                place = end
                do throws(H4Framing.Failure) {
                    while let packet = try framing.next() { packets.append(packet) }
                } catch {
                    failure = error
                }
                require(framing.pending <= max(limit, 128) + 128, "no more is held than the longest packet")
            }
            let (expected, fault) = H4Model.cut(stream, limit: limit)
            require(packets == expected, "the same packets, however the stream is cut")
            require(failure == fault, "the same end: \(String(describing: failure)), \(String(describing: fault))")
            if failure == nil {
                require(packets.reduce(0) { $0 + $1.count } + framing.pending == stream.count, "nothing is lost")
            }
        })
}

/// The packets of an HCI stream (Core Specification Vol 4 Part A 2), computed from the whole stream at once.
private enum H4Model {
    static func cut(_ stream: [UInt8], limit: Int) -> (packets: [[UInt8]], failure: H4Framing.Failure?) {
        var (packets, place): ([[UInt8]], Int) = ([], 0)
        while place < stream.count {
            let rest = stream[place...]
            let header = [1: 4, 2: 5, 3: 4, 4: 3, 5: 5][stream[place]]
            guard let header else { return (packets, .unknownPacketType(stream[place])) }
            guard rest.count >= header else { break }
            var length = Int(stream[place + header - 1])
            if header == 5 { length = length * 256 + Int(stream[place + 3]) }
            if stream[place] == 5 { length %= 0x4000 }  // two bits are reserved
            if header + length > limit { return (packets, .packetTooLong(header + length)) }
            guard rest.count >= header + length else { break }
            packets.append(Array(rest.prefix(header + length)))
            place += header + length
        }
        return (packets, nil)
    }
}
