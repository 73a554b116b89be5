import Encoding
import LinkedData
import Testing

@Suite struct ContextTests {
    private func expand(
        _ text: String, _ contexts: [Text: String] = [:], _ options: Options = Options(),
        limits: JSONLDProcessor.Limits = .init()
    ) throws -> String {
        let documents = try contexts.mapValues { try JSON.parse($0) }
        let processor = JSONLDProcessor(contexts: ContextDocuments(documents), limits: limits)
        return try processor.expand(try JSON.parse(text), options: options).value.compactText
    }

    private func error(
        _ text: String, _ contexts: [Text: String] = [:], limits: JSONLDProcessor.Limits = .init()
    ) -> JSONLDError? {
        do {
            _ = try expand(text, contexts, limits: limits)
            return nil
        } catch {
            return error as? JSONLDError
        }
    }

    @Test func anUnknownContextIsNamed() {
        let found = error(
            #"{"@context": ["urn:known", "https://nobody.example/v1"]}"#, ["urn:known": #"{"@context": {}}"#])
        #expect(found?.code == .loadingRemoteContextFailed && found?.code.rawValue == "loading remote context failed")
        #expect(found?.url == "https://nobody.example/v1")
        let scoped = error(#"{"@context": {"a": {"@id": "ex:a", "@context": "urn:b"}}}"#)
        #expect(scoped?.code == .loadingRemoteContextFailed && scoped?.url == "urn:b")
    }

    /// A context may define more aliases of a keyword than an object has members. Both look-up methods give
    /// the same result.
    @Test(arguments: [1, 500]) func manyAliasesOfValue(count: Int) throws {
        let aliases = (0..<count).map { #""v\#($0)": "@value", "# }.joined()
        let scoped = #""T": {"@id": "ex:T", "@context": {"q": "ex:scoped"}}"#
        let context = #"{\#(aliases)\#(scoped), "@vocab": "ex:plain-", "p": "ex:p"}"#
        // The scope of a type applies to values, but not to nodes below.
        let values =
            ##"{"@context": \##(context), "@type": "T", "p": [{"v0": "a"}, {"q": "b"}, {"v\##(count - 1)": "c"}]}"##
        let expanded = try expand(values)
        #expect(expanded.contains(##"[{"@value":"a"},{"ex:plain-q":[{"@value":"b"}]},{"@value":"c"}]"##), "\(expanded)")
    }

    /// `@propagate` applies to a single context or to a context document, but not to an element of an array.
    @Test func propagationOfOneOfSeveral() throws {
        let open = #"{"@vocab": "ex:plain-"}"#
        let closed = #"{"@propagate": false, "p": "ex:p"}"#
        func expand(_ context: String) throws -> String {
            let document = #"{"@context": \#(context), "p": "a", "x": {"p": "b"}}"#
            return try self.expand(document, ["urn:closed": #"{"@context": \#(closed)}"#])
        }
        let whole = ##"{"ex:p":[{"@value":"b"}]}"##
        for context in [#"[\#(open), \#(closed)]"#, #"[\#(closed), \#(open)]"#, #"[\#(open), \#(closed), {}]"#] {
            #expect(try expand(context).contains(whole), "\(context)")
        }
        let alone = #"{"@propagate": false, "p": "ex:p", "x": {"@id": "ex:x", "@context": \#(open)}}"#
        for context in [#"[\#(open), "urn:closed"]"#, alone] {
            #expect(try expand(context).contains(##"{"ex:plain-p":[{"@value":"b"}]}"##), "\(context)")
        }
        // The value must be valid nevertheless.
        #expect(error(#"{"@context": [{"@propagate": 1}], "p": "a"}"#)?.code == .invalidPropagateValue)
    }

    /// A null context may not remove protected terms, in whatever way they were defined and redefined.
    @Test func protectedTermsAreCounted() {
        func code(_ contexts: String) -> JSONLDError.Code? {
            error(#"{"@context": [\#(contexts), null], "x": 1}"#)?.code
        }
        #expect(code(##"{"a": {"@id": "ex:a", "@protected": true}}"##) == .invalidContextNullification)
        #expect(
            code(##"{"@protected": true, "a": "ex:a"}, {"@protected": true, "a": "ex:a"}"##)
                == .invalidContextNullification)
        #expect(
            code(##"{"@protected": true, "a": "ex:a", "b": {"@id": "ex:b", "@protected": false}}"##)
                == .invalidContextNullification)
        #expect(code(##"{"a": "ex:a"}, {"a": {"@id": "ex:a", "@protected": false}}"##) == nil)
    }

    @Test func arraysOfContextsDoNotNest() {
        #expect(error(##"{"@context": [[{"a": "ex:a"}], {"b": "ex:b"}], "a": 1}"##)?.code == .invalidLocalContext)
        #expect(error(##"{"@context": [{"a": "ex:a"}, {"b": "ex:b"}], "a": 1}"##) == nil)
    }

    @Test func errorsNameThePlace() {
        let found = error(#"{"ex:a": [{"ex:b": {"@id": 1}}]}"#)
        #expect(found?.code == .invalidIDValue && found?.pointer == "/ex:a/0/ex:b/@id")
    }

    /// A context that was seen before is not processed again, and has the same meaning the second time.
    @Test func theSecondUseOfAContextGivesTheSame() throws {
        let contexts: [Text: String] = [
            "urn:v": """
            {"@context": {"@version": 1.1, "@protected": true, "id": "@id", "type": "@type",
              "T": {"@id": "ex:T", "@context": {"@protected": true, "p": "ex:inT"}},
              "q": {"@id": "ex:q", "@context": {"p": "ex:inQ"}}}}
            """
        ]
        let processor = JSONLDProcessor(contexts: ContextDocuments(try contexts.mapValues { try JSON.parse($0) }))
        let document = try JSON.parse(
            #"{"@context": ["urn:v", {"r": "ex:r", "p": "ex:p"}], "type": "T", "p": 1, "r": {"p": 2}, "q": {"p": 3, "type": "T"}}"#
        )
        let first = try processor.expand(document)
        for _ in 0..<3 { #expect(try processor.expand(document).value == first.value) }
        #expect(
            first.value.compactText
                == #"[{"@type":["ex:T"],"ex:inT":[{"@value":1}],"ex:r":[{"ex:p":[{"@value":2}]}],"#
                + #""ex:q":[{"@type":["ex:T"],"ex:inT":[{"@value":3}]}]}]"#)
    }

    @Test func protectedTermsCannotBeRedefined() {
        let contexts: [Text: String] = ["urn:v": #"{"@context": {"@protected": true, "p": "ex:p"}}"#]
        #expect(error(#"{"@context": ["urn:v", {"p": "ex:other"}]}"#, contexts)?.code == .protectedTermRedefinition)
        #expect(error(#"{"@context": ["urn:v", {"p": "ex:other"}]}"#, contexts)?.detail == "p")
        #expect(error(#"{"@context": ["urn:v", {"p": "ex:p"}]}"#, contexts) == nil)
        #expect(error(#"{"@context": ["urn:v", null]}"#, contexts)?.code == .invalidContextNullification)
    }

    @Test func membersThatAreOneTextInSwiftAreTwoTerms() throws {
        let text = "{\"@context\": {\"\u{E9}\": \"ex:1\", \"e\u{301}\": \"ex:2\"}, \"\u{E9}\": 1, \"e\u{301}\": 2}"
        #expect(try expand(text) == #"[{"ex:1":[{"@value":1}],"ex:2":[{"@value":2}]}]"#)
    }

    @Test func reservedFormsAreIgnored() throws {
        let text =
            #"{"@context": {"@vocab": "ex:", "at": "@", "dotted": "@a.b", "gone": "@ignored"}, "at": 1, "dotted": 2, "gone": 3, "@ignored": 4}"#
        #expect(try expand(text) == #"[{"ex:@":[{"@value":1}],"ex:@a.b":[{"@value":2}],"ex:gone":[{"@value":3}]}]"#)
    }

    @Test func aBaseIsResolvedAgainstTheBaseBefore() throws {
        let options = Options(base: "http://a/b/c?q#f")
        for (base, id, result) in [
            ("", "d", "http://a/b/d"), ("../x/", "d", "http://a/x/d"), ("//h", "d", "http://h/d"),
            ("?y", "", "http://a/b/c?y"),
            ("", "#g", "http://a/b/c?q#g"), ("", "/../.././d/.", "http://a/d/"), ("", "a/..", "http://a/b/"),
            ("", "g:h", "g:h"),
        ] {
            let text = #"{"@context": {"@base": "\#(base)"}, "@id": "\#(id)", "ex:p": 1}"#
            #expect(try expand(text, [:], options) == #"[{"@id":"\#(result)","ex:p":[{"@value":1}]}]"#)
        }
    }

    @Test func recursionThroughDocumentsIsBounded() {
        let contexts: [Text: String] = [
            "urn:a": #"{"@context": "urn:b"}"#, "urn:b": #"{"@context": ["urn:a"]}"#,
            "urn:s": #"{"@context": {"p": {"@id": "ex:p", "@context": "urn:s"}}}"#,
        ]
        #expect(error(#"{"@context": "urn:a"}"#, contexts)?.code == .contextOverflow)
        #expect(error(#"{"@context": "urn:s", "p": {"p": {"p": 1}}}"#, contexts) == nil)
    }

    @Test func inlineContextsAreBounded() {
        func terms(_ count: Int) -> String {
            (0..<count).map { "\"t\($0)\": {\"@id\": \"ex:\($0)\", \"@context\": {\"a\": \"ex:a\"}}" }.joined(
                separator: ", ")
        }
        #expect(error("{\"@context\": {\(terms(1000))}}") == nil)
        #expect(error("{\"@context\": {\(terms(15_000))}}")?.code == .contextOverflow)
        let many = Array(repeating: "{}", count: 65).joined(separator: ",")
        #expect(error("{\"@context\": [\(many)]}")?.code == .contextOverflow)
        let long = String(repeating: "x", count: 3000)
        #expect(error(#"{"@context": {"@vocab": "ex:\#(long)"}}"#)?.code == .limitExceeded)
        #expect(error(#"{"@context": {"p": "ex:\#(long)"}}"#)?.code == .limitExceeded)
    }

    @Test func documentsAreBounded() {
        func values(_ count: Int) -> String { Array(repeating: "1", count: count).joined(separator: ",") }
        #expect(error(#"{"ex:p": [\#(values(30_000))]}"#) == nil)
        #expect(error(#"{"ex:p": [\#(values(40_000))]}"#)?.detail == "items")
        let long = String(repeating: "n", count: 100_000)
        let undefined = (0..<100).map { "\"m\($0)\": 1" }.joined(separator: ",")
        #expect(error(#"{"ex:\#(long)": {\#(undefined)}}"#)?.detail == "dropped members")
    }

    /// Many tasks share one processor, as in the gate's verifier.
    @Test func oneProcessorServesManyTasks() async throws {
        let context = try JSON.parse(#"{"@context": {"T": {"@id": "ex:T", "@context": {"p": "ex:p"}}, "q": "ex:q"}}"#)
        let processor = JSONLDProcessor(contexts: ContextDocuments(["urn:v": context]))
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask {
                    let inline = "{\"t\(task)\": \"ex:t\"}"
                    let text = #"{"@context": ["urn:v", \#(inline)], "@type": "T", "p": {"q": 1}, "t\#(task)": 2}"#
                    return try processor.deserialize(try JSON.parse(text)).dataset.quads.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 4, count: 16))
    }
}
