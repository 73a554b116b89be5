import Encoding
import Foundation
import Testing

/// `gatehouse-workshop linked-data`: the three engines on files and on standard input.
@Suite struct LinkedDataCommandTests {
    private let folder: Scratch
    private let quads = "_:x <http://e.example/p> _:y .\n_:y <http://e.example/p> \"v\" .\n"

    init() throws {
        folder = try Scratch()
        try folder.write(
            "doc.json",
            """
            {"@context": {"name": "http://schema.org/name", "knows": "http://schema.org/knows"},
             "@id": "http://e.example/a", "name": "Ann", "knows": {"name": "Bob"}}
            """)
        try folder.write("graph.nq", quads)
        try folder.write("remote.json", #"{"@context": "https://c.example/v1", "name": "Ann"}"#)
        try folder.write("context.json", #"{"@context": {"name": "http://schema.org/name"}}"#)
    }

    @Test func expand() async throws {
        let ending = try await folder.workshop("linked-data", "expand", "doc.json")
        #expect(ending.code == 0)
        let want: JSON = [
            [
                "@id": "http://e.example/a", "http://schema.org/name": [["@value": "Ann"]],
                "http://schema.org/knows": [["http://schema.org/name": [["@value": "Bob"]]]],
            ]
        ]
        #expect(ending.json == [want])
    }

    @Test func toRDF() async throws {
        let ending = try await folder.workshop("linked-data", "to-rdf", "doc.json")
        #expect(ending.code == 0)
        #expect(
            Set(ending.lines) == [
                "<http://e.example/a> <http://schema.org/name> \"Ann\" .",
                "<http://e.example/a> <http://schema.org/knows> _:b0 .",
                "_:b0 <http://schema.org/name> \"Bob\" .",
            ])
    }

    @Test func canonicalize() async throws {
        let ending = try await folder.workshop("linked-data", "canonicalize", "doc.json")
        #expect(ending.code == 0)
        #expect(
            ending.output == """
                <http://e.example/a> <http://schema.org/knows> _:c14n0 .
                <http://e.example/a> <http://schema.org/name> "Ann" .
                _:c14n0 <http://schema.org/name> "Bob" .

                """)
    }

    @Test func nQuadsAndTheHash() async throws {
        let first = try await folder.workshop("linked-data", "canonicalize", "graph.nq")
        #expect(first.code == 0)
        // The labels follow the order of the hashes, so another hash may lead to other labels: both forms are
        // canonical.
        let forms = [
            "_:c14n0 <http://e.example/p> _:c14n1 .\n_:c14n1 <http://e.example/p> \"v\" .\n",
            "_:c14n0 <http://e.example/p> \"v\" .\n_:c14n1 <http://e.example/p> _:c14n0 .\n",
        ]
        #expect(forms.contains(first.output))
        let swapped = quads.replacingOccurrences(of: "_:x", with: "_:z")
        let again = try await folder.workshop("linked-data", "canonicalize", "-", input: swapped)
        #expect(again.output == first.output, "labels do not matter, and standard input takes N-Quads too")
        let longer = try await folder.workshop("linked-data", "canonicalize", "--hash", "sha384", "graph.nq")
        #expect(longer.code == 0)
        #expect(forms.contains(longer.output))
        let unknown = try await folder.workshop("linked-data", "canonicalize", "--hash", "md5", "graph.nq")
        #expect(unknown.code == 2)
        #expect(unknown.hasRemedy)
    }

    @Test func anUnknownContextIsNamedAndCanBeGiven() async throws {
        for command in ["expand", "to-rdf", "canonicalize"] {
            let ending = try await folder.workshop("linked-data", command, "remote.json")
            #expect(ending.code == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.hasRemedy && ending.errors.contains("https://c.example/v1"), "\(ending)")
        }
        let given = try await folder.workshop(
            "linked-data", "expand", "--context", "https://c.example/v1=context.json", "remote.json")
        #expect(given.code == 0)
        #expect(given.json == [[["http://schema.org/name": [["@value": "Ann"]]]]])
    }

    @Test func theBase() async throws {
        let text = #"{"@id": "a", "http://e.example/p": "v"}"#
        let with = try await folder.workshop(
            "linked-data", "to-rdf", "--base", "http://b.example/", "-", input: text)
        #expect(with.output == "<http://b.example/a> <http://e.example/p> \"v\" .\n")
        let without = try await folder.workshop("linked-data", "to-rdf", "-", input: text)
        #expect(without.code == 0 && without.output.isEmpty, "a relative IRI is no RDF")
    }

    @Test func invalidDocuments() async throws {
        try folder.write("bad.json", "{\"a\": 1,}")
        try folder.write("bad.nq", "<http://e.example/a> <http://e.example/p> .\n")
        try folder.write("term.json", #"{"@context": {"@version": 2}, "a": 1}"#)
        for (command, file, words) in [
            ("expand", "bad.json", "not JSON"), ("canonicalize", "bad.nq", "line 1 "),
            ("expand", "nowhere.json", "No such file"), ("to-rdf", ".", "directory"),
            ("to-rdf", "term.json", "@version"),
        ] {
            let ending = try await folder.workshop("linked-data", command, file)
            #expect(ending.code == 2, "\(file)")
            #expect(ending.hasRemedy && ending.errors.contains(words), "\(ending)")
            #expect(!ending.errors.contains("Error("), "words, not the names of types: \(ending)")
        }
        let context = try await folder.workshop("linked-data", "expand", "--context", "nonsense", "doc.json")
        #expect(context.code == 2)
        #expect(context.hasRemedy)
    }
}
