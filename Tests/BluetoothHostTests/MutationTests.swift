import Encoding
import Testing

@testable import BluetoothHost

/// Packets that no phone or controller should send. The host never crashes, its memory stays bounded, and the next
/// visit succeeds.
///
/// There are 100,000 mutations. A failure names its seed.
@Suite("Bluetooth host: mutated traces")
struct MutationTests {
    /// An Android-like and an iPhone-like visit, as the packets that a controller delivers.
    private static let traces: [[[UInt8]]] = [
        [Packets.connectionComplete()]
            + Packets.acl(4, [0x02, 0x05, 0x02])
            + Packets.acl(4, [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
            + Packets.acl(4, [0x08, 10, 0, 0xFF, 0xFF, 0x03, 0x28])
            + Packets.acl(4, [0x04, 13, 0, 21, 0])
            + [Packets.meta(0x07, [0x40, 0, 0xFB, 0, 0x48, 8, 0xFB, 0, 0x48, 8])]
            + Packets.acl(4, [0x52, Bench.Handle.write, 0] + Array(0..<44))
            + Packets.acl(5, [0x13, 1, 2, 0, 1, 0])
            + Packets.acl(4, [0x52, Bench.Handle.write, 0] + [UInt8](repeating: 3, count: 509), size: 251)
            + Packets.acl(4, [0x52, Bench.Handle.write, 0] + [UInt8](repeating: 4, count: 509), size: 27)
            + [[0x04, 0x13, 5, 1, 0x40, 0, 1, 0], Packets.meta(0x03, [0, 0x40, 0, 12, 0, 0, 0, 0x58, 2])]
            + [Packets.disconnectionComplete()],
        [Packets.connectionComplete(interval: 12), Packets.meta(0x04, [0, 0x40, 0] + [UInt8](repeating: 1, count: 8))]
            + Packets.acl(4, [0x02, 0x0F, 0x02], size: 27)
            + Packets.acl(6, [0x01, 0x03, 0, 0x2D, 0x10, 0x0F, 0x0F])
            + Packets.acl(4, [0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x01, 0x00])
            + Packets.acl(4, [0x08, 1, 0, 9, 0, 0x00, 0x2A])
            + Packets.acl(4, [0x0A, 3, 0])
            + Packets.acl(4, [0x0C, Bench.Handle.readIndicate, 0, 22, 0])
            + Packets.acl(4, [0x0E, 3, 0, 5, 0])
            + Packets.acl(4, [0x20, 3, 0, 5, 0])
            + Packets.acl(4, [0x12, Bench.Handle.indicateConfiguration, 0, 2, 0])
            + Packets.acl(4, [0x12, Bench.Handle.write, 0] + Array(0..<44), size: 27)
            + Packets.acl(4, [0x1E])
            + Packets.acl(4, [0x16, Bench.Handle.write, 0, 0, 0, 1])
            + Packets.acl(4, [0x18, 1])
            + Packets.acl(5, [0x12, 3, 8, 0, 6, 0, 6, 0, 0, 0, 10, 0])
            + [
                Packets.meta(0x06, [0x40, 0, 12, 0, 24, 0, 0, 0, 0x58, 2]),
                Packets.meta(0x05, [0x40, 0] + [UInt8](repeating: 0, count: 10)),
            ]
            + [[0x04, 0x0E, 4, 1, 0x09, 0x10, 0], [0x04, 0x0F, 4, 0, 1, 0x06, 0x04], [0x04, 0x10, 1, 0]]
            + [Packets.disconnectionComplete(reason: 0x08)],
    ]

    /// An application that pushes a value for each write and remembers every connection that the host
    /// reported.
    private struct Application {
        var bench = Bench()
        var open: Set<ConnectionHandle> = []
        var hasFailed = false

        mutating func give(_ event: HostEvent) {
            var news = bench.give(event)
            while !news.isEmpty {
                let action = news.removeFirst()
                switch action {
                case .connected(let connection, _): open.insert(connection.handle)
                case .disconnected(let handle, _): open.remove(handle)
                case .failed: hasFailed = true
                case .written(let handle, _, let value, _):
                    news += bench.give(.notify(handle, Bench.ID.indicate, Array(value.prefix(8))))
                    news += bench.give(.notify(handle, Bench.ID.notify, Array(value.prefix(8))))
                default: break
                }
            }
        }

        /// Ends the open connections, then plays an ordinary visit. Returns a description of the failure, or
        /// nil.
        mutating func ordinaryVisit() -> String? {
            for _ in 0..<20 {
                guard let deadline = bench.host.deadline, deadline < bench.now.advanced(by: .seconds(9)) else { break }
                bench.now = max(bench.now, deadline)
                give(.timer)
            }
            for handle in open.sorted(by: { $0.rawValue < $1.rawValue }) {
                give(.received(Packets.disconnectionComplete(handle.rawValue)))
            }
            if hasFailed { give(.start) }
            hasFailed = false
            if !open.isEmpty { return "connections are left: \(open)" }
            guard bench.give(.advertise([Bench.advertisement])).last == .advertisingStarted else {
                return "not advertising"
            }
            give(.received(Packets.connectionComplete(0x0123)))
            guard open.map(\.rawValue) == [0x0123] else { return "not connected" }
            let handle = ConnectionHandle(rawValue: 0x0123)
            bench.forget()
            let news =
                bench.att([0x02, 0x05, 0x02], handle: 0x0123)
                + bench.att([0x12, Bench.Handle.write, 0, 1, 2], handle: 0x0123)
            guard
                news == [
                    .mtuChanged(handle, 517), .written(handle, Bench.ID.write, [1, 2], withResponse: true),
                ], bench.values.prefix(2) == [[0x03, 0x05, 0x02], [0x13]]
            else { return "visit went wrong: \(news) \(bench.values)" }
            give(.received(Packets.disconnectionComplete(0x0123)))
            bench.give(.advertise([]))
            return open.isEmpty ? nil : "not disconnected"
        }
    }

    /// Mutates whole visits, with up to twelve mutations each. One host serves all 30,000 visits.
    @Test(arguments: 1...6)
    func visits(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var application = Application()
        application.give(.start)
        var mutations = 0
        while mutations < 5_000 {
            var packets = Self.traces[random.below(Self.traces.count)]
            for _ in 0..<1 + random.below(12) {
                let mutation = Mutation.allCases[random.below(Mutation.allCases.count)]
                mutation.apply(to: &packets, at: random.below(packets.count), keeping: random.below(8), &random)
                mutations += 1
                if packets.isEmpty { break }
            }
            application.give(.advertise([Bench.advertisement]))
            for packet in packets {
                let told = application.bench.told.count
                let sent = application.bench.dataPackets.count
                application.give(.received(packet))
                application.bench.now = application.bench.now.advanced(by: .milliseconds(random.below(20)))
                let host = application.bench.host
                let isBounded =
                    application.bench.told.count - told < 200 && application.bench.dataPackets.count - sent < 200
                    && host.links.count <= 2 && host.commands.count <= 64
                if !isBounded { Issue.record("seed \(seed), after \(mutations) mutations: too much of something") }
            }
            if let trouble = application.ordinaryVisit() {
                Issue.record("seed \(seed), after \(mutations) mutations: \(trouble)")
                return
            }
            application.bench.forget()
            application.bench.controller.forget()
        }
    }

    /// 50,000 attribute PDUs: each gets at most one answer, never longer than the MTU; commands get none.
    @Test(arguments: 1...5)
    func attributePDUs(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let requests =
            (ATTRequestTests.discovery + ATTRequestTests.reading + ATTRequestTests.writing + ATTRequestTests.others)
            .compactMap { Hex.decode($0.request) }
        let database = AttributeDatabase(deviceName: "Gate", appearance: 0, services: [Bench.service])
        var server = ATTServer(database: database, receiveMTU: 517)
        for round in 0..<10_000 {
            var pdus = [requests[random.below(requests.count)]]
            Mutation.allCases[random.below(Mutation.allCases.count)].apply(
                to: &pdus, at: 0, keeping: random.below(3), &random)
            for pdu in pdus {
                let mtu = server.mtu
                let response = server.receive(pdu[...]).response ?? []
                let isSound =
                    response.count <= mtu
                    && (pdu.first.map { !ATTOpcode.isCommand($0) } ?? false || response.isEmpty)
                if !isSound { Issue.record("seed \(seed), round \(round): \(Hex.encode(pdu)) gave \(response)") }
            }
        }
        #expect(server.configurations.count <= 4)
        #expect(server.receive([0x0A, 3, 0]) == ATTServer.Answer(response: [0x0B] + Array("Gate".utf8)))
    }

    /// 20,000 data packets in any order and shape. Each PDU that the host passes on is complete and has the length in
    /// its header.
    @Test(arguments: 1...2)
    func dataPackets(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var reassembler = ACLReassembler(limit: 517)
        let pristine =
            Packets.acl(4, [UInt8](repeating: 5, count: 300), size: 251) + Packets.acl(5, [1, 2, 3], size: 3)
            + Packets.acl(4, [UInt8](repeating: 6, count: 517), size: 27)
        var rounds = 0
        while rounds < 10_000 {
            var packets = pristine
            for _ in 0..<5 {
                Mutation.allCases[random.below(Mutation.allCases.count)]
                    .apply(to: &packets, at: random.below(packets.count), keeping: 1, &random)
                rounds += 1
            }
            for packet in packets {
                guard let acl = ACLPacket(packet: packet), let frame = reassembler.append(acl) else { continue }
                if frame.payload.count > 517 { Issue.record("seed \(seed), after \(rounds) mutations") }
            }
        }
        let frames = Packets.acl(4, [0x0A, 3, 0], size: 4).compactMap { ACLPacket(packet: $0) }
            .compactMap { reassembler.append($0) }
        #expect(frames == [L2CAPFrame(channel: 4, payload: [0x0A, 3, 0])])
    }
}
