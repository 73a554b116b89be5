import Aries
import DIDComm
import Encoding
import Foundation
import TestKit
import Testing

@Suite struct InvitationVectorTests {
    private func file() throws -> JSON? {
        guard let path = Vectors.path("didcomm/invitations.json") else { return nil }
        return try JSON.parse(try Vectors.bytes(path))
    }

    @Test func everyInvitationDecidesAsItsValidSays() throws {
        guard let file = try file() else { return }
        var tally = VectorTally("didcomm/invitations.json cases")
        for item in file["cases"]?.array ?? [] {
            tally.record(item["name"]?.string?.string ?? "?", readFailure(item))
        }
        #expect(tally.finish() == [])
    }

    private func readFailure(_ item: JSON) -> String? {
        guard let url = item["url"]?.string, let valid = item["valid"]?.bool else { return "case not understood" }
        do {
            guard case .invitation(let invitation) = try InvitationText.read(Array(url.utf8)) else {
                return valid ? "read as a link" : nil
            }
            guard valid else { return "accepted" }
            guard invitation.json == item["invitation"] else { return "content" }
            let kind: Text =
                switch invitation.kind {
                case .connections: "connections/1.0"
                case .outOfBand(let minor): "out-of-band/1.\(minor)"
                }
            guard kind == item["kind"]?.string else { return "kind \(kind)" }
            if let verkey = item["recipient_verkey"]?.string {
                guard try invitation.service().recipientKeys.first?.base58 == verkey else { return "recipient key" }
            }
            return nil
        } catch {
            return valid ? "refused: \(error)" : nil
        }
    }

    @Test func matchRules() throws {
        guard let file = try file() else { return }
        var tally = VectorTally("didcomm/invitations.json match")
        for item in file["match"]?.array ?? [] {
            let name = item["name"]?.string?.string ?? "?"
            guard let old = item["old"], let new = item["new"], let wanted = item["match"]?.bool else {
                tally.record(name, "case not understood")
                continue
            }
            let match = try Invitation(old).match(try Invitation(new))
            let rule: Invitation.Match? =
                switch item["rule"]?.string?.string.prefix(6) {
                case "@id": .sameInvitation
                case "public": .samePublicDID
                case "recipi": .sameKey
                default: nil
                }
            tally.record(name, match == rule && (match != nil) == wanted ? nil : "\(String(describing: match))")
        }
        #expect(tally.finish() == [])
    }

    @Test func matrixRows() throws {
        guard let file = try file() else { return }
        var tally = VectorTally("didcomm/invitations.json matrix")
        for (row, item) in (file["matrix"]?.array ?? []).enumerated() {
            guard let json = item["invitation"], let action = item["action"]?.string?.string,
                let exists = item["exists"]?.bool
            else {
                tally.record("row \(row)", "case not understood")
                continue
            }
            let plan = (try? Invitation(json)).map { InvitationPlan($0, connectionExists: exists) }
            let wanted: InvitationPlan? =
                switch action {
                case "connect": .connect(thenAnswer: false)
                case "connect, then answer the request": .connect(thenAnswer: true)
                case "one-time: completed at once; answer the request": .oneTime
                case "answer the request on the existing connection": .answerOnExisting
                case "handshake-reuse; wait for handshake-reuse-accepted": .reuse(thenAnswer: false)
                case let text where text.hasPrefix("handshake-reuse; wait; then answer"): .reuse(thenAnswer: true)
                default: nil
                }
            tally.record("row \(row + 1)", plan == wanted && (wanted != nil || action == "error") ? nil : "\(action)")
        }
        #expect(tally.finish() == [])
    }

    @Test func didsOfLedgersAreRefusedWithAReason() throws {
        let json = try JSON.parse(
            #"{"@type":"https://didcomm.org/out-of-band/1.0/invitation","@id":"1","handshake_protocols":["https://didcomm.org/didexchange/1.0"],"service":["did:sov:LjgpST2rjsoxYegQDRm7EL"]}"#
        )
        let invitation = try Invitation(json)
        #expect(throws: InvitationError.needsResolver(method: "sov")) { try invitation.service() }
    }

    @Test func peerDIDsInServicesAreResolved() throws {
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 7, count: 32))))
        let did = DIDExchange.did(
            for: key.verkey, at: MailboxAddress(endpoint: "https://agent.example/", routingKeys: []))
        let invitation = try Invitation([
            "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "1",
            "handshake_protocols": ["https://didcomm.org/didexchange/1.1"], "services": [.string(did)],
        ])
        #expect(try invitation.service().recipientKeys == [key.verkey])
        #expect(try invitation.service().endpoint == "https://agent.example/")
    }

    @Test func aPlainURLIsALink() throws {
        guard case .link(let url) = try InvitationText.read(Array(" https://agent.example/i/7 \n".utf8)) else {
            Issue.record("not a link")
            return
        }
        #expect(url == "https://agent.example/i/7")
        #expect(throws: InvitationError.notAnInvitation) { try InvitationText.read(Array("hello".utf8)) }
        #expect(throws: InvitationError.notBase64) { try InvitationText.read(Array("http://g/?oob=%4".utf8)) }
        #expect(throws: InvitationError.tooLarge) {
            try InvitationText.read([UInt8](repeating: 0x41, count: InvitationText.maxBytes + 1))
        }
    }
}
