import Encoding
import Features
import Foundation
import Testing

@testable import Commissioning
@testable import Settings
@testable import TrustFiles

/// Keys of earlier versions are accepted for one release, and reported.
@Suite struct DeprecatedKeyTests {
    private let made = [
        DeprecatedKey(key: "gate.openFor", replacement: "gate.pulse", since: "0.2.0", until: "0.3.0"),
        DeprecatedKey(key: "old.name", replacement: "kiosk.name", since: "0.2.0", until: "0.3.0"),
        DeprecatedKey(key: "gate.colour", replacement: nil, since: "0.2.0", until: "0.3.0", remedy: "Paint it."),
    ]

    private func parse(_ text: String) throws(ConfigurationError) -> Configuration {
        try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/", deprecated: made)
    }

    private func problems(_ text: String) -> [ConfigurationError.Problem] {
        do {
            _ = try parse(text)
            return []
        } catch { return error.problems }
    }

    @Test func aFormerNameCountsAndIsReported() throws {
        let configuration = try parse("[old]\nname = \"North\"\n[gate]\nopenFor = \"300ms\"\n")
        #expect(configuration.gate.pulse == .milliseconds(300) && configuration.kiosk.name == "North")
        #expect(configuration.notices.map(\.key) == ["gate.openFor", "old.name"])
        #expect(configuration.notices.first?.line == 4)
        #expect(configuration.notices.first?.message == "was renamed to gate.pulse in version 0.2.0")
        #expect(configuration.notices.first?.remedy == "Use the new name; version 0.3.0 refuses gate.openFor.")
        // The effective configuration has the current name.
        #expect(
            configuration.effective["gate"]?["pulse"] == "300ms" && configuration.effective["gate"]?["openFor"] == nil)
    }

    @Test func aKeyWithoutEffectIsReported() throws {
        let configuration = try parse("[kiosk]\nname = \"N\"\n[gate]\ncolour = \"red\"\n")
        #expect(configuration.notices.map(\.message) == ["no longer has an effect"])
        #expect(configuration.notices.first?.remedy == "Paint it. Remove it; version 0.3.0 refuses it.")
    }

    /// A wrong value is reported under the name in the file; both names at once are refused.
    @Test func mistakesUnderAFormerName() {
        let name = "[kiosk]\nname = \"N\"\n"
        let wrong = problems(name + "[gate]\nopenFor = \"300\"\n")
        #expect(wrong.map(\.key) == ["gate.openFor"] && wrong.first?.line == 4)
        let range = problems(name + "[gate]\nopenFor = \"90s\"\n")
        #expect(range.map(\.key) == ["gate.openFor"] && range.first?.message.contains("out of range") == true)
        let both = problems(name + "[gate]\nopenFor = \"300ms\"\npulse = \"200ms\"\n")
        #expect(both.map(\.key) == ["gate.openFor"] && both.first?.remedy == "Remove gate.openFor.")
    }

    /// After its last release, a key is no longer in the table, and is unknown like any other.
    @Test func theTableIsUpToDate() throws {
        for old in DeprecatedKey.all {
            #expect(!Configuration.keys.contains(old.key), "\(old.key) is a key of today")
            if let replacement = old.replacement { #expect(Configuration.keys.contains(replacement), "\(replacement)") }
            #expect(old.replacement != nil || !old.remedy.isEmpty)
            #expect(old.since.compare(old.until, options: .numeric) == .orderedAscending)
        }
        let text = "[kiosk]\nname = \"N\"\n[agent]\nqueue = 5\n"
        let today = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/")
        #expect(today.notices.map(\.key) == ["agent.queue"])
        #expect(problems(text).map(\.message) == ["is not a known key"])
    }
}
