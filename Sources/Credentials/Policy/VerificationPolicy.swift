package import Encoding

/// The gate's rules for one verification.
package struct VerificationPolicy: Sendable {
    /// The name of this policy in verdicts and records.
    package var version: String
    /// How strictly credentials are read, if the rules or the configuration state it; nil: as the trust data
    /// says.
    package var statedProfile: Profile?
    /// The maximum difference between the clocks of issuer and gate.
    package var clockSkew: Duration = .seconds(60)
    /// The least trusted accepted source of the date; with a less trusted source every credential is refused
    /// with `clock.untrusted`.
    package var minimumClock: WallTime.Provenance = .rtc
    /// Whether the gate's rules determine the consequence of a stale or missing status list. If so, the
    /// status stage only notes the answers. A credential that is revoked or suspended, or whose list is
    /// invalid, is refused in either case.
    package var decidesOnStatus = false
    /// The rule about repeated visits.
    package var replay = ReplayRule()
    /// The maximum age of a holder's proof.
    var holderProofAge: Duration = .seconds(300)
    /// The name by which a holder's proof may name this gate as its audience; nil if the gate has no name.
    package var audience: Text?
    /// The gate's own rules; nil: every credential of a trusted issuer is accepted.
    package var rules: GatePolicy?
    /// The direction of the gate, for rules with a direction.
    package var direction: GateDirection?

    /// Creates a policy with the given name and profile and otherwise the documented defaults: it accepts
    /// credentials of any trusted issuer.
    package init(version: String = "any-trusted-issuer", profile: Profile? = nil) {
        self.version = version
        statedProfile = profile
    }

    /// Returns how strictly credentials are read: as the rules state, otherwise as the configuration states,
    /// otherwise as the trust data states. If none of them states a profile, the result is strict.
    package func profile(over trusted: Profile?) -> Profile { statedProfile ?? trusted ?? .strict }
}
