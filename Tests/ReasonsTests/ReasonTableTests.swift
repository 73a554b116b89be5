import Encoding
import Reasons
import Testing

/// The table of reason codes as a whole, and look-ups in it.
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

    /// A cause is more informative than its documented code. A finding is not more informative than the decisive
    /// reason.
    @Test func theMostSpecificReason() {
        #expect(ReasonCode.telling([Text]()) == nil && ReasonCode.telling([ReasonCode]()) == nil)
        #expect(ReasonCode.telling(["validity.expired", "trust.stale"]) == .validityExpired)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_001"]) == .transferVerifier)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_001", "transfer.silence"]) == .transferSilence)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_003", "transfer.silence"]) == .transferPayload)
        #expect(ReasonCode.telling(["later.code", "transfer.silence"]) == nil)
        #expect(ReasonCode.telling(["transfer.TVV_UNK_001", "later.code"]) == .transferVerifier)
        #expect(ReasonCode.telling(["policy.staff"])?.remedy == ReasonCode.policy("staff").remedy)
        #expect(ReasonCode.telling([.transferVerifier, .transferSilence]) == .transferSilence)
        #expect(ReasonCode.telling([.transferPayload, .transferSilence]) == .transferPayload)
    }

    /// Each visit is counted under one row. A record of another version may have an unknown code.
    @Test func everyReasonIsCounted() {
        #expect(ReasonCode.counted([Text]()) == .ok && ReasonCode.counted([ReasonCode]()) == .ok)
        #expect(ReasonCode.counted(["later.code"]) == .internal)
        #expect(ReasonCode.counted(["policy.staff"]) == .policy(named: "<id>"))
        #expect(ReasonCode.counted([.policy("staff")]) == .policy(named: "<id>"))
        #expect(ReasonCode.counted([.policyNoMatch]) == .policyNoMatch)
    }
}
