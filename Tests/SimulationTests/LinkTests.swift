import Encoding
import Testing

@testable import Simulation

/// The link model against known throughputs, in kB/s of attribute values.
@Suite struct LinkTests {
    /// One row of the table; the description keeps the test output short.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var phy = PHY.le1M
        var payload = 251
        var interval: UInt16
        var packets: Int
        var value = 509
        var rate: Double
    }

    private static let air: [(value: Int, payload: Int, at1M: Double, at2M: Double)] = [
        (509, 251, 92.4, 157.7), (244, 251, 98.9, 175.3), (182, 251, 92.3, 159.1), (509, 27, 38.2, 51.8),
    ]

    @Test func airTimes() {
        for row in Self.air {
            for (phy, rate) in [(PHY.le1M, row.at1M), (.le2M, row.at2M)] {
                var (rest, time) = (row.value + 7, Duration.zero)
                while rest > 0 {
                    time += phy.exchangeTime(central: min(rest, row.payload), peripheral: 0)
                    rest -= row.payload
                }
                let measured = Double(row.value) / time.milliseconds
                #expect(abs(measured - rate) < 0.06, "\(row) \(phy)")
            }
        }
    }

    private static let rows = [
        Row(testDescription: "2M, 15 ms, 13", phy: .le2M, interval: 12, packets: 13, rate: 147),
        Row(testDescription: "1M, 100 ms filled", interval: 80, packets: 999, rate: 90.5),
        Row(testDescription: "1M, 15 ms, 5, 182 B", interval: 12, packets: 5, value: 182, rate: 60.7),
        Row(testDescription: "1M, 30 ms, 6", interval: 24, packets: 6, rate: 33.9),
        Row(testDescription: "1M, 30 ms, 5, 182 B", interval: 24, packets: 5, value: 182, rate: 30.3),
        Row(testDescription: "1M, 30 ms, 4", interval: 24, packets: 4, rate: 22.6),
        Row(testDescription: "1M, 48.75 ms, 6", interval: 39, packets: 6, rate: 20.9),
        Row(testDescription: "1M, no DLE, 30 ms, 6", payload: 27, interval: 24, packets: 6, rate: 5.1),
        Row(testDescription: "1M, no DLE, 48.75 ms, 4", payload: 27, interval: 39, packets: 4, rate: 2.1),
    ]

    @Test(arguments: rows) func writeCommands(row: Row) {
        let rate = stream(row, loss: 0)
        #expect(abs(rate - row.rate) / row.rate < 0.03, "\(rate)")
    }

    private func link(_ row: Row, loss: Double) -> Link {
        var link = Link(
            parameters: ConnectionParameters(interval: row.interval, timeout: 500), phy: row.phy,
            packetsPerEvent: row.packets, loss: loss, random: SplitMix64(seed: 5), anchor: .zero)
        link.change(.payload(toCentral: row.payload, toPeripheral: row.payload), afterIntervals: 0, at: .zero)
        _ = link.advance(to: .zero)
        return link
    }

    /// Keeps a phone's queue full for 20 s and returns the kB/s that arrive.
    private func stream(_ row: Row, loss: Double) -> Double {
        var link = link(row, loss: loss)
        let pdu = [UInt8](repeating: 0xA5, count: row.value + 7)
        for _ in 0..<64 { link.send(pdu, start: true, from: .central, at: .zero) }
        let end = Instant(nanoseconds: 20_000_000_000)
        var (values, now) = (0, Instant.zero)
        while let due = link.deadline, due <= end {
            now = due
            for case .completed(.central) in link.advance(to: now) {
                values += 1
                link.send(pdu, start: true, from: .central, at: now)
            }
        }
        return Double(values * row.value) / 20_000
    }

    @Test(arguments: [(UInt16(12), 17.0), (24, 8.5), (39, 5.2)]) func writeRequests(interval: UInt16, rate: Double) {
        var link = link(Row(testDescription: "", interval: interval, packets: 6, rate: rate), loss: 0)
        let request = [UInt8](repeating: 0xA5, count: 516)
        link.send(request, start: true, from: .central, at: .zero)
        let end = Instant(nanoseconds: 20_000_000_000)
        var answers = 0
        while let due = link.deadline, due <= end {
            for output in link.advance(to: due) {
                switch output {
                case .completed(.central): link.send([1, 0, 4, 0, 0x13], start: true, from: .peripheral, at: due)
                case .completed(.peripheral):
                    answers += 1
                    link.send(request, start: true, from: .central, at: due)
                default: break
                }
            }
        }
        let measured = Double(answers * 509) / 20_000
        #expect(abs(measured - rate) / rate < 0.03, "\(measured)")
    }

    @Test func lossCostsTimeAndNothingElse() {
        let row = Self.rows[3]
        var link = link(row, loss: 0.3)
        var sent: [UInt8] = []
        var random = SplitMix64(seed: 9)
        for _ in 0..<50 {
            let pdu = random.bytes(100 + Int(random.next() % 400))
            sent += pdu
            link.send(pdu, start: true, from: .central, at: .zero)
        }
        var arrived: [UInt8] = []
        while let due = link.deadline {
            for case .delivered(.central, let bytes, _) in link.advance(to: due) { arrived += bytes }
        }
        #expect(arrived == sent)
        let (clean, lossy) = (stream(row, loss: 0), stream(row, loss: 0.3))
        // If one of the 6 exchanges of an event fails, the rest of the event is lost: (1 − 0.7⁶) · 0.7/0.3 =
        // 2.06 succeed.
        #expect(abs(lossy / clean - 2.06 / 6) < 0.03, "\(lossy) of \(clean)")
    }

    @Test func silenceEndsByTheSupervisionTimeout() {
        var link = link(Self.rows[3], loss: 0)
        link.send([1], start: true, from: .central, at: .zero)
        link.fallSilent(at: .zero)
        #expect(link.deadline == Instant(nanoseconds: 5_000_000_000))
        #expect(link.advance(to: Instant(nanoseconds: 6_000_000_000)) == [.lost])
        #expect(link.deadline == nil)
    }

    @Test func terminationFollowsTheDataBeforeIt() {
        var link = link(Self.rows[3], loss: 0)
        link.send([1, 2], start: true, from: .peripheral, at: .zero)
        link.terminate(reason: 0x13, from: .peripheral, at: .zero)
        let outputs = link.advance(to: Instant(nanoseconds: 1_000_000_000))
        #expect(
            outputs == [
                .delivered(from: .peripheral, bytes: [1, 2], start: true), .completed(by: .peripheral),
                .terminated(by: .peripheral, reason: 0x13),
            ])
    }

    @Test func newParametersMoveTheEvents() {
        var link = link(Self.rows[3], loss: 0)
        link.change(.parameters(ConnectionParameters(interval: 12, timeout: 600)), afterIntervals: 6, at: .zero)
        #expect(link.deadline == Instant(nanoseconds: 180_000_000))
        #expect(link.advance(to: Instant(nanoseconds: 180_000_000)).count == 1)
        link.send([1], start: true, from: .central, at: Instant(nanoseconds: 181_000_000))
        #expect(link.deadline == Instant(nanoseconds: 195_000_000))
    }

    /// A phone that acknowledges nothing keeps the link alive. If the verifier ends the link, the end takes the
    /// supervision timeout.
    @Test func aLinkWithoutAcknowledgements() {
        var link = Link(
            parameters: ConnectionParameters(interval: 24, timeout: 3200), packetsPerEvent: 6, anchor: .zero)
        link.gag()
        link.send([1], start: true, from: .central, at: .zero)
        link.send([2], start: true, from: .peripheral, at: .zero)
        let early = link.advance(to: Instant.zero.advanced(by: .seconds(40)))
        #expect(early == [.delivered(from: .central, bytes: [1], start: true), .completed(by: .central)])
        link.terminate(reason: 0x13, from: .peripheral, at: Instant.zero.advanced(by: .seconds(40)))
        #expect(link.advance(to: Instant.zero.advanced(by: .milliseconds(71_999))) == [])
        #expect(link.advance(to: Instant.zero.advanced(by: .seconds(72))) == [.lost])
    }

    /// A request to disconnect does not shorten the supervision timeout of a link whose phone has fallen
    /// silent.
    @Test func theEndOfADeadLink() {
        var link = Link(parameters: ConnectionParameters(interval: 24, timeout: 500), packetsPerEvent: 6, anchor: .zero)
        link.fallSilent(at: .zero)
        link.terminate(reason: 0x13, from: .peripheral, at: Instant.zero.advanced(by: .seconds(1)))
        #expect(link.advance(to: Instant.zero.advanced(by: .milliseconds(4999))) == [])
        #expect(link.advance(to: Instant.zero.advanced(by: .seconds(5))) == [.lost])
    }
}
