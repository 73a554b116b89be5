/// The relation of an offered bundle to the installed bundle. A lower version never replaces a higher version, so an
/// attacker with an old bundle cannot restore an issuer or a key that was withdrawn.
package enum TrustSuccession: Hashable, Sendable {
    /// The offered bundle is newer than the installed bundle, or no bundle is installed. The offered bundle is
    /// installed.
    case install
    /// The offered bundle is the installed bundle.
    case unchanged
    /// The offered bundle is older than the installed bundle, which has the version `installed`.
    case rollBack(installed: Int)
    /// The offered bundle has the version of the installed bundle but another content. A version number was used twice.
    case conflict

    /// Compares an offered edition with the installed edition.
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
