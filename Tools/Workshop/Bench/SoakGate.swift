import Credentials
import Encoding
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Tuvali
import Workbench

/// The gate of a soak: a ``GateSimulation`` on its own thread. Its virtual time stops until an intent is on the real
/// disk.
final class SoakGate: Sendable {
    private let thread: BackgroundThread
    private let world: SoakWorld

    init(_ ledger: BenchLedger) throws {
        thread = try BackgroundThread(name: "soak", limit: 1)
        world = try SoakWorld(ledger)
    }

    /// The outcome of the last visit for which the gate opened; nil before the first.
    var lastAccepted: Outcome? { world.lastAccepted }

    /// Plays a script, and returns when its last visitor has left. `kinds` contains the kind of each visitor.
    func play(_ visits: [Simulation.Visit], kinds: [Soak.Kind]) async {
        await withCheckedContinuation { done in
            thread.run { [world] in
                world.play(visits, kinds)
                done.resume()
            }
        }
    }

    /// Stops the kiosk in order, and adds the results to `figures`.
    func stop(_ figures: inout Soak.Figures) async {
        await withCheckedContinuation { done in
            thread.run { [world] in
                world.stop()
                done.resume()
            }
        }
        world.tell(&figures)
    }
}

/// The environment of a soak's kiosk. One thread at a time uses it: the gate's thread during a script, the caller's
/// thread before and after.
private final class SoakWorld: SimulatedWorld, @unchecked Sendable {
    private let ledger: BenchLedger
    private let verifiers: CurrentVerifier
    private var simulation: GateSimulation
    private var kinds: [Soak.Kind] = []
    private var seen = Soak.Figures()
    /// The newest visit with a credential. One variable is enough, because phones arrive one after another.
    private var visit: VisitID?
    private(set) var lastAccepted: Outcome?

    init(_ ledger: BenchLedger) throws {
        self.ledger = ledger
        // Use the policy of a gate without a policy file: a reuse is reported but not rejected.
        var policy = VerificationPolicy()
        policy.replay.action = .flag
        verifiers = CurrentVerifier(
            Verifier(trust: try TrustStore(Samples.trust), policy: policy), siteKey: ledger.siteKey)
        simulation = GateSimulation(
            settings: KioskSettings(name: try Identifier("Soak"), softwareVersion: "soak"),
            radio: VirtualRadio(visits: [], seed: 1), seed: 2)
    }

    func play(_ visits: [Simulation.Visit], _ kinds: [Soak.Kind]) {
        self.kinds = kinds
        simulation.play(visits)
        let end = simulation.now.advanced(by: .seconds(600 * visits.count))
        let isOver = simulation.run(until: end, in: self) { $0.radio.isIdle }
        if !isOver { seen.findings.append("a visitor is still there after ten minutes for each") }
    }

    func stop() {
        simulation.stop(in: self)
        seen.violations = simulation.violations.map(\.description)
    }

    /// Adds the results to `figures`, with a finding if the number of records differs from the number of visitors.
    func tell(_ figures: inout Soak.Figures) {
        (figures.visits, figures.records) = (seen.visits, seen.records)
        (figures.wrong, figures.unanswered) = (seen.wrong, seen.unanswered)
        (figures.violations, figures.findings) = (seen.violations, seen.findings)
        for kind in [Soak.Kind.accepted, .rejected] {
            let (records, visits) = (seen.records[kind.rawValue, default: 0], seen.visits[kind, default: 0])
            if records != visits {
                figures.findings.append("\(records) records of \(visits) \(kind.rawValue) visitors")
            }
        }
        let opened = seen.records["gate opened", default: 0]
        if opened != seen.visits[.accepted] { figures.findings.append("the gate opened \(opened) times") }
    }

    // MARK: - The kiosk's environment

    func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {
        for case .verify(let visit, _) in actions { self.visit = visit }
    }

    func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
        let answer = Answer()
        ledger.recordIntent(intent) { answer.give($0) }
        return (.milliseconds(2), answer.wait())
    }

    func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
        let date = WallTime(
            utc: Samples.validDate.advanced(by: Instant.zero.duration(to: now)), provenance: .synchronised)
        let visit = visit ?? VisitID("")
        return (.milliseconds(3), verifiers.verify(payload, of: visit, at: date, monotonic: now))
    }

    func recordDecision(_ record: VisitRecord, at now: Instant) {
        ledger.recordDecision(record, names: verifiers.settle(record.visit, .ordered, at: now))
    }

    func recordOutcome(_ record: VisitRecord, at now: Instant) {
        let outcome = record.outcome
        let isOpened = outcome.gate?.opened == true
        let names = verifiers.settle(record.visit, isOpened ? .used : .released, at: now)
        // Count a record as often as it says: one record may be for many visits that were rejected in the same way.
        seen.records[outcome.result.rawValue, default: 0] += 1 + outcome.repeated
        if isOpened {
            seen.records["gate opened", default: 0] += 1
            lastAccepted = outcome
        }
        ledger.recordOutcome(record, forgetting: isOpened ? [] : names)
    }

    func observe(_ observation: GateSimulation.Observation, at now: Instant) {
        guard case .phone(let number, .finished(let outcome)) = observation else { return }
        let kind = kinds[number]
        seen.visits[kind, default: 0] += 1
        switch (kind, outcome) {
        case (.accepted, .accepted), (.rejected, .rejected): break
        case (_, .accepted), (_, .rejected): seen.wrong += 1
        case (.accepted, _), (.rejected, _): seen.unanswered += 1
        case (.left, _), (.junk, _): break
        }
    }
}
