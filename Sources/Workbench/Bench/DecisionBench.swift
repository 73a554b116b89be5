import Appliance
package import Credentials
package import Encoding
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Synchronization
import Tuvali

/// Measures the budget that matters at a gate: from T0, the write that completes the credential, to lights and gate.
///
/// The real ``Gatekeeper`` runs with its threads on a virtual radio, and every visit is recorded by the real keeper on a real file
/// (``BenchLedger``); only the lamps are a clock reading. Decryption, inflation, the hop to the verifier's thread, the verification
/// and the way back are all inside the figure, and whatever of the disk is left at T0.
package enum DecisionBench {
    /// What came of the visits.
    package struct Result: Sendable {
        /// From T0 to the gate, one for each visit that opened it, sorted.
        package let times: [Duration]
        /// Valid visitors who were refused.
        package let refused: Int
        /// Visitors whose phone gave up before the credential was there: the machine is too busy for its virtual radio.
        package let absent: Int

        /// The time that `percent` of the visits stay within.
        package func percentile(_ percent: Int) -> Duration {
            times.isEmpty ? .zero : times[min(times.count - 1, (times.count * percent + 99) / 100 - 1)]
        }
    }

    /// Why no figure came out.
    package struct Failure: Error, Sendable {
        /// In words.
        package let reason: String
    }

    /// Plays `visits` visits that share `payload`, which is valid, and times each.
    ///
    /// `ledger` takes the records. `choosing` is how long the phone's owner takes from identify to the credential, in real time:
    /// wallets show a list and ask for consent, 300 ms are less than any person needs. Without that pause a lean credential is
    /// there before its intent is durable, and waits for the disk.
    package static func run(
        payload: [UInt8], verifier: Verifier, at date: WallTime, visits: Int, ledger: BenchLedger,
        choosing: Duration = .milliseconds(300)
    ) async throws -> Result {
        var phone = PhoneTraits.hurried
        phone.wallet.choosing = choosing * Int(VirtualGate.speed)
        var random = SplitMix64(seed: 11)
        let script = (0..<visits).map { number in
            Simulation.Visit(
                "visit \(number)", arrival: .afterPrevious(.milliseconds(50)), phone: phone,
                submission: .seal(record: payload, privateKey: random.bytes(32), nonce: random.bytes(12)))
        }
        let clock = GateClock()
        let gate = try await VirtualGate(
            verify: { _, payload, date in verifier.verify(payload, at: date) }, date: date, ledger: ledger,
            panel: clock,
            observe: clock.turn)
        await gate.play(script)
        let violations = await gate.stop()
        if let violation = violations.first { throw Failure(reason: "the kiosk broke a rule: \(violation)") }
        let result = Result(
            times: clock.times.sorted(), refused: clock.refused, absent: visits - clock.arrived)
        guard result.times.count > 0, result.times.count + result.refused == clock.arrived else {
            throw Failure(
                reason: "\(result.times.count) of \(visits) visits opened the gate; the last one: \(clock.lastEnd)")
        }
        return result
    }
}

/// Reads the clock when the gate opens. All of it happens on the radio's thread.
private final class GateClock: Panel {
    private struct State {
        var received: Instant?
        var arrived = 0
        var times: [Duration] = []
        var refused = 0
        var lastEnd = "none ended"
    }

    private let state = Mutex(State())

    var times: [Duration] { state.withLock { $0.times } }
    /// Credentials that arrived.
    var arrived: Int { state.withLock { $0.arrived } }
    var refused: Int { state.withLock { $0.refused } }
    var lastEnd: String { state.withLock { $0.lastEnd } }

    /// The instant of the turn that asks for a verification is T0: that at which the completing write was taken from the radio.
    func turn(_ event: KioskEvent, _ actions: [KioskAction], _ deadline: Instant?, _ now: Instant) {
        for action in actions {
            switch action {
            case .verify:
                state.withLock { state in
                    state.received = now
                    state.arrived += 1
                }
            case .note(.visitEnded(let result, let reasons, _), _):
                state.withLock { state in
                    if result == Outcome.Result.rejected.rawValue { state.refused += 1 }
                    state.lastEnd = ([result] + reasons).joined(separator: " ")
                }
            case .note(.radioFailed(_, let reason, _), _): state.withLock { $0.lastEnd = reason }
            default: break
            }
        }
    }

    func show(_ signal: Signal) {}

    func free(_ command: Gate.Command, at now: Instant) {}
    func admit(until: Instant, at now: Instant) {}
    var opens: Bool { true }
    // Each order is carried out in full.
    func opening(_ order: OpeningOrder, at now: Instant) -> Opening { .over(order.from.duration(to: order.until)) }

    func gate(_ command: Gate.Command, at now: Instant) {
        guard case .open = command else { return }
        let opened = SystemClock.now()
        state.withLock { state in
            if let received = state.received.take() { state.times.append(received.duration(to: opened)) }
        }
    }
}
