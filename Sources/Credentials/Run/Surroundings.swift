import Encoding

/// The fixed surroundings of one verification.
final class Surroundings {
    let trust: TrustStore
    let policy: VerificationPolicy
    /// How strictly credentials are read.
    let profile: Profile
    let limits: Limits
    let clock: WallTime
    let onStage: ((Stage) -> Void)?
    /// Whether documents that are not spelled as their data model spells them are refused. What decides is read from what is
    /// signed in any case, and tests show that with this second line switched off.
    let checksSpelling: Bool
    /// Whether dates refuse a credential. If not, nothing is let in by the verdict: it only tells whether the signature
    /// holds.
    let checksDates: Bool

    init(
        trust: TrustStore, policy: VerificationPolicy, limits: Limits, clock: WallTime, onStage: ((Stage) -> Void)?,
        checksSpelling: Bool = true, checksDates: Bool = true
    ) {
        self.trust = trust
        self.policy = policy
        profile = policy.profile(over: trust.profile)
        self.limits = limits
        self.clock = clock
        self.onStage = onStage
        (self.checksSpelling, self.checksDates) = (checksSpelling, checksDates)
    }

    /// Runs one stage and reports its end, whichever way it ends.
    func stage<Value>(_ stage: Stage, _ work: () throws(Rejection) -> Value) throws(Rejection) -> Value {
        defer { onStage?(stage) }
        return try work()
    }
}
