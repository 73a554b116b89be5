import Encoding
import LinkedData
import NQuads
import TestKit
import Testing

@Suite struct W3CJSONLDTests {
    @Test func expansion() throws {
        guard let folder = Vectors.path("json-ld") else { return }
        let manifest = try W3CManifest(folder, "expand-manifest.jsonld")
        let processor = JSONLDProcessor(contexts: manifest.contexts)
        var tally = VectorTally("json-ld/expand")
        for entry in manifest.entries {
            let id = entry["@id"]?.string?.string ?? ""
            if let reason = manifest.exclusion(entry) {
                tally.skip(id, because: reason)
                continue
            }
            let document = try manifest.document(manifest.input(entry))
            do {
                let value = try processor.expand(document, options: manifest.options(entry)).value
                guard let path = entry["expect"]?.string else {
                    tally.record(id, "no error, but \(entry["expectErrorCode"]?.string?.string ?? "?") is expected")
                    continue
                }
                let expected = try manifest.document(path.string)
                tally.record(id, value.matches(expected) ? nil : "is \(value.compactText)")
            } catch let error as JSONLDError {
                let isExpected = entry["expectErrorCode"]?.string?.string == error.code.rawValue
                tally.record(id, isExpected ? nil : "fails with \(error)")
            }
        }
        #expect(tally.finish() == [])
    }

    @Test func conversionToRDF() throws {
        guard let folder = Vectors.path("json-ld") else { return }
        let manifest = try W3CManifest(folder, "toRdf-manifest.jsonld")
        let processor = JSONLDProcessor(contexts: manifest.contexts)
        var tally = VectorTally("json-ld/toRdf")
        for entry in manifest.entries {
            let id = entry["@id"]?.string?.string ?? ""
            if let reason = manifest.exclusion(entry) {
                tally.skip(id, because: reason)
                continue
            }
            let document = try manifest.document(manifest.input(entry))
            do {
                let dataset = try processor.deserialize(document, options: manifest.options(entry)).dataset
                if let code = entry["expectErrorCode"]?.string {
                    tally.record(id, "no error, but \(code) is expected")
                } else if let path = entry["expect"]?.string {
                    let expected = try Dataset(nQuads: manifest.bytes(path.string))
                    let (left, right) = (try canonical(dataset), try canonical(expected))
                    tally.record(id, left == right ? nil : "is\n\(left)instead of\n\(right)")
                } else {
                    tally.record(id, nil)
                }
            } catch let error as JSONLDError {
                let isExpected = entry["expectErrorCode"]?.string?.string == error.code.rawValue
                tally.record(id, isExpected ? nil : "fails with \(error)")
            }
        }
        #expect(tally.finish() == [])
    }

    private func canonical(_ dataset: Dataset) throws -> String {
        String(decoding: try RDFC10.canonicalize(dataset).nQuads, as: UTF8.self)
    }
}
