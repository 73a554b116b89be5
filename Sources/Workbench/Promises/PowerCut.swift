package import Encoding
package import Kiosk
package import Ledger
import Reasons
import Store

/// The promise about a power cut during a pulse: the next start records the outcome of the interrupted visit exactly
/// once, and changes nothing else.
package struct PowerCut: Sendable {
    /// What is found in the ledger after the power has returned.
    package struct Facts: Sendable {
        /// The id of the visit whose pulse was running at the power cut.
        package var pulse: Text
        /// The visits that the first start after the power cut closed, with facts from their records.
        package var closed: [Closed]
        /// The number of outcomes for each visit number, from 1, after the first start. Each must be 1: a higher number
        /// means a duplicate, 0 a lost outcome.
        package var outcomes: [Int]
        /// The number of outcomes, and the number of distinct ids of their reports.
        package var reports: (count: Int, ids: Int)
        /// The number of visits that the second start closed. It must be 0.
        package var closedAgain: Int
        /// The output of `gatehouse ledger verify` at the end, as lines.
        package var verified: [String]
        /// Whether the verification reports that the ledger is intact.
        package var isIntact: Bool

        /// A visit without an outcome that a start closed with a record.
        package struct Closed: Hashable, Sendable {
            /// The id of the visit.
            package var visit: Text
            /// The result in the record.
            package var result: Outcome.Result
            /// Whether the record names the credential.
            package var isNamed: Bool
            /// Whether the record states that the gate opened.
            package var isOpened: Bool
            /// Whether the record states that the end of the opening was not observed.
            package var isInterrupted: Bool
        }
    }

    private let tools: DemoPromise.Tools

    /// Creates the promise with the given tools.
    package init(_ tools: DemoPromise.Tools) { self.tools = tools }

    /// Runs the gate in `folder` for two visitors. When the gate opens for the second visitor, calls `onPulse` with
    /// that visit while the gate is open. If `onPulse` returns, the run ends normally.
    package static func live(
        in folder: String, seed: UInt64, version: String, onPulse: @escaping @Sendable (VisitID) -> Void
    ) async throws {
        let ledger = try await PromiseLedger(in: folder, version: version)
        let gate = try PromiseGate(
            seed: seed, ledger: ledger, date: { WallTime(utc: Samples.validDate, provenance: .given) },
            onOpening: { visit, number in if number == 2 { onPulse(visit) } })
        _ = await gate.play([Samples.record(Samples.credential), Samples.record(Samples.credential)])
        await ledger.close()
    }

    /// Lets the tools cut the power, starts the gate's ledger twice, and returns the findings.
    package func play(_ tell: @escaping DemoPromise.StepReporter) async throws -> [DemoPromise.Finding] {
        tell(.init("gate", "serves two visitors, each after a record on the disk"))
        let (visit, end) = try await tools.pullThePlug(tools.folder)
        tell(.init("gate", "is open for visit \(visit)"))
        tell(.init("plug", "is pulled: \(end)"))
        let facts = try await Self.facts(of: Text(visit), tools)
        tell(
            .init(
                "start", "closes \(facts.closed.map { "\($0.visit) as \($0.result.rawValue)" }.joined(separator: ", "))"
            ))
        for line in facts.verified { tell(.init("verify", line)) }
        return Self.findings(facts)
    }

    private static func facts(of visit: Text, _ tools: DemoPromise.Tools) async throws -> Facts {
        let first = try await PromiseLedger(in: tools.folder, version: tools.version)
        let closed = first.recovered.map {
            Facts.Closed(
                visit: $0.visit, result: $0.outcome.result, isNamed: $0.outcome.credential?.name != nil,
                isOpened: $0.outcome.gate?.opened == true,
                isInterrupted: $0.outcome.reasons.contains { $0.code == Text(ReasonCode.interrupted.text) })
        }
        let entries = try await first.store.entries(after: 0, limit: 1000)
        await first.close()
        let second = try await PromiseLedger(in: tools.folder, version: tools.version)
        let again = second.recovered.count
        await second.close()
        let records = entries.compactMap { entry -> OutcomeRecord? in
            if case .outcome(let record) = try? LedgerRecord(bytes: entry.body) { record } else { nil }
        }
        let last = entries.compactMap { try? LedgerRecord(bytes: $0.body).seq }.max() ?? 0
        let report = try await PromiseLedger.verify(tools.folder)
        return Facts(
            pulse: visit, closed: closed, outcomes: (0..<last).map { number in records.count { $0.seq == number + 1 } },
            reports: (records.count, Set(records.map(Report.id)).count), closedAgain: again, verified: report.lines,
            isIntact: report.isIntact)
    }

    /// Returns the requirements of the promise, each with its result.
    package static func findings(_ facts: Facts) -> [DemoPromise.Finding] {
        let closed = facts.closed
        return [
            .init(
                "the visit and its credential are found",
                "closed: \(closed.map { "\($0.visit) as \($0.result.rawValue)" }.joined(separator: ", "))",
                isKept: closed.map(\.visit) == [facts.pulse]
                    && closed.allSatisfy { $0.result == .accepted && $0.isNamed }),
            .init(
                "the record contains the opening, and that its end was not observed",
                "the record says \(closed.contains(where: \.isOpened) ? "opened" : "nothing of the gate")"
                    + (closed.contains(where: \.isInterrupted) ? ", interrupted" : ""),
                isKept: !closed.isEmpty && closed.allSatisfy { $0.isOpened && $0.isInterrupted }),
            .init(
                "nothing is lost or duplicated",
                "\(facts.outcomes.count) visits, \(facts.reports.count) outcomes, \(facts.reports.ids) reports",
                isKept: facts.outcomes.count == 2 && facts.outcomes.allSatisfy { $0 == 1 }
                    && facts.reports == (2, 2)),
            .init(
                "a further start finds nothing to close", "\(facts.closedAgain) closed",
                isKept: facts.closedAgain == 0),
            .init("the ledger verifies", facts.verified.first ?? "nothing was read", isKept: facts.isIntact),
        ]
    }
}
