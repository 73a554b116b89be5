import Encoding
import Ledger
import Reasons
import Testing

@testable import Credentials

/// The choice of the credential that opened the gate. Verdict, record, report and replay window name the credential
/// that fulfilled the accepting rule, in any company and in any order.
@Suite struct DecisiveCredentialTests {
    private func rule(_ card: ShownTogether.Card, _ more: String = "") -> String {
        "[[accept]]\nid = \"\(card.name)\"\ntypes = [ \"\(card.type)\" ]\n\(more)\n"
    }

    private func verifier(_ shown: ShownTogether, _ rules: String?) throws -> Credentials.Verifier {
        let policy = try rules.map { VerificationPolicy(try PolicyFixture.parse($0)) } ?? VerificationPolicy()
        return Credentials.Verifier(trust: try TrustStore(shown.material), policy: policy)
    }

    private func verdict(
        _ shown: ShownTogether, _ payload: [UInt8], _ rules: String?, recent: Set<[UInt8]> = []
    ) throws -> Verdict {
        try verifier(shown, rules).verify(payload, recent: recent, at: ShownTogether.clock)
    }

    /// Returns the verdict on this card alone.
    private func alone(_ shown: ShownTogether, _ card: ShownTogether.Card) throws -> Verdict {
        let verdict = try verdict(shown, card.alone, nil)
        #expect(verdict.isAccepted && verdict.others.isEmpty && verdict.decisive.count == 1, "\(verdict.code)")
        #expect(verdict.credential.issuer == card.issuer)
        return verdict
    }

    private func name(_ digest: [UInt8]?) throws -> Text {
        try #require(SiteKey(RecordingGate.siteKey)).name(ofSignedContent: try #require(digest))
    }

    /// Both cards in both orders, with rules for either card.
    @Test(arguments: ShownTogether.Way.allCases) func theVerdictNamesWhatTheRuleAdmitted(way: ShownTogether.Way) throws
    {
        let shown = try ShownTogether(way)
        let cards = [shown.staff, shown.library]
        for (wanted, other) in [(cards[0], cards[1]), (cards[1], cards[0])] {
            let bare = try alone(shown, wanted)
            for order in [cards, cards.reversed()] {
                let found = try verdict(shown, try shown.together(order), rule(wanted))
                #expect(found.isAccepted && found.rule == wanted.name, "\(found.reasons)")
                #expect(found.decisive.map(\.issuer) == [wanted.issuer] && found.others.map(\.issuer) == [other.issuer])
                #expect(found.credential.types == bare.credential.types)
                #expect(found.credential.validFrom == bare.credential.validFrom)
                #expect(found.credential.validUntil == bare.credential.validUntil)
                #expect(found.credential.signedDigest == bare.credential.signedDigest)
                #expect(Set(found.replayKeys) == Set(bare.replayKeys) && !found.replayKeys.isEmpty)
                #expect(found.format?.rawValue == way.rawValue)
            }
        }
    }

    /// Record and report name the credential that fulfilled the rule, after a visit through the radio, kiosk and
    /// ledger.
    @Test(arguments: ShownTogether.Way.allCases) func recordAndReportNameIt(way: ShownTogether.Way) throws {
        let shown = try ShownTogether(way)
        for order in [[shown.staff, shown.library], [shown.library, shown.staff]] {
            for (wanted, other) in [(shown.staff, shown.library), (shown.library, shown.staff)] {
                let bare = try alone(shown, wanted).credential
                let gate = try RecordingGate(
                    verifier(shown, rule(wanted)), [try shown.together(order)], at: ShownTogether.clock)
                #expect(gate.faults == [])
                let end = try #require(gate.ends.first)
                let named = Outcome.Credential(
                    format: Text(way.rawValue), issuer: wanted.issuer, types: bare.types,
                    name: try name(bare.signedDigest), validFrom: bare.validFrom, validUntil: bare.validUntil)
                #expect(end.outcome.result == .accepted && end.outcome.credential == named)
                #expect(end.outcome.others.map(\.issuer) == [other.issuer])
                #expect(end.outcome.others.allSatisfy { $0.name == nil && $0.validFrom == nil && !$0.types.isEmpty })
                #expect(end.report["credential"]?["issuer"] == .string(wanted.issuer))
                #expect(end.report["credential"]?["name"] == .string(try name(bare.signedDigest)))
                #expect(end.report["others"]?.array?.map { $0["issuer"] } == [.string(other.issuer)])
            }
        }
    }

    /// Adding or removing other credentials does not make a used credential new. A credential that did not open the
    /// gate stays new.
    @Test(arguments: ShownTogether.Way.allCases) func theOpeningCredentialIsRecognised(way: ShownTogether.Way) throws {
        let shown = try ShownTogether(way)
        let (staff, library) = (shown.staff, shown.library)
        let friend = try shown.another(staff, from: "2026-03-07")
        let visits: [(cards: [ShownTogether.Card], code: ReasonCode)] = [
            ([staff, library], .ok), ([staff], .replaySeen), ([library, staff], .replaySeen),
            ([friend, staff], .replaySeen), ([staff, friend], .replaySeen), ([library], .ok), ([library], .replaySeen),
            ([friend, library], .ok), ([friend], .replaySeen),
        ]
        let payloads = try visits.map { try $0.cards.count == 1 ? $0.cards[0].alone : shown.together($0.cards) }
        let gate = try RecordingGate(
            verifier(shown, rule(staff) + rule(library)), payloads, at: ShownTogether.clock)
        #expect(gate.faults == [])
        for (number, end) in gate.ends.enumerated() {
            let code = end.outcome.reasons.first?.code.string ?? ReasonCode.ok.text
            #expect(code == visits[number].code.text, "visit \(number)")
        }
    }

    /// All credentials that fulfil the accepting rule are named, so no order can hide one.
    @Test(arguments: ShownTogether.Way.allCases) func twoThatFulfilTheRule(way: ShownTogether.Way) throws {
        let shown = try ShownTogether(way)
        let second = try shown.another(shown.staff, from: "2026-03-07")
        let digests = try [shown.staff, second].map { try alone(shown, $0).credential.signedDigest }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let cards = order.map { [shown.staff, second, shown.library][$0] }
            let payload = try shown.together(cards)
            let found = try verdict(shown, payload, rule(shown.staff))
            let wanted = order.filter { $0 < 2 }.map { digests[$0] }
            #expect(found.decisive.map(\.signedDigest) == wanted)
            #expect(found.others.map(\.issuer) == [shown.library.issuer])
            let keys = try [shown.staff, second].flatMap { try alone(shown, $0).replayKeys }
            #expect(Set(found.replayKeys) == Set(keys))
            let gate = try RecordingGate(verifier(shown, rule(shown.staff)), [payload], at: ShownTogether.clock)
            let outcome = try #require(gate.ends.first).outcome
            #expect(try [outcome.credential?.name, outcome.others.first?.name] == wanted.map(name))
            #expect(outcome.others.count == 2 && outcome.others.last?.name == nil)
        }
    }

    /// Without rules, each credential counts as having opened the gate.
    @Test(arguments: ShownTogether.Way.allCases) func withoutRulesAllAreNamed(way: ShownTogether.Way) throws {
        let shown = try ShownTogether(way)
        let found = try verdict(shown, try shown.together([shown.library, shown.staff]), nil)
        #expect(found.isAccepted && found.others.isEmpty)
        #expect(found.decisive.map(\.issuer) == [shown.library.issuer, shown.staff.issuer])
        let keys = Set(found.replayKeys)
        for card in [shown.staff, shown.library] {
            #expect(try verdict(shown, card.alone, nil, recent: keys).code == .replaySeen)
        }
    }

    // MARK: - Rejected presentations

    @Test(arguments: ShownTogether.Way.allCases) func theRecordNamesWhatWasDenied(way: ShownTogether.Way) throws {
        let shown = try ShownTogether(way)
        let deny = "[[deny]]\nid = \"no\"\ntypes = [ \"\(shown.library.type)\" ]\n"
        for order in [[shown.staff, shown.library], [shown.library, shown.staff]] {
            let gate = try RecordingGate(
                verifier(shown, deny + rule(shown.staff)), [try shown.together(order)], at: ShownTogether.clock)
            let outcome = try #require(gate.ends.first).outcome
            #expect(outcome.result == .rejected && outcome.reasons.first?.code == "policy.no")
            #expect(outcome.credential?.issuer == shown.library.issuer)
            #expect(try outcome.credential?.name == name(alone(shown, shown.library).credential.signedDigest))
            #expect(outcome.others.map(\.issuer) == [shown.staff.issuer])
        }
    }

    /// The verdict names the credential that a rule selects and finds unfulfilled, or the credential that is invalid.
    @Test(arguments: ShownTogether.Way.allCases) func theVerdictNamesWhatFailed(way: ShownTogether.Way) throws {
        let shown = try ShownTogether(way)
        let wanting = rule(shown.staff, "require = [ { remaining = \"9999d\" } ]")
        let late = try shown.another(shown.library, from: "2026-12-24")
        for order in [[0, 1], [1, 0]] {
            let cards = order.map { [shown.staff, shown.library][$0] }
            let found = try verdict(shown, try shown.together(cards), wanting)
            #expect(found.code.text == "policy.StaffPass" && found.credential.issuer == shown.staff.issuer)
            let early = try shown.together(order.map { [shown.staff, late][$0] })
            let other = try verdict(shown, early, rule(shown.staff))
            #expect(other.code == .validityNotYet && other.credential.issuer == (way == .response ? nil : late.issuer))
            #expect(other.credential.validFrom?.rfc3339.hasPrefix("2026-12-24") ?? false)
            #expect(other.reasons.first?.pointer?.hasPrefix(other.credential.place) ?? false)
        }
    }

    @Test func explanationAndLineHaveEachCredential() throws {
        let shown = try ShownTogether(.secondToken)
        let found = try verdict(shown, try shown.together([shown.library, shown.staff]), rule(shown.staff))
        let report = VerdictReport(file: "f", verdict: found)
        let lines = try #require(try JSON.parse(report.jsonLine)["credentials"]?.array)
        #expect(lines.map { $0["pointer"] } == ["/verifiableCredential/1", "/verifiableCredential/0"])
        #expect(lines.map { $0["decided"] } == [true, false] && lines.map { $0["format"] } == ["vc+jwt", "vc+jwt"])
        let text = report.explanation
        #expect(text.contains("  decided  /verifiableCredential/1 (vc+jwt)"))
        let words = "\(shown.library.issuer), VerifiableCredential, LibraryCard"
        #expect(text.contains("  besides  /verifiableCredential/0 (vc+jwt), \(words)"))
    }
}
