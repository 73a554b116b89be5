import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse clock`: its output, and the delivery of an accepted date to a running service and to one that
/// starts later.
@Suite struct ClockCommandTests {
    private let folder: Scratch
    private let configuration: String

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
    }

    private func log() -> [JSON] {
        let text = (try? folder.read("log.jsonl")) ?? ""
        return text.split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
    }

    private func waits(for event: Text) async throws {
        #expect(await becomesTrue { log().contains(where: { $0["event"]?.string == event }) })
    }

    @Test func aBoxThatHasNeverRun() async throws {
        let show = try await folder.gatehouse("clock", "show", "--json", "--config", configuration)
        #expect(show.code == 0, "\(show)")
        let json = try #require(show.json.first)
        #expect(json["newestRecord"] == .null && json["notBefore"] == .null && json["faults"]?.array?.isEmpty == true)
        #expect(json["clock"] == json["time"])
        let people = try await folder.gatehouse("clock", "show", "--config", configuration)
        #expect(people.lines.count == 4 && people.lines.allSatisfy { $0.count <= 80 }, "\(people)")
        let none = try await folder.gatehouse("clock", "accept", "--config", configuration)
        #expect(none.code == 2 && none.hasRemedy, "there is no folder for it: \(none)")
    }

    @Test(.tags(.realTime)) func anAcceptanceReachesTheServiceWhetherItRunsOrNot() async throws {
        try await folder.makeLedger(configuration)
        let accept = try await folder.gatehouse("clock", "accept", "--config", configuration)
        #expect(accept.code == 0 && accept.output.hasPrefix("accepted: 20"), "\(accept)")
        let show = try await folder.gatehouse("clock", "show", "--json", "--config", configuration)
        #expect(show.json.first?["accepted"]?.string != nil, "\(show)")
        #expect(show.json.first?["refused"] == .null && accept.output.contains("date.refused"), "\(accept)")
        // A date that was accepted during another boot of the machine does not count, and a message reports
        // it.
        let file = "state/gatehouse.db.clock"
        let word = try folder.read(file)
        try folder.write(file, word.split(separator: " ").prefix(2).joined(separator: " ") + " another\n")
        let other = try await folder.gatehouse("clock", "show", "--json", "--config", configuration)
        #expect(other.json.first?["accepted"] == .null && other.json.first?["refused"]?.string != nil, "\(other)")
        try folder.write(file, word)

        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            try await waits(for: "date.accepted")
            try await waits(for: "radio.failed")
            let taken = try await folder.gatehouse("clock", "show", "--json", "--config", configuration)
            #expect(taken.json.first?["accepted"] == .null && taken.json.first?["notBefore"]?.string != nil, "\(taken)")
            let again = try await folder.gatehouse("clock", "accept", "--config", configuration)
            #expect(again.code == 0, "beside the service: \(again)")
            #expect(await becomesTrue { log().count(where: { $0["event"] == "date.accepted" }) >= 2 })
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
        #expect(log().count { $0["event"] == "date.accepted" } == 2)
    }
}
