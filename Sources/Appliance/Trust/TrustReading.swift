import Credentials
package import Kiosk

/// Trust data to judge by, and what is wrong with those that ought to be in force.
package struct TrustReading: Sendable {
    /// What to judge by.
    package let directory: TrustDirectory
    /// Why the bundle that was imported is not it; nil when all is as it should be.
    package let fault: TrustDirectoryError?
    /// The bundle as it came, where it is not yet the one that ``TrustState/remember(_:)`` kept.
    let unkept: [UInt8]?

    /// Tells what is wrong with these data, and what is no more.
    package func tell(_ report: HealthReporter) {
        report(fault.map { .present(.trustBundle, detail: $0.summary) } ?? .over(.trustBundle))
        report(directory.store.lack.map { .present(.trustUnusable, detail: $0) } ?? .over(.trustUnusable))
    }
}

extension TrustStore {
    /// Why nobody at all can be let in by these data, although they can be used; nil: somebody can.
    var lack: String? {
        let issuers = listedIssuers
        if issuers.isEmpty { return "nobody is trusted: add an [[issuer]] to issuers.toml" }
        let signers = issuers.flatMap { [$0.id] + $0.controllers }
        guard rootIDs.isEmpty, signers.allSatisfy({ keys(of: $0) == nil }) else { return nil }
        return "no key of any issuer is known: pin their documents (gatehouse trust pin document), or a root"
    }
}

extension TrustDirectory {
    /// What a gate judges by that has no usable trust data: nobody is trusted.
    static func nobody() throws(TrustDirectoryError) -> TrustDirectory {
        try TrustDirectory(TrustMaterial(), rules: nil, name: "no trust data")
    }
}
