import Encoding
import Reasons

@testable import Credentials

/// An undisguised payload with the verdict of one gate. No disguise may improve the verdict.
struct PlainCase: Sendable {
    let name: String
    let showing: Showing
    let verifier: Verifier
    let demand: HolderDemand
    let recent: Set<[UInt8]>
    let clock: WallTime
    let mode: Verifier.Mode
    let kit: DisguiseKit
    let plain: Verdict
    /// The signed content of accepted plain cases. This case may be a broken copy of an accepted case.
    var accepted: Set<[UInt8]> = []

    init(
        _ name: String, _ showing: Showing, _ verifier: Verifier, _ kit: DisguiseKit, recent: Set<[UInt8]> = [],
        clock: WallTime, mode: Verifier.Mode = .full
    ) {
        (self.name, self.showing, self.verifier, self.kit) = (name, showing, verifier, kit)
        (self.recent, self.clock, self.mode) = (recent, clock, mode)
        demand = kit.demand
        plain = verifier.verify(
            showing.payload, claimed: showing.label, demand: kit.demand, recent: recent, at: clock, mode: mode)
    }

    /// Returns the verdict of the same gate on the disguised payload.
    func verdict(_ shown: Showing) -> Verdict {
        verifier.verify(shown.payload, claimed: shown.label, demand: demand, recent: recent, at: clock, mode: mode)
    }

    /// The disguises that are meaningful for this case.
    var disguises: [Disguise] { Disguise.all(of: showing, kit).filter(isTelling) }

    /// Returns whether a disguise is meaningful for this case. A disguise that repairs the case is not meaningful: it
    /// replaces a refused holder's proof, or removes a malformed part or an addition to a valid credential.
    func isTelling(_ disguise: Disguise) -> Bool {
        let isHolders = plain.code == .holderInvalid || plain.code == .holderProofMissing
        let illFormed = ["json.", "shape.", "context.", "claims.", "envelope.", "proof.malformed"]
        let isIllFormed = illFormed.contains { plain.code.text.hasPrefix($0) }
        return !(isHolders && disguise.replacesPresenter) && !(isIllFormed && disguise.takesAway)
            && !ConfusionVectors.mended.contains("\(name): \(disguise.name)")
    }

    /// Returns what is wrong with the verdict on a disguised payload; nil if it is right.
    ///
    /// An accepted disguise must have been accepted in plain form, too, with the same issuer, types, dates, signed
    /// content, names for the replay window and rule. A case that is accepted in plain form may be refused in disguise.
    /// If another credential is presented, too, it may open the gate, and the verdict then names it.
    func breach(by verdict: Verdict, in company: Disguise.Company = .none) -> String? {
        if verdict.code == .internal || verdict.reasons.isEmpty { return "a verdict without a reason" }
        guard verdict.isAccepted else { return nil }
        let (left, right) = (verdict.credential, plain.credential)
        guard plain.isAccepted else {
            let isOther = left.signedDigest != nil && left.signedDigest != right.signedDigest
            switch company {
            case .none: return restores(left) ? nil : "WRONGLY ACCEPTED"
            case .record: return isOther ? nil : "WRONGLY ACCEPTED"
            // A valid credential that no rule accepts may accompany an accepted credential. A denied or invalid
            // credential may not.
            case .presentation: return isOther && isUnruled ? nil : "WRONGLY ACCEPTED"
            }
        }
        guard company == .none else { return nil }
        if left.issuer != right.issuer { return "another issuer" }
        if Self.names(left.types) != Self.names(right.types) { return "other types" }
        if left.validFrom != right.validFrom || left.validUntil != right.validUntil { return "other dates" }
        if left.signedDigest != right.signedDigest { return "another signed digest" }
        if Set(verdict.replayKeys) != Set(plain.replayKeys) { return "other replay keys" }
        return verdict.rule == plain.rule ? nil : "another rule"
    }

    /// Returns whether one edit has repaired the effect of another edit: nothing else is wrong, and the issuer signed
    /// exactly this content.
    private func restores(_ credential: CredentialSummary) -> Bool {
        let broken = ["json.", "shape.", "context.", "claims.", "envelope.", "proof.malformed", "proof.invalid"]
        return broken.contains(where: plain.code.text.hasPrefix)
            && credential.signedDigest.map(accepted.contains) ?? false
    }

    /// Whether the case is valid, but no rule of the gate accepts it.
    private var isUnruled: Bool { plain.code.text.hasPrefix("policy.") && plain.code.text != "policy.d" }

    /// Returns the last parts of type names. A record contains an IRI if an added context puts the name in doubt.
    private static func names(_ types: [Text]) -> Set<Substring> {
        Set(
            types.map { type in
                type.string.lastIndex(of: "#").map { type.string[$0...].dropFirst() } ?? type.string[...]
            })
    }

    /// Tries one disguise. Returns a description of the failure with both verdicts; nil for a success.
    func failure(of disguise: Disguise) -> String? {
        guard let shown = try? disguise.make() else { return nil }
        let verdict = verdict(shown)
        guard let breach = breach(by: verdict, in: disguise.company) else { return nil }
        return "\(name): \(disguise.name): \(breach): \(verdict.code.text), plain is \(plain.code.text)"
    }
}

/// Counts the attempts and collects the failures.
struct ConfusionTally {
    private(set) var cases = 0
    private(set) var failures: [String] = []

    /// Tries these disguises of one case.
    mutating func attempt(_ item: PlainCase, _ disguises: some Sequence<Disguise>) {
        for disguise in disguises {
            cases += 1
            if let failure = item.failure(of: disguise) { failures.append(failure) }
        }
    }

    static func += (left: inout ConfusionTally, right: ConfusionTally) {
        left.cases += right.cases
        left.failures += right.failures
    }
}
