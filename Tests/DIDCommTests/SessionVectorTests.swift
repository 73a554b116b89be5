import DIDComm
import Encoding
import Foundation
import TestKit
import Testing

/// Whole recorded sessions: every inbound envelope opens to the recorded plaintext, with the recorded sender.
@Suite struct SessionVectorTests {
    @Test func inboundEnvelopesOfTranscripts() throws {
        try tally("didcomm/transcripts") { session in
            (session["log"]?.array ?? []).filter { $0["dir"] == "in" && $0["envelope"] != nil }.map {
                Inbound(envelope: $0["envelope"], plain: $0["plain"], sender: $0["sender"], recipient: $0["to"])
            }
        }
    }

    @Test func answersOfAgencies() throws {
        try tally("didcomm/agency") { session in
            (session["steps"]?.array ?? []).filter { $0["answer_packed"]?.object != nil }.map {
                Inbound(
                    envelope: $0["answer_packed"], plain: $0["answer"], sender: $0["answer_from"],
                    recipient: $0["answer_to"])
            }
        }
    }

    private struct Inbound {
        var envelope, plain, sender, recipient: JSON?
    }

    private func tally(_ name: String, _ inbound: (JSON) -> [Inbound]) throws {
        guard let folder = Vectors.path(name) else { return }
        var tally = VectorTally(name)
        for file in Vectors.files(in: folder, withExtension: "json") {
            let session = try JSON.parse(try Vectors.bytes(file))
            let keys = (session["keys"]?.array ?? []).compactMap { key in
                key["seed_hex"]?.string.flatMap { Hex.decode($0.string) }.flatMap { KeyPair(seed: Secret($0)) }
            }
            for (number, item) in inbound(session).enumerated() {
                tally.record("\(file.lastPathComponent) \(number)", failure(item, keys))
            }
        }
        #expect(tally.finish() == [])
    }

    private func failure(_ item: Inbound, _ keys: [KeyPair]) -> String? {
        guard let envelope = item.envelope else { return "no envelope" }
        do {
            let content = try Envelope.unpack(envelope, with: keys)
            guard try JSON.parse(content.plaintext) == item.plain else { return "plaintext" }
            guard content.sender?.base58 == item.sender?.string else { return "sender" }
            guard content.recipient.base58 == item.recipient?.string else { return "recipient" }
            return nil
        } catch {
            return "\(error)"
        }
    }
}
