import Encoding

/// A truth value of Kleene's strong three-valued logic. Only ``yes`` accepts a credential. The negation of ``unknown``
/// is ``unknown``, so a claim that is missing or of another kind never leads to acceptance.
enum Truth {
    case yes, no, unknown

    init(_ value: Bool?) { self = value.map { $0 ? .yes : .no } ?? .unknown }

    init(_ comparison: ClaimValue.Comparison) {
        switch comparison {
        case .same: self = .yes
        case .different: self = .no
        case .unknown, .incomparable: self = .unknown
        }
    }

    static prefix func ! (value: Truth) -> Truth {
        switch value {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }
}

/// The result of a predicate, with its place.
struct PredicateFinding {
    var truth: Truth
    /// The key in the policy file and the place of the claim, without any value.
    var label: String
    /// The JSON pointer to the claim; nil if the path of the claim is no pointer.
    var pointer: String?
}

/// The evaluation of predicates on one verified credential at one instant. The policy reader limits the depth of
/// predicates.
struct PredicateEvaluation {
    let claims: SignedClaims
    /// The meanings of names in pointers.
    let names: ClaimNames
    let now: Timestamp
    let zone: CivilZone
    let skew: Duration
    let profile: Profile

    func evaluate(_ predicate: Predicate) -> PredicateFinding {
        switch predicate {
        case .claim(let path, let test):
            let label = (test.isAge ? "age " : "") + "\(test.key) at \(path.description)"
            switch claims.read(path, names) {
            case .value(let value):
                let truth = evaluate(test, of: value)
                if truth == .no, test.comparesText, let why = doubt(about: path, test) {
                    return PredicateFinding(truth: .unknown, label: "\(label) (\(why))", pointer: path.pointer)
                }
                return PredicateFinding(truth: truth, label: label, pointer: path.pointer)
            case .absent:
                guard case .exists(let wanted) = test else {
                    return PredicateFinding(truth: .unknown, label: label, pointer: path.pointer)
                }
                if let why = doubtedAbsence(at: path) {
                    return PredicateFinding(truth: .unknown, label: "\(label) (\(why))", pointer: path.pointer)
                }
                return PredicateFinding(truth: Truth(!wanted), label: label, pointer: path.pointer)
            case .unknown(let why):
                return PredicateFinding(truth: .unknown, label: "\(label) (\(why))", pointer: path.pointer)
            }
        case .issuedWithin(let time):
            // The skew favours the credential, because the issuer's clock may be slow.
            let truth = Truth(claims.validFrom.map { now.advanced(by: .zero - time - skew) <= $0 })
            return PredicateFinding(truth: truth, label: "issued-within")
        case .remaining(let time):
            let truth = Truth(claims.validUntil.map { now.advanced(by: time) <= $0 })
            return PredicateFinding(truth: truth, label: "remaining")
        case .all(let predicates): return all(predicates)
        case .any(let predicates):
            var kept: PredicateFinding?
            for predicate in predicates {
                let finding = evaluate(predicate)
                if finding.truth == .yes { return finding }
                if kept == nil || finding.truth == .unknown && kept?.truth == .no { kept = finding }
            }
            var finding = kept ?? PredicateFinding(truth: .no, label: "")
            finding.label = "any of \(predicates.count), such as \(finding.label)"
            return finding
        case .not(let inner):
            var finding = evaluate(inner)
            finding.truth = !finding.truth
            finding.label = "not " + finding.label
            return finding
        }
    }

    /// Returns why a signed text of linked data may fulfil the test after all; nil if it certainly does not.
    ///
    /// A text may be a name for an IRI. Suppose that the credential says `Guest` and the rule says
    /// `https://works.example/ns#Guest`. The two values differ only if the statements differ, too. Without this check,
    /// a deny rule could apply to a proof over the statements but not to a proof over the text, and a holder with both
    /// proofs could choose.
    private func doubt(about path: ClaimPath, _ test: ClaimTest) -> String? {
        switch claims.readMeaning(of: path, names) {
        case .value(let value):
            evaluate(test, of: value) == .no ? nil : "the text may be a name for the IRI"
        case .unknown(let why): why
        case .absent, nil: nil
        }
    }

    /// Returns why an empty place in a signed text of linked data may still have a value; nil if the place is certainly
    /// empty. The issuer may have written the property under another name.
    private func doubtedAbsence(at path: ClaimPath) -> String? {
        switch claims.readMeaning(of: path, names) {
        case .value: "the property is there under another name"
        case .unknown(let why): why
        case .absent, nil: nil
        }
    }

    /// Returns the first finding with the truth `no`, or else the first with `unknown`, or else a finding with `yes`.
    func all(_ predicates: [Predicate]) -> PredicateFinding {
        if predicates.count == 1 { return evaluate(predicates[0]) }
        var kept = PredicateFinding(truth: .yes, label: "all")
        for predicate in predicates {
            let finding = evaluate(predicate)
            if finding.truth == .no { return finding }
            if finding.truth == .unknown, kept.truth == .yes { kept = finding }
        }
        return kept
    }

    /// Evaluates a test on a value. If the test is for a single value and the value is a list, the result is unknown.
    private func evaluate(_ test: ClaimTest, of value: ClaimValue) -> Truth {
        if case .hidden = value { return .unknown }
        switch test {
        case .exists(let wanted): return Truth(wanted)
        case .equals(let wanted): return Truth(value.compared(with: wanted))
        case .isOne(let wanted): return Truth(Self.isAny(of: [value], in: wanted))
        case .hasPrefix(let prefix): return Truth(value.hasPrefix(prefix))
        case .contains(let wanted): return Truth(value.elements.flatMap { Self.isAny(of: $0, in: [wanted]) })
        case .containsAny(let wanted): return Truth(value.elements.flatMap { Self.isAny(of: $0, in: wanted) })
        case .containsAll(let wanted):
            guard let elements = value.elements else { return .unknown }
            let findings = wanted.map { Self.isAny(of: elements, in: [$0]) }
            return findings.contains(false) ? .no : Truth(findings.contains(nil) ? nil : true)
        case .number(let order, let wanted):
            switch value {
            case .number(let number): return Truth(order.holds(number, wanted))
            case .double(let number): return Truth(wanted.asDouble.map { order.holds(number, $0) })
            default: return .unknown
            }
        case .date(let order, let wanted):
            guard case .text(let text) = value else { return .unknown }
            return Truth(compare(text, order, wanted))
        case .age(let order, let years):
            guard case .text(let text) = value, let birth = CivilDate(asWritten: text) else { return .unknown }
            let today = CivilDate(now, in: zone)
            // An age before the day of birth is undefined.
            return birth <= today ? Truth(order.holds(birth.age(on: today), years)) : .unknown
        }
    }

    /// Returns whether one of `values` is among `wanted`. Returns nil if no value is among them and one comparison is
    /// unknown. If a value can be compared with some wanted values only, it counts as different from the others. If it
    /// can be compared with none of them, the result is nil.
    private static func isAny(of values: [ClaimValue], in wanted: [PolicyValue]) -> Bool? {
        var isTold = true
        for value in values {
            let answers = wanted.map { value.compared(with: $0) }
            if answers.contains(.same) { return true }
            if answers.contains(.unknown) || !answers.contains(.different) { isTold = false }
        }
        return isTold ? false : nil
    }

    /// Compares days with days and instants with instants. For a comparison with a day, an instant counts as its day in
    /// the gate's time zone. Returns nil if the text is not a date, or has no zone under the strict profile.
    private func compare(_ text: Text, _ order: ClaimTest.Order, _ wanted: PolicyDate) -> Bool? {
        let day = CivilDate(text)
        let instant = day == nil ? Timestamp(rfc3339: text.string, zoneRequired: profile == .strict) : nil
        guard let claimed = day ?? instant.map({ CivilDate($0, in: zone) }) else { return nil }
        let wantedInstant: Timestamp
        switch wanted {
        case .today: return order.holds(claimed, CivilDate(now, in: zone))
        case .day(let wantedDay): return order.holds(claimed, wantedDay)
        case .now: wantedInstant = now
        case .instant(let instant): wantedInstant = instant
        }
        guard let instant else { return order.holds(claimed, CivilDate(wantedInstant, in: zone)) }
        return order.holds(instant, wantedInstant)
    }
}

extension ClaimTest {
    /// Whether the test compares texts.
    fileprivate var comparesText: Bool {
        switch self {
        case .equals(let value), .contains(let value): value.isText
        case .isOne(let values), .containsAny(let values), .containsAll(let values): values.contains(where: \.isText)
        case .hasPrefix: true
        case .exists, .number, .date, .age: false
        }
    }

    fileprivate var isAge: Bool { if case .age = self { true } else { false } }
}

extension PolicyValue {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
