import Encoding
import Foundation
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Runs every case in every `cases.json` under the vectors root that can be run; all use one schema.
@Suite struct VerdictCaseTests {
    private static let folders = [
        "vc/1edtech", "vc/bitstring-status-list", "vc/citizenship", "vc/danubetech", "vc/di-ecdsa", "vc/di-eddsa",
        "vc/generated", "vc/jose-cose", "vc/mosip", "vc/ssi", "vc/token-status-list", "vc/vcdm11", "vc/vcdm2",
        "sd-jwt/rfc9901-examples", "sd-jwt/testcases", "mdoc/generated", "mdoc/iso18013-5-annex-d",
        "did/did-web-mosip", "vc/neighbours", "vc/respelt",
    ]

    @Test(arguments: folders) func cases(of folder: String) throws {
        guard let path = Vectors.path(folder) else { return }
        var tally = VectorTally(folder)
        let cases = try VerdictCase.all(in: path)
        #expect(!cases.isEmpty)
        for item in cases {
            if let reason = item.outOfScope {
                tally.skip(item.id, because: reason)
            } else {
                tally.record(item.id, try Self.failure(of: item, among: cases))
            }
        }
        for failure in tally.finish() { Issue.record("\(failure)") }
    }

    /// Returns nil if the verdict is as expected, both with and without the format label.
    private static func failure(of item: VerdictCase, among cases: [VerdictCase]) throws -> String? {
        if item.mode == "status-list" { return statusListFailure(of: item) }
        if item.mode == "did-document" { return try item.documentFailure() }
        guard let clock = item.clock ?? (item.mode == "shape" ? .some(Self.anyTime) : nil) else { return "no clock" }
        let verifier = Verifier(trust: try item.trust(), policy: item.policy)
        let payload = try item.payload()
        for claimed in Set([item.claimed, nil]) {
            let verdict = verifier.verify(
                payload, claimed: claimed, demand: item.demand, at: clock, mode: item.verifierMode)
            if let failure = difference(of: verdict, from: item) {
                return failure + (claimed == nil ? " (format detected)" : "")
            }
        }
        if let failure = try claimsFailure(of: item, at: clock) { return failure }
        guard let first = cases.first(where: { $0.id == item.replayOf }) else { return nil }
        let before = verifier.verify(try first.payload(), claimed: first.claimed, at: clock)
        let again = verifier.verify(
            payload, claimed: item.claimed, recent: Set([before.credential.signedDigest].compactMap(\.self)), at: clock)
        if item.wantedDecision == "accept", again.code != .replaySeen { return "as a replay: \(again.code)" }
        return nil
    }

    /// Returns nil if the signed claims are those of the case, in any order.
    private static func claimsFailure(of item: VerdictCase, at clock: WallTime) throws -> String? {
        guard let wanted = try item.wantedClaims() else { return nil }
        let verificationContext = VerificationContext(
            trust: try item.trust(), policy: item.policy, limits: Limits(), clock: clock, onStage: nil)
        let received = try Envelope(limits: Limits()).token(try item.payload(), claimed: item.claimed)
        guard case .sdJWT(let token) = received.body else { return "no SD-JWT" }
        var check = SDJWTCheck(
            token, as: received.kind, verificationContext,
            summary: CredentialSummary(format: received.format))
        try check.verify()
        guard let claims = check.evidence.claims?.document else { return "no claims" }
        return try claims.canonicalized() == wanted.canonicalized() ? nil : "other claims"
    }

    private static func statusListFailure(of item: VerdictCase) -> String? {
        if let list = item.tokenStatusList {
            guard item.wantedDecision == "accept" else { return "accepted" }
            let set = (0..<list.count).filter { list[$0] != 0 }.map { (String($0), Int(list[$0] ?? 0)) }
            let wanted = (item.json["expect"]?["values"]?.object?.members ?? []).map { ($0.name.string, $0.value.int) }
            let isSame = set.count == wanted.count && zip(set, wanted).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
            return list.count == item.json["expect"]?["length"]?.int && isSame ? nil : "other values"
        }
        let list = item.encodedList.flatMap { try? BitstringStatusList(encoded: $0) }
        guard let list else { return item.wantedCodes.contains("status.invalid") ? nil : "refused" }
        guard item.wantedDecision == "accept" else { return "accepted" }
        let set = (item.json["expect"]?["set"]?.array ?? []).compactMap(\.int)
        return list.count == item.json["expect"]?["length"]?.int && (0..<list.count).filter { list[$0] == true } == set
            ? nil : "other bits"
    }

    private static let anyTime = WallTime(utc: Timestamp(seconds: 1_800_000_000), provenance: .given)

    private static func difference(of verdict: Verdict, from item: VerdictCase) -> String? {
        let got = "\(verdict.decision) \(verdict.code) \(verdict.reasons.first?.pointer ?? "")"
        let isAsWritten =
            verdict.decision.rawValue == item.wantedDecision && item.wantedCodes.contains(verdict.code.text)
        // Other cases test whether a status list or an endorsement is valid. A valid list or endorsement still does not
        // open the gate.
        let holds =
            item.wantedCodes.contains("ok") && verdict.code == .kindNeverAdmits
            && verdict.credential.signedDigest != nil
        guard isAsWritten || holds else {
            return "wanted \(item.wantedDecision ?? "?") \(item.wantedCodes.joined(separator: "|")), got \(got)"
        }
        guard verdict.isAccepted || holds else { return nil }
        if Set(verdict.unsigned) != Set(item.wantedUnsigned) {
            return "unsigned: wanted \(item.wantedUnsigned), got \(verdict.unsigned)"
        }
        if let wanted = item.wantedProofContext, verdict.proofContext?.rawValue != wanted {
            return "proof context: wanted \(wanted), got \(verdict.proofContext?.rawValue ?? "none")"
        }
        return nil
    }
}
