import Encoding
import Foundation
import TestKit
import Testing

@testable import BluetoothHost

/// Compares the attribute server with Bumble's on the same table: 10,000 connections with the same requests,
/// valid and invalid, from a seed. Where the answers differ, `Tests/Peers/wallet/attributes.py` says which of
/// the two is right and by which section, or fails.
@Suite(.tags(.realTime)) struct AttributePeerTests {
    static let connections = 10_000

    @Test(.timeLimit(.minutes(5))) func answersAreThoseOfAnotherServer() async throws {
        let place = try Workplace("attributes")
        let python = try Workplace.requiredEnvironment("wallet", "bin/python")
        let script = Workplace.peers.appendingPathComponent("wallet/attributes.py").path
        let requests = try place.write("requests.jsonl", Self.requests())
        let output = place.path("output")
        let end = try await Child(python, ["-B", script, requests], output: output).wait(within: .seconds(200))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        print(text, terminator: "")
        #expect(end == .exit(0), "\(text)")
        place.remove()
    }

    /// Returns the table, then for each connection its requests and the host's answers.
    private static func requests() -> String {
        let service = Bench.service
        let characteristics = service.characteristics.map { characteristic -> JSON in
            [
                "uuid": .text(Hex.encode(characteristic.uuid.littleEndian)),
                "properties": .int(Int(characteristic.properties.rawValue)),
                "value": .text(Hex.encode(characteristic.value)),
            ]
        }
        let table: JSON = [
            "name": .text(Hex.encode(Array("Gate".utf8))),
            "services": [
                ["uuid": .text(Hex.encode(service.uuid.littleEndian)), "characteristics": .array(characteristics)]
            ],
        ]
        let fresh = Bench.connected()
        let lines = (0..<connections).map { number -> String in
            var (bench, random) = (fresh, SeededRandom(seed: UInt64(number)))
            let exchanges = (0..<4 + random.below(9)).map { _ -> JSON in
                let pdu = Array(ATTScript.pdu(&random).prefix(LinkModel.longest))
                return [.text(Hex.encode(pdu)), bench.ask(pdu).map { .text(Hex.encode($0)) } ?? .null]
            }
            return JSON.array(exchanges).compactText
        }
        return ([table.compactText] + lines).joined(separator: "\n") + "\n"
    }
}
