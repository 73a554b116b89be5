import Monitoring
import Testing

/// The texts that a redacted report contains, and those that it leaves out.
@Suite struct RedactionTests {
    @Test(arguments: [
        ("asked https://agent.example:8443/didcomm?x=1 twice", "asked <link 1> twice"),
        ("issuer did:web:works.example#key-1, unknown", "issuer <did 1>, unknown"),
        ("visit 6f1d2c3b-0a1b-4c2d-8e3f-112233445566 ended", "visit <id 1> ended"),
        ("peer 5C:F3:70:8B:12:FE left", "peer <address 1> left"), ("at 192.168.7.20 port 80", "at <address 1> port 80"),
        ("at fe80::1:2:3:4 now", "at <address 1> now"),
        ("in /home/anna/trust/list.json", "in <user 1>/trust/list.json"),
        ("head 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "head <token 1>"),
        ("North-Gate: in order", "<name 1>: in order"), ("the gate of North-Gates", "the gate of North-Gates"),
        ("at 2026-11-23T11:04:49Z for 12:30", "at 2026-11-23T11:04:49Z for 12:30"),
        ("fault.clock-untrusted radio.ready 0.1.0", "fault.clock-untrusted radio.ready 0.1.0"),
        ("the root CN=Pier Root, O=Works of A ended on 2027", "the root <certificate 1> ended on 2027"),
        (#"{"name":"CN=The \"B\" Root, O=Works","days":3}"#, #"{"name":"<certificate 1>","days":3}"#),
        (#"{"version":"yard@7 sha256:0011223344556677"}"#, #"{"version":"<policy 1>"}"#),
        ("/var/lib/gatehouse/gatehouse.db", "/var/lib/gatehouse/gatehouse.db"), ("", ""),
    ])
    func eachNameBecomesAPlaceholder(_ text: String, _ expected: String) {
        var redaction = Redaction(takesNames: true, words: ["North-Gate", "It"])
        #expect(redaction.text(text) == expected)
    }

    /// The same thing has the same number, so that a reader can recognise it.
    @Test func theSameThingHasTheSameNumber() {
        var redaction = Redaction(takesNames: true)
        #expect(redaction.text("did:key:a then did:key:b then did:key:a") == "<did 1> then <did 2> then <did 1>")
        #expect(redaction.text("https://a.example and did:key:b") == "<link 1> and <did 2>")
    }

    /// Invitations and tokens are always removed, names only on request.
    @Test func secretsAreTakenOutAlsoWhereNamesStay() {
        var redaction = Redaction(takesNames: false, secrets: ["hunter2hunter2"], words: ["North-Gate"])
        let lines = [
            "North-Gate asked agent.example/?oob=eyJAdHlwZSI6 by did:key:a",
            #"x {"a":1,"@type":"https://didcomm.org/out-of-band/1.1/invitation","b":{"c":2}}"#,
            "token hunter2hunter2!", "https://a.example/?c_i=abc",
        ].map { redaction.text($0) }
        #expect(
            lines == [
                "North-Gate asked <invitation 1> by did:key:a", "x <invitation 2>", "token <secret 1>!",
                "<invitation 3>",
            ])
    }

    /// A name that is too long to search for is removed with the rest of its line, also where its end is
    /// missing.
    @Test func aLongNameAppearsNowhere() {
        let name = "North " + String(repeating: "Pier Nine ", count: 10_000)
        let token = String(repeating: "hunter2 ", count: 100)
        var redaction = Redaction(takesNames: true, secrets: [token], words: [name])
        #expect(redaction.text("name = \"\(name)\"") == "name = \"<name 1>…")
        #expect(redaction.text("the gate \(name.prefix(100))… stands") == "the gate <name 1>…")
        #expect(redaction.text("token \(token)") == "token <secret 1>…")
    }

    /// No content makes a line long or its redaction slow.
    @Test func longLinesAreCut() {
        var redaction = Redaction(takesNames: true, words: ["aaa"])
        let line = redaction.text(String(repeating: "a:", count: 1 << 20))
        #expect(line.count <= Redaction.longest + 100)
        #expect(redaction.text(String(repeating: "aaa ", count: 100)).hasPrefix("<name 1> <name 1>"))
    }
}
