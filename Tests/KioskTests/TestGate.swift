import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Tuvali

@testable import Credentials

/// A gate with phones around it; the test controls the verifier and the disk and records what an observer
/// sees.
final class TestGate: SimulatedWorld {
    /// Everything observed, in order.
    private(set) var seen: [(at: Instant, what: GateSimulation.Observation)] = []
    /// The outcomes recorded, in order.
    private(set) var outcomes: [VisitRecord] = []
    /// The decisions on visits for which the gate was ordered to open, in order.
    private(set) var decisions: [VisitRecord] = []
    /// The intents requested, in order.
    private(set) var intents: [IntentID] = []
    /// The payloads that reached the verifier.
    private(set) var payloads: [[UInt8]] = []
    /// The verifier's answer, and its delay.
    var verdict = Verdict.test(.ok)
    /// The answers to the first payloads; ``verdict`` is the answer to those after them.
    var verdicts: [Verdict] = []
    /// A payload that no trusted issuer made, and the verifier's answer to it.
    var nonsense: (payload: [UInt8], verdict: Verdict)?
    var verificationTime = Duration.milliseconds(2)
    /// The disk's answer to an intent, and its delay.
    var intentFailure: LedgerFailure?
    var intentTime = Duration.milliseconds(3)
    /// The sessions of a printed key that were to be stored, the disk's answer, and its delay.
    private(set) var sessions: [[UInt8]] = []
    var sessionFailure: LedgerFailure?
    var sessionTime = Duration.milliseconds(3)

    /// The key of the code that is printed at the gate.
    var printedKey: PrintedKey?

    /// Every turn of the kiosk.
    private(set) var trace: [(at: Instant, event: KioskEvent, actions: [KioskAction])] = []
    private var simulation: GateSimulation

    init(
        visits: [Simulation.Visit], controller: ControllerTraits = ControllerTraits(), seed: UInt64 = 1,
        haveOwnKeys: Bool = true, printed: PrintedKey? = nil, used: UsedSessions = UsedSessions(),
        configure: (inout KioskSettings) -> Void = { _ in }
    ) throws {
        var settings = KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test")
        settings.keyRotation = .seconds(60)
        settings.radioReminder = .zero
        configure(&settings)
        let visits = haveOwnKeys ? visits.enumerated().map { $1.withKeys(seed: UInt64($0)) } : visits
        printedKey = printed
        simulation = GateSimulation(
            settings: settings, used: used, radio: VirtualRadio(controller: controller, visits: visits, seed: seed),
            seed: seed)
    }

    /// Runs until all visitors have left and the kiosk is ready again; returns false if that takes longer
    /// than `limit`.
    func run(limit: Duration = .seconds(600)) -> Bool {
        let end = simulation.now.advanced(by: limit)
        return simulation.run(until: end, in: self) { $0.radio.isFinished }
            && simulation.run(until: end, in: self) { self.isReady($0) }
    }

    /// Runs for the given time.
    func run(for time: Duration) { _ = simulation.run(until: simulation.now.advanced(by: time), in: self) }

    /// Runs until an observation matches; returns false if that takes longer than `limit`.
    func run(until isSeen: (GateSimulation.Observation) -> Bool, limit: Duration = .seconds(120)) -> Bool {
        let before = seen.count
        return simulation.run(until: simulation.now.advanced(by: limit), in: self) { _ in
            self.seen[before...].contains { isSeen($0.what) }
        }
    }

    /// Runs until the kiosk emits the note `name`.
    func run(untilNote name: String, limit: Duration = .seconds(120)) -> Bool {
        run(until: { if case .kiosk(let note) = $0 { note.name == name } else { false } }, limit: limit)
    }

    /// Passes an event from outside to the kiosk.
    func inject(_ event: KioskEvent) { simulation.inject(event, in: self) }

    var now: Instant { simulation.now }
    /// The advertisers on the air.
    var onAir: [Simulation.Advertiser] { simulation.radio.onAir }
    var hasStopped: Bool { simulation.hasStopped }
    var radio: VirtualRadio { simulation.radio }
    var phoneOutcomes: [Int: VisitOutcome] { simulation.radio.outcomes }
    var counters: Kiosk.Counters { simulation.kiosk.counters }

    func recordIntent(_ intent: IntentID, at now: Instant) -> (takes: Duration, failure: LedgerFailure?) {
        intents.append(intent)
        return (intentTime, intentFailure)
    }

    func verify(_ payload: [UInt8], at now: Instant) -> (takes: Duration, verdict: Verdict) {
        payloads.append(payload)
        if let nonsense, payload == nonsense.payload { return (verificationTime, nonsense.verdict) }
        return (verificationTime, verdicts.isEmpty ? verdict : verdicts.removeFirst())
    }

    func keepSession(
        _ session: [UInt8], of visit: VisitID, at now: Instant
    ) -> (takes: Duration, failure: LedgerFailure?) {
        sessions.append(session)
        return (sessionTime, sessionFailure)
    }

    func recordDecision(_ record: VisitRecord, at now: Instant) { decisions.append(record) }

    func recordOutcome(_ record: VisitRecord, at now: Instant) { outcomes.append(record) }

    func observe(_ observation: GateSimulation.Observation, at now: Instant) { seen.append((now, observation)) }

    func handled(_ event: KioskEvent, _ actions: [KioskAction], by kiosk: Kiosk, at now: Instant) {
        trace.append((now, event, actions))
    }

    // MARK: - Reading the observations

    /// The broken rules of ``KioskRules``.
    var breaches: [Violation] { simulation.violations }

    /// Packets that were sent to the controller, in order.
    private var sent: [[UInt8]] {
        trace.flatMap(\.actions).compactMap { if case .send(let packet) = $0 { packet } else { nil } }
    }

    /// Status bytes that wallets received, in order.
    var statusBytes: [UInt8] { sent.compactMap(KioskRules.status) }

    /// Random addresses set for advertising, in order (HCI_LE_Set_Random_Address).
    var addresses: [[UInt8]] { sent.filter { $0.starts(with: [1, 0x05, 0x20]) }.map { Array($0.dropFirst(4)) } }

    /// The times at which the relay was energised and released.
    var gateChanges: [(at: Instant, open: Bool)] {
        seen.compactMap { if case .gate(let open) = $0.what { ($0.at, open) } else { nil } }
    }

    /// The patterns of the light, in order, without repetition.
    var patterns: [IndicatorPattern] {
        var patterns: [IndicatorPattern] = []
        for case .signal(_, let pattern) in seen.map(\.what) where pattern != patterns.last { patterns.append(pattern) }
        return patterns
    }

    /// The names of the kiosk's notes, in order.
    var notes: [String] { seen.compactMap { if case .kiosk(let note) = $0.what { note.name } else { nil } } }

    /// The kiosk's notes, in order.
    var kioskNotes: [KioskNote] { seen.compactMap { if case .kiosk(let note) = $0.what { note } else { nil } } }

    /// The invitations shown, in order.
    var invitations: [String] {
        seen.compactMap { if case .invitation(let uri?) = $0.what { uri } else { nil } }
    }

    /// The last signal of the light.
    var signal: Signal? {
        seen.lazy.reversed().compactMap { if case .signal(let signal, _) = $0.what { signal } else { nil } }.first
    }

    /// Protocol errors of the kiosk that phones or the controller found.
    var violations: [String] {
        seen.compactMap { entry in
            switch entry.what {
            case .violation(let violation): "\(violation)"
            case .phone(_, .violation(let text)): text
            default: nil
            }
        }
    }

    /// The kiosk's status.
    var status: KioskStatus { simulation.kiosk.status(at: now) }

    private func isReady(_ simulation: GateSimulation) -> Bool {
        // The last visitor is recorded only when his pulse is over.
        let status = simulation.kiosk.status(at: simulation.now)
        return status.radio == .up && status.phones == 0 && !invitations.isEmpty && gateChanges.last?.open != true
    }
}

extension Verdict {
    /// Returns a verdict with the given first reason on a credential of `issuer`, or on something that is no
    /// credential if `issuer` is nil; `ok` accepts.
    static func test(_ code: ReasonCode, issuer: Text? = "did:example:issuer") -> Verdict {
        var credential = CredentialSummary()
        credential.issuer = issuer
        return Verdict(
            decision: code == .ok ? .accept : .reject, reasons: [Reason(code)], credential: credential, unsigned: [],
            proofContext: nil, trust: "test", policy: "test")
    }

    /// Returns the same verdict on a credential that its issuer provably made.
    static func authentic(_ code: ReasonCode, _ credential: UInt8 = 1) -> Verdict {
        var verdict = test(code)
        verdict.proven = SignedContent(digest: [UInt8](repeating: credential, count: 32))
        return verdict
    }
}

extension PhoneTraits {
    /// The same phone with a wallet of generation A.
    var before: PhoneTraits {
        var traits = self
        traits.wallet.generation = .a
        return traits
    }
}

extension Simulation.Visit {
    /// Returns a visit of a phone whose wallet shares `record`.
    static func test(
        _ phone: PhoneTraits = .android14, record: [UInt8] = Array(#"{"a":1}"#.utf8),
        arrival: Arrival = .afterPrevious(.seconds(1)),
        misbehaviour: Misbehaviour? = nil
    ) -> Simulation.Visit {
        Simulation.Visit(
            "test", arrival: arrival, phone: phone,
            submission: .seal(
                record: record, privateKey: [UInt8](repeating: 0x42, count: 32), nonce: [UInt8](repeating: 9, count: 12)
            ),
            misbehaviour: misbehaviour)
    }
}
