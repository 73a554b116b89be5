package import Credentials
package import Encoding
import Foundation
package import LinuxIO
package import Settings

/// The files with the configuration of one gate of a fleet: the configuration itself, which the service reads at its
/// start; next to it `PATH.bundle`, the signed bundle from which it was installed and whose version is in force; and
/// `PATH.before`, the previous configuration.
package struct FleetState: Sendable {
    /// The reason why a bundle is not installed.
    package enum Failure: Error, Sendable {
        /// The gate has no key of an operator, so it cannot verify a bundle.
        case noKeys
        /// The bundle is invalid, for the given reason.
        case bundle(TrustBundle.Failure)
        /// The validity of the bundle ended at the given date.
        case stale(Timestamp)
        /// The offered bundle has the version `offered`, which is older than `installed`, the version in
        /// force.
        case rollBack(offered: Int, installed: Int)
        /// The bundle has the given version, which is in force, but a different content.
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

    /// Creates the object for the configuration in force, which was read from the path `file`.
    package init(_ configuration: Configuration, file: String) {
        (self.file, kiosk, keys) = (file, configuration.kiosk.id, configuration[FleetSection.self].keys)
    }

    /// The path of the bundle. The file exists after the first installation.
    package var bundlePath: String { file + ".bundle" }

    /// The previous configuration; nil if there is none or it cannot be read.
    package var before: Configuration? { OwnerRole.of(beforePath) { try? Configuration.load(beforePath) } }

    private var beforePath: String { file + ".before" }

    /// The edition of the bundle in force; nil if there is no valid bundle, for example because the configuration was
    /// written by hand.
    package var edition: TrustEdition? {
        let bytes = OwnerRole.of(bundlePath) { FileBytes.whole(bundlePath, limit: TrustBundle.Limits().bytes) }
        guard let bytes else { return nil }
        return try? TrustBundle(bytes, keys: keys, as: .configuration).edition
    }

    /// Replaces the gate's configuration by the gate's part of a bundle. One of the operators' keys must have signed
    /// the bundle, and it must be newer than the bundle in force or equal to it. An equal bundle undoes changes that
    /// were made by hand. All checks come before the first change. `isFit` throws an error if the machine lacks a
    /// file or a device that the configuration names. Returns the edition of the bundle, and whether the
    /// configuration file has changed.
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
            // Write the bundle last. If the power is cut before, the old version stays in force, so the installation
            // can be repeated.
            try DurableFile.replace(bundlePath, with: bytes, onStep: onStep)
        } catch { throw .disk(error) }
        return (bundle.edition, before != text)
    }
}
