import Encoding
import Simulation
import Testing

@testable import Aries

/// For any behaviour of the peer and any order of events, nothing is confirmed that was not received, nothing
/// is left out, and the machine never asks endlessly to be woken at once.
@Suite struct DeliveryFaultTests {
    private typealias Harness = DeliveryHarness

    private static let ways: [ReportSettings] = [
        ReportSettings(), ReportSettings(format: .basicmessage), ReportSettings(format: .several),
        ReportSettings(format: .basicmessage, confirm: .controller), ReportSettings(confirm: .receipt),
    ]

    @Test(arguments: 0..<100)
    func everythingArrivesInTheEnd(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed) &* 7919 &+ 1)
        let settings = Self.ways[seed % Self.ways.count]
        let harness = Harness(settings, entries: Int(random.next() % 400))
        harness.peer.discloses = random.next() % 2 == 0 || settings.confirm == .receipt
        harness.feed(.connected)
        var cursor = harness.cursor
        for _ in 0..<120 {
            disturb(harness, &random)
            #expect(harness.cursor >= cursor && harness.cursor <= harness.entries.count, "seed \(seed)")
            cursor = harness.cursor
            guard !harness.isEndless else { break }
        }
        (harness.peer.refuses, harness.peer.problem) = ({ _ in false }, { _ in nil })
        (harness.peer.isAlive, harness.peer.stores) = (true, true)
        harness.comeBack()
        harness.restart()
        for _ in 0..<40 {
            harness.run(for: .seconds(300))
            acknowledge(harness)
        }
        #expect(!harness.isEndless, "seed \(seed)")
        let last = harness.reportPositions.last ?? 0
        #expect(harness.cursor >= last, "seed \(seed): \(harness.cursor) of \(harness.entries.count)")
        checkArrivals(at: harness, seed)
    }

    /// One event of fourteen kinds, which `random` chooses.
    private func disturb(_ harness: Harness, _ random: inout SplitMix64) {
        switch random.next() % 14 {
        case 0: harness.peer.isAlive.toggle()
        case 1: harness.peer.stores.toggle()
        case 2: if harness.peer.isUp { harness.peer.isUp = false } else { harness.comeBack() }
        case 3:
            let odds = random.next() % 5
            harness.peer.refuses = { odds == 0 && $0.name == "records" && $0.members.count % 2 == 1 }
        case 4: harness.restart()
        case 5:
            let position = Int(random.next() % 600)
            let isStored = harness.peer.stored[position] != nil
            harness.feed(.receipt(Harness.point(position, isStored ? UInt8(random.next() % 2) : 1)))
        case 6: harness.feed(.pong("ping-\(100_000 + random.next() % 50)"))
        case 7:
            harness.feed(
                .failed(harness.carriers.last?.id ?? "", random.next() % 2 == 0 ? .uncertain : .unreachable))
        case 8:
            harness.feed(
                .problem(code: VerificationReport.Trouble.notStored, thread: harness.carriers.last?.id ?? ""))
        case 9: acknowledge(harness)
        case 11:
            let head = Int(random.next() % 700)
            harness.peer.head = random.next() % 3 == 0 ? nil : Harness.point(head, UInt8(random.next() % 8 / 7))
            harness.peer.signed = head % 2 == 0 ? harness.peer.head : nil
        case 12:
            let codes = [
                VerificationReport.Trouble.refused, VerificationReport.Trouble.notStored,
                VerificationReport.Trouble.foreign, VerificationReport.Trouble.unknown, "nonsense",
            ]
            let code = codes[Int(random.next() % 5)]
            let odds = Int(random.next() % 7)
            harness.peer.problem = { odds == 0 || odds == $0.id.utf8.count % 7 ? code : nil }
        case 10: harness.run(for: .seconds(Int64(random.next() % 5000)))
        default: harness.grow(Int(random.next() % 40), isUrgent: random.next() % 3 == 0)
        }
    }

    /// Each report has arrived, was set aside, or was lost in the agent's memory.
    private func checkArrivals(at harness: Harness, _ seed: Int) {
        // Entries that were set aside are reported; all others have arrived, in either format.
        let aside = Set(harness.seen.compactMap { if case .setAside(let position) = $0 { position } else { nil } })
        // An answered ping does not prove that the agent still holds what it accepted earlier. Reports lost
        // in the agent's memory are excused up to the last position that a ping confirmed, and none after it.
        let trusted = harness.seen.compactMap {
            if case .confirmed(let point, .alive) = $0 { point.position } else { nil }
        }
        let lastTrusted = trusted.max() ?? 0
        for position in harness.reportPositions where !aside.contains(position) {
            let id = Text("report-\(position)")
            let isThere = harness.peer.stored[position] != nil || harness.peer.reports[id] != nil
            if harness.peer.lost.contains(id), position <= lastTrusted { continue }
            #expect(isThere, "seed \(seed): \(position)")
        }
    }

    /// Confirms that the controller has the reports that arrived so far.
    private func acknowledge(_ harness: Harness) {
        harness.feed(.acknowledged(Array(harness.peer.reports.keys)))
    }
}
