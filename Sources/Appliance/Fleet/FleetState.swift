package import Credentials
package import Encoding
import Foundation
package import LinuxIO

/// The configuration of one gate of a fleet on its disk: the file that the service reads at its start, and beside it the signed bundle
/// that it came in, `PATH.bundle`, which says what number is in force, and the configuration before, `PATH.before`.
package struct FleetState: Sendable {
    /// Why a bundle is not taken.
    package enum Failure: Error, Sendable {
        /// This gate knows no operator's key.
        case noKeys
        /// The bundle itself is not acceptable.
        case bundle(TrustBundle.Failure)
        /// Its time was over at that date.
        case stale(Timestamp)
        /// It is older than the one in force, which has this version.
        case rollBack(offered: Int, installed: Int)
        /// It has the version of the one in force and another content.
        case conflict(Int)
        /// What is in it cannot be used here.
        case configuration(FleetConfiguration.Failure)
        /// The disk refused it.
        case disk(SystemError)
    }

    /// The configuration's file.
    package let file: String
    /// The gate.
    package let kiosk: String
    /// The keys that it knows.
    package let keys: [OperatorKey]

    /// The state beside a configuration that is in force.
    package init(_ configuration: Configuration, file: String) {
        (self.file, kiosk, keys) = (file, configuration.kiosk.id, configuration.fleet.keys)
    }

    /// Where the bundle is, once there is one.
    package var bundlePath: String { file + ".bundle" }

    /// The configuration before this one; nil where there is none that can be read.
    package var before: Configuration? { OwnerRole.of(beforePath) { try? Configuration.load(beforePath) } }

    private var beforePath: String { file + ".before" }

    /// The edition that is in force; nil where the configuration was written by hand.
    package var edition: TrustEdition? {
        let bytes = OwnerRole.of(bundlePath) { FileBytes.whole(bundlePath, limit: TrustBundle.Limits().bytes) }
        guard let bytes else { return nil }
        return try? TrustBundle(bytes, keys: keys, as: .configuration).edition
    }

    /// Puts this gate's part of a bundle in the place of its configuration, if one of the keys signed it and it is newer than the one
    /// in force. All of it is checked before anything is changed. The same bundle again mends what was changed by hand. Returns its
    /// edition, and whether the file is another than before. `isFit` looks whether the machine has what the configuration names, and
    /// throws what it lacks.
    package func install(
        _ bytes: [UInt8], at now: Timestamp,
        isFit: (Configuration) throws(FleetConfiguration.Failure) -> Void = { _ in },
        onStep: (DurableFile.Step) -> Void = { _ in }
    ) throws(Failure) -> (edition: TrustEdition, isNew: Bool) {
        guard !keys.isEmpty else { throw .noKeys }
        let bundle: TrustBundle
        do { bundle = try TrustBundle(bytes, keys: keys, as: .configuration) } catch { throw .bundle(error) }
        switch TrustSuccession(bundle.edition, after: edition) {
        case .rollBack(let version): throw .rollBack(offered: bundle.edition.version, installed: version)
        case .conflict: throw .conflict(bundle.edition.version)
        case .install:
            if bundle.edition.age(at: now) == .stale { throw .stale(bundle.edition.validUntil) }
        case .unchanged: break
        }
        let text: [UInt8]
        do {
            let made = try FleetConfiguration(bundle).document(
                for: kiosk, from: "configuration " + bundle.edition.name,
                in: (file as NSString).deletingLastPathComponent)
            text = made.text
            try isFit(made.configuration)
        } catch { throw .configuration(error) }
        let role = OwnerRole(of: file)
        defer { role?.end() }
        let before = FileBytes.whole(file, limit: TrustBundle.Limits().bytes)
        do {
            if before != text {
                if let before { try DurableFile.replace(beforePath, with: before) }
                try DurableFile.replace(file, with: text, onStep: onStep)
            }
            // Last: a cut before it leaves a number that the same import raises once more.
            try DurableFile.replace(bundlePath, with: bytes, onStep: onStep)
        } catch { throw .disk(error) }
        return (bundle.edition, before != text)
    }
}
