package import Credentials
package import LinuxIO

/// The reason why a bundle is refused.
package enum TrustImportFailure: Error, Sendable {
    /// This gate has no operator's key.
    case noKeys
    /// The bundle itself is not acceptable.
    case bundle(TrustBundle.Failure)
    /// The bundle has the version `offered`, and the one in force has the higher version `installed`.
    case rollBack(offered: Int, installed: Int)
    /// The bundle has the same version as the one in force, but another content. The value is that version.
    case conflict(Int)
    /// The content of the bundle cannot be used.
    case directory(TrustDirectoryError)
    /// The disk refused the bundle.
    case disk(SystemError)

    /// The description, in plain words; of several problems of the content the first one.
    package var text: String {
        switch self {
        case .noKeys: "this gate knows no operator's key"
        case .bundle(let failure): "\(failure)"
        case .rollBack(let offered, let installed):
            "bundle \(offered) is older than bundle \(installed), which is in force"
        case .conflict(let version): "another bundle \(version) is in force"
        case .directory(let error): error.summary
        case .disk(let error): "\(error)"
        }
    }

    /// The remedy.
    package var remedy: String {
        switch self {
        case .noKeys: "write it into trust.bundleKeys of the configuration"
        case .bundle(let failure): failure.remedy
        case .rollBack: "import the newest one; gates never go back"
        case .conflict: "sign the new one with a higher version"
        case .directory: "have your operator correct the directory and sign it anew"
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
