import Clocks
package import Credentials
package import Encoding
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import Synchronization
import Tuvali

/// Measures the decision time at a gate: from T0 (the write that completes the credential) to lights and gate.
///
/// The real ``Gatekeeper`` runs with its threads on a virtual radio, and the real keeper records every visit in a real
/// file (``BenchLedger``). Only the panel is replaced: this one reads the clock when the gate opens. The decision time
/// includes decryption, inflation, the switch to the verifier's thread and back, the verification, and any disk work
/// that is not finished at T0.
package enum DecisionBench {
    /// The results of all visits of a measurement.
    package struct Result: Sendable {
        /// The times from T0 to the opening of the gate, in ascending order, one for each visit for which the gate
        /// opened.
        package let times: [Duration]
        /// The number of visitors who were rejected although their credential is valid.
        package let refused: Int
        /// The number of visitors whose phone gave up before its credential arrived, because the machine was too busy
        /// to run the virtual radio.
        package let absent: Int

        /// Returns the time that is not exceeded by `percent` per cent of the visits; zero if there are no visits.
        package func percentile(_ percent: Int) -> Duration {
            times.isEmpty ? .zero : times[min(times.count - 1, (times.count * percent + 99) / 100 - 1)]
        }
    }

    /// The reason why a measurement has no result.
    package struct Failure: Error, Sendable {
        /// The reason, in words.
        package let reason: String

        /// Creates a failure.
        package init(reason: String) { self.reason = reason }
    }

    /// Plays and times `visits` visits with the valid payload `payload`.
    ///
    /// `ledger` receives the records. `choosing` is the real time from identify to the credential, in which the phone's
    /// owner chooses a credential. Wallets show a list and ask for consent, so 300 ms are less than any person needs.
    /// Without this pause, a small credential arrives before its intent is durable and has to wait for the disk.
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
        if let violation = violations.first { throw Failure(reason: "the kiosk violated a rule: \(violation)") }
        let result = Result(
            times: clock.times.sorted(), refused: clock.refused, absent: visits - clock.arrived)
        guard result.times.count > 0, result.times.count + result.refused == clock.arrived else {
            throw Failure(
                reason: "\(result.times.count) of \(visits) visits opened the gate; the last one: \(clock.lastEnd)")
        }
        return result
    }
}

/// A panel that reads the clock when the gate opens. All calls are on the radio's thread.
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
    /// The number of credentials that arrived at the gate.
    var arrived: Int { state.withLock { $0.arrived } }
    var refused: Int { state.withLock { $0.refused } }
    var lastEnd: String { state.withLock { $0.lastEnd } }

    /// Stores T0: the time of the turn that requests a verification. In that turn, the gate read the completing write
    /// from the radio.
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
                    if result == .outcome(.rejected) { state.refused += 1 }
                    state.lastEnd = ([result.name] + reasons.map(\.text)).joined(separator: " ")
                }
            case .note(.radioFailed(let failure, _), _): state.withLock { $0.lastEnd = failure.description }
            default: break
            }
        }
    }

    func show(_ signal: Signal) {}

    func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {}
    func admit(until: Instant, at now: Instant) {}
    var opens: Bool { true }
    // Report every order as carried out in full.
    func opening(_ order: OpeningOrder, at now: Instant) -> Opening { .over(order.from.duration(to: order.until)) }

    func gate(_ command: Gate.Command, at now: Instant) {
        guard case .open = command else { return }
        let opened = Clock.system.now()
        state.withLock { state in
            if let received = state.received.take() { state.times.append(received.duration(to: opened)) }
        }
    }
}
