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
        let isEmpty = directory.material.issuers.isEmpty
        report(
            isEmpty
                ? .present(.trustUnusable, detail: "nobody is trusted: add an [[issuer]] to issuers.toml")
                : .over(.trustUnusable))
    }
}

extension TrustDirectory {
    /// What a gate judges by that has no usable trust data: nobody is trusted.
    static func nobody() throws(TrustDirectoryError) -> TrustDirectory {
        try TrustDirectory(TrustMaterial(), profile: nil, rules: nil, name: "no trust data")
    }
}
