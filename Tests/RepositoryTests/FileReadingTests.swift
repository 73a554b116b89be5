import Foundation
import TestKit
import Testing

/// Only `FileBytes`, which does not block on a pipe and has a size limit, reads the files of a gate: their
/// owner may have replaced them with anything.
@Suite struct FileReadingTests {
    /// Functions of Foundation that block on a pipe, or read without a limit.
    private static let waiting = [
        "contents(atPath:", "forReadingAtPath:", "forWritingAtPath:", "Data(contentsOf:", "String(contentsOf:",
    ]
    /// A file that the command has just created for the output of systemctl.
    private static let own: Set = ["ServiceStart.swift"]

    @Test(
        arguments: [
            "Administration", "Settings", "TrustFiles", "Courier", "GateService", "Monitoring", "Backup",
            "Commissioning", "Appliance", "Store", "LinuxIO", "HTTPTransport", "Console", "gatehouse",
        ])
    func nothingWaitsForAPipe(_ module: String) throws {
        let folder = Vectors.repository.appendingPathComponent("Sources/" + module)
        let files = swiftFiles(below: folder).filter { !Self.own.contains($0.lastPathComponent) }
        #expect(files.count > 3)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for way in Self.waiting { #expect(!text.contains(way), "\(file.lastPathComponent): \(way)") }
        }
    }
}
