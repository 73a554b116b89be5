import Encoding
import Foundation
import LinkedData
import TestKit
import Testing

@testable import Credentials

/// Rules can read the names in all issuers' credentials although one gate has pinned the contexts of all issuers.
@Suite struct VectorNameTests {
    private static let folders = [
        "vc/1edtech", "vc/citizenship", "vc/danubetech", "vc/di-ecdsa", "vc/di-eddsa", "vc/generated", "vc/mosip",
        "vc/ssi", "vc/vcdm11", "vc/vcdm2",
    ]

    /// A credential that lists only pinned contexts, with those of its own case.
    private struct Sample {
        let document: JSONObject
        let contexts: [Text: JSON]
    }

    private static func samples() throws -> [Sample] {
        var samples: [Sample] = []
        for folder in folders.compactMap({ Vectors.path($0) }) {
            for item in try VerdictCase.all(in: folder) where item.wantedDecision == "accept" && item.outOfScope == nil
            {
                guard let document = (try? JSON.parse(item.payload()))?.object, document["credentialSubject"] != nil,
                    let material = try? item.material(), !ListedContexts(document["@context"] ?? .null).bringsOwn
                else { continue }
                let contexts = material.contexts.compactMapValues { try? JSON.parse($0) }
                samples.append(Sample(document: document.without("proof"), contexts: contexts))
            }
        }
        return samples
    }

    /// Returns every path of names through the objects of a document, including arrays of one element.
    private static func paths(in object: JSONObject, _ tokens: [Text] = []) -> [[Text]] {
        object.members.filter { $0.name != "@context" }.flatMap { member -> [[Text]] in
            let path = tokens + [member.name]
            let inner = member.value.object ?? (member.value.array?.count == 1 ? member.value.array?[0].object : nil)
            return [path] + (inner.map { paths(in: $0, path) } ?? [])
        }
    }

    private static func findings(_ sample: Sample, _ processor: JSONLDProcessor) throws -> [[Text]: ClaimFinding] {
        let content = try LinkedDataDocument(sample.document, processor: processor)
        guard let graph = content.graph(type: CredentialVocabulary.verifiableCredentialType) else { return [:] }
        let claims = PolicyFixture.claims(.object(sample.document), format: .ldpVC, graph: graph)
        // A path passes through arrays of one element without their index.
        let unsigned = content.unsigned.map { $0.split(separator: "/").filter { $0 != "0" }.map { "/" + $0 }.joined() }
        var findings: [[Text]: ClaimFinding] = [:]
        for path in paths(in: sample.document) {
            let pointer = path.map { "/" + $0.string }.joined()
            if unsigned.contains(where: { pointer.utf8.starts(with: $0.utf8) }) { continue }
            let names = ClaimNames(of: claims, listed: [], pinned: processor, work: RuleWork(10_000))
            findings[path] = claims.read(.pointer("", path), names)
        }
        return findings
    }

    @Test func claimsAreReadWithAllContexts() throws {
        let samples = try Self.samples()
        guard !samples.isEmpty else { return }
        let all = samples.reduce(into: [Text: JSON]()) { $0.merge($1.contexts) { $1 } }
        let together = JSONLDProcessor(contexts: ContextDocuments(all), standardNames: .init())
        var (count, alone, besides): (Int, Int, Int) = (0, 0, 0)
        var lost: Set<Text> = []
        for sample in samples {
            // The same URL may have two versions among the vectors.
            let contexts = all.merging(sample.contexts) { $1 }
            let crowd = contexts == all ? together : JSONLDProcessor(contexts: ContextDocuments(contexts))
            let own = JSONLDProcessor(contexts: ContextDocuments(sample.contexts))
            let (plain, found) = (try Self.findings(sample, own), try Self.findings(sample, crowd))
            for (path, finding) in plain {
                count += 1
                switch (finding, found[path]) {
                case (.absent, _), (_, .absent): Issue.record("\(path) of \(sample.document["id"] ?? .null) is absent")
                case (.value, .value?): continue
                case (.value, _):
                    besides += 1
                    lost.insert(path.last ?? "")
                default: alone += 1
                }
            }
        }
        print("names: \(count) claims, unread \(alone), beside \(all.count) contexts \(besides) more: \(lost.sorted())")
        #expect(besides * 20 <= count && alone * 10 <= count)
    }
}
