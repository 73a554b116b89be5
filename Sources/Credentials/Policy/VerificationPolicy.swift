package import Encoding

/// The gate's rules for one verification.
package struct VerificationPolicy: Sendable {
    /// Name of this policy in verdicts and records.
    package var version: String
    /// How strictly credentials are read, where the rules or the configuration say; nil: what the trust data say.
    package var statedProfile: Profile?
    /// How far the clocks of issuer and gate may differ.
    package var clockSkew: Duration = .seconds(60)
    /// The least trusted source of the date under which anything is accepted; below it: `clock.untrusted`.
    package var minimumClock: WallTime.Provenance = .rtc
    /// Whether the gate's rules decide on a stale or missing status list; the status stage then only notes the answers. A
    /// credential that is revoked or suspended, or whose list is wrong, is refused in either case.
    package var decidesOnStatus = false
    /// What counts as the same visitor again, and what follows.
    package var replay = ReplayRule()
    /// Age of a holder's proof at most.
    package var holderProofAge: Duration = .seconds(300)
    /// The name by which a holder's proof may name this gate as its audience; nil where the gate has none.
    package var audience: Text?
    /// The gate's own rules; nil accepts from any trusted issuer.
    package var rules: GatePolicy?
    /// Which way the gate leads, for rules that ask.
    package var direction: GateDirection?

    /// A policy of that name and profile with the documented defaults: any trusted issuer.
    package init(version: String = "any-trusted-issuer", profile: Profile? = nil) {
        self.version = version
        statedProfile = profile
    }

    /// How strictly credentials are read: as the rules say, else the configuration, else the trust data; strictly where
    /// none of them says anything.
    package func profile(over trusted: Profile?) -> Profile { statedProfile ?? trusted ?? .strict }
}
