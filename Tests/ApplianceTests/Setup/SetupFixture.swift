import Commissioning
import Credentials
import Encoding
import Foundation
import Settings
import TestKit

/// A folder in which a gate is set up, with the pinout of the repository.
final class SetupFixture: Sendable {
    let trust: TrustFixture
    let pinout: Pinout

    init() throws {
        trust = try TrustFixture()
        pinout = try Self.pinout()
        try FileManager.default.createDirectory(atPath: path + "/gate", withIntermediateDirectories: true)
    }

    static func pinout() throws -> Pinout {
        try Pinout(try Vectors.bytes(Vectors.repository.appendingPathComponent("hardware/pinout.toml")))
    }

    var path: String { trust.path }
    var machine: SetupMachine { SetupMachine(pinout) }
    /// The places of the gate, in a folder next to the files of the test.
    var places: SetupPlaces { SetupPlaces(path + "/gate/gate.toml") }

    /// Returns answers from texts by question.
    static func answers(_ texts: [SetupQuestion: String]) -> SetupAnswers {
        var answers = SetupAnswers()
        for (question, text) in texts { answers[question] = text }
        return answers
    }

    /// Returns a plan of these answers, in addition to a name and a board.
    func plan(_ texts: [SetupQuestion: String] = [:]) throws -> SetupPlan {
        try SetupPlan(
            Self.answers(texts.merging([.name: "North", .board: "none"]) { one, _ in one }), on: machine, at: places)
    }

    func read(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []).sorted()
    }

    /// Returns an invitation of an agent at that endpoint.
    static func invitation(_ endpoint: String = "https://agent.example", id: String = "one") -> String {
        """
        {"@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "\(id)",
        "handshake_protocols": ["https://didcomm.org/didexchange/1.1"], "services": [{"id": "#inline", "type": "did-communication",
        "recipientKeys": ["did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"], "serviceEndpoint": "\(endpoint)"}]}
        """
    }
}

extension SetupProblems {
    /// The problems by question; "" for the setup as a whole.
    var byQuestion: [String: String] {
        Dictionary(
            problems.map { ($0.question?.rawValue ?? "", $0.message + ". " + ($0.remedy ?? "")) },
            uniquingKeysWith: { first, _ in first })
    }
}
