import Clocks
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Store
import Workbench

/// Simulates many thousands of visits and returns their lasting effects: memory, open descriptors, written bytes and
/// wrong answers. The kiosk is real and checked by ``KioskRules``. Verifier, keeper, database and witness are real,
/// too, with real files. Radio, phones and the time at the gate are virtual. The virtual time passes as in reality for
/// people, and stops while the gate waits for the disk.
enum Soak {
    /// A kind of visitor.
    enum Kind: String, CaseIterable, Sendable {
        /// The visitor presents a valid credential.
        case accepted
        /// The visitor presents a credential that was changed after it was signed.
        case rejected
        /// A phone that leaves during the visit.
        case left
        /// A phone that sends arbitrary bytes.
        case junk
    }

    /// The results of a soak.
    struct Figures: Sendable {
        /// The number of visitors of each kind.
        var visits: [Kind: Int] = [:]
        /// The number of visitors who got a wrong answer.
        var wrong = 0
        /// The number of visitors with a credential who got no answer.
        var unanswered = 0
        /// The kiosk's violations of its rules, in words.
        var violations: [String] = []
        /// The number of records, by result.
        var records: [String: Int] = [:]
        /// The mistakes in the ledger and in its number of records, in words.
        var findings: [String] = []
        /// The real time from the first visit to the last.
        var time = Duration.zero
        /// The figures of the process after a tenth of the visits, the warm-up.
        var start = ProcessFigures.now
        /// The figures of the process after the last visit.
        var end = ProcessFigures.now
        /// The range of resident memory between the warm-up and the last visit, in bytes.
        var resident = 0...0
        /// The range of the number of open descriptors between the warm-up and the last visit.
        var descriptors = 0...0
        /// The writes of the simulated visits.
        var written = DiskMeter.Counts()
        /// The writes of accepted visits that are recorded one by one, as at a gate with few visitors (`counts`), and
        /// the number of these visits (`visits`).
        var alone = (counts: DiskMeter.Counts(), visits: 0)
        /// The bytes by which the database grows for one visit that is recorded alone.
        var growth = 0

        /// The number of visitors of all kinds.
        var total: Int { visits.values.reduce(0, +) }
        /// Whether every visitor got the right answer, every visit has its record, and no rule was violated.
        var isRight: Bool { wrong + unanswered == 0 && violations.isEmpty && findings.isEmpty }
    }

    /// The number of visits in one script.
    private static let round = 500
    /// The pause after each script. It is longer than the idle time after which the store copies its write-ahead log
    /// into the database.
    private static let pause = Duration.milliseconds(500)
    private static let kinds: [Kind] = [
        .accepted, .accepted, .rejected, .accepted, .left, .accepted, .accepted, .rejected, .accepted, .junk,
    ]

    /// Simulates `visits` visits, then records `alone` further visits one by one, with a ledger in a folder below
    /// `parent`. After each script, calls `onRound` with the number of finished visits and the figures of the process.
    static func run(
        visits: Int, alone: Int = 200, below parent: URL = FileManager.default.temporaryDirectory,
        onRound: @Sendable (Int, ProcessFigures) -> Void
    ) async throws -> Figures {
        let ledger = try await BenchLedger(below: parent)
        let gate = try SoakGate(ledger)
        var (figures, samples): (Figures, [ProcessFigures]) = (Figures(), [])
        let began = Clock.system.now()
        var played = 0
        while played < visits {
            let script = (0..<min(round, visits - played)).map { visit($0, seed: played + $0) }
            await gate.play(script, kinds: (0..<script.count).map { kinds[$0 % kinds.count] })
            played += script.count
            let now = ProcessFigures.now
            if played >= visits / 10 { samples.append(now) }
            onRound(played, now)
            // Pause, as crowds do. Without pauses the write-ahead log would never be copied completely, and would grow.
            try await Clock.system.sleep(for: pause)
        }
        figures.time = began.duration(to: Clock.system.now())
        await gate.stop(&figures)
        figures.end = .now
        if let start = samples.first { figures.start = start }
        figures.resident = range(samples.map(\.resident))
        figures.descriptors = range(samples.map(\.descriptors))
        figures.written = ledger.meter.counts
        if let outcome = gate.lastAccepted { try await record(alone, outcome, ledger, &figures) }
        let lost = await ledger.finish()
        if lost > 0 { figures.findings.append("\(lost) visits have no record") }
        let report = try await ledger.store.verify()
        figures.findings += report.findings.map(\.text)
        if !report.openIntents.isEmpty { figures.findings.append("\(report.openIntents.count) intents are open") }
        _ = await ledger.remove()
        return figures
    }

    /// Returns the visitor with the index `number` in a script. The seed makes the visitor's keys.
    private static func visit(_ number: Int, seed: Int) -> Simulation.Visit {
        let kind = kinds[number % kinds.count]
        var phone = number.isMultiple(of: 2) ? PhoneTraits.android14 : .iPhone
        phone.hearing = 1
        let credential = kind == .rejected ? Samples.tamperedCredential : Samples.credential
        let steps: [VisitStep] = [.connected, .identified, .chosen]
        let misbehaviour: Misbehaviour? =
            switch kind {
            case .accepted, .rejected: nil
            case .left: .leaves(steps[seed % steps.count])
            case .junk: .garbage(packets: 5)
            }
        return Simulation.Visit(
            "\(kind.rawValue) \(seed)", arrival: .afterPrevious(.seconds(1)), phone: phone,
            submission: .sealing(Samples.record(credential), seed: UInt64(seed)), misbehaviour: misbehaviour)
    }

    /// Records `alone` visits one by one. Each step begins only when the previous step is on the disk and in the
    /// witness.
    private static func record(
        _ alone: Int, _ outcome: Outcome, _ ledger: BenchLedger, _ figures: inout Figures
    ) async throws {
        await ledger.store.updateWitness()
        try await ledger.store.copyLog()
        let (before, size) = (ledger.meter.counts, ledger.size)
        var random = SplitMix64(seed: 5)
        for _ in 0..<alone {
            guard let id = RandomUUID.text(random.bytes(16)), let name = ReplayName(random.bytes(16)),
                let intent = RandomUUID.text(random.bytes(16)).map({ IntentID($0) })
            else { continue }
            let failure = await withCheckedContinuation { answer in
                ledger.recordIntent(intent) { answer.resume(returning: $0) }
            }
            if let failure { throw DecisionBench.Failure(reason: failure.description) }
            // Update the witness after the intent: at a quiet gate this happens before the visitor has chosen.
            await ledger.store.updateWitness()
            let record = VisitRecord(VisitID(id), using: intent, outcome, signedDigests: [random.bytes(32)])
            ledger.recordDecision(record, names: [name])
            while await ledger.store.head.open[Text(intent.text)]?.decision == nil {
                try await Clock.system.sleep(for: .microseconds(200))
            }
            let count = await ledger.store.head.point.count
            ledger.recordOutcome(record, forgetting: [])
            while await ledger.store.head.point.count == count { try await Clock.system.sleep(for: .microseconds(200)) }
            await ledger.store.updateWitness()
        }
        // Copy the log into the database before reading the counts: these copies are also writes of the visits.
        try await ledger.store.copyLog()
        figures.alone = (ledger.meter.counts.since(before), alone)
        figures.growth = (ledger.size - size) / alone
    }

    private static func range(_ values: [Int]) -> ClosedRange<Int> { (values.min() ?? 0)...(values.max() ?? 0) }
}
