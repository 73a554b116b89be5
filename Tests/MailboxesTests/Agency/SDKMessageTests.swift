import Aries
import DIDComm
import Encoding
import Foundation
import Mailboxes
import TestKit
import Testing

/// The message structure shown in the SDK's documents.
@Suite struct SDKMessageTests {
    @Test func shapesOfTheDocuments() throws {
        guard let path = Vectors.path("didcomm/agency-shapes.json") else { return }
        let file = try JSON.parse(try Vectors.bytes(path))
        let seed = try #require(file["own_seed_hex"]?.string.flatMap { Hex.decode($0.string) })
        let key = try #require(KeyPair(seed: Secret(seed)))
        let theirs = try #require(file["their_verkey"]?.string.flatMap { Verkey($0) })
        #expect(file["own_verkey"]?.string == key.verkey.base58)
        let did = try #require(file["pairwiseDID"]?.string)
        var tally = VectorTally("didcomm/agency-shapes.json")
        for item in file["cases"]?.array ?? [] {
            tally.record(item["name"]?.string?.string ?? "?", failure(item, key, theirs, did))
        }
        #expect(tally.finish() == [])
    }

    private func failure(_ item: JSON, _ key: KeyPair, _ theirs: Verkey, _ did: Text) -> String? {
        guard let accept = item["accept"]?.bool, let message = item["agency_message"].flatMap({ AgencyMessage($0) })
        else { return "case not understood" }
        let content = try? Envelope.unpack(message.envelope, with: [key])
        guard content?.sender?.base58 == item["sender_verkey"]?.string else { return "sender" }
        let inner = content.flatMap { $0.sender == theirs ? try? JSON.parse($0.plaintext) : nil }
        guard (inner != nil) == accept else { return accept ? "refused" : "accepted" }
        let entry = SDKMessages.Entry(uid: message.uid, statusCode: message.statusCode, message: inner)
        let json = SDKMessages.connection(did, [entry])
        guard json["pairwiseDID"]?.string == did, let shown = json["msgs"]?.array?.first else { return "no message" }
        let names: [Text] = [
            "statusCode", "payload", "senderDID", "uid", "type", "refMsgId", "deliveryDetails", "decryptedPayload",
        ]
        guard shown.object?.names == names, shown["payload"]?.isNull == true, shown["deliveryDetails"] == [],
            shown["uid"] == item["agency_message"]?["uid"], shown["statusCode"] == "MS-103", shown["type"] == "aries",
            shown["senderDID"] == item["agency_message"]?["senderDID"], shown["refMsgId"]?.isNull == true,
            let text = shown["decryptedPayload"]?.string
        else { return "members: \(shown.compactText)" }
        guard accept else { return text == "null" ? nil : "shown although not theirs" }
        guard let payload = try? JSON.parse(text.string), let second = payload["@msg"]?.string,
            (try? JSON.parse(second.string)) == item["inner"]
        else { return "inner message" }
        let type: JSON = ["name": item["kind"] ?? nil, "ver": "1.0", "fmt": "json"]
        return payload["@type"] == type ? nil : "kind \(payload["@type"]?.compactText ?? "")"
    }

    @Test func kindsAreTheSDKsWordsAndNotTypes() {
        let kinds: [(type: Text, kind: Text)] = [
            ("https://didcomm.org/connections/1.0/response", "aries"),
            ("https://didcomm.org/didexchange/1.1/response", "aries"),
            ("https://didcomm.org/issue-credential/1.0/offer-credential", "credential-offer"),
            ("https://didcomm.org/issue-credential/2.0/issue-credential", "credential"),
            ("did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0/ping", "ping"),
            ("https://didcomm.org/discover-features/1.0/query", "query"),
            ("https://didcomm.org/discover-features/1.0/disclose", "disclose"),
            ("https://didcomm.org/connections/1.0/problem_report", "problem-report"),
            ("https://didcomm.org/questionanswer/1.0/question", "question"), ("nonsense", "aries"),
        ]
        for (type, kind) in kinds { #expect(SDKMessages.kind(of: MessageType(type)) == kind, "\(type)") }
    }
}
