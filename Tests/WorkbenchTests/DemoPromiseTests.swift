import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import Simulation
import Synchronization
import TestKit
import Testing

@testable import Workbench

/// The promises that `gatehouse demo` tests are kept here, and a broken promise is detected.
@Suite(.tags(.models)) struct DemoPromiseTests {
    /// Plays in a folder of its own. The gate's day ends normally; a program whose power is cut would need a process of
    /// its own.
    private func play(
        _ body: (DemoPromise.Tools) async throws -> [DemoPromise.Finding]
    ) async throws -> [DemoPromise.Finding] {
        try await Leftovers.ended { leftovers in
            let pulse = Pulse()
            return try await body(
                DemoPromise.Tools(version: "test", seed: 1, folder: try leftovers.folder("promise").path) { folder in
                    try await PowerCut.live(in: folder, seed: 1, version: "test") { pulse.began($0) }
                    return (pulse.visit, "ended in order")
                })
        }
    }

    private final class Pulse: Sendable {
        private let last = Mutex("")
        var visit: String { last.withLock { $0 } }
        func began(_ visit: VisitID) { last.withLock { $0 = visit.text } }
    }

    private func broken(_ findings: [DemoPromise.Finding]) -> [Int] {
        findings.indices.filter { !findings[$0].isKept }
    }

    @Test func namesAreNoScenariosOfVisits() {
        #expect(DemoPromise.names == ["power-cut", "crowd", "wrong-clock", "forged-ledger"])
        #expect(Set(DemoPromise.names).isDisjoint(with: DemoScenario.names) && DemoPromise.named("sunny") == nil)
    }

    @Test("without a power cut, no visit is interrupted")
    func aDemonstrationWithoutAPowerCut() async throws {
        let findings = try await play { try await PowerCut($0).play { _ in } }
        #expect(broken(findings) == [0, 1], "\(findings)")
    }

    @Test func mistakesAfterAPowerCut() {
        let closed = PowerCut.Facts.Closed(
            visit: "b", result: .accepted, isNamed: true, isOpened: true, isInterrupted: true)
        let right = PowerCut.Facts(
            pulse: "b", closed: [closed], outcomes: [1, 1],
            reports: (2, 2), closedAgain: 0, verified: ["intact"], isIntact: true)
        #expect(broken(PowerCut.findings(right)).isEmpty)
        let cases: [(broken: [Int], change: (inout PowerCut.Facts) -> Void)] = [
            ([0], { $0.closed[0].visit = "a" }),
            ([0], { $0.closed.append($0.closed[0]) }), ([0], { $0.closed[0].result = .interrupted }),
            ([0], { $0.closed[0].isNamed = false }), ([1], { $0.closed[0].isOpened = false }),
            ([1], { $0.closed[0].isInterrupted = false }),
            ([2], { $0.outcomes = [1, 2] }), ([2], { $0.outcomes = [1] }), ([2], { $0.reports = (3, 3) }),
            ([3], { $0.closedAgain = 1 }), ([4], { $0.isIntact = false }),
        ]
        for (number, item) in cases.enumerated() {
            var facts = right
            item.change(&facts)
            #expect(broken(PowerCut.findings(facts)) == item.broken, "case \(number)")
        }
    }

    @Test func aVerifierThatAcceptsEverythingBreaksTheCrowdsPromise() throws {
        #expect(broken(try CrowdPromise(seed: 1, credentials: .placeholder).play { _ in }).isEmpty)
        let honest = CrowdCredentials.placeholder
        let credulous = CrowdCredentials(genuine: honest.genuine, forged: honest.forged) { _, now in
            honest.verify(honest.genuine, now)
        }
        #expect(broken(try CrowdPromise(seed: 1, credentials: credulous).play { _ in }).contains(0))
    }

    @Test func aGateThatBelievesAnyClockBreaksItsPromise() async throws {
        #expect(broken(try await WrongClock(seed: 1).play { _ in }).isEmpty)
        let credulous = WrongClock(seed: 1) { _, looks in
            WallTime(utc: looks.last?.utc ?? Samples.validDate, provenance: .synchronised)
        }
        #expect(broken(try await credulous.play { _ in }) == [2, 3, 4, 5, 6, 7])
    }

    @Test func forgeriesAreFound() async throws {
        let findings = try await play { try await ForgedLedger($0).play { _ in } }
        #expect(findings.count == 5 && broken(findings).isEmpty, "\(findings)")
    }

    @Test("an unforged ledger has no finding, and a ledger that fails before a forgery proves nothing")
    func nothingForged() async throws {
        let idle = ForgedLedger.usual.map { ForgedLedger.Forgery($0.what) { _, _ in } }
        let findings = try await play { tools in
            try await ForgedLedger(tools, forgeries: idle, rewrite: { entries, _ in entries }).play { _ in }
        }
        #expect(broken(findings) == [1, 2, 3, 4], "\(findings)")
    }
}
