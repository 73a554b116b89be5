package import Credentials
package import LinuxIO

/// The reason why a bundle is refused.
package enum TrustImportFailure: Error, Sendable {
    /// The gate has no operator's key and therefore cannot check any bundle.
    case noKeys
    /// The bundle is not acceptable, for the given reason.
    case bundle(TrustBundle.Failure)
    /// The bundle has the version `offered`, which is lower than `installed`, the version in force.
    case rollBack(offered: Int, installed: Int)
    /// The bundle has the version in force, which is the value, but another content.
    case conflict(Int)
    /// The content of the bundle cannot be used, for the given reason.
    case directory(TrustDirectoryError)
    /// The disk refused to store the bundle, for the given reason.
    case disk(SystemError)

    /// The description in plain words. Of several problems of the content, only the first is described.
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

    /// The remedy for the operator.
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
    /// The remedy.
    package var remedy: String {
        switch self {
        case .wrongSignature: "compare trust.bundleKeys with the operator's key, and fetch the bundle again"
        case .unknownFormat: "update this program"
        default: "fetch the bundle again from your operator"
        }
    }
}
