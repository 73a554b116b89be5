package import Credentials
package import LinuxIO

/// Why a bundle is not taken.
package enum TrustImportFailure: Error, Sendable {
    /// This gate knows no operator's key.
    case noKeys
    /// The bundle itself is not acceptable.
    case bundle(TrustBundle.Failure)
    /// It is older than the one in force, which has this version.
    case rollBack(offered: Int, installed: Int)
    /// It has the version of the one in force and another content.
    case conflict(Int)
    /// What is in it cannot be used.
    case directory(TrustDirectoryError)
    /// The disk refused it.
    case disk(SystemError)

    /// What is wrong, in plain words; of what is in it the first thing.
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

    /// What to do about it.
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
    /// What to do about it.
    package var remedy: String {
        switch self {
        case .wrongSignature: "compare trust.bundleKeys with the operator's key, and fetch the bundle again"
        case .unknownFormat: "update this program"
        default: "fetch the bundle again from your operator"
        }
    }
}
