/// How strictly credentials are read (Tests/Vectors/README.md, "Profiles").
package enum Profile: String, Sendable {
    /// Every claim must be signed, no inline contexts unless the issuer's entry allows them, dates with a zone.
    case strict
    /// What MOSIP and others really issue: unsigned members are hidden and listed, inline contexts are processed, dates
    /// without zone are UTC. Trust, binding, signatures, validity and status are as in ``strict``.
    case compat
}
