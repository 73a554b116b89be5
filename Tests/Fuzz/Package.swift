// swift-tools-version: 6.2
import PackageDescription

// This is a package of its own for two reasons: libFuzzer provides the `main` of its executable, and
// everything in it, including the dependencies, is built with sanitizers. `Sources` is a link to the
// product's sources, so that a fuzz target sees the internal declarations of a module.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let swiftASN1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")

let package = Package(
    name: "gatehouse-fuzz",
    dependencies: [
        // These are the versions of the product's manifest; a test in `Tests/RepositoryTests` compares them.
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto"),
        .target(name: "Encoding", dependencies: ["CZlib"], swiftSettings: settings),
        .target(name: "Reasons", dependencies: ["Encoding"], swiftSettings: settings),
        .target(name: "LinkedData", dependencies: ["Encoding", crypto], swiftSettings: settings),
        .target(name: "NQuads", dependencies: ["LinkedData", "Encoding"], path: "NQuads", swiftSettings: settings),
        .target(
            name: "Credentials",
            dependencies: [
                "LinkedData", "Reasons", "Encoding", "CSodium", "CLibcrypto", crypto, cryptoExtras, swiftASN1,
            ],
            exclude: ["Contexts/README.md", "Contexts/licences"], resources: [.embedInCode("Contexts/documents")],
            swiftSettings: settings),
        .target(name: "DIDComm", dependencies: ["Encoding", "CSodium"], swiftSettings: settings),
        .target(
            name: "BluetoothHost", dependencies: ["Encoding", crypto, cryptoExtras], swiftSettings: settings),
        .target(name: "Tuvali", dependencies: ["Encoding", crypto], swiftSettings: settings),
        .target(name: "Aries", dependencies: ["DIDComm", "Encoding", crypto], swiftSettings: settings),
        .target(
            name: "Mailboxes", dependencies: ["Aries", "DIDComm", "Encoding", crypto], swiftSettings: settings),
        .target(
            name: "HTTPTransport",
            dependencies: [
                "Encoding", httpClient, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], swiftSettings: settings),
        // The rest of the module needs the hardware and the operating system.
        .target(
            name: "Administration", dependencies: ["Encoding"],
            sources: ["ControlRequest.swift", "AgentRequest.swift"], swiftSettings: settings),
        // The excluded files log disk calls and memory allocations, which no fuzz target needs.
        .target(
            name: "TestKit", path: "TestKit", exclude: ["DiskCalls.swift", "Allocations.swift"], swiftSettings: settings
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Administration", "Aries", "BluetoothHost", "Credentials", "DIDComm", "LinkedData", "NQuads",
                "Encoding",
                "HTTPTransport", "Mailboxes", "Reasons", "TestKit", "Tuvali", crypto, httpClient,
            ],
            path: "Targets",
            swiftSettings: settings),
    ]
)
