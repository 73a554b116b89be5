import Foundation
import TestKit
import Testing

/// The fuzz targets are a separate package, built from the product's sources.
@Suite struct FuzzPackageTests {
    @Test func dependenciesAreTheProductsOwn() throws {
        let product = try pins(in: "Package.swift")
        let fuzz = try pins(in: "Tests/Fuzz/Package.swift")
        #expect(!fuzz.isEmpty)
        #expect(fuzz.isSubset(of: product), "\(fuzz.subtracting(product).sorted())")
    }

    @Test func languageIsTheSame() throws {
        #expect(try features(in: "Package.swift") == features(in: "Tests/Fuzz/Package.swift"))
    }

    private func pins(in manifest: String) throws -> Set<String> {
        try lines(of: manifest) { $0.hasPrefix(".package(") }
    }

    private func features(in manifest: String) throws -> Set<String> {
        try lines(of: manifest) { $0.hasPrefix(".enableUpcomingFeature(") || $0.hasPrefix(".swiftLanguageMode(") }
    }

    private func lines(of manifest: String, where isWanted: (String) -> Bool) throws -> Set<String> {
        let text = try String(contentsOf: Vectors.repository.appendingPathComponent(manifest), encoding: .utf8)
        return Set(text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter(isWanted))
    }
}
