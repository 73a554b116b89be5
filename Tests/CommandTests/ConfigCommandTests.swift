import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse config check`: what is wrong is named with file, line, key and remedy.
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

    /// A key beside the database is told where one is; with a credential of systemd there is none.
    @Test func aKeyInTheOpenIsTold() async throws {
        try folder.write("gate.toml", "[kiosk]\nname = \"A\"\n[agent]\nkeyFile = \"agent-key\"\n")
        #expect(try await folder.gatehouse("config", "check", "gate.toml").errors.isEmpty)
        try folder.write("agent-key", "")
        let ending = try await folder.gatehouse("config", "check", "gate.toml")
        #expect(ending.code == 0 && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("agent.keyFile") && ending.errors.contains("agent-key lies in the open"))
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
        // Lists of sections cannot stand there empty; comments show them.
        #expect(keys == known.subtracting(["agent.copy", "agent.answer"]))
    }

    @Test func keysLeftOutHaveTheValuesThatTheExampleShows() async throws {
        try folder.write("least.toml", "[kiosk]\nname = \"North-Gate\"\n")
        let least = try await folder.gatehouse("config", "check", "--json", "least.toml").json.first
        let shown = try await folder.gatehouse("config", "check", "--json", example).json.first
        for section in shown?.object?.members ?? [] where section.name != "gpio" {
            for key in section.value.object?.members ?? [] {
                // Lines of GPIO have no default, says the example.
                if ["line", "blue", "amber", "green", "red", "tone"].contains(key.name) { continue }
                #expect(least?[section.name]?[key.name] == key.value, "\(section.name).\(key.name)")
            }
        }
    }

    /// A configuration, and what must be said about it.
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
    ]

    @Test(arguments: broken) func whatIsWrongIsLocated(
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

    /// What may yet come is told and refuses nothing: an invitation, roots.
    @Test func filesThatAreNamedAreLookedAt() async throws {
        let text =
            "[kiosk]\nname = \"A\"\n[agent]\ninvitations = [\"soon.json\"]\nrootsFile = \"roots.pem\"\nqueue = 5\n"
        try folder.write("a.toml", text)
        try folder.write("roots.pem", "not PEM")
        let ending = try await folder.gatehouse("config", "check", "a.toml")
        #expect(ending.code == 0 && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains("agent.rootsFile holds no certificates: \(folder.path("roots.pem"))"))
        #expect(ending.errors.contains("soon.json cannot be used yet"))
        #expect(ending.errors.contains("agent.queue") && ending.errors.contains("ledger.keepMegabytes"), "\(ending)")
    }

    @Test func aFileThatIsNotThere() async throws {
        let ending = try await folder.gatehouse("config", "check", "nowhere.toml")
        #expect(ending.code == 2)
        #expect(ending.errors.contains("nowhere.toml: cannot be read. "))
        let twice = try await folder.gatehouse("config", "check", "--config", "a.toml", "b.toml")
        #expect(twice.code == 2)
        #expect(twice.hasRemedy)
    }
}
