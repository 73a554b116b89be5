import Encoding

/// The fixed inputs of one verification.
final class VerificationContext {
    let trust: TrustStore
    let policy: VerificationPolicy
    /// How strictly credentials are read.
    let profile: Profile
    let limits: Limits
    let clock: WallTime
    let onStage: ((Stage) -> Void)?
    /// Whether documents that are not spelled as their data model spells them are refused. Verdicts depend
    /// only on signed content even without this check. Tests switch off this second line of defence to prove
    /// that.
    let checksSpelling: Bool
    /// Whether a credential is refused because of its dates. If not, the verdict only shows whether the
    /// signature is valid, and no gate opens on it.
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

    /// Runs one stage and reports its end, whether it passes or fails.
    func stage<Value>(_ stage: Stage, _ work: () throws(Rejection) -> Value) throws(Rejection) -> Value {
        defer { onStage?(stage) }
        return try work()
    }
}
