package import Credentials
package import LinuxIO

/// The reason why an imported bundle is rejected.
package enum TrustImportFailure: Error, Sendable {
    /// The gate has no key of an operator, so it cannot verify a bundle.
    case noKeys
    /// The bundle is invalid, for the given reason.
    case bundle(TrustBundle.Failure)
    /// The bundle has the version `offered`, which is lower than `installed`, the version in force.
    case rollBack(offered: Int, installed: Int)
    /// The bundle has the given version, which is in force, but a different content.
    case conflict(Int)
    /// The trust data in the bundle cannot be used, for the given reason.
    case directory(TrustDirectoryError)
    /// The bundle could not be stored, for the given reason.
    case disk(SystemError)

    /// The reason in plain words. Of several problems of the trust data, only the first is described.
    package var text: String {
        switch self {
        case .noKeys: "no operator's key is configured on this gate"
        case .bundle(let failure): "\(failure)"
        case .rollBack(let offered, let installed):
            "bundle \(offered) is older than bundle \(installed), which is in force"
        case .conflict(let version): "another bundle \(version) is in force"
        case .directory(let error): error.summary
        case .disk(let error): "\(error)"
        }
    }

    /// The remedy in plain words.
    package var remedy: String {
        switch self {
        case .noKeys: "add it to trust.bundleKeys in the configuration"
        case .bundle(let failure): failure.remedy
        case .rollBack: "import the newest one; gates never accept an older bundle"
        case .conflict: "sign the new one with a higher version"
        case .directory: "ask your operator to correct the directory and sign it again"
        case .disk(let error): error.remedy
        }
    }
}

extension TrustBundle.Failure {
    /// The remedy in plain words.
    package var remedy: String {
        switch self {
        case .wrongSignature: "compare trust.bundleKeys with the operator's key, and fetch the bundle again"
        case .unknownFormat: "update this program"
        default: "fetch the bundle again from your operator"
        }
    }
}
