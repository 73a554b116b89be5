import DIDComm
import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse config check`: each error is reported with file, line, key and remedy.
@Suite struct ConfigCommandTests {
    private let folder: Scratch
    private let example = Vectors.repository.appendingPathComponent("deploy/gatehouse.toml").path

    init() throws { folder = try Scratch() }

    @Test func theExampleIsGood() async throws {
        let ending = try await folder.gatehouse("config", "check", example)
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.errors.isEmpty)
        let option = try await folder.gatehouse("config", "check", "--config", example)
        #expect(option.code == 0)
        #expect(option.output == ending.output)
    }

    @Test func aFileThatIsNotThereAndOneOfAnotherSystem() async throws {
        let missing = try await folder.gatehouse("config", "check", "nowhere.toml")
        #expect(missing.code == 2 && missing.errors.contains("nowhere.toml: does not exist"), "\(missing)")
        #expect(!missing.errors.contains("read"), "nothing about rights: \(missing)")
        try folder.write("mark.toml", "\u{FEFF}[kiosk]\nname = \"A\"\n")
        let mark = try await folder.gatehouse("config", "check", "mark.toml")
        #expect(
            mark.code == 2 && mark.errors.contains("mark.toml:1: ") && mark.errors.contains("byte order mark"),
            "\(mark)")
    }

    /// A key file next to the database is reported where one exists; with a systemd credential there is none.
    @Test func aKeyReadableByOthersIsReported() async throws {
        try folder.write("gate.toml", "[kiosk]\nname = \"A\"\n[agent]\nkeyFile = \"agent-key\"\n")
        #expect(try await folder.gatehouse("config", "check", "gate.toml").errors.isEmpty)
        try folder.write("agent-key", "")
        let ending = try await folder.gatehouse("config", "check", "gate.toml")
        #expect(ending.code == 0 && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("agent.keyFile") && ending.errors.contains("agent-key is not encrypted"))
    }

    @Test func theExampleHasEveryKey() async throws {
        let ending = try await folder.gatehouse("config", "check", "--json", example)
        let sections = try #require(ending.json.first?.object?.members)
        let text = try String(contentsOfFile: example, encoding: .utf8)
        var section = ""
        var keys: Set<String> = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { section = line.filter { $0 != "[" && $0 != "]" } }
            if let equals = line.firstIndex(of: "="), !line.hasPrefix("#") {
                keys.insert(section + "." + line[..<equals].filter { $0 != " " })
            }
        }
        var known: Set<String> = []
        for section in sections {
            for key in section.value.object?.names ?? [] { known.insert("\(section.name).\(key)") }
        }
        #expect(known.count > 30)
        // Lists of sections cannot be empty in the example; comments show them.
        #expect(
            keys == known.subtracting(["agent.copy", "agent.answer", "display.also", "door.input", "door.schedule"]))
    }

    @Test func keysLeftOutHaveTheValuesThatTheExampleShows() async throws {
        try folder.write("least.toml", "[kiosk]\nname = \"North-Gate\"\n")
        let least = try await folder.gatehouse("config", "check", "--json", "least.toml").json.first
        let shown = try await folder.gatehouse("config", "check", "--json", example).json.first
        for section in shown?.object?.members ?? [] where section.name != "gpio" {
            for key in section.value.object?.members ?? [] {
                // Lines of GPIO have no default, as the example says.
                if ["line", "blue", "amber", "green", "red", "tone"].contains(key.name) { continue }
                #expect(least?[section.name]?[key.name] == key.value, "\(section.name).\(key.name)")
            }
        }
    }

    /// Invalid configurations, and the expected report of each.
    static let broken: [(text: String, line: Int?, key: String, words: String)] = [
        ("[kiosk\nname = \"A\"\n", 1, "", "not TOML"),
        ("[kiosk]\nname = \"A\"\nname = \"B\"\n", 3, "", "not TOML"),
        ("[kiosk]\nname = \"A\"\n[gate]\npluse = \"1s\"\n", 4, "gate.pluse", "Did you mean gate.pulse?"),
        ("[kiosk]\nname = \"A\"\n[weather]\nrain = true\n", 4, "weather.rain", "not a known key"),
        ("[kiosk]\nname = 7\n", 2, "kiosk.name", "a text in quotes"),
        ("[kiosk]\nname = \"A\"\n[gate]\npulse = \"9s\"\n", 4, "gate.pulse", "from 50ms to 5s"),
        ("[kiosk]\nname = \"A\"\n[gate]\nactiveLow = \"no\"\n", 4, "gate.activeLow", "true or false"),
        ("[kiosk]\nname = \"A\"\n[radio]\nport = 70000\n", 4, "radio.port", "from 1 to 65535"),
        ("[kiosk]\nname = \"A\"\n[radio]\ntransport = \"pigeon\"\n", 4, "radio.transport", "\"user-channel\""),
        ("[kiosk]\nname = \"A name with spaces\"\n", 2, "kiosk.name", "1 to 14"),
        ("", nil, "kiosk.name", "is missing"),
        // The status page cannot be served to the network.
        (observe("listen = \"0.0.0.0:9464\""), 4, "observe.listen", "could be reached from other machines"),
        (observe("listen = \"192.168.1.7:9464\""), 4, "observe.listen", "could be reached from other machines"),
        (observe("listen = \"[::]:9464\""), 4, "observe.listen", "could be reached from other machines"),
        (observe("listen = \"localhost:9464\""), 4, "observe.listen", "neither a socket nor an address"),
        (observe("listen = \"127.0.0.1:80\""), 4, "observe.listen", "neither a socket nor an address"),
        (observe("listen = \"unix:\""), 4, "observe.listen", "is empty"),
        (observe("listen = \"unix:/run/\(String(repeating: "x", count: 100))\""), 4, "observe.listen", "longer than"),
        (observe("status = \"\""), 4, "observe.status", "is empty"),
        (observe("textfile = \"/tmp/metrics.txt\""), 4, "observe.textfile", "does not end with .prom"),
        (
            observe("textfile = \"/run/gatehouse/status.json.prom\"\nstatus = \"/run/gatehouse/status.json.prom\""), 4,
            "observe.textfile", "uses too"
        ),
        (observe("listen = \"unix:/run/gatehouse/control.sock\""), 4, "observe.listen", "control.path uses too"),
    ]

    /// An invitation in the place of a file name is not printed.
    @Test func anInvitationInPlaceOfAFileIsNotRepeated() async throws {
        for line in ["invitations = [\"https://a.example/?oob=SECRET\"]", "mailbox = \"a.example/?oob=SECRET\""] {
            try folder.write("bad.toml", "[kiosk]\nname = \"A\"\n[agent]\n\(line)\n")
            for arguments in [[], ["--json"], ["--here"]] {
                let ending = try await folder.gatehouse(["config", "check", "bad.toml"] + arguments)
                #expect(ending.code == 2, "\(ending)")
                #expect((ending.output + ending.errors).contains("is an invitation, not a file"), "\(ending)")
                #expect(!(ending.output + ending.errors).contains("SECRET"), "\(ending)")
            }
        }
    }

    private static func observe(_ line: String) -> String { "[kiosk]\nname = \"A\"\n[observe]\n\(line)\n" }

    @Test func observationCanBeTurnedOffAndMoved() async throws {
        for (line, listen, status) in [
            ("listen = \"none\"\nstatus = \"none\"", "none", "none"),
            ("listen = \"127.0.0.1:9464\"", "127.0.0.1:9464", "/run/gatehouse/status.json"),
            ("listen = \"[::1]:9464\"", "[::1]:9464", "/run/gatehouse/status.json"),
            // One of several gates on a machine.
            ("[control]\npath = \"/run/south/control.sock\"", "unix:/run/south/observe.sock", "/run/south/status.json"),
        ] {
            try folder.write("a.toml", Self.observe(line))
            let ending = try await folder.gatehouse("config", "check", "--json", "a.toml")
            let section = ending.json.first?["observe"]
            #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
            #expect(section?["listen"]?.string == Text(listen) && section?["status"]?.string == Text(status))
        }
    }

    @Test(arguments: broken) func mistakesAreLocated(
        _ text: String, _ line: Int?, _ key: String, _ words: String
    ) async throws {
        try folder.write("bad.toml", text)
        let ending = try await folder.gatehouse("config", "check", "bad.toml")
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.output.isEmpty)
        let place = "  bad.toml" + (line.map { ":\($0)" } ?? "") + ": " + (key.isEmpty ? "" : "\(key): ")
        #expect(ending.errors.contains(place), "\(place) in \(ending.errors)")
        #expect(ending.errors.contains(words), "\(words) in \(ending.errors)")

        let machine = try await folder.gatehouse("config", "check", "--json", "bad.toml")
        #expect(machine.code == 2)
        let problem = machine.json.first?["problems"]?.array?.first
        #expect(problem?["line"]?.int == line)
        #expect(problem?["key"]?.string == Text(key))
        #expect(problem?["remedy"]?.string?.isEmpty == false)
    }

    @Test func allProblemsAtOnce() async throws {
        try folder.write("bad.toml", "[kiosk]\nname = 1\n[gate]\npulse = \"9s\"\n[clock]\nminimun = \"rtc\"\n")
        let ending = try await folder.gatehouse("config", "check", "bad.toml")
        #expect(ending.errors.contains("3 problems"))
        #expect(ending.errors.split(separator: "\n").count == 4)
    }

    /// Files that may be created later (an invitation, roots) are reported, and their absence does not fail
    /// the check.
    @Test func filesThatAreNamedAreLookedAt() async throws {
        let text =
            "[kiosk]\nname = \"A\"\n[agent]\ninvitations = [\"soon.json\"]\nrootsFile = \"roots.pem\"\nqueue = 5\n"
        try folder.write("a.toml", text)
        try folder.write("roots.pem", "not PEM")
        let ending = try await folder.gatehouse("config", "check", "a.toml")
        #expect(ending.code == 0 && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("agent.rootsFile contains no certificates: \(folder.path("roots.pem"))"))
        #expect(ending.errors.contains("soon.json cannot be used yet"))
        #expect(ending.errors.contains("agent.queue") && ending.errors.contains("ledger.keepMegabytes"), "\(ending)")
    }

    /// Checks the source of a sponsor's token, and whether the agency can send wake-ups: with the same result
    /// as the service, as far as that can be known beforehand.
    @Test func theAgencyIsLookedAt() async throws {
        let seed = Secret((0..<32).map { _ in UInt8.random(in: 0...255) })
        let sponsor = try #require(KeyPair(seed: seed))
        func check(_ line: String) async throws -> Ending {
            let text = """
                [kiosk]
                name = "A"
                [agent]
                mailbox = "agency"
                [agency]
                dialect = "evernym"
                url = "https://agency.example.org"
                did = "VsKV7grR1BUE29mG2Fm2kX"
                verkey = "\(sponsor.verkey)"
                \(line)
                """
            try folder.write("a.toml", text)
            return try await folder.gatehouse("config", "check", "a.toml")
        }
        let words = "kiosk"
        let signature = Base64.encode(sponsor.sign(Array("12\(words)gate".utf8)), .standard)
        let token: JSON = [
            "sponseeId": .text(words), "sponsorId": "gate", "nonce": "1", "timestamp": "2", "sig": .text(signature),
            "sponsorVerKey": .string(sponsor.verkey.base58),
        ]
        let path = folder.path("token")
        for (content, mode, said) in [
            (nil, 0o600, "does not exist: \(path)"), ("", 0o600, "is empty: \(path)"),
            ("{}", 0o600, "is not a sponsor's token"),
            (token.compactText, 0o644, "other users can read or change the sponsor's token: \(path)"),
            (token.compactText, 0o640, nil),
        ] as [(String?, Int, String?)] {
            if let content {
                try folder.write("token", content)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            let ending = try await check("token = \"token\"")
            #expect(ending.code == 0, "\(ending)")
            if let said {
                #expect(ending.errors.contains(said) && ending.hasRemedy, "\(ending)")
            } else {
                #expect(ending.errors.isEmpty, "\(ending)")
            }
            #expect(!ending.errors.contains(signature))
        }
        // The check does not ask a server, because a token from it can be used only once.
        #expect(try await check("token = \"https://127.0.0.1:1/token\"").errors.isEmpty)
        let plain = try await check("token = \"http://sponsor.example.org/token\"")
        #expect(plain.code == 2 && plain.errors.contains("a.toml:10: agency.token: "), "\(plain)")

        let deaf = try await check("webhook = \"https://kiosk.example.org/wake\"")
        #expect(deaf.code == 0 && deaf.hasRemedy && deaf.errors.contains("agency.webhookListen is not set"), "\(deaf)")
        let heard = "webhook = \"https://kiosk.example.org/wake\"\nwebhookListen = \"127.0.0.1:8095\""
        #expect(try await check(heard).errors.isEmpty)
    }

    @Test func aFileThatIsNotThere() async throws {
        let ending = try await folder.gatehouse("config", "check", "nowhere.toml")
        #expect(ending.code == 2)
        #expect(ending.errors.contains("nowhere.toml: does not exist. "))
        let twice = try await folder.gatehouse("config", "check", "--config", "a.toml", "b.toml")
        #expect(twice.code == 2)
        #expect(twice.hasRemedy)
    }
}
