import Foundation
import TestKit
import Testing

/// A feature is one folder of `Sources/Features`. No other file names its types, so a feature can be read, changed and
/// left out alone.
@Suite struct FeatureOwnerTests {
    private static let sources = Vectors.repository.appendingPathComponent("Sources").resolvingSymlinksInPath()

    /// The files that may name the types of features: the list of features, the commands of one feature, and the
    /// question of setup about the display.
    private static let allowed: Set<String> = [
        "Features/FeatureList.swift", "gatehouse/SetUp/StickerCommand.swift", "gatehouse/SetUp/FleetCommands.swift",
        "Commissioning/Setup/Answers/SetupDisplay.swift",
    ]

    private static func path(_ file: URL) -> String { String(file.path.dropFirst(sources.path.count + 1)) }

    /// Returns the feature whose folder holds the file `path`; nil if it is in none.
    private static func feature(of path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count == 3 && parts[0] == "Features" && parts[1] != "Shared" ? String(parts[1]) : nil
    }

    /// Returns each mention of a feature's type outside of its folder, as `FILE names TYPE of FEATURE`.
    private static func mentions(in files: [(path: String, text: String)]) -> [String] {
        var owners: [String: String] = [:]
        for file in files {
            guard let feature = feature(of: file.path) else { continue }
            for type in DeclaredTypes.names(in: file.text) { owners[type] = feature }
        }
        return files.filter { !allowed.contains($0.path) }.flatMap { file in
            DeclaredTypes.words(of: file.text).sorted().compactMap { word in
                guard let owner = owners[word], owner != feature(of: file.path) else { return nil }
                return "\(file.path) names \(word) of \(owner)"
            }
        }
    }

    @Test func aFeatureIsNamedOnlyInItsFolder() throws {
        let files = try swiftFiles(below: Self.sources).map { file in
            (path: Self.path(file), text: try String(contentsOf: file, encoding: .utf8))
        }
        let features = Set(files.compactMap { Self.feature(of: $0.path) })
        #expect(features == ["Wiegand", "Displays", "Voice", "Sticker", "Observation", "Fleet"])
        #expect(Self.allowed.isSubset(of: files.map(\.path)))
        let mentions = Self.mentions(in: files)
        #expect(mentions.isEmpty, "\(mentions.joined(separator: "\n"))")
    }

    /// Each feature is in the list, so that it is read, started and checked.
    @Test func everyFeatureIsInTheList() throws {
        let list = try String(
            contentsOf: Self.sources.appendingPathComponent("Features/FeatureList.swift"), encoding: .utf8)
        for file in swiftFiles(below: Self.sources.appendingPathComponent("Features")) {
            guard Self.feature(of: Self.path(file)) != nil else { continue }
            let types = DeclaredTypes.names(in: try String(contentsOf: file, encoding: .utf8))
            for type in types where type.hasSuffix("Feature") {
                #expect(list.contains("\(type).self"), "\(type)")
            }
        }
    }

    /// The composition names each part of the program, so it stays readable only while it does nothing else.
    @Test func theFilesOfTheCompositionAreSmall() throws {
        let files = swiftFiles(below: Self.sources.appendingPathComponent("Appliance"))
            .filter { $0.lastPathComponent.hasPrefix("Composition") }
        #expect(files.count > 5)
        for file in files {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 71, "\(file.lastPathComponent)")
        }
    }

    /// The test detects what it searches for.
    @Test func aMentionIsFound() {
        let files: [(path: String, text: String)] = [
            ("Features/Bell/Bell.swift", "struct Bell {}\n"), ("Features/FeatureList.swift", "let a = Bell()\n"),
            ("Features/Lamp/Lamp.swift", "// Bell\nlet bell: Bell\n"), ("Other/Wall.swift", "let text = \"Bell\"\n"),
        ]
        #expect(Self.mentions(in: files) == ["Features/Lamp/Lamp.swift names Bell of Bell"])
    }
}
