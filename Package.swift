// swift-tools-version: 6.2
import PackageDescription

// The layers of targets and their permitted imports are fixed in `Tests/RepositoryTests/ImportTableTests.swift`.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let swiftASN1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

/// Optimises the targets that compute most even in debug builds, but keeps their assertions: the tests then take a
/// fraction of the time. `make demo` computes little and builds two minutes faster without this optimisation
/// (GATEHOUSE_UNOPTIMISED).
let computing: [SwiftSetting] =
    Context.environment["GATEHOUSE_UNOPTIMISED"] == nil
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []

func target(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], embed: String? = nil,
    isComputing: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: embed.map { [.embedInCode($0)] },
        swiftSettings: settings + (isComputing ? computing : []))
}

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "example-" + name.lowercased(), dependencies: dependencies, path: "Examples/" + name,
        swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestKit"], swiftSettings: settings)
}

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .executable(name: "gatehouse-workshop", targets: ["Workshop"]),
    ],
    dependencies: [
        // Exact versions make each build reproducible: no lock file is committed.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // System libraries and C shims.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CQrencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "CLinuxShims"),
        .target(name: "CGPIO"),
        .target(name: "CWipe"),
        .target(name: "CDiskMeter", linkerSettings: [.linkedLibrary("sqlite3")]),

        // Cores: code that computes with values and does no I/O.
        target("Encoding", ["CZlib"], isComputing: true),
        target("Reasons", ["Encoding"]),
        target("LinkedData", ["Encoding", crypto], isComputing: true),
        target(
            "Credentials",
            ["LinkedData", "Reasons", "Encoding", "CSodium", "CLibcrypto", crypto, cryptoExtras, swiftASN1],
            exclude: ["Contexts/README.md", "Contexts/licences"], embed: "Contexts/documents", isComputing: true),
        target("BluetoothHost", ["Encoding", crypto, cryptoExtras], isComputing: true),
        target("Tuvali", ["Encoding", crypto], isComputing: true),
        target("DIDComm", ["Encoding", "CSodium"], isComputing: true),
        target("Aries", ["DIDComm", "Encoding", crypto], isComputing: true),
        target("Mailboxes", ["Aries", "DIDComm", "Encoding", crypto], isComputing: true),
        target("Ledger", ["Encoding", crypto], isComputing: true),
        target(
            "Kiosk", ["Credentials", "Reasons", "BluetoothHost", "Tuvali", "Ledger", "Encoding"], isComputing: true),
        target("Observation", ["Kiosk", "Credentials", "Reasons", "Ledger", "Encoding", crypto]),

        // The adapter for time and for starting tasks, used by all code above the cores.
        target("Clocks", ["Encoding"]),

        // Adapters: thin layers that do the I/O.
        target("LinuxIO", ["Clocks", "Encoding", "CLinuxShims", "CGPIO", system]),
        target(
            "Displays", ["LinuxIO", "Encoding", "CLinuxShims", "CQrencode"],
            exclude: ["Devanagari/render", "Devanagari/OFL.txt"], embed: "Devanagari/words.txt"),
        target("Store", ["LinuxIO", "Clocks", "Ledger", "Encoding", crypto, grdb, sqlite]),
        target("HTTPTransport", ["Encoding", httpClient, nioCore, nioPosix, nioHTTP1, nioSSL]),

        // Services, each for one subject. A target depends only on targets that are above it in this list.
        target("Administration", ["Clocks", "Reasons", "LinuxIO", "Encoding"]),
        target(
            "Settings",
            [
                "Kiosk", "Credentials", "Tuvali", "Ledger", "Mailboxes", "Aries", "DIDComm", "LinuxIO", "Encoding",
                crypto,
            ]),
        target("TrustFiles", ["Settings", "Kiosk", "Credentials", "Reasons", "LinuxIO", "Encoding", crypto]),
        target(
            "Courier",
            [
                "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Kiosk", "Credentials", "Reasons",
                "Ledger", "Mailboxes", "Aries", "DIDComm", "LinuxIO", "Store", "HTTPTransport", "Encoding",
                serviceLifecycle,
            ]),
        target(
            "GateService",
            [
                "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Kiosk", "Credentials", "Reasons",
                "BluetoothHost", "Tuvali", "Ledger", "LinuxIO", "Store", "Encoding", serviceLifecycle, crypto,
            ]),
        target(
            "Monitoring",
            [
                "GateService", "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Kiosk",
                "Credentials", "Reasons", "Ledger", "LinuxIO", "Store", "Encoding", serviceLifecycle,
            ]),

        // The optional parts of a gate, each in its own folder.
        target(
            "Features",
            [
                "Monitoring", "GateService", "Settings", "Administration", "Clocks", "Observation", "Kiosk",
                "Credentials", "Reasons", "Tuvali", "Ledger", "Displays", "LinuxIO", "Store", "HTTPTransport",
                "Encoding",
                serviceLifecycle, crypto,
            ]),

        // Targets that only commands use. `Appliance`, which is the service of `gatehouse run`, does not depend on
        // them.
        target(
            "Backup",
            [
                "Features", "GateService", "TrustFiles", "Settings", "Credentials", "Reasons", "Ledger", "LinuxIO",
                "Store", "Encoding", crypto, cryptoExtras,
            ]),
        target(
            "Commissioning",
            [
                "Features", "Courier", "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Kiosk",
                "Credentials", "Reasons", "Ledger", "Aries", "DIDComm", "LinuxIO", "Store", "HTTPTransport", "Encoding",
                crypto,
            ]),

        // The code that both programs share for their commands: the terminal, input files, and failures.
        target("Console", ["Settings", "LinuxIO", "Clocks", "Encoding", argumentParser]),

        // Kits: simulated phones, radio and agents; demonstration and measurements. NQuads, which parses RDF, and the
        // program Workshop are only for `make`, CI and tests. No package contains them.
        target(
            "Simulation",
            ["Kiosk", "Credentials", "Reasons", "Ledger", "Mailboxes", "Aries", "DIDComm", "Encoding", crypto],
            isComputing: true),
        target(
            "Workbench",
            [
                "Simulation", "GateService", "Clocks", "Kiosk", "Credentials", "Reasons", "Tuvali", "Ledger", "Aries",
                "DIDComm", "LinuxIO", "Store", "Encoding", "CDiskMeter", crypto,
            ], exclude: ["Demo/Licences"], embed: "Demo/Samples"),
        .target(
            name: "NQuads", dependencies: ["LinkedData", "Encoding"], path: "Tools/NQuads",
            swiftSettings: settings + computing),
        .executableTarget(
            name: "Workshop",
            dependencies: [
                "Console", "Workbench", "Simulation", "Commissioning", "Features", "GateService", "TrustFiles",
                "Settings", "Clocks", "Kiosk", "Credentials", "Reasons", "NQuads", "LinkedData", "Tuvali", "Ledger",
                "LinuxIO",
                "Store", "Encoding", argumentParser,
            ], path: "Tools/Workshop", swiftSettings: settings),

        // Roots: `Appliance` connects the parts of `gatehouse run`, and `gatehouse` is the program with its commands.
        target(
            "Appliance",
            [
                "Features", "Monitoring", "GateService", "Courier", "TrustFiles", "Settings", "Administration",
                "Clocks", "Kiosk", "Credentials", "Reasons", "LinuxIO", "Store", "Encoding", serviceLifecycle,
                unixSignals, logging,
            ]),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "Appliance", "Console", "Workbench", "Simulation", "Commissioning", "Backup", "Features", "Monitoring",
                "GateService", "Courier", "TrustFiles", "Settings", "Administration", "Clocks", "Observation", "Kiosk",
                "Credentials", "Reasons", "Tuvali", "Ledger", "Aries", "Displays", "LinuxIO", "Store", "HTTPTransport",
                "Encoding", "CWipe", argumentParser,
            ], swiftSettings: settings),

        // Examples that use the modules without the appliance.
        example("Peripheral", ["BluetoothHost", "LinuxIO", "Encoding"]),
        example("Verifier", ["Credentials", "Reasons", "Encoding"]),

        // Tests.
        .target(
            name: "TestKit", dependencies: ["DiskCallLog", "AllocationLog"], path: "Tests/TestKit",
            swiftSettings: settings),
        // The simulated agency and the simulated time.
        .target(
            name: "VirtualKit", dependencies: ["Simulation", "Clocks", "Mailboxes", "Aries", "DIDComm", "Encoding"],
            path: "Tests/VirtualKit", swiftSettings: settings + computing),
        .target(name: "TestSteps", path: "Tests/TestSteps", swiftSettings: settings),
        .executableTarget(
            name: "step-runner", dependencies: ["TestSteps"], path: "Tests/StepRunner", swiftSettings: settings),
        .target(name: "DiskCallLog", path: "Tests/DiskCallLog", publicHeadersPath: "include"),
        .target(name: "FakeGPIOD", path: "Tests/FakeGPIOD", publicHeadersPath: "include"),
        .target(name: "AllocationLog", path: "Tests/AllocationLog", publicHeadersPath: "include"),
        .target(
            name: "CrashVFS", path: "Tests/CrashVFS", publicHeadersPath: "include",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CrashKit", dependencies: ["CrashVFS", "TestKit"], path: "Tests/CrashKit", swiftSettings: settings),
        .target(name: "SystemCallTrap", path: "Tests/SystemCallTrap", publicHeadersPath: "include"),
        tests("TestStepsTests", ["TestSteps", "step-runner"]),
        tests("RepositoryTests", ["Observation", "Reasons", "Encoding"]),
        tests("EncodingTests", ["Encoding"]),
        tests("ReasonsTests", ["Reasons", "Encoding"]),
        tests("LinkedDataTests", ["LinkedData", "NQuads", "Encoding", crypto]),
        tests(
            "CredentialsTests",
            [
                "Credentials", "Reasons", "LinkedData", "Simulation", "Kiosk", "Ledger", "Tuvali", "Encoding", crypto,
                cryptoExtras, x509, swiftASN1,
            ]),
        tests("OfflineTests", ["Credentials", "Reasons", "Encoding", "SystemCallTrap"]),
        tests("BluetoothHostTests", ["BluetoothHost", "Encoding"]),
        tests("TuvaliTests", ["Tuvali", "Encoding", crypto]),
        tests("DIDCommTests", ["DIDComm", "Encoding"]),
        tests("AriesTests", ["Aries", "DIDComm", "Simulation", "Encoding"]),
        tests("MailboxesTests", ["Mailboxes", "Aries", "DIDComm", "Simulation", "VirtualKit", "Encoding"]),
        tests("LedgerTests", ["Ledger", "Encoding"]),
        tests(
            "KioskTests",
            ["Kiosk", "BluetoothHost", "Credentials", "Reasons", "Tuvali", "Ledger", "Simulation", "Encoding"]),
        tests("LinuxIOTests", ["Displays", "LinuxIO", "Clocks", "CGPIO", "CLinuxShims", "FakeGPIOD", "Encoding"]),
        tests("ObservationTests", ["Observation", "Kiosk", "Ledger", "Reasons", "Encoding"]),
        tests("StoreTests", ["Store", "Clocks", "Ledger", "Encoding", "CrashVFS", "CrashKit", grdb]),
        tests("HTTPTransportTests", ["HTTPTransport", "Encoding", nioCore, nioPosix, nioHTTP1, nioSSL, nioTLS]),
        tests(
            "SimulationTests",
            [
                "Simulation", "VirtualKit", "Clocks", "Kiosk", "Credentials", "Reasons", "Ledger", "Tuvali", "Encoding",
                crypto,
            ]),
        tests(
            "WorkbenchTests",
            [
                "Workshop", "Workbench", "Simulation", "Commissioning", "Features", "Settings", "Displays", "Kiosk",
                "Credentials", "Ledger", "Tuvali", "LinuxIO", "Encoding",
            ]),
        tests(
            "ApplianceTests",
            [
                "Appliance", "Commissioning", "Backup", "Features", "Monitoring", "GateService", "Courier",
                "TrustFiles", "Settings", "Administration", "Workbench", "Simulation", "Clocks", "Observation", "Kiosk",
                "Credentials", "Reasons", "Tuvali", "Ledger", "Mailboxes", "Aries", "DIDComm", "Displays", "LinuxIO",
                "Store", "HTTPTransport", "CrashVFS", "CrashKit", "VirtualKit", "Encoding", crypto,
            ]),
        tests(
            "CommandTests",
            [
                "gatehouse", "Workshop", "Console", "Features", "GateService", "TrustFiles", "Settings", "Workbench",
                "Simulation", "DIDComm", "Credentials", "LinuxIO", "Store", "Encoding", "CWipe", argumentParser, crypto,
            ]),
        tests(
            "PeerTests",
            [
                "Features", "GateService", "Courier", "Settings", "VirtualKit", "Clocks", "Kiosk", "Credentials",
                "Reasons", "BluetoothHost", "Ledger", "Mailboxes", "Aries", "DIDComm", "LinuxIO", "Store",
                "HTTPTransport", "Encoding", crypto,
            ]),
    ]
)
