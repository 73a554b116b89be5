/// The strictness of reading credentials (Tests/Vectors/README.md, "Profiles").
package enum Profile: String, CaseIterable, Sendable {
    /// Every claim must be signed, inline contexts are refused unless the issuer's entry allows them, and dates need a
    /// zone.
    case strict
    /// Accepts the practice of MOSIP and others. Unsigned members are listed but not used, inline contexts are
    /// processed, and dates without a zone are in UTC. Trust, binding, signatures, validity and status are checked as
    /// in ``strict``.
    case compat
}
