import Encoding
import LinkedData
import NQuads
import Testing

@Suite struct NQuadsTests {
    private func quads(_ text: String) throws -> [Quad] { try Dataset(nQuads: Array(text.utf8)).quads }

    @Test func readsEveryForm() throws {
        let text = """
            # a comment
            <http://a/s> <http://a/p> <http://a/o> .
            _:b1 <http://a/p> "x"@en-GB <http://a/g> . # behind
            \t_:b-2.x<http://a/p>"1"^^<http://www.w3.org/2001/XMLSchema#integer>_:g.

            <http://a/\\u00E9> <http://a/p> "a\\tb\\n\\"\\\\\\u00e9\\U0001F600'" .
            """
        let quads = try quads(text)
        #expect(quads.count == 4)
        #expect(quads[0] == Quad(.iri("http://a/s"), "http://a/p", .iri("http://a/o")))
        #expect(
            quads[1]
                == Quad(
                    .blank("b1"), "http://a/p", .literal(Literal("x", datatype: RDF.langString, language: "en-GB")),
                    in: .iri("http://a/g")))
        #expect(
            quads[2]
                == Quad(.blank("b-2.x"), "http://a/p", .literal(Literal("1", datatype: XSD.integer)), in: .blank("g")))
        #expect(quads[3].subject == .iri("http://a/\u{E9}"))
        #expect(quads[3].object == .literal(Literal("a\tb\n\"\\\u{E9}\u{1F600}'")))
    }

    @Test(arguments: [
        "<http://a/s> <http://a/p> <http://a/o>", "<s> <http://a/p> <http://a/o> .", "<http://a/s> _:p <http://a/o> .",
        "\"s\" <http://a/p> <http://a/o> .", "<http://a/ s> <http://a/p> <http://a/o> .",
        "<http://a/s> <http://a/p> \"x\" \"g\" .",
        "<http://a/s> <http://a/p> \"x\ny\" .", "<http://a/s> <http://a/p> \"x\"@ .",
        "<http://a/s> <http://a/p> \"x\"@1 .",
        "<http://a/s> <http://a/p> \"\\x\" .", "<http://a/s> <http://a/p> \"\\uD800\" .",
        "<http://a/s> <http://a/p> \"\\u12\" .",
        "<http://a/s> <http://a/p> \"x\"^^\"y\" .", "_: <http://a/p> <http://a/o> .",
        "<http://a/s> <http://a/p> <http://a/o> . x",
        "<http://a/s> <http://a/p> <http://a/o> . <http://a/s> <http://a/p> <http://a/o> .",
        "<http://a/\\u0020> <http://a/p> \"x\" .",
    ])
    func refuses(_ text: String) {
        #expect(throws: NQuadsError.self) { try quads(text) }
    }

    /// RFC 3987 section 2.2: one number sign begins the fragment, at any position.
    @Test func oneFragment() {
        for text in ["a:", "a:#", "a:b#c", "a:b?c#d?e/f", "a:%23#%23"] as [Text] { #expect(IRI.isWellFormed(text)) }
        for text in ["a:##", "a:b#c#d", "a:#b%23#", "a#b:c", "#a:b", "a:b#%2"] as [Text] {
            #expect(!IRI.isWellFormed(text))
        }
    }

    @Test func errorsNameTheLine() {
        let text = "<http://a/s> <http://a/p> \"x\" .\r\n\n<http://a/s> .\n"
        do {
            _ = try quads(text)
            Issue.record("is accepted")
        } catch {
            #expect((error as? NQuadsError)?.line == 3)
        }
    }

    /// RDFC-1.0 section 5: the characters that are escaped, and their escapes.
    @Test func canonicalEscapes() throws {
        let value = "\0\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1F} \"'\\\u{7F}\u{80}\u{FFFD}\u{FFFE}\u{FFFF}\u{FEFF}\u{1F600}"
        let escaped =
            "\\u0000\\u0007\\b\\t\\n\\u000B\\f\\r\\u001F \\\"'\\\\\\u007F\u{80}\u{FFFD}\\uFFFE\\uFFFF\u{FEFF}\u{1F600}"
        // Long texts are written in pieces.
        for (count, start) in [(1, ""), (1, "\u{FFFE}"), (60, ""), (200, "x"), (200, "xxxxx\u{EFBE}")] {
            let text = start + String(repeating: value, count: count)
            let dataset = Dataset([Quad(.iri("a:s"), "a:p", .literal(Literal(Text(text))))])
            let beginning = start.replacing("\u{FFFE}", with: "\\uFFFE")
            let expected = "<a:s> <a:p> \"\(beginning)" + String(repeating: escaped, count: count) + "\" .\n"
            #expect(String(decoding: try RDFC10.canonicalize(dataset).nQuads, as: UTF8.self) == expected)
            #expect(String(decoding: dataset.nQuads, as: UTF8.self) == expected)
            #expect(try Dataset(nQuads: dataset.nQuads).quads == dataset.quads)
        }
    }

    @Test func damagedTextsNeverTrap() {
        let original = Array(
            "_:b <http://a/p> \"x\\u00E9\\n\"@en-GB <http://a/g> . # c\n<a:b> <c:d> \"1\"^^<e:f> .\n".utf8)
        for index in original.indices {
            _ = try? Dataset(nQuads: Array(original[..<index]))
            for byte in UInt8.min...UInt8.max {
                var damaged = original
                damaged[index] = byte
                guard let dataset = try? Dataset(nQuads: damaged) else { continue }
                #expect((try? Dataset(nQuads: dataset.nQuads))?.quads == dataset.quads)
            }
        }
    }
}
