import Encoding
import Kiosk
import Ledger
import Simulation
import Testing

/// A neighbour whose radio is in range and who has not scanned the QR code: whatever the radio sends, the gate
/// admits only the next visitor.
@Suite struct NeighbourTests {
    /// The central chooses the interval of its link and the MTU, and may change them later. A phone that
    /// meets the gate every 4 s or reduces the MTU in the middle of a transfer, and sends only a chunk now
    /// and then, is not treated as an honest phone on a slow link.
    @Test(arguments: ["interval", "MTU"]) func aDeliberatelySlowLinkHoldsNoPlace(_ means: String) throws {
        var hostile = PhoneTraits.android14
        hostile.patience = .seconds(900)
        let besiegers = (0..<8).map { number in
            Simulation.Visit.test(
                hostile, record: MisbehaviourTests.incompressible, arrival: .at(.seconds(1 + number)),
                misbehaviour: .besieges(.drips(every: .seconds(20))))
        }
        let gate = try TestGate(visits: besiegers + [.test(arrival: .at(.seconds(100)))])
        for _ in 0..<140 {
            gate.run(for: .seconds(1))
            for handle in UInt8(0x40)...0x5F {
                // LE Connection Update Complete: 4 s or 125 ms, timeout 32 s.
                let interval: [UInt8] = means == "MTU" ? [100, 0] : [0x80, 0x0C]
                gate.inject(.received([4, 0x3E, 10, 3, 0, handle, 0] + interval + [0, 0, 0x80, 0x0C]))
                if means == "MTU" { gate.inject(.received(Self.data(4, [0x02, 67, 0], handle))) }
            }
        }
        #expect(gate.phoneOutcomes[8] == .accepted)
        #expect(gate.breaches == [])
    }

    private static let recording = Result { try RecordedVisit(.android14, record: Array("{\"a\":1}".utf8)) }

    /// Plays packets to a gate that is on the air, waits until every session has timed out, and then plays an
    /// ordinary visit, which must succeed.
    private func play(_ packets: [[UInt8]], every gap: Duration = .milliseconds(2), openings: Int = 0) throws {
        let recording = try Self.recording.get()
        var gate = try ReplayGate([recording], seed: 7)
        let isReady = gate.passUntilReady(limit: .seconds(60))
        try #require(isReady)
        gate.play(packets.enumerated().map { (gap * $0.offset, $0.element) })
        #expect(gate.gateOpenings == openings)
        gate.pass(.seconds(700))
        let isReadyAgain = gate.passUntilReady(limit: .seconds(300))
        try #require(isReadyAgain)
        gate.play(recording.packets)
        gate.pass(.seconds(8))
        #expect(gate.results.last == .accepted && gate.gateOpenings == openings + 1, "\(gate.results)")
        #expect(gate.breaches == [] && gate.troubles == [])
    }

    private static func connection(_ handle: UInt8 = 0x40) -> [UInt8] {
        [4, 0x3E, 19, 1, 0, handle, 0, 1, 1, 1, 2, 3, 4, 5, 0x46, 24, 0, 0, 0, 72, 0, 0]
    }

    private static func disconnection(_ handle: UInt8 = 0x40) -> [UInt8] { [4, 5, 4, 0, handle, 0, 0x13] }

    private static func data(_ channel: UInt8, _ pdu: [UInt8], _ handle: UInt8 = 0x40, telling length: Int? = nil)
        -> [UInt8]
    {
        let (inner, outer) = (length ?? pdu.count, pdu.count + 4)
        return [
            2, handle, 0x20, UInt8(outer & 0xFF), UInt8(outer >> 8), UInt8(inner & 0xFF), UInt8(inner >> 8), channel, 0,
        ]
            + pdu
    }

    @Test func packetsBeforeAndAfterALink() throws {
        let write = Self.data(4, [0x52, 12, 0] + [UInt8](repeating: 1, count: 44))
        try play([write, write, Self.connection(), Self.disconnection(), write, Self.disconnection(), write])
    }

    @Test func theSameHandleTwice() throws {
        let write = Self.data(4, [0x12, 12, 0, 1])
        try play([
            Self.connection(), write, Self.connection(), write, Self.connection(), Self.disconnection(),
            Self.disconnection(),
        ])
    }

    @Test func eventsOfUnknownLinks() throws {
        let strangers: [[UInt8]] = [
            [4, 0x05, 4, 0, 0x77, 0, 0x13], [4, 0x13, 5, 1, 0x77, 0, 0xFF, 0xFF],
            [4, 0x3E, 10, 3, 0, 0x77, 0, 6, 0, 0, 0, 100, 0],
            [4, 0x3E, 13, 5, 0x77, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            [4, 0x3E, 11, 6, 0x77, 0, 6, 0, 12, 0, 0, 0, 100, 0],
            [4, 0x0F, 4, 0x02, 1, 0x06, 0x04], [4, 0x13, 1, 0xFF], [4, 0x3E, 1, 0x01], [4, 0x3E, 0],
            [4, 0xFF, 3, 1, 2, 3],
        ]
        try play(strangers + [Self.connection()] + strangers + strangers)
    }

    /// Thousands of pairing requests, encryption requests and requests for other parameters: each is refused
    /// or granted, and none is kept.
    @Test func storms() throws {
        let pairing = Self.data(6, [0x01, 3, 0, 1, 16, 7, 7])
        let encryption: [UInt8] = [4, 0x3E, 13, 5, 0x40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        let parameters: [UInt8] = [4, 0x3E, 11, 6, 0x40, 0, 6, 0, 128, 12, 0xF3, 1, 128, 12]
        let storm = (0..<1500).map { [pairing, encryption, parameters][$0 % 3] }
        try play([Self.connection()] + storm, every: .microseconds(200))
    }

    @Test func confirmationsOfNothing() throws {
        try play([Self.connection()] + [[UInt8]](repeating: Self.data(4, [0x1E]), count: 500), every: .milliseconds(1))
    }

    @Test func signalsOfEveryLength() throws {
        let signals = (0..<256).flatMap { code -> [[UInt8]] in
            let code = UInt8(code)
            return [
                Self.data(5, [code, 1, 0, 0]), Self.data(5, [code, 2, 0xFF, 0xFF, 1, 2]), Self.data(5, [code]),
                Self.data(5, [code, 3, 1, 0] + [UInt8](repeating: 9, count: 60)),
                Self.data(5, [code, 4, 0, 0], telling: 0xFFFF), Self.data(code, [code, 5]),
            ]
        }
        try play([Self.connection()] + signals, every: .milliseconds(1))
    }

    /// Fragments of two links are interleaved, and one PDU is started again before it is complete.
    @Test func piecesThatMix() throws {
        let identify = [0x52, 12, 0] + [UInt8](repeating: 1, count: 44)
        func pieces(_ handle: UInt8) -> [[UInt8]] {
            let whole = Self.data(4, identify, handle)
            let starts = stride(from: 5, to: whole.count, by: 7)
            return starts.map {
                [2, handle, $0 == 5 ? 0x20 : 0x10, UInt8(min(7, whole.count - $0)), 0]
                    + whole[$0..<min($0 + 7, whole.count)]
            }
        }
        let mixed = zip(pieces(0x40), pieces(0x41)).flatMap { [$0, $1] }
        try play([Self.connection(), Self.connection(0x41)] + mixed.dropLast(5) + mixed)
    }
}
