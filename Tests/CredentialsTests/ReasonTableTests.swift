import Credentials
import Encoding
import Foundation
import TestKit
import Testing

/// Compares the table of reason codes with the one that the vectors document.
@Suite struct ReasonTableTests {
    @Test func rowsAreCompleteAndUnique() {
        #expect(Set(ReasonCode.all).count == ReasonCode.all.count)
        for code in ReasonCode.all {
            #expect(code.meaning.hasSuffix(".") && code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test func aCodeIsFoundByItsName() {
        for row in ReasonCode.all { #expect(ReasonCode.named(row.text) == row) }
        let rule = ReasonCode.named("policy.staff")
        #expect(rule == .policy("staff") && rule?.meaning.contains("staff") == true)
        for text in ["", "policy", "policy.", "validity", "validity.expired ", "Validity.expired", "transfer"] {
            #expect(ReasonCode.named(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("validity.expird", ReasonCode.validityExpired), ("proof.invalide", .proofInvalid),
        ("TVV_TRA_002", .transferTooManyMissing),
        ("transfer.tvv_unk_003", .transferPayload), ("err_vc_revoked", .statusRevoked),
        ("not-authentic", .transferNotAuthentic),
        ("no-match", .policyNoMatch), ("intern", .internal), ("shape.speling", .shapeSpelling),
    ]) func theNearestCode(_ typed: String, _ code: ReasonCode) {
        #expect(ReasonCode.nearest(to: typed) == code)
    }

    @Test func theNearestCodeToAnything() {
        #expect(ReasonCode.all.contains(.nearest(to: "")))
        #expect(ReasonCode.all.contains(.nearest(to: String(repeating: "é", count: 100_000))))
    }

    /// A cause is more informative than its documented code; a finding is not more informative than the
    /// reason that decided.
    @Test func theReasonThatTellsMost() {
        #expect(ReasonCode.telling([]) == nil)
        #expect(ReasonCode.telling(["validity.expired", "trust.stale"]) == .validityExpired)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_001"]) == .transferVerifier)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_001", "transfer.silence"]) == .transferSilence)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_003", "transfer.silence"]) == .transferPayload)
        #expect(ReasonCode.telling(["later.code", "transfer.silence"]) == nil)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_001", "later.code"]) == .transferVerifier)
        #expect(ReasonCode.telling(["policy.staff"])?.remedy == ReasonCode.policy("staff").remedy)
    }

    /// Every code that a case expects exists, and so does every code of the README's table.
    @Test func everyDocumentedCodeExists() throws {
        let known = Set(ReasonCode.all.map(\.text))
        guard let readme = Vectors.path("README.md") else { return }
        let text = String(decoding: try Vectors.bytes(readme), as: UTF8.self)
        let table = text.components(separatedBy: "## Stages and codes").last ?? ""
        var documented: Set<String> = []
        for row in table.components(separatedBy: "\n") where row.hasPrefix("| `") {
            var family = ""
            for name in row.components(separatedBy: "|")[1].components(separatedBy: "`") where name.contains(".") {
                if !name.hasPrefix(".") { family = String(name.prefix { $0 != "." }) }
                documented.insert(name.hasPrefix(".") ? family + name : name)
            }
        }
        #expect(documented.count > 50)
        #expect(documented.subtracting(known).isEmpty)
        for folder in ["vc/mosip", "vc/generated", "mdoc/generated", "sd-jwt/testcases"] {
            guard let path = Vectors.path(folder) else { continue }
            for item in try VerdictCase.all(in: path) {
                #expect(Set(item.wantedCodes).isSubset(of: known), "\(item.id): \(item.wantedCodes)")
            }
        }
    }
}
