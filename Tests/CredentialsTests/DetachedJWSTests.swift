import Encoding
import Reasons
import Testing

@testable import Credentials

/// The accepted headers and parts of the detached JWS in the suites of 2018 and 2019.
@Suite struct DetachedJWSTests {
    private func jws(header: String, payload: String = "", signature: String = "AAAA") -> Text {
        Text(Base64.encode(Array(header.utf8)) + "." + payload + "." + signature)
    }

    @Test func headerTextIsKeptAsReceived() throws {
        let header = "{ \"crit\":[\"b64\"], \"kid\":\"x\",\"b64\" : false,\"alg\":\"PS256\"}"
        let jws = try DetachedJWS(jws(header: header), at: "/proof/jws")
        #expect(jws.algorithm == "PS256" && jws.signature == [0, 0, 0])
        #expect(Base64.decodeURL(String(decoding: jws.headerText, as: UTF8.self)) == Array(header.utf8))
    }

    @Test(arguments: [
        "{\"alg\":\"EdDSA\"}", "{\"alg\":\"EdDSA\",\"b64\":false}",
        "{\"alg\":\"EdDSA\",\"b64\":true,\"crit\":[\"b64\"]}",
        "{\"alg\":\"EdDSA\",\"b64\":false,\"crit\":[\"b64\",\"exp\"]}",
        "{\"alg\":\"EdDSA\",\"b64\":false,\"crit\":\"b64\"}",
        "{\"b64\":false,\"crit\":[\"b64\"]}", "{\"alg\":7,\"b64\":false,\"crit\":[\"b64\"]}", "[]", "{",
        "{\"alg\":\"EdDSA\",\"alg\":\"none\",\"b64\":false,\"crit\":[\"b64\"]}",
    ]) func refusedHeaders(header: String) {
        #expect(throws: Rejection(.proofMalformed, at: "/p")) { try DetachedJWS(jws(header: header), at: "/p") }
    }

    @Test func refusedParts() {
        let good = "{\"alg\":\"EdDSA\",\"b64\":false,\"crit\":[\"b64\"]}"
        let texts = [
            jws(header: good, payload: "AAAA"), jws(header: good, signature: "A"), jws(header: good, signature: "AB=="),
            jws(header: good, signature: "AAAA.AAAA"), "", "..", "...",
        ]
        for text in texts { #expect(throws: Rejection(.proofMalformed, at: "/p")) { try DetachedJWS(text, at: "/p") } }
    }
}
