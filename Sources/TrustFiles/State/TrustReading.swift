import Credentials
package import Kiosk
import Reasons

/// The trust data to use. If the imported bundle could not be used, also the reason.
package struct TrustReading: Sendable {
    /// The trust data to use.
    package let directory: TrustDirectory
    /// The reason why the imported bundle is not used; nil if it is used or the gate needs none.
    package let fault: TrustDirectoryError?
    /// The content of the bundle, if ``TrustState/remember(_:)`` must still store it; nil otherwise.
    let unkept: [UInt8]?

    /// Reports the faults of the trust data, or their ends.
    package func tell(_ report: HealthReporter) {
        report(fault.map { .present(.trustBundle, detail: $0.summary) } ?? .over(.trustBundle))
        report(directory.store.lack.map { .present(.trustUnusable, detail: $0) } ?? .over(.trustUnusable))
    }
}

extension TrustStore {
    /// The reason why usable trust data admit no visitor; nil if they can admit visitors.
    package var lack: String? {
        let issuers = listedIssuers
        if issuers.isEmpty { return "no issuer is trusted: add an [[issuer]] to issuers.toml" }
        let signers = issuers.flatMap { [$0.id] + $0.controllers }
        guard rootIDs.isEmpty, signers.allSatisfy({ keys(of: $0) == nil }) else { return nil }
        return "no key of any issuer is known: pin their documents (gatehouse trust pin document), or a root"
    }
}

extension TrustDirectory {
    /// Returns trust data without any issuer, for a gate without usable trust data.
    static func nobody() throws(TrustDirectoryError) -> TrustDirectory {
        try TrustDirectory(TrustMaterial(), rules: nil, name: "no trust data")
    }
}
