package import Credentials
package import Encoding
import Synchronization

/// The verifier that judges at this moment, and the visits that it accepted a moment ago.
///
/// Trust data and rules are replaced while visits go on: a verification that runs keeps the verifier it began with, the next one
/// takes the new one, and what was accepted stays remembered across the change.
///
/// The memory of replays lives in this object alone. A restart clears it, so a credential that was accepted just before the
/// plug was pulled can be presented once more as soon as the box is on the air again; its second visit is in the ledger like the
/// first. A longer memory would have to name credentials on disk before the gate opens, which no decision waits for.
package final class VerifierInForce: Sendable {
    private struct State {
        var verifier: Verifier
        var window: ReplayWindow
    }

    private let state: Mutex<State>

    /// Puts a verifier in force; nothing has been seen yet.
    package init(_ verifier: Verifier) {
        state = Mutex(State(verifier: verifier, window: ReplayWindow(window: verifier.policy.replay.window)))
    }

    /// The verifier that the next visit will be judged by.
    package var current: Verifier { state.withLock { $0.verifier } }

    /// Puts new trust data in force, with the same rules.
    package func replace(trust: TrustStore) {
        state.withLock { state in
            let old = state.verifier
            state.verifier = Verifier(trust: trust, policy: old.policy, limits: old.limits)
        }
    }

    /// Puts new trust data and the rules that came with them in force, in one step.
    package func replace(trust: TrustStore, policy: VerificationPolicy) {
        state.withLock { state in
            state.verifier = Verifier(trust: trust, policy: policy, limits: state.verifier.limits)
            state.window.window = policy.replay.window
        }
    }

    /// Puts new rules in force, with the same trust data. What was accepted is remembered by the new rules' window.
    package func replace(policy: VerificationPolicy) {
        state.withLock { state in
            let old = state.verifier
            state.verifier = Verifier(trust: old.trust, policy: policy, limits: old.limits)
            state.window.window = policy.replay.window
        }
    }

    /// Judges a payload and remembers it when it is accepted. Any number may run at once; of two that present the same
    /// credential at the same moment one is accepted, and the other is judged anew with that knowledge.
    ///
    /// - Parameters:
    ///   - payload: The bytes as received, after decryption and inflation.
    ///   - date: The date, and how far it is to be believed.
    ///   - now: The moment on the monotonic clock, which the replay window runs on.
    package func verify(_ payload: [UInt8], at date: WallTime, monotonic now: Instant) -> Verdict {
        while true {
            let (verifier, recent) = state.withLock { ($0.verifier, $0.window.recent(at: now)) }
            let verdict = verifier.verify(payload, recent: recent, at: date)
            guard verdict.isAccepted else { return verdict }
            // Each further round needs another visitor who was accepted meanwhile, so this ends.
            let isAlone = state.withLock { state in
                let meanwhile = state.window.recent(at: now).subtracting(recent)
                guard meanwhile.isDisjoint(with: verdict.replayKeys) else { return false }
                for key in verdict.replayKeys { state.window.remember(key, at: now) }
                return true
            }
            if isAlone { return verdict }
        }
    }
}
