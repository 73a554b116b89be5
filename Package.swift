// swift-tools-version: 6.2
import PackageDescription

// Rings and imports are DESIGN decisions; `Tests/RepositoryTests` holds this table against the sources.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]


let package = Package(
    name: "gatehouse",
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Encoding", dependencies: ["CZlib"], swiftSettings: settings),
        .target(name: "TestKit", path: "Tests/TestKit", swiftSettings: settings),
        .testTarget(name: "EncodingTests", dependencies: ["Encoding", "TestKit"], swiftSettings: settings),
    ]
)
