import Clocks
import Encoding
import GateService
import Kiosk
import Reasons
import Synchronization
import TestKit
import Testing
import VirtualKit

/// The way of a report from any thread to the kiosk, and the conversion of counters and notes to reports.
@Suite struct HealthReportTests {
    private func words(_ reports: [HealthReport]) -> [String] {
        reports.map { "\($0.isPresent ? "+" : "-")\($0.code)" }
    }

    @Test func reportsBeforeTheGatekeeperAreKept() throws {
        let reports = try VirtualTime.run { time in
            let inbox = HealthInbox(spawner: time.spawner)
            let seen = Mutex<[HealthReport]>([])
            inbox.take(.present(.gpioFailed, detail: "first"))
            inbox.take(.present(.clockStepped))
            inbox.take(.over(.clockStepped))
            for _ in 0..<1000 { inbox.take(.present(.gpioFailed, detail: "last")) }
            inbox.take(.present(.validityExpired))
            inbox.connect { reports in seen.withLock { $0 += reports } }
            // Time passes when nothing is left to do.
            try await time.clock.sleep(for: .milliseconds(1))
            return seen.withLock { $0 }
        }
        #expect(reports.count == 3)
        #expect(Set(words(reports)) == ["+fault.gpio", "+fault.clock-stepped", "-fault.clock-stepped"])
        #expect(reports.first { $0.code == .gpioFailed }?.detail == "last")
        let stepped = words(reports).filter { $0.hasSuffix("clock-stepped") }
        #expect(stepped == ["+fault.clock-stepped", "-fault.clock-stepped"], "an instant is told too, in its order")
    }

    /// While the receiver is stuck, any number of reports is merged; afterwards the last state counts.
    @Test func aStuckReceiverGathersNoHeap() throws {
        let batches = try VirtualTime.run { time in
            let inbox = HealthInbox(spawner: time.spawner)
            let batches = Mutex<[[HealthReport]]>([])
            inbox.connect { reports in
                batches.withLock { $0.append(reports) }
                try? await time.clock.sleep(for: .seconds(60))
            }
            inbox.take(.present(.gpioFailed))
            try await time.clock.sleep(for: .seconds(1))
            #expect(batches.withLock { $0.count } == 1)
            for turn in 0..<1000 {
                for code in Health.codes { inbox.take(turn % 2 == 0 ? .present(code) : .over(code)) }
            }
            try await time.clock.sleep(for: .seconds(3600))
            return batches.withLock { $0 }
        }
        #expect(batches.count == 2)
        #expect(batches.allSatisfy { $0.count <= 2 * Health.codes.count })
        var health = Health()
        for report in batches.joined() { health.take(report, at: .zero) }
        #expect(health.faults.isEmpty)
    }

    @Test func aCounterThatGrowsIsAFaultUntilItRests() {
        let count = Mutex(0)
        let told = Reports()
        var watch = CounterWatch(
            [.init(.logDropped) { count.withLock { $0 } }], report: told.report)
        func look(_ second: Int64, _ now: Int) -> [String] {
            count.withLock { $0 = now }
            watch.turn(at: Instant(nanoseconds: second * 1_000_000_000))
            return told.removeAll().map { "\($0.isPresent ? "+" : "-")\($0.count ?? 0)" }
        }
        #expect(look(0, 0) == [])
        #expect(look(2, 5) == ["+5"])
        #expect(look(4, 5) == [])
        #expect(look(40, 9) == ["+9"])
        #expect(look(99, 9) == [])
        #expect(look(100, 9) == ["-0"])
        #expect(look(500, 9) == [])
        #expect(look(502, 10) == ["+10"])
    }

    @Test func theStatusLineShowsTheWorst() {
        var line = StatusLine()
        func fault(_ code: ReasonCode, _ isPresent: Bool = true, _ detail: String? = nil) -> String? {
            line.take(.fault(code, isPresent: isPresent, count: 1, detail: detail))
        }
        #expect(line.take(.advertising(uri: "x")) == "waiting for a phone")
        #expect(line.take(.advertising(uri: "y")) == nil)
        #expect(fault(.logDropped) == "fault.log-dropped: \(ReasonCode.logDropped.meaning)")
        #expect(fault(.ledgerLost, true, "3 visits") == "fault.ledger-lost: 3 visits (and 1 more: gatehouse status)")
        #expect(line.take(.phoneConnected) == nil)
        #expect(fault(.logDropped, false) == "fault.ledger-lost: 3 visits")
        #expect(line.take(.advertising(uri: "z")) == nil)
        #expect(fault(.ledgerLost, false) == "waiting for a phone")
    }
}
