package import Credentials
package import Encoding
import Foundation
package import LinuxIO
package import Settings

/// The configuration of one gate of a fleet on its disk: the file that the service reads at its start; next
/// to it the signed bundle that contained the configuration and that holds the version in force,
/// `PATH.bundle`; and the previous configuration, `PATH.before`.
package struct FleetState: Sendable {
    /// Why a bundle is not accepted.
    package enum Failure: Error, Sendable {
        /// The gate has no operator's key, so it can check no bundle.
        case noKeys
        /// The bundle is not acceptable, for the given reason.
        case bundle(TrustBundle.Failure)
        /// The validity of the bundle ended at the given date.
        case stale(Timestamp)
        /// The offered bundle has the version `offered`, which is older than `installed`, the version in
        /// force.
        case rollBack(offered: Int, installed: Int)
        /// The bundle has the version in force, but different content. The payload is that version.
        case conflict(Int)
        /// The configuration in the bundle cannot be used at this gate, for the given reason.
        case configuration(FleetConfiguration.Failure)
        /// The configuration could not be written to the disk, for the given reason.
        case disk(SystemError)
    }

    /// The path of the configuration's file.
    package let file: String
    /// The `kiosk.id` of this gate.
    package let kiosk: String
    /// The operator's keys that the gate accepts.
    package let keys: [OperatorKey]

    /// Creates the state for a configuration that is in force.
    package init(_ configuration: Configuration, file: String) {
        (self.file, kiosk, keys) = (file, configuration.kiosk.id, configuration[FleetSection.self].keys)
    }

    /// The path of the bundle next to the configuration file. The file exists after the first import.
    package var bundlePath: String { file + ".bundle" }

    /// The previous configuration; nil if no readable one exists.
    package var before: Configuration? { OwnerRole.of(beforePath) { try? Configuration.load(beforePath) } }

    private var beforePath: String { file + ".before" }

    /// The edition in force; nil if the configuration was written by hand.
    package var edition: TrustEdition? {
        let bytes = OwnerRole.of(bundlePath) { FileBytes.whole(bundlePath, limit: TrustBundle.Limits().bytes) }
        guard let bytes else { return nil }
        return try? TrustBundle(bytes, keys: keys, as: .configuration).edition
    }

    /// Replaces the gate's configuration by the gate's part of a bundle, if one of the operator's keys signed
    /// the bundle and the bundle is newer than the one in force. Everything is checked before anything is
    /// changed. Installing the same bundle again undoes changes that were made by hand. `isFit` checks
    /// whether the machine has the files and devices that the configuration names, and throws an error that
    /// says what is missing. Returns the bundle's edition, and whether the file has changed.
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
            // Write the bundle last. After a power cut before this step the old version is still stored, so the import
            // can be repeated.
            try DurableFile.replace(bundlePath, with: bytes, onStep: onStep)
        } catch { throw .disk(error) }
        return (bundle.edition, before != text)
    }
}
