package import Credentials
package import Encoding
package import Kiosk
package import Ledger
import Synchronization

/// The verifier in force, and the replay memory of recently admitted credentials.
///
/// Trust data and rules may be replaced during visits. A verification in progress then continues with its verifier,
/// and the next one uses the new verifier. The replay memory stays.
package final class CurrentVerifier: Sendable {
    private struct State {
        var verifier: Verifier
        var memory: ReplayMemory
    }

    private let state: Mutex<State>
    private let siteKey: SiteKey

    /// Creates the object.
    ///
    /// - Parameters:
    ///   - verifier: The verifier for the next visit.
    ///   - siteKey: The key that makes the names of credentials in the replay memory.
    ///   - memory: The credentials admitted before the start. Its window is set to that of the verifier's policy.
    package init(_ verifier: Verifier, siteKey: SiteKey, memory: ReplayMemory = ReplayMemory(window: .zero)) {
        var memory = memory
        memory.window = verifier.policy.replay.window
        state = Mutex(State(verifier: verifier, memory: memory))
        self.siteKey = siteKey
    }

    /// The verifier for the next visit.
    package var current: Verifier { state.withLock { $0.verifier } }

    /// Puts new trust data in force, with the same rules.
    package func replace(trust: TrustStore) {
        state.withLock { state in
            let old = state.verifier
            state.verifier = Verifier(trust: trust, policy: old.policy, limits: old.limits)
        }
    }

    /// Puts new trust data and the rules that they contain in force, in one step.
    package func replace(trust: TrustStore, policy: VerificationPolicy) {
        state.withLock { state in
            state.verifier = Verifier(trust: trust, policy: policy, limits: state.verifier.limits)
            state.memory.window = policy.replay.window
        }
    }

    /// Puts new rules in force, with the same trust data. The replay memory then uses the window of the new rules.
    package func replace(policy: VerificationPolicy) {
        state.withLock { state in
            let old = state.verifier
            state.verifier = Verifier(trust: old.trust, policy: policy, limits: old.limits)
            state.memory.window = policy.replay.window
        }
    }

    /// Verifies a visit's payload. If the verdict is accepted, reserves the names of its credentials in the replay
    /// memory until ``settle(_:_:at:)`` is called. Any number of calls may run at the same time: if two visits
    /// present the same credential at the same moment, the second payload is verified again as a replay.
    ///
    /// - Parameters:
    ///   - payload: The payload as the wallet sent it, after decryption and decompression.
    ///   - visit: The visit that sent the payload.
    ///   - date: The date, and how far it can be trusted.
    ///   - now: The present instant of the monotonic clock, by which the replay window is measured.
    package func verify(_ payload: [UInt8], of visit: VisitID, at date: WallTime, monotonic now: Instant) -> Verdict {
        let verifier = current
        // The replay memory can only look up keys that it is asked for, and the keys of a payload are known only from
        // a verdict. So verify without known keys first, and again with each key that the memory knows. Each round
        // adds at least one of the few keys of the payload, so the loop ends.
        var seen: Set<[UInt8]> = []
        while true {
            let verdict = verifier.verify(payload, recent: seen, at: date)
            let names = verdict.replayKeys.map { (key: $0, name: siteKey.replayName(of: $0)) }
            let met = state.withLock { state in
                let met = names.filter { state.memory.knows($0.name, besides: visit, at: now) }.map(\.key)
                let isKnown = seen.isSuperset(of: met)
                if isKnown, verdict.isAccepted { state.memory.reserve(names.map(\.name), for: visit) }
                return isKnown ? [] : met
            }
            if met.isEmpty { return verdict }
            seen.formUnion(met)
        }
    }

    /// Sets the state of a visit's credential at the instant `now`. Returns the names that the disk must store from
    /// now on or, for a released credential, remove.
    @discardableResult
    package func settle(_ visit: VisitID, _ use: CredentialUse, at now: Instant) -> [ReplayName] {
        state.withLock { $0.memory.settle(visit, use, at: now) }
    }
}
