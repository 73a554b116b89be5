import Foundation
import TestKit
import Testing

/// The rings of ARCHITECTURE.md as data: the modules that each target imports. An import that is not in this table
/// fails the test, and so does a row without its import: a dependency is a decision that is made here.
private let imports: [String: Set<String>] = [
    // core
    "Encoding": ["CZlib", "Glibc"],  // inet_pton(3), which reads an address and does nothing else
    "Reasons": ["Encoding"],
    // a lock around the cache of processed contexts; vsnprintf(3), which writes the digits of a double
    "LinkedData": ["Encoding", "Crypto", "Synchronization", "Glibc"],
    "Credentials": [
        "LinkedData", "Reasons", "Encoding", "Crypto", "CryptoExtras", "CSodium", "CLibcrypto", "SwiftASN1",
    ],
    "BluetoothHost": ["Encoding", "Crypto", "CryptoExtras"],
    "Tuvali": ["Encoding", "Crypto"],
    "DIDComm": ["Encoding", "CSodium"],
    "Aries": ["DIDComm", "Encoding", "Crypto"],
    "Mailboxes": ["Aries", "DIDComm", "Encoding", "Crypto"],
    "Ledger": ["Encoding", "Crypto"],
    "Kiosk": ["Encoding", "Reasons", "Credentials", "BluetoothHost", "Tuvali", "Ledger"],
    "Observation": ["Kiosk", "Credentials", "Encoding", "Reasons", "Ledger", "Crypto"],
    // adapters
    "Clocks": ["Encoding", "Glibc"],
    "LinuxIO": [
        "Clocks", "Encoding", "CLinuxShims", "CGPIO", "SystemPackage", "Glibc", "Foundation", "Synchronization",
    ],
    "Displays": ["LinuxIO", "Encoding", "CLinuxShims", "CQrencode", "Glibc", "Synchronization"],
    "Store": [
        "LinuxIO", "Clocks", "Ledger", "Encoding", "Crypto", "GRDB", "GRDBSQLite", "Foundation", "Glibc", "Dispatch",
        "Synchronization",
    ],
    "HTTPTransport": [
        "Encoding", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Foundation", "Synchronization",
    ],
    // services: one subject each. GateService imports neither HTTP nor agents
    "Administration": ["Clocks", "Encoding", "Reasons", "LinuxIO", "Synchronization"],
    "Settings": [
        "Encoding", "Credentials", "Tuvali", "Ledger", "Kiosk", "Mailboxes", "Aries", "DIDComm", "LinuxIO", "Crypto",
        "Foundation", "Glibc",
    ],
    "TrustFiles": ["Settings", "Encoding", "Reasons", "Credentials", "Kiosk", "LinuxIO", "Crypto", "Foundation"],
    "Courier": [
        "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Encoding", "Reasons", "Credentials",
        "Ledger", "Kiosk", "Mailboxes", "Aries", "DIDComm", "LinuxIO", "Store", "HTTPTransport", "Foundation", "Glibc",
        "ServiceLifecycle", "Synchronization",
    ],
    "GateService": [
        "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Encoding", "Reasons", "Credentials",
        "BluetoothHost", "Tuvali", "Ledger", "Kiosk", "LinuxIO", "Store", "Crypto", "Foundation", "Glibc",
        "ServiceLifecycle", "Synchronization",
    ],
    "Monitoring": [
        "GateService", "TrustFiles", "Settings", "Administration", "Clocks", "Encoding", "Reasons", "Credentials",
        "Ledger", "Kiosk", "Observation", "LinuxIO", "Store", "ServiceLifecycle", "Synchronization",
    ],
    // optional parts of a gate
    "Features": [
        "Monitoring", "GateService", "Settings", "Administration", "Clocks", "Observation", "Encoding", "Reasons",
        "Credentials", "Tuvali", "Ledger", "Kiosk", "Displays", "LinuxIO", "Store", "HTTPTransport", "Crypto",
        "Foundation", "Glibc", "ServiceLifecycle", "Synchronization",
    ],
    // code that only commands use
    "Backup": [
        "Features", "GateService", "TrustFiles", "Settings", "Encoding", "Reasons", "Credentials", "Ledger", "LinuxIO",
        "Store", "Crypto", "CryptoExtras", "Foundation", "Glibc",
    ],
    "Commissioning": [
        "Features", "Courier", "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Encoding",
        "Reasons", "Credentials", "Ledger", "Kiosk", "Aries", "DIDComm", "LinuxIO", "Store", "HTTPTransport", "Crypto",
        "Foundation", "Glibc", "Synchronization",
    ],
    // the code that both programs use
    "Console": [
        "Settings", "Clocks", "Encoding", "LinuxIO", "ArgumentParser", "Foundation", "Glibc", "Synchronization",
    ],
    // kits
    "Simulation": [
        "Encoding", "Reasons", "Credentials", "DIDComm", "Mailboxes", "Aries", "Ledger", "Kiosk", "Crypto",
        "Synchronization",
    ],
    "Workbench": [
        "Simulation", "GateService", "Clocks", "Encoding", "Tuvali", "Reasons", "Credentials", "DIDComm", "Aries",
        "Ledger", "Kiosk", "LinuxIO", "Store", "Crypto", "CDiskMeter", "Glibc", "Foundation", "Synchronization",
    ],
    "NQuads": ["LinkedData", "Encoding"],
    "Workshop": [
        "Console", "Workbench", "Simulation", "Commissioning", "Features", "GateService", "TrustFiles", "Settings",
        "Clocks", "Encoding", "Reasons", "NQuads", "LinkedData", "Credentials", "Tuvali", "Ledger", "Kiosk", "LinuxIO",
        "Store",
        "ArgumentParser", "Foundation", "Glibc",
    ],
    // roots: they put the services together, and only the command line knows the kits and what only commands use
    "Appliance": [
        "Features", "Monitoring", "GateService", "Courier", "TrustFiles", "Settings", "Administration", "Clocks",
        "Encoding", "Reasons", "Credentials", "Kiosk", "LinuxIO", "Store", "Logging", "ServiceLifecycle",
        "Synchronization", "UnixSignals",
    ],
    "gatehouse": [
        "Appliance", "Console", "Commissioning", "Backup", "Features", "Monitoring", "GateService", "Courier",
        "TrustFiles", "Settings", "Administration", "Workbench", "Simulation", "Clocks", "Observation", "Encoding",
        "Reasons", "Credentials", "Tuvali", "Ledger", "Kiosk", "Aries", "Displays", "LinuxIO", "Store", "HTTPTransport",
        "ArgumentParser", "Foundation", "Glibc", "Synchronization",
    ],
]

/// The targets of this package, without system libraries and C shims, that two targets need, themselves included. The
/// first target composes `gatehouse run`; the second will be the program without HTTP.
private let reached: [String: Set<String>] = [
    "Appliance": [
        "Appliance", "Features", "Monitoring", "GateService", "Courier", "TrustFiles", "Settings", "Administration",
        "HTTPTransport", "Store", "Displays", "LinuxIO", "Clocks", "Observation", "Kiosk", "Ledger", "Mailboxes",
        "Aries", "DIDComm", "Tuvali", "BluetoothHost", "Credentials", "LinkedData", "Reasons", "Encoding",
    ],
    // Mailboxes, Aries and DIDComm only for the values of the configuration.
    "GateService": [
        "GateService", "TrustFiles", "Settings", "Administration", "Store", "LinuxIO", "Clocks", "Observation",
        "Kiosk", "Ledger", "Mailboxes", "Aries", "DIDComm", "Tuvali", "BluetoothHost", "Credentials",
        "LinkedData", "Reasons", "Encoding",
    ],
]

/// The libraries of other packages that those targets need: GateService needs none that speaks HTTP.
private let libraries: [String: Set<String>] = [
    "Appliance": [
        "AsyncHTTPClient", "Crypto", "CryptoExtras", "GRDB", "GRDBSQLite", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix",
        "NIOSSL", "ServiceLifecycle", "SwiftASN1", "SystemPackage", "UnixSignals",
    ],
    "GateService": [
        "Crypto", "CryptoExtras", "GRDB", "GRDBSQLite", "ServiceLifecycle", "SwiftASN1", "SystemPackage",
    ],
]

/// System libraries and C shims hold no Swift.
private let foreign: Set<String> = [
    "CZlib", "CLibcrypto", "CSodium", "CQrencode", "CLinuxShims", "CGPIO", "CDiskMeter", "CWipe",
]
/// Modules of the toolchain, which no manifest names.
private let toolchain: Set<String> = ["Foundation", "Glibc", "Synchronization", "Dispatch", "Testing"]
/// Dependencies that a target links or starts, and does not import.
private let notImported: [String: Set<String>] = ["gatehouse": ["CWipe"], "TestStepsTests": ["step-runner"]]

@Suite struct ImportTableTests {
    private let sources = Vectors.repository.appendingPathComponent("Sources")

    private func manifest() throws -> Manifest {
        Manifest(
            try String(contentsOf: Vectors.repository.appendingPathComponent("Package.swift"), encoding: .utf8))
    }

    @Test func everyTargetIsInTheTable() throws {
        let targets = try ["/Sources", "/Tools"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: Vectors.repository.path + folder)
        }
        #expect(Set(targets).subtracting(foreign) == Set(imports.keys))
        let manifest = try manifest()
        #expect(Set(manifest.targets.map(\.name)).isSuperset(of: targets))
        // The reader finds each folder of tests too.
        let tests = try FileManager.default.contentsOfDirectory(atPath: sources.path + "/../Tests")
        #expect(Set(manifest.targets.map(\.name)).isSuperset(of: tests.filter { $0.hasSuffix("Tests") }))
    }

    /// A target imports what the table says, and depends in `Package.swift` on exactly that.
    @Test func manifestTableAndImportsAreTheSame() throws {
        var seen = 0
        for target in try manifest().targets {
            let files = swiftFiles(below: Vectors.repository.appendingPathComponent(target.folder))
            #expect(!files.isEmpty || imports[target.name] == nil, "no sources in \(target.folder)")
            if files.isEmpty { continue }
            var found: [String: String] = [:]
            for file in files {
                for module in ImportLines.modules(in: try String(contentsOf: file, encoding: .utf8)) {
                    found[module] = file.lastPathComponent
                }
            }
            seen += found.count
            for module in Set(found.keys).symmetricDifference(imports[target.name] ?? Set(found.keys)) {
                Issue.record(
                    found[module].map { "\(target.name)/\($0) imports \(module), which the table lacks" }
                        ?? "the table says that \(target.name) imports \(module), and it does not")
            }
            let differences = Self.differences(of: target, importing: Set(found.keys))
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }
        #expect(seen > 200)  // the scanner still finds imports
    }

    /// Each dependency without an import, and each import without a dependency.
    private static func differences(of target: Manifest.Target, importing modules: Set<String>) -> [String] {
        let isTests = target.folder.hasPrefix("Tests/") && target.name.hasSuffix("Tests")
        let unused = (notImported[target.name] ?? []).union(isTests ? ["TestKit"] : [])
        let needless = target.dependencies.subtracting(unused).subtracting(modules)
        let missing = modules.subtracting(toolchain).subtracting(target.dependencies)
        return needless.sorted().map { "\(target.name) depends on \($0) and does not import it" }
            + missing.sorted().map { "\(target.name) imports \($0) and does not depend on it" }
    }

    /// A core has no clock and no I/O, so its one import of Glibc is for a function that has neither.
    @Test(arguments: ["Encoding": "HostAddress.swift", "LinkedData": "RDFNumber.swift"])
    func aCoreUsesTheSystemForOneFunction(_ core: String, _ user: String) throws {
        let users = try swiftFiles(below: sources.appendingPathComponent(core)).filter {
            ImportLines.modules(in: try String(contentsOf: $0, encoding: .utf8)).contains("Glibc")
        }
        #expect(users.map(\.lastPathComponent) == [user])
    }

    @Test func noTargetNeedsItself() throws {
        let manifest = try manifest()
        #expect(manifest.cycles.isEmpty)
        #expect(manifest.upward(among: Set(imports.keys)).isEmpty, "a target is declared before one that it depends on")
    }

    /// What serves visitors is not made of what sets up, saves, shows or measures a gate.
    @Test(arguments: reached.keys.sorted()) func reachesExactlyTheListedTargets(_ target: String) throws {
        let own = try manifest().reached(from: [target]).subtracting(foreign)
        #expect(own == reached[target])
        for kit in ["Simulation", "Workbench", "NQuads", "Workshop", "Commissioning", "Backup"] {
            #expect(!own.contains(kit))
        }
        let products = try manifest().dependencies(of: own).subtracting(own).subtracting(foreign)
        #expect(products == libraries[target])
    }

    /// Independently of the table: a target that serves visitors does not import the kits, which simulate the
    /// outside world.
    @Test func nothingThatServesVisitorsKnowsTheKits() {
        let kits: Set<String> = ["Simulation", "Workbench", "NQuads", "Workshop"]
        for (target, modules) in imports where !kits.contains(target) && target != "gatehouse" {
            #expect(modules.isDisjoint(with: kits), "\(target)")
        }
    }

    /// The program `gatehouse` also links what sets up, saves, shows and measures a gate. Of `gatehouse run`, nothing
    /// reaches it: its folder and the code that it shares with other commands import what Appliance reaches anyway,
    /// and name no type of another command's folder. A debug build also watches the kiosk's rules.
    @Test func runReachesWhatTheApplianceReaches() throws {
        let allowed = try manifest().reached(from: ["Appliance"]).union(toolchain).union(["Console", "ArgumentParser"])
        let ofRun = ["Console", "gatehouse/Run", "gatehouse/Shared"].flatMap {
            swiftFiles(below: sources.appendingPathComponent($0))
        }
        #expect(ofRun.count > 15)
        let others = swiftFiles(below: sources.appendingPathComponent("gatehouse")).filter { file in
            !ofRun.contains { $0.path == file.path }
        }
        var homes: [String: String] = [:]
        for file in others {
            for type in DeclaredTypes.names(in: try String(contentsOf: file, encoding: .utf8)) {
                homes[type] = file.lastPathComponent
            }
        }
        #expect(homes.count > 30)
        for file in ofRun {
            let text = DeclaredTypes.withoutDebug(try String(contentsOf: file, encoding: .utf8))
            let beyond = ImportLines.modules(in: text).subtracting(allowed)
            #expect(beyond.isEmpty, "\(file.lastPathComponent) imports \(beyond.sorted())")
            let named = DeclaredTypes.words(of: text).compactMap { word in homes[word].map { "\(word) of \($0)" } }
            #expect(named.isEmpty, "\(file.lastPathComponent) names \(named.sorted())")
        }
    }

    /// That test can fail.
    @Test func referencesOfDebugBuildsAreLeftOut() {
        let text = """
            #if DEBUG
                import Rain
            #else
                import Wind
            #endif
            import Sun // Moon
            let a = "Star"
            """
        let release = DeclaredTypes.withoutDebug(text)
        #expect(ImportLines.modules(in: release) == ["Wind", "Sun"])
        #expect(DeclaredTypes.words(of: release) == ["import", "Wind", "Sun", "let", "a"])
        let types = "final class A {\nprivate struct B {\n    struct C {\nstruct D: E {"
        #expect(DeclaredTypes.names(in: types) == ["A", "D"])
    }

    /// The tests above can fail.
    @Test func mistakesInAManifestAreFound() throws {
        let manifest = Manifest(
            """
            // target("Comment", ["Roof"])
            let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
                .package(url: "https://example.com/crypto", exact: "1.0.0"),
                target("Cellar", ["Roof", crypto], isComputing: true),  // target("Shed", [])
                target(
                    "Wall",
                    [
                        "Cellar", crypto,
                    ], exclude: ["README.md"]),
                .executableTarget(name: "Roof", dependencies: ["Wall"], swiftSettings: settings),
                .target(name: "Fence", path: "Tests/Fence"),
                tests("WallTests", ["Wall"]),
            """)
        #expect(manifest.targets.map(\.name) == ["Cellar", "Wall", "Roof", "Fence", "WallTests"])
        #expect(manifest.targets.map(\.folder).suffix(2) == ["Tests/Fence", "Tests/WallTests"])
        #expect(manifest.targets[0].dependencies == ["Roof", "Crypto"] && manifest.targets[3].dependencies.isEmpty)
        #expect(manifest.targets[4].dependencies == ["Wall", "TestKit"])
        #expect(manifest.cycles == ["Cellar", "Wall", "Roof"])
        #expect(manifest.upward(among: ["Cellar", "Wall", "Roof"]) == ["Cellar depends on Roof"])
        #expect(manifest.reached(from: ["WallTests"]) == ["WallTests", "Wall", "Cellar", "Roof"])
        let modules = ImportLines.modules(
            in: """
                @testable package import Cellar
                // import Roof
                import struct Sky.Blue
                #if DEBUG
                    import Rain
                #endif
                let program = \"""
                    import os
                    \"""
                """)
        #expect(modules == ["Cellar", "Sky", "Rain"])
        #expect(
            Self.differences(of: manifest.targets[1], importing: ["Cellar", "Sky", "Foundation"]) == [
                "Wall depends on Crypto and does not import it", "Wall imports Sky and does not depend on it",
            ])
    }
}

/// The imports of a source file.
private enum ImportLines {
    static func modules(in text: String) -> Set<String> {
        // A literal of several lines may hold another program.
        let quotes = String(repeating: "\"", count: 3)
        var isLiteral = false
        return Set(
            text.split(separator: "\n").compactMap { line in
                if line.replacing("\\" + quotes, with: "").ranges(of: quotes).count % 2 == 1 { isLiteral.toggle() }
                if isLiteral { return nil }
                var words = line.split(separator: " ").map(String.init)
                while let first = words.first,
                    first.hasPrefix("@") || ["package", "public", "internal", "private", "fileprivate"].contains(first)
                {
                    words.removeFirst()
                }
                guard words.first == "import" else { return nil }
                words.removeFirst()
                if let kind = words.first,
                    ["struct", "class", "enum", "func", "protocol", "typealias"].contains(kind)
                {
                    words.removeFirst()
                }
                return words.first.map { String($0.split(separator: ".")[0]) }
            })
    }
}

/// All Swift files below a folder.
func swiftFiles(below folder: URL) -> [URL] {
    let entries = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (entries?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        .sorted { $0.path < $1.path }
}
