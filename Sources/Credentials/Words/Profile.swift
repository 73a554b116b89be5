/// How strictly credentials are read (Tests/Vectors/README.md, "Profiles").
package enum Profile: String, CaseIterable, Sendable {
    /// Every claim must be signed, inline contexts are refused unless the issuer's entry allows them, dates
    /// need a zone.
    case strict
    /// Accepts what MOSIP and others really issue: unsigned members are hidden and listed, inline contexts
    /// are processed, dates without zone are UTC. Trust, binding, signatures, validity and status are checked
    /// as in ``strict``.
    case compat
}
