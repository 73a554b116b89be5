import Aries
import DIDComm
import Encoding
import Testing

/// Readers of messages are bounded.
struct MessageTests {
    private func message(_ members: JSONObject) throws -> Message {
        var body: JSONObject = ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "m"]
        for member in members.members { body[member.name] = member.value }
        return try Message(plaintext: JSON.object(body).compactBytes)
    }

    private func letters(_ count: Int) -> JSON { .text(String(repeating: "t", count: count)) }

    /// Names of threads are kept and echoed.
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
}
