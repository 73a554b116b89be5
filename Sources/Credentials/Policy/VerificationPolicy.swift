package import Encoding

/// The gate's rules for one verification.
package struct VerificationPolicy: Sendable {
    /// Name of this policy in verdicts and records.
    package var version: String
    /// How strictly credentials are read, where the rules or the configuration state it; nil: the trust data
    /// decide.
    package var statedProfile: Profile?
    /// The maximum difference between the clocks of issuer and gate.
    package var clockSkew: Duration = .seconds(60)
    /// The least trusted accepted source of the date; with a less trusted one everything is refused with
    /// `clock.untrusted`.
    package var minimumClock: WallTime.Provenance = .rtc
    /// Whether the gate's rules decide about a stale or missing status list; the status stage then only notes
    /// the answers. A credential that is revoked or suspended, or whose list is invalid, is refused in either
    /// case.
    package var decidesOnStatus = false
    /// The rule about repeated visits.
    package var replay = ReplayRule()
    /// The maximum age of a holder's proof.
    package var holderProofAge: Duration = .seconds(300)
    /// The name by which a holder's proof may name this gate as its audience; nil where the gate has none.
    package var audience: Text?
    /// The gate's own rules; nil: every credential of a trusted issuer is accepted.
    package var rules: GatePolicy?
    /// The direction of the gate, for rules with a direction.
    package var direction: GateDirection?

    /// Creates a policy with that name and profile and the documented defaults: any trusted issuer.
    package init(version: String = "any-trusted-issuer", profile: Profile? = nil) {
        self.version = version
        statedProfile = profile
    }

    /// Returns how strictly credentials are read: as the rules state, otherwise the configuration, otherwise
    /// the trust data; strictly where none of them states a profile.
    package func profile(over trusted: Profile?) -> Profile { statedProfile ?? trusted ?? .strict }
}
