import Encoding

@testable import BluetoothHost

extension FuzzTarget {
    /// Requests, pushed values, and silence on one link.
    static let attribute = FuzzTarget(
        name: "att", longest: 1024,
        seeds: {
            var random = SeededRandom(seed: 7)
            let chance = (0..<64).map { _ in ATTScript.bytes((0..<12).map { _ in ATTScript.pdu(&random) }) }
            return chance + [
                // A larger MTU, enabled indications, pushed values with and without a confirmation, and a
                // write of 512 bytes.
                [3, 0x02, 0x05, 0x02, 5, 0x12, 18, 0, 2, 0, 0xFE, 10, 9, 0xFE, 10, 100, 1, 0x1E, 0xFF, 0xFE, 10, 1],
                [
                    3, 0x02, 0x05, 0x02, 0xFC, 0x01, 0xFD, 0x12, 12, 0, 0xFC, 0x01, 0xFE, 0x12, 12, 0, 6, 0x16, 12, 0,
                    0, 0, 1,
                ],
            ]
        },
        check: { bytes in
            var script = ATTScript()
            for step in ATTScript.steps(bytes).prefix(48) {
                let difference = script.play(step)
                require(difference == nil, difference ?? "")
            }
        })

    /// Whole PDUs on any channel of one link. Each is a channel of two bytes, a length, and the payload.
    static let l2cap = FuzzTarget(
        name: "l2cap", longest: 1024,
        seeds: {
            [
                [
                    4, 0, 3, 0x0A, 3, 0, 5, 0, 12, 0x12, 1, 8, 0, 12, 0, 12, 0, 0, 0, 0x58, 0x02, 5, 0, 6, 0x13, 1, 2,
                    0, 1, 0,
                ],
                [
                    5, 0, 10, 0x14, 7, 10, 0, 0x80, 0, 0x40, 0, 64, 0, 5, 0, 4, 0x17, 2, 0, 0, 5, 0, 6, 0x01, 1, 2, 0,
                    0, 0,
                ],
                [6, 0, 7, 0x01, 3, 0, 1, 16, 7, 7, 6, 0, 2, 0x05, 8, 6, 0, 1, 0x0B, 6, 0, 17]
                    + [UInt8](repeating: 0x0C, count: 17),
                [0, 0, 1, 1, 1, 0, 4, 0x0A, 1, 2, 0, 0x3F, 0, 0, 0x40, 0, 2, 0, 0, 0xFF, 0xFF, 1, 9],
            ]
        },
        check: { bytes in
            var links = LinkScript.one
            var reader = ByteReader(bytes)
            while let channel = try? reader.uint16LE(), let count = try? reader.uint8(),
                let payload = try? reader.take(min(Int(count), reader.remaining))
            {
                links.give(Packets.acl(channel, [UInt8](payload))[0])
            }
        })

    /// The data packets of three links and of one that does not exist, in any order. Each is a byte with the
    /// link and the packet boundary flag, a length, and the data. A first byte of 0xFF ends a link and begins
    /// another one with the same handle.
    static let acl = FuzzTarget(
        name: "acl", longest: 1024,
        seeds: {
            /// Returns requests on three links at once, in pieces of the given size.
            func mixed(_ size: Int) -> [UInt8] {
                let links = (0..<3).map { link in
                    [[0x02, 0x05, 0x02], [0x12, 12, 0] + [UInt8](repeating: UInt8(link), count: 200), [0x0A, 14, 0]]
                        .flatMap { Packets.acl(4, $0, size: size) }
                }
                return (0..<(links.map(\.count).max() ?? 0)).flatMap { place in
                    links.indices.flatMap { link -> [UInt8] in
                        guard place < links[link].count else { return [] }
                        let data = links[link][place].dropFirst(5)
                        let boundary = links[link][place][2] >> 4 & 3
                        return [UInt8(link) | boundary << 2, UInt8(data.count)] + data
                    }
                }
            }
            return [mixed(27), mixed(5), mixed(1), mixed(251), mixed(27) + [0xFF, 1] + mixed(20)]
        },
        check: { bytes in
            var links = LinkScript.three
            var reader = ByteReader(bytes)
            var steps = 0
            while steps < 64, let first = try? reader.uint8(), let count = try? reader.uint8() {
                steps += 1
                guard first != 0xFF else {
                    links.renew(0x40 + UInt16(count % 3))
                    continue
                }
                guard let data = try? reader.take(min(Int(count), reader.remaining)) else { return }
                links.give(
                    Packets.piece([UInt8](data), handle: 0x40 + UInt16(first & 3), boundary: UInt16(first >> 2 & 3)))
            }
        })
}

/// A host and models of its links. Both must agree after each packet.
private struct LinkScript {
    static let one = LinkScript([0x40])
    static let three = LinkScript([0x40, 0x41, 0x42])

    private var bench: Bench
    private var models: [UInt16: LinkModel] = [:]

    init(_ handles: [UInt16]) {
        bench = Bench { $0.limits.connections = 3 }
        bench.give(.start)
        handles.forEach { renew($0) }
    }

    /// Ends that link, if it exists, and begins another one with the same handle.
    mutating func renew(_ handle: UInt16) {
        if models[handle] != nil { bench.give(.received(Packets.disconnectionComplete(handle))) }
        bench.give(.received(Packets.connectionComplete(handle)))
        models[handle] = LinkModel()
    }

    /// A data packet from the controller.
    mutating func give(_ packet: [UInt8]) {
        let header = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let handle = header & 0x0FFF
        bench.forget()
        bench.give(.received(packet))
        let expected = models[handle]?.piece(Array(packet.dropFirst(5)), continues: header >> 12 & 3 == 1)
        let (sent, news) = expected ?? ([], [])
        require(
            bench.answers == (sent.isEmpty ? [:] : [handle: sent]), "\(bench.answers) is not what is answered: \(sent)")
        require(bench.news == (news.isEmpty ? [:] : [handle: news]), "\(bench.news) is not what is told: \(news)")
    }
}
