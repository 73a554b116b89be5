package import Appliance
package import Credentials
package import Encoding
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Synchronization
import Tuvali

/// Measures the budget that matters at a gate: from T0, the write that completes the credential, to lights and gate.
///
/// The real ``Gatekeeper`` runs with its threads on a virtual radio; only the lamps are a clock reading. Decryption,
/// inflation, the hop to the verifier's thread, the verification and the way back are all inside the figure, and with a
/// ``BenchLedger`` whatever of the disk is left at T0.
package enum DecisionBench {
    /// Times of all visits, sorted.
    package struct Result: Sendable {
        /// From T0 to the gate, one for each visit.
        package let times: [Duration]

        /// The time that `percent` of the visits stay within.
        package func percentile(_ percent: Int) -> Duration {
            times.isEmpty ? .zero : times[min(times.count - 1, (times.count * percent + 99) / 100 - 1)]
        }
    }

    /// How much faster than in life the radio and the phone are.
    private static let speed: Int64 = 8

    /// Why no figure came out.
    package struct Failure: Error, Sendable {
        /// In words.
        package let reason: String
    }

    /// Plays `visits` visits that share `payload` and are accepted, and times each.
    ///
    /// `ledger` takes the records; nil: memory, which is durable at once. `choosing` is how long the phone's owner takes from
    /// identify to the credential, in real time.
    package static func run(
        payload: [UInt8], verifier: Verifier, at date: WallTime, visits: Int, ledger: (any VisitLedger)? = nil,
        choosing: Duration = .zero
    ) async throws -> Result {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            throw Failure(reason: "no socket pair")
        }
        var phone = PhoneTraits.android14
        phone.codeReading = .milliseconds(1)
        phone.hearing = 1
        phone.wallet.choosing = choosing * Int(speed)
        phone.wallet.mtuWait = .milliseconds(200)
        var random = SplitMix64(seed: 11)
        let script = (0..<visits).map { number in
            Simulation.Visit(
                "visit \(number)", arrival: .afterPrevious(.milliseconds(50)), phone: phone,
                submission: .seal(record: payload, privateKey: random.bytes(32), nonce: random.bytes(12)))
        }
        let watch = GateWatch()
        let (finished, finish) = AsyncStream<Void>.makeStream()
        let radio = try LiveRadio(
            VirtualRadio(visits: script), descriptor: ends[1], speed: speed, onFinish: { finish.finish() })
        watch.showInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let ledger = ledger ?? NoLedger()
        let hostEnd = ends[0]
        let settings = KioskSettings(name: try Identifier("Bench"), softwareVersion: "bench")
        let rules = KioskWatch(settings)
        let listeners = try Listeners([watch])
        let gatekeeper = try Gatekeeper(
            settings: settings,
            surroundings: Gatekeeper.Surroundings(
                openTransport: { PacketTransport(descriptor: hostEnd) }, ledger: ledger,
                verify: { _, payload, date in verifier.verify(payload, at: date) }, wallTime: { date },
                panel: watch, listeners: listeners, observe: rules.turn))
        let service = Task { await gatekeeper.run() }
        await radio.start()
        for await _ in finished {}
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        _ = listeners.flush(within: .seconds(1))
        guard watch.times.count == visits else {
            throw Failure(
                reason: "only \(watch.times.count) of \(visits) visits opened the gate; the last one: \(watch.lastEnd)")
        }
        if let violation = rules.violations.first { throw Failure(reason: "the kiosk broke a rule: \(violation)") }
        return Result(times: watch.times.sorted())
    }
}

/// Intents are durable at once here: the bench measures the decision, not this machine's disk.
private struct NoLedger: VisitLedger {
    func recordIntent(_ visit: VisitID, answer: @escaping @Sendable (_ failure: String?) -> Void) { answer(nil) }
    func recordOutcome(_ visit: VisitID, _ outcome: Outcome, signedDigest: [UInt8]?) {}
}

/// Reads the clock when the gate opens.
private final class GateWatch: Panel, KioskListener {
    private struct State {
        var received: [Instant] = []
        var opened: [Instant] = []
        var lastEnd = "none ended"
        var showInvitation: (@Sendable (String?) -> Void)?
    }

    private let state = Mutex(State())

    /// From each T0 to its gate: every visit of the bench is accepted, so that the two lists go together.
    var times: [Duration] { state.withLock { state in zip(state.received, state.opened).map { $0.duration(to: $1) } } }
    var lastEnd: String { state.withLock { $0.lastEnd } }

    var showInvitation: (@Sendable (String?) -> Void)? {
        get { state.withLock { $0.showInvitation } }
        set { state.withLock { $0.showInvitation = newValue } }
    }

    /// `now` of the note is the instant at which the completing write was taken from the transport: T0.
    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        switch note {
        case .received: state.withLock { $0.received.append(now) }
        case .visitEnded(let result, let reasons, _):
            state.withLock { $0.lastEnd = ([result] + reasons).joined(separator: " ") }
        case .radioFailed(let reason, _): state.withLock { $0.lastEnd = reason }
        default: break
        }
    }

    func show(_ signal: Signal) {}

    func gate(_ command: Gate.Command, at now: Instant) {
        guard case .open = command else { return }
        let real = SystemClock.now()
        state.withLock { $0.opened.append(real) }
    }

    func showInvitation(_ uri: String?, at now: Instant) { showInvitation?(uri) }
}
