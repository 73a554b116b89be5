import Encoding
import Foundation
import LinkedData
import NQuads
import TestKit
import Testing

/// Documents made of parts of other documents never trap, and the results are stable.
@Suite struct DamagedDocumentTests {
    @Test func mixedUpSuiteDocuments() throws {
        guard let folder = Vectors.path("json-ld") else { return }
        let manifest = try W3CManifest(folder, "expand-manifest.jsonld")
        let documents = try manifest.entries.map { try manifest.document(manifest.input($0)) }
        var mixer = Mixer(documents)
        let processor = JSONLDProcessor(contexts: manifest.contexts)
        var limits = CanonicalizationLimits()
        limits.work = 200
        var accepted = 0
        for round in 0..<3000 {
            let document = mixer.next()
            let options = Options(
                base: round % 2 == 0 ? nil : "http://base/", rdfDirection: round % 3 == 0 ? .i18nDatatype : nil)
            guard let dataset = try? processor.deserialize(document, options: options).dataset,
                let canonical = try? RDFC10.canonicalize(dataset, limits: limits).nQuads
            else { continue }
            accepted += 1
            let again = try RDFC10.canonicalize(Dataset(nQuads: canonical), limits: limits).nQuads
            #expect(again == canonical, "\(document.compactText)")
        }
        #expect(accepted > 300)
    }

    /// Replaces parts of documents with parts of others, in a reproducible way.
    private struct Mixer {
        private let documents: [JSON]
        private var parts: [JSON] = [
            "@json", "@none", "", ":", "_:", "a:b", "//", "@foo", .number(.init(validated: "1e400")),
        ]
        private var state: UInt64 = 88_172_645_463_325_252

        init(_ documents: [JSON]) {
            self.documents = documents
            for document in documents { collect(document) }
        }

        mutating func next() -> JSON {
            var document = documents[random(documents.count)]
            for _ in 0...random(3) { document = changed(document) }
            return document
        }

        private mutating func collect(_ value: JSON) {
            parts.append(value)
            for element in value.array ?? [] { collect(element) }
            for member in value.object?.members ?? [] {
                parts.append(.string(member.name))
                collect(member.value)
            }
        }

        private mutating func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }

        private mutating func part() -> JSON { parts[random(parts.count)] }

        private mutating func changed(_ value: JSON) -> JSON {
            if random(12) == 0 { return part() }
            switch value {
            case .array(var elements) where !elements.isEmpty:
                let index = random(elements.count)
                elements[index] = changed(elements[index])
                return .array(elements)
            case .object(let object) where !object.isEmpty:
                var members = object.members
                let index = random(members.count)
                switch random(5) {
                case 0: members[index].name = part().string ?? members[index].name
                case 1: members.append(.init(part().string ?? "@id", part()))
                default: members[index].value = changed(members[index].value)
                }
                return .object(JSONObject(members))
            default: return part()
            }
        }
    }
}
