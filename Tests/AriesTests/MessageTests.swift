import Aries
import DIDComm
import Encoding
import Testing

/// Readers of messages have bounds; texts are cut at bytes or between letters.
struct MessageTests {
    private func message(_ members: JSONObject) throws -> Message {
        var body: JSONObject = ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "m"]
        for member in members.members { body[member.name] = member.value }
        return try Message(plaintext: JSON.object(body).compactBytes)
    }

    private func letters(_ count: Int) -> JSON { .text(String(repeating: "t", count: count)) }

    /// Names of threads have a bound, because the kiosk keeps and echoes them.
    @Test func threadsHaveABound() throws {
        #expect(try message(["~thread": ["thid": letters(256), "pthid": letters(256)]]).thread.utf8.count == 256)
        #expect(try message(["~thread": ["thid": "", "pthid": ""]]).thread == "m")
        for name in ["thid", "pthid"] as [Text] {
            var thread: JSONObject = ["thid": "t", "pthid": "p"]
            thread[name] = letters(257)
            #expect(throws: Message.Failure.malformed, "\(name)") { try message(["~thread": .object(thread)]) }
        }
    }

    @Test func anAttachmentsThreadHasABoundToo() {
        let attachment: JSON = ["@id": "a", "data": ["json": ["@id": letters(257)]]]
        guard case .unreadable(let thread) = AttachedRequest(attachment) else {
            Issue.record("read")
            return
        }
        #expect(thread == "a")
    }

    /// A combining letter forms one character with the slash or colon before it, and is not part of a prefix.
    @Test func prefixesAreCutAtBytes() throws {
        for prefix in TypePrefix.allCases {
            let type = MessageType(Text(prefix.rawValue + "\u{301}tea/1.0/pour"))
            #expect(type?.protocolName.family == "\u{301}tea")
        }
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 3, count: 32)))).verkey
        #expect(Verkey(key.didKey) == key)
        #expect(Verkey(Text("did:key:\u{301}\(key.multibase)")) == nil)
    }

    /// A code that is cut is still a valid text.
    @Test func codesAreCutBetweenLetters() throws {
        let code = Text(String(repeating: "a", count: 127) + "\u{e9}")
        let problem = try Message(
            plaintext: Notice.problem(.didcomm, id: "n", thread: "t", code: code, explanation: "").compactBytes)
        #expect(Notice.problemCode(problem) == Text(String(repeating: "a", count: 127)))
    }
}
