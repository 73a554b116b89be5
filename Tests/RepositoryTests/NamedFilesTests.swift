import Foundation
import TestKit
import Testing

/// The documents that the program refers to exist on the gate: the package installs them under the names that
/// the program prints.
@Suite struct NamedFilesTests {
    private static let documents = "/usr/share/doc/gatehouse/"

    @Test func namedFilesAreInstalled() throws {
        let install = try String(
            contentsOf: Vectors.repository.appendingPathComponent("deploy/install"), encoding: .utf8)
        var found = 0
        for file in swiftFiles(below: Vectors.repository.appendingPathComponent("Sources")) {
            let literals = SwiftSource(try String(contentsOf: file, encoding: .utf8)).literals
            for literal in literals where !literal.text.contains("from its sources: sudo deploy/install") {
                let place = "\(file.lastPathComponent):\(literal.line)"
                for match in literal.text.matches(
                    of: /(\/usr\/share\/(?:doc\/)?gatehouse\/|)((?:docs|hardware|deploy)\/[a-z\/-]+(?:\.[a-z]+)?)/)
                {
                    #expect(match.1 == Self.documents && !match.2.hasPrefix("deploy"), "\(place): \(match.0)")
                    let path = Vectors.repository.appendingPathComponent(String(match.2)).path
                    #expect(FileManager.default.fileExists(atPath: path), "\(place): \(match.0)")
                    found += 1
                }
                for match in literal.text.matches(of: /\/usr\/share\/gatehouse\/[a-z-]+\.[a-z]+/) {
                    #expect(install.contains(" \(match.0)\n"), "\(place): \(match.0)")
                }
            }
        }
        #expect(found > 6)
    }
}
