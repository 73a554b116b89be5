/// Which bundle may follow which: versions only grow, so that nobody who keeps an old bundle can bring back an issuer or a key
/// that was withdrawn since.
package enum TrustSuccession: Hashable, Sendable {
    /// It takes the place of the one in force.
    case install
    /// It is the one in force.
    case unchanged
    /// It is older than the one in force, of this version.
    case rollBack(installed: Int)
    /// It has the version of the one in force but another content: somebody has used a number twice.
    case conflict

    /// What is to be done with an offered edition.
    package init(_ offered: TrustEdition, after installed: TrustEdition?) {
        guard let installed else {
            self = .install
            return
        }
        if offered.version > installed.version {
            self = .install
        } else if offered.version < installed.version {
            self = .rollBack(installed: installed.version)
        } else {
            self = offered.digest == installed.digest ? .unchanged : .conflict
        }
    }
}
