/// The relation of an offered bundle to the bundle in force. A version is never accepted after a higher one,
/// so that an attacker with an old bundle cannot bring back an issuer or a key that was withdrawn since.
package enum TrustSuccession: Hashable, Sendable {
    /// The offered bundle is newer and replaces the bundle in force.
    case install
    /// The offered bundle is the bundle in force.
    case unchanged
    /// The offered bundle is older than the bundle in force, which has the version `installed`.
    case rollBack(installed: Int)
    /// The offered bundle has the version of the one in force but another content: a version number was used
    /// twice.
    case conflict

    /// Decides what is done with an offered edition.
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
