import Foundation
import TestKit
import Testing

/// Only `FileBytes` and `OpenFile`, which do not block on a pipe and have a size limit, read the files of a gate: their
/// owner may have replaced them with anything.
@Suite struct FileReadingTests {
    /// Functions of Foundation that block on a pipe, or read without a limit.
    private static let waiting = [
        "contents(atPath:", "forReadingAtPath:", "forWritingAtPath:", "Data(contentsOf:", "String(contentsOf:",
    ]
    /// Files that the program itself has just made: the output of systemctl, and a forged database.
    private static let own: Set = ["ServiceStart.swift", "ForgedLedger.swift"]

    @Test func nothingWaitsForAPipe() throws {
        let text = try String(
            contentsOf: Vectors.repository.appendingPathComponent("Package.swift"), encoding: .utf8)
        let targets = Manifest(text).targets.filter {
            $0.folder.hasPrefix("Sources/") || $0.folder.hasPrefix("Tools/")
        }
        var checked = 0
        for target in targets {
            let files = swiftFiles(below: Vectors.repository.appendingPathComponent(target.folder))
            for file in files where !Self.own.contains(file.lastPathComponent) {
                checked += 1
                let text = try String(contentsOf: file, encoding: .utf8)
                for way in Self.waiting { #expect(!text.contains(way), "\(file.lastPathComponent): \(way)") }
            }
        }
        #expect(checked > 900)
    }
}
