package import Encoding

/// The gate's rules for one verification.
package struct VerificationPolicy: Sendable {
    /// The name of the policy in verdicts and records.
    package var version: String
    /// The profile for reading credentials that the rules or the configuration state; nil for the profile of the trust
    /// data.
    package var statedProfile: Profile?
    /// The maximum difference between the clocks of issuer and gate.
    package var clockSkew: Duration = .seconds(60)
    /// The least trusted accepted source of the date. With a less trusted source, every credential is refused with
    /// `clock.untrusted`.
    package var minimumClock: WallTime.Provenance = .rtc
    /// Whether the gate's rules decide about stale and missing status lists. If so, the status stage only notes the
    /// answers. A credential that is revoked or suspended, or whose list is invalid, is refused in either case.
    package var decidesOnStatus = false
    /// The rule about repeated presentations of a credential.
    package var replay = ReplayRule()
    /// The maximum age of a holder's proof.
    var holderProofAge: Duration = .seconds(300)
    /// The name by which a holder's proof may name this gate as its audience; nil if the gate has no name.
    package var audience: Text?
    /// The gate's rules; nil accepts every credential of a trusted issuer.
    package var rules: GatePolicy?
    /// The direction of the gate, for rules with a direction; nil if it is not configured.
    package var direction: GateDirection?

    /// Creates a policy that accepts credentials of any trusted issuer, with the given name and profile and the
    /// documented defaults.
    package init(version: String = "any-trusted-issuer", profile: Profile? = nil) {
        self.version = version
        statedProfile = profile
    }

    /// Returns the profile for reading credentials: that of the rules, of the configuration, or of the trust data, in
    /// this order. The default is strict.
    package func profile(over trusted: Profile?) -> Profile { statedProfile ?? trusted ?? .strict }
}
