package import Credentials
package import Encoding
package import Kiosk
package import Ledger
import Synchronization

/// The verifier that judges at this moment, and who was let in a moment ago.
///
/// Trust data and rules are replaced while visits go on: a verification that runs keeps the verifier it began with, the next one
/// takes the new one, and who was let in stays remembered across the change.
package final class VerifierInForce: Sendable {
    private struct State {
        var verifier: Verifier
        var memory: ReplayMemory
    }

    private let state: Mutex<State>
    private let siteKey: SiteKey

    /// Puts a verifier in force.
    ///
    /// - Parameters:
    ///   - verifier: Judges the next visit.
    ///   - siteKey: The key under which visitors are remembered.
    ///   - memory: Who was let in before the start; its window becomes that of the verifier's policy.
    package init(_ verifier: Verifier, siteKey: SiteKey, memory: ReplayMemory = ReplayMemory(window: .zero)) {
        var memory = memory
        memory.window = verifier.policy.replay.window
        state = Mutex(State(verifier: verifier, memory: memory))
        self.siteKey = siteKey
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
            state.memory.window = policy.replay.window
        }
    }

    /// Puts new rules in force, with the same trust data. Who was let in is remembered by the new rules' window.
    package func replace(policy: VerificationPolicy) {
        state.withLock { state in
            let old = state.verifier
            state.verifier = Verifier(trust: old.trust, policy: policy, limits: old.limits)
            state.memory.window = policy.replay.window
        }
    }

    /// Judges a visit's payload and, when it is accepted, reserves what it is known by until ``settle(_:_:at:)``. Any
    /// number may run at once; of two that present the same credential at the same moment one is first, and the other
    /// is judged anew with that knowledge.
    ///
    /// - Parameters:
    ///   - payload: The bytes as received, after decryption and inflation.
    ///   - visit: Whose payload it is.
    ///   - date: The date, and how far it is to be believed.
    ///   - now: The moment on the monotonic clock, which the replay window runs on.
    package func verify(_ payload: [UInt8], of visit: VisitID, at date: WallTime, monotonic now: Instant) -> Verdict {
        let verifier = current
        // The memory has names only, so a verdict must be there before anybody can be known by it. Each further round knows one
        // key more of the few that a payload has, so this ends.
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

    /// Puts the credential of a visit into that state at `now` on the monotonic clock. Returns the names that the disk
    /// must keep from now on, or of a released one remove.
    @discardableResult
    package func settle(_ visit: VisitID, _ use: CredentialUse, at now: Instant) -> [ReplayName] {
        state.withLock { $0.memory.settle(visit, use, at: now) }
    }
}
