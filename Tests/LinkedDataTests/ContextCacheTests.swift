import Encoding
import Testing

@testable import LinkedData

/// The content of the cache: pinned contexts and known contexts, never contexts that an attacker writes.
@Suite struct ContextCacheTests {
    private let processor: JSONLDProcessor

    init() throws {
        let pinned = try JSON.parse(
            #"{"@context": {"T": {"@id": "urn:T", "@context": {"s": "urn:s"}}, "a": "urn:a"}}"#)
        processor = JSONLDProcessor(contexts: ContextDocuments(["urn:pinned": pinned]))
    }

    private func known(_ letters: String) throws -> KnownObject {
        let object = try #require(try JSON.parse(letters).object)
        return try #require(
            KnownObject.find([object], in: Array(letters.utf8), limits: .init(), largest: 100_000).first)
    }

    @Test func pinnedContextsAreKept() throws {
        let document: JSON = ["@context": "urn:pinned", "@type": "T", "s": "1", "a": "2"]
        let first = try processor.deserialize(document).dataset
        let kept = processor.cache.snapshot.count
        #expect(kept == 2 && first.quads.count == 3)
        #expect(try processor.deserialize(document).dataset.quads == first.quads)
        #expect(processor.cache.snapshot.count == kept)
    }

    @Test func strangersFillNothing() throws {
        for number in 0..<50 {
            let text = String(repeating: "x", count: 10_000) + String(number)
            for context in [["@language": .text(text)], ["a\(number)": "urn:a"], ["@vocab": .text("urn:\(number):")]]
                as [JSON]
            {
                _ = try processor.deserialize(["@context": ["urn:pinned", context], "@type": "T", "s": "1"])
            }
        }
        #expect(processor.cache.snapshot.count == 1)
    }

    @Test func knownContextsAreKeptByTheirLetters() throws {
        let letters = #"{"@vocab": "urn:v:", "U": {"@id": "urn:U", "@context": {"u": "urn:u"}}}"#
        let document = #"{"@context": ["urn:pinned", \#(letters)], "@type": "U", "u": "1", "w": 2}"#
        let plain = try processor.deserialize(try JSON.parse(document)).dataset
        #expect(processor.cache.snapshot.count == 1)
        // The context is learnt twice, as after an eviction: there is one entry.
        for _ in 0..<2 {
            let parsed = try JSON.parse(Array(document.utf8), knowing: [try known(letters)])
            #expect(try processor.deserialize(parsed).dataset.quads == plain.quads)
            #expect(processor.cache.snapshot.count == 3)
        }
    }

    @Test func manySpellingsMakeRoom() throws {
        for number in 0..<200 {
            let letters = #"{"@vocab":\#(String(repeating: " ", count: 10_000 + number))"urn:v:"}"#
            let document = #"{"@context": ["urn:pinned", \#(letters)], "w": 2}"#
            _ = try processor.deserialize(try JSON.parse(Array(document.utf8), knowing: [try known(letters)]))
            // The cache has 20,000 units, and each context uses a 64th of its length.
            #expect(processor.cache.snapshot.count < 130)
        }
    }

    @Test func workIsPaidForOnceInEachDocument() throws {
        var limits = JSONLDProcessor.Limits()
        limits.definitions = 8
        let pinned = try JSON.parse(#"{"@context": {"a": "urn:a", "b": "urn:b", "c": "urn:c"}}"#)
        let processor = JSONLDProcessor(contexts: ContextDocuments(["urn:p": pinned, "urn:q": pinned]), limits: limits)
        // A loaded context and three definitions take 4 units each.
        let nested: JSON = ["@context": ["urn:p", "urn:q"], "a": [["@context": "urn:q", "b": "1"], "2"]]
        let beyond: JSON = ["@context": ["urn:p", "urn:q", ["d": "urn:d"]], "a": "1"]
        for _ in 0..<3 {
            #expect(throws: JSONLDError.self) { try processor.deserialize(beyond) }
            _ = try processor.deserialize(["@context": ["urn:p", "urn:q"], "a": "1"])
            #expect(throws: JSONLDError.self) { try processor.deserialize(nested) }
        }
    }
}
