import Foundation
import TestKit
import Testing

/// The rings of ARCHITECTURE.md as data: the modules that each target may import. A module that is not in
/// this table fails the test, so a new dependency is a decision made in this table.
private let allowedImports: [String: Set<String>] = [
    // core
    "Encoding": ["CZlib"],
    "LinkedData": ["Encoding", "Crypto", "Synchronization"],  // a lock around the cache of processed contexts
    "Credentials": ["LinkedData", "Encoding", "Crypto", "CryptoExtras", "CSodium", "CLibcrypto", "SwiftASN1"],
    "BluetoothHost": ["Encoding", "Crypto", "CryptoExtras"],
    "Tuvali": ["Encoding", "Crypto"],
    "DIDComm": ["Encoding", "Crypto", "CSodium"],
    "Aries": ["DIDComm", "Encoding", "Crypto"],
    "Ledger": ["Encoding", "Crypto"],
    "Kiosk": ["Encoding", "Credentials", "BluetoothHost", "Tuvali", "Ledger"],
    "Observation": ["Encoding", "Credentials", "Ledger", "Crypto"],
    // adapters
    "LinuxIO": ["Encoding", "CLinuxShims", "CGPIO", "CQrencode", "Glibc", "Foundation", "Synchronization"],
    "Store": ["Ledger", "Encoding", "Crypto", "GRDB", "GRDBSQLite", "Foundation", "Glibc", "Dispatch"],
    "HTTPTransport": [
        "Encoding", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOFoundationCompat", "NIOPosix", "NIOSSL", "Foundation",
        "Synchronization",
    ],
    // kits
    "Simulation": [
        "Encoding", "Crypto", "BluetoothHost", "Tuvali", "Credentials", "DIDComm", "Aries", "Ledger", "Kiosk",
        "Synchronization",
    ],
    "Workbench": [
        "Simulation", "Appliance", "Encoding", "Crypto", "Tuvali", "Credentials", "DIDComm", "Aries", "Ledger", "Kiosk",
        "LinuxIO", "Store", "CDiskMeter", "Glibc", "Foundation", "Synchronization",
    ],
    // roots: they compose all targets but the kits, which only the command line imports
    "Appliance": [
        "Encoding", "Credentials", "BluetoothHost", "Tuvali", "Ledger", "Kiosk", "Aries", "DIDComm", "LinuxIO", "Store",
        "HTTPTransport", "Observation", "Crypto", "CryptoExtras", "Foundation", "Glibc", "Logging", "ServiceLifecycle",
        "Synchronization", "UnixSignals",
    ],
    "gatehouse": [
        "Appliance", "Workbench", "Simulation", "Observation", "Encoding", "LinkedData", "Credentials", "Tuvali",
        "Ledger", "Kiosk", "Aries", "LinuxIO", "Store", "HTTPTransport", "ArgumentParser", "Foundation", "Glibc",
        "Synchronization",
    ],
]

/// System libraries and C shims hold no Swift.
private let foreign: Set<String> = [
    "CZlib", "CLibcrypto", "CSodium", "CQrencode", "CLinuxShims", "CGPIO", "CDiskMeter", "CWipe",
]

@Suite struct ImportTableTests {
    private let sources = Vectors.repository.appendingPathComponent("Sources")

    @Test func everyTargetIsInTheTable() throws {
        let targets = try FileManager.default.contentsOfDirectory(atPath: sources.path)
        #expect(Set(targets).subtracting(foreign) == Set(allowedImports.keys))
    }

    @Test func arrowsPointInwardOnly() throws {
        var seen = 0
        for (target, allowed) in allowedImports {
            for file in swiftFiles(below: sources.appendingPathComponent(target)) {
                for module in try importedModules(of: file) {
                    seen += 1
                    #expect(allowed.contains(module), "\(target)/\(file.lastPathComponent) imports \(module)")
                }
            }
        }
        #expect(seen > 20)  // the scanner still finds imports
    }

    /// Independently of the table: a target that serves visitors does not import the kits, which simulate the
    /// outside world.
    @Test func nothingThatServesVisitorsKnowsTheKits() {
        let kits: Set<String> = ["Simulation", "Workbench"]
        for (target, allowed) in allowedImports where !kits.contains(target) && target != "gatehouse" {
            #expect(allowed.isDisjoint(with: kits), "\(target)")
        }
    }

    private func importedModules(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            var words = line.split(separator: " ").map(String.init)
            while let first = words.first,
                first.hasPrefix("@") || ["package", "public", "internal", "private", "fileprivate"].contains(first)
            {
                words.removeFirst()
            }
            guard words.first == "import" else { return nil }
            words.removeFirst()
            if let kind = words.first, ["struct", "class", "enum", "func", "protocol", "typealias"].contains(kind) {
                words.removeFirst()
            }
            return words.first.map { String($0.split(separator: ".")[0]) }
        }
    }
}

/// All Swift files below a folder.
func swiftFiles(below folder: URL) -> [URL] {
    let entries = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (entries?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        .sorted { $0.path < $1.path }
}
