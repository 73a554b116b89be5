import Encoding
import Foundation
import LinkedData
import NQuads
import TestKit
import Testing

@Suite struct RDFCanonicalizationTests {
    @Test func w3cSuite() throws {
        guard let folder = Vectors.path("rdf-canon") else { return }
        let manifest = try JSON.parse(try Vectors.bytes(folder.appendingPathComponent("manifest.jsonld")))
        var tally = VectorTally("rdf-canon")
        for entry in manifest["entries"]?.array ?? [] {
            let id = entry["id"]?.string?.string ?? ""
            func bytes(_ member: Text) throws -> [UInt8] {
                try Vectors.bytes(folder.appendingPathComponent(entry[member]?.string?.string ?? ""))
            }
            let hash: HashAlgorithm = entry["hashAlgorithm"] == "SHA384" ? .sha384 : .sha256
            let type = entry["type"]?.string
            do {
                let result = try RDFC10.canonicalize(Dataset(nQuads: bytes("action")), hash: hash)
                // The datasets of the suite need less than a tenth of the step limit, so the limit rejects no dataset
                // of practical use.
                #expect(result.steps * 10 < CanonicalizationLimits().steps, "\(id)")
                switch type {
                case "rdfc:RDFC10EvalTest":
                    let expected = try bytes("result")
                    tally.record(id, result.nQuads == expected ? nil : "differs")
                case "rdfc:RDFC10MapTest":
                    let map = try JSON.parse(try bytes("result")).object?.members ?? []
                    let expected = Dictionary(map.map { ($0.name, $0.value.string ?? "") }) { first, _ in first }
                    tally.record(id, result.issued == expected ? nil : "differs: \(result.issued)")
                default: tally.record(id, "is not refused")
                }
            } catch let error as CanonicalizationError {
                tally.record(id, type == "rdfc:RDFC10NegativeEvalTest" ? nil : "fails with \(error)")
                #expect(error.work <= CanonicalizationLimits().work)
            }
        }
        #expect(tally.finish() == [])
    }
}
