import Credentials
package import Kiosk
import Reasons

/// The trust data in use and, if other data should be in use, the fault of that data.
package struct TrustReading: Sendable {
    /// The trust data in use.
    package let directory: TrustDirectory
    /// The reason why the imported bundle is not in use; nil if there is no fault.
    package let fault: TrustDirectoryError?
    /// The bytes of the bundle if ``TrustState/remember(_:)`` has not stored it yet.
    let unkept: [UInt8]?

    /// Reports the faults of the trust data, and the end of earlier faults.
    package func tell(_ report: HealthReporter) {
        report(fault.map { .present(.trustBundle, detail: $0.summary) } ?? .over(.trustBundle))
        report(directory.store.lack.map { .present(.trustUnusable, detail: $0) } ?? .over(.trustUnusable))
    }
}

extension TrustStore {
    /// The reason why usable trust data admits no visitor; nil if it can admit visitors.
    package var lack: String? {
        let issuers = listedIssuers
        if issuers.isEmpty { return "no issuer is trusted: add an [[issuer]] to issuers.toml" }
        let signers = issuers.flatMap { [$0.id] + $0.controllers }
        guard rootIDs.isEmpty, signers.allSatisfy({ keys(of: $0) == nil }) else { return nil }
        return "no key of any issuer is known: pin their documents (gatehouse trust pin document), or a root"
    }
}

extension TrustDirectory {
    /// Returns the trust data of a gate without usable trust data. With these data the gate trusts no issuer.
    static func nobody() throws(TrustDirectoryError) -> TrustDirectory {
        try TrustDirectory(TrustMaterial(), rules: nil, name: "no trust data")
    }
}
