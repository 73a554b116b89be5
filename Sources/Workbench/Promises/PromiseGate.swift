import Credentials
import Encoding
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Tuvali

/// A gate in virtual time, at which visitors arrive one after another. It has its own thread, because it waits for a
/// real disk.
final class PromiseGate: Sendable {
    /// The results of the visitors of one call of ``play(_:)``.
    struct Day: Sendable {
        /// The end of each visit for the phone, in the order of arrival; nil if the phone is still busy.
        var phones: [VisitOutcome?] = []
        /// The first reason code of each record, or its result if it has no reason.
        var reasons: [String] = []
        /// The number of times that the relay was energised.
        var openings = 0
        /// The kiosk's violations of its rules.
        var violations: [String] = []
    }

    private let thread: BackgroundThread
    private let world: World

    /// Creates a gate that trusts the issuer of the sample credential. `ledger` receives the records; nil for a gate
    /// without records. `date` returns the date for verdicts. `onOpening` is called on the gate's thread while the
    /// relay is energised, with the visit and the number of openings, including this one.
    init(
        seed: UInt64, ledger: PromiseLedger? = nil, date: @escaping @Sendable () -> WallTime,
        onOpening: @escaping @Sendable (_ visit: VisitID, _ number: Int) -> Void = { _, _ in }
    ) throws {
        thread = try BackgroundThread(name: "promise", limit: 1)
        world = try World(seed, ledger, date, onOpening)
    }

    /// Simulates visitors one after another, one for each payload in `records`.
    func play(_ records: [[UInt8]]) async -> Day {
        await withCheckedContinuation { done in
            thread.run { [world] in done.resume(returning: world.play(records)) }
        }
    }

    /// The environment of the simulated kiosk. Only one thread at a time uses it.
    private final class World: SimulatedWorld, @unchecked Sendable {
        private let verifier: Verifier
        private let ledger: PromiseLedger?
        private let date: @Sendable () -> WallTime
        private let onOpening: @Sendable (VisitID, Int) -> Void
        private let seed: UInt64
        private var day = Day()

        init(
            _ seed: UInt64, _ ledger: PromiseLedger?, _ date: @escaping @Sendable () -> WallTime,
            _ onOpening: @escaping @Sendable (VisitID, Int) -> Void
        ) throws {
            (self.seed, self.ledger, self.date, self.onOpening) = (seed, ledger, date, onOpening)
            verifier = Verifier(
                trust: try TrustStore(Samples.trust), policy: VerificationPolicy(version: "demonstration"))
        }

        func play(_ records: [[UInt8]]) -> Day {
            var keys = SplitMix64(seed: seed)
            let visits = records.map { record in
                Simulation.Visit(
                    "visitor", arrival: .afterPrevious(.seconds(2)), phone: .android14,
                    submission: .seal(record: record, privateKey: keys.bytes(32), nonce: keys.bytes(12)))
            }
            guard let name = try? Identifier("Gatehouse-Demo") else { return day }
            var gate = GateSimulation(
                settings: KioskSettings(name: name, softwareVersion: "demonstration"),
                radio: VirtualRadio(visits: visits, seed: seed), seed: seed)
            let end = Instant.zero.advanced(by: .seconds(300 * max(records.count, 1)))
            _ = gate.run(until: end, in: self) {
                $0.radio.isFinished && $0.kiosk.status(at: $0.now).isGateOpen == false
            }
            gate.stop(in: self)
            day.phones = records.indices.map { gate.radio.outcomes[$0] }
            day.violations = gate.violations.map(\.description)
            return day
        }

        func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
            (.milliseconds(2), ledger?.recordIntent(intent))
        }

        func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
            (.milliseconds(3), verifier.verify(payload, at: date()))
        }

        func recordDecision(_ record: VisitRecord, at now: Instant) {
            ledger?.recordDecision(record)
            onOpening(record.visit, day.openings)
        }

        func recordOutcome(_ record: VisitRecord, at now: Instant) {
            day.reasons.append(record.outcome.reasons.first?.code.string ?? record.outcome.result.rawValue)
            ledger?.recordOutcome(record)
        }

        func observe(_ observation: GateSimulation.Observation, at now: Instant) {
            guard case .gate(open: true) = observation else { return }
            day.openings += 1
        }
    }
}
