import Encoding

@testable import Credentials

/// Something that a wallet hands over as its issuer and its holder meant it, and the verdict of one gate on that: what no disguise
/// may improve.
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
    /// The signed content of what is accepted plainly, of which this may be a broken copy.
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

    /// The verdict of the same gate on the thing in disguise.
    func verdict(_ shown: Showing) -> Verdict {
        verifier.verify(shown.payload, claimed: shown.label, demand: demand, recent: recent, at: clock, mode: mode)
    }

    /// The disguises that say something here.
    var disguises: [Disguise] { Disguise.all(of: showing, kit).filter(isTelling) }

    /// Whether a disguise says something here: one that replaces a holder's proof that was refused has mended it, and so has one
    /// that takes away what was ill-formed, or what was added to something good.
    func isTelling(_ disguise: Disguise) -> Bool {
        let isHolders = plain.code == .holderInvalid || plain.code == .holderProofMissing
        let illFormed = ["json.", "shape.", "context.", "claims.", "envelope.", "proof.malformed"]
        let isIllFormed = illFormed.contains { plain.code.text.hasPrefix($0) }
        return !(isHolders && disguise.replacesPresenter) && !(isIllFormed && disguise.takesAway)
            && !ConfusionVectors.mended.contains("\(name): \(disguise.name)")
    }

    /// What is wrong with the verdict on something in disguise; nil when nothing is.
    ///
    /// The law: what is accepted was accepted plainly too, with the same issuer, types, dates, signed content, names for the
    /// replay window and rule. What was accepted plainly may be refused. Where another credential is shown too, it may be what
    /// opens, and is then what the verdict names.
    func breach(by verdict: Verdict, in company: Disguise.Company = .none) -> String? {
        if verdict.code == .internal || verdict.reasons.isEmpty { return "a verdict without a reason" }
        guard verdict.isAccepted else { return nil }
        let (left, right) = (verdict.credential, plain.credential)
        guard plain.isAccepted else {
            let isOther = left.signedDigest != nil && left.signedDigest != right.signedDigest
            switch company {
            case .none: return restores(left) ? nil : "WRONGLY ACCEPTED"
            case .record: return isOther ? nil : "WRONGLY ACCEPTED"
            // What no rule accepts may accompany what one does; what is denied, or is no good at all, may not.
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

    /// Whether one edit has mended what another had broken: nothing else is wrong, and its issuer signed this content as it is.
    private func restores(_ credential: CredentialSummary) -> Bool {
        let broken = ["json.", "shape.", "context.", "claims.", "envelope.", "proof.malformed", "proof.invalid"]
        return broken.contains(where: plain.code.text.hasPrefix)
            && credential.signedDigest.map(accepted.contains) ?? false
    }

    /// Whether it is good, but nothing that a rule of the gate accepts.
    private var isUnruled: Bool { plain.code.text.hasPrefix("policy.") && plain.code.text != "policy.d" }

    /// Types by the ends of their names: a record has an IRI where a context that is shown makes the name uncertain.
    private static func names(_ types: [Text]) -> Set<Substring> {
        Set(
            types.map { type in
                type.string.lastIndex(of: "#").map { type.string[$0...].dropFirst() } ?? type.string[...]
            })
    }

    /// Tries one disguise; what is wrong, if anything, with both verdicts.
    func failure(of disguise: Disguise) -> String? {
        guard let shown = try? disguise.make() else { return nil }
        let verdict = verdict(shown)
        guard let breach = breach(by: verdict, in: disguise.company) else { return nil }
        return "\(name): \(disguise.name): \(breach): \(verdict.code.text), plain is \(plain.code.text)"
    }
}

/// Counts what was tried and what failed.
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
