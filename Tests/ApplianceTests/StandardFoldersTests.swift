import Encoding
import Features
import Foundation
import TestKit
import Testing

@testable import Settings

/// The places of the usual folders.
@Suite struct StandardFoldersTests {
    private let folders = StandardFolders(["GATEHOUSE_ROOT": "/srv//image/"])

    @Test(
        arguments: [
            (nil, ""), ("", ""), ("/", ""), ("/srv/image", "/srv/image"), ("/srv//image/", "/srv/image"),
            ("srv", nil), ("./srv", nil), ("/srv/../etc", nil), ("/srv/.", nil), (" /srv", nil),
        ] as [(String?, String?)]) func theVariable(_ value: String?, _ root: String?)
    {
        let environment = value.map { ["GATEHOUSE_ROOT": $0] } ?? [:]
        #expect(StandardFolders(environment)?.root == root)
    }

    @Test(arguments: [
        ("/etc/gatehouse", true), ("/etc/gatehouse/out.toml", true), ("/var/lib/gatehouse/gatehouse.db", true),
        ("/var/lib/gatehouse-out/trust", true), ("/run/gatehouse-radio.sock", true),
        ("/etc/gatehouses", false), ("/etc/gate", false), ("/srv/etc/gatehouse", false), ("/var/lib", false),
        ("gatehouse.db", false), ("/etc/passwd", false),
    ]) func pathsAndNames(_ path: String, _ isTheirs: Bool) throws {
        let folders = try #require(folders)
        let place = folders.place(path)
        #expect(place == (isTheirs ? "/srv/image" + path : path))
        #expect(folders.name(place) == path && folders.place(place) == place)
        #expect(StandardFolders().place(path) == path && StandardFolders().name(path) == path)
    }

    /// Every spelling of a path is recognised; only its text is examined.
    @Test(
        arguments: [
            ("//var/lib/gatehouse/l.db", "/var/lib/gatehouse/l.db"), ("/var//lib/gatehouse/", "/var/lib/gatehouse"),
            ("/var/lib/./gatehouse/l.db", "/var/lib/gatehouse/l.db"),
            ("/var/../var/lib/gatehouse/a/../l.db", "/var/lib/gatehouse/l.db"),
            ("/var/lib/gatehouse/../x", nil), ("/var/lib/gatehouse/../../etc/passwd", nil),
        ] as [(String, String?)]) func everySpelling(_ path: String, _ theirs: String?) throws
    {
        #expect(try #require(folders).place(path) == (theirs.map { "/srv/image" + $0 } ?? path))
    }

    /// Also for a root that is itself named like one of the folders.
    @Test func pathsBelowTheRootStay() throws {
        let folders = try #require(StandardFolders(["GATEHOUSE_ROOT": "/run/gatehouse-test"]))
        let place = folders.place("/etc/gatehouse/gatehouse.toml")
        #expect(place == "/run/gatehouse-test/etc/gatehouse/gatehouse.toml" && folders.place(place) == place)
    }

    private func parse(_ text: String, _ standard: StandardFolders) throws -> Configuration {
        try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/srv/gate", standard: standard)
    }

    /// All files of a configuration are below the root, whether it names the folders or leaves them out.
    @Test func aConfigurationKeepsToThem() throws {
        let folders = try #require(folders)
        let example = Vectors.repository.appendingPathComponent("deploy/gatehouse.toml")
        let named = String(decoding: try Vectors.bytes(example), as: UTF8.self)
        for text in [named, "[kiosk]\nname = \"North-Gate\"\n"] {
            let configuration = try parse(text, folders)
            let paths = NamedPlace.all(configuration).map(\.path)
            #expect(paths.count > 10 && paths.allSatisfy { $0.hasPrefix("/srv/image/") }, "\(paths)")
            #expect(configuration.control.path == "/srv/image/run/gatehouse/control.sock")
            #expect(configuration[ObserveSection.self].listen == .socket("/srv/image/run/gatehouse/observe.sock"))
            // The output has the usual names.
            #expect(!configuration.effective.compactText.contains("/srv/image"))
        }
        let elsewhere = try parse("[kiosk]\nname = \"A\"\n[ledger]\npath = \"a.db\"\n", folders)
        #expect(elsewhere.ledger.path == "/srv/gate/a.db" && elsewhere.agent.keyFile == "/srv/gate/a.db.agent-key")
        let copy = try parse(
            "[kiosk]\nname = \"A\"\n[[agent.copy]]\nname = \"b\"\ninvitations = [\"/etc/gatehouse/b\"]\n", folders)
        #expect(copy.agent.copies.first?.invitations == ["/srv/image/etc/gatehouse/b"])
    }

    /// A further gate is one below such a folder, too, and its configuration names its own files there.
    @Test func furtherGates() throws {
        let folders = try #require(folders)
        for file in ["/etc/gatehouse/out.toml", "/srv/image/etc/gatehouse/out.toml"] {
            let places = SetupPlaces(file, in: folders)
            #expect(places.unit == "gatehouse@out" && places.invitationName == "/etc/gatehouse/agent-out.invitation")
        }
        #expect(SetupPlaces("/srv/image/etc/gatehouse/gatehouse.toml", in: folders).hasUnit)
        #expect(!SetupPlaces("/srv/image/etc/gatehouse/gatehouse.toml", in: StandardFolders()).hasUnit)
    }
}
