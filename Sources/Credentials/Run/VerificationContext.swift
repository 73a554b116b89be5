import Encoding

/// The fixed inputs of one verification.
final class VerificationContext {
    let trust: TrustStore
    let policy: VerificationPolicy
    /// The profile for reading credentials.
    let profile: Profile
    let limits: Limits
    let clock: WallTime
    let onStage: ((Stage) -> Void)?
    /// Whether documents with unusual spelling are refused. The check is a second line of defence: verdicts depend only
    /// on signed content even without this check. Tests switch the check off to prove that.
    let checksSpelling: Bool
    /// Whether a credential is refused because of its dates. Without the check, the verdict only shows whether the
    /// signature is valid, and no gate opens.
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

    /// Runs one stage and reports its end, successful or not.
    func stage<Value>(_ stage: Stage, _ work: () throws(Rejection) -> Value) throws(Rejection) -> Value {
        defer { onStage?(stage) }
        return try work()
    }
}
