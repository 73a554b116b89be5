import Encoding
import Foundation
import LinkedData
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Every accepted linked-data vector in other spellings. The verdict stays the same, or is `shape.spelling`.
///
/// Each vector is also verified after its end and before its start. The vectors thus have refused twins without a new
/// signature.
@Suite struct RespellingVectorTests {
    private static let folders = [
        "vc/1edtech", "vc/citizenship", "vc/danubetech", "vc/di-ecdsa", "vc/di-eddsa", "vc/generated", "vc/mosip",
        "vc/neighbours", "vc/ssi",
    ]

    /// The number of spellings of each document. `GATEHOUSE_RESPELLINGS=all` tries all spellings.
    private static let sample = ProcessInfo.processInfo.environment["GATEHOUSE_RESPELLINGS"] == "all" ? Int.max : 20

    private static let least = 20

    @Test(arguments: folders) func vectors(of folder: String) throws {
        guard let path = Vectors.path(folder) else { return }
        var (tally, documents) = (RespellingTally(), 0)
        for item in try VerdictCase.all(in: path) where Self.isWanted(item) {
            guard let found = try Self.tally(of: item) else { continue }
            tally += found
            documents += 1
        }
        print("respellings: \(folder): \(tally.cases) cases of \(documents) vectors")
        for line in tally.summary { print("respellings: \(folder): \(line)") }
        #expect(documents > 0 && tally.cases >= documents * Self.least)
        #expect(tally.failures.isEmpty, "\(tally.failures.count): \(tally.failures.prefix(10))")
    }

    private static func isWanted(_ item: VerdictCase) -> Bool {
        item.outOfScope == nil && item.mode == nil && item.wantedDecision == "accept"
            && ["ldp_vc", "ldp_vp", "wallet-record", "auto"].contains(item.format)
    }

    /// Returns nil for a case that is not linked data, or whose text is signed.
    private static func tally(of item: VerdictCase) throws -> RespellingTally? {
        guard let clock = item.clock, let received = try? JSON.parse(item.payload()) else { return nil }
        let document = received["@context"] == nil ? received["verifiableCredential"]?["credential"] : received
        guard let document, document["@context"] != nil, document["proof"] != nil else { return nil }
        let isText = document.compactText.contains("-jcs-")
        if isText { return nil }
        let material = try item.material()
        let contexts = try material.contexts.mapValues { try JSON.parse($0) }
        let inline = item.profile == .compat || material.issuers.contains(where: \.inlineContexts)
        let respeller = Respeller(document, contexts: contexts, inlineAllowed: inline)
        let expires = document["proof"]?.elements.contains { $0["expires"] != nil } ?? false
        let trials = try trials(of: item, document, material, respeller, clock)
        guard !trials.isEmpty else { return nil }
        var tally = RespellingTally()
        var tried = 0
        for candidate in respeller.chosen(seed: document) {
            if tried >= sample { break }
            guard let respelt = respeller.respelt(candidate) else { continue }
            tried += 1
            for trial in trials {
                // If both have ended, either end may be detected first.
                let also = trial.plain.code == .validityExpired && expires ? ["proof.expired"] : []
                tally.record(candidate, trial, try trial.failures(of: candidate, respelt, also: also))
            }
        }
        return tally
    }

    private static func trials(
        of item: VerdictCase, _ document: JSON, _ material: TrustMaterial, _ respeller: Respeller, _ clock: WallTime
    ) throws -> [RespellingTrial] {
        var material = material
        for (url, context) in respeller.second.documents { material.contexts[url] = context.compactBytes }
        var policy = item.policy
        policy.replay.key = .subject
        let verifier = Verifier(trust: try TrustStore(material), policy: policy)
        let now = try RespellingTrial(item.id, verifier, document, demand: item.demand, clock: clock)
        guard now.plain.isAccepted else { return [] }
        var trials = [now]
        for (name, date, step) in [
            ("after its end", now.plain.credential.validUntil, Duration.seconds(86_400)),
            ("before its start", now.plain.credential.validFrom, .seconds(-86_400)),
        ] {
            guard let date else { continue }
            var other = clock
            other.utc = date.advanced(by: step)
            let trial = try RespellingTrial("\(item.id) \(name)", verifier, document, demand: item.demand, clock: other)
            if !trial.plain.isAccepted { trials.append(trial) }
        }
        return trials
    }
}
