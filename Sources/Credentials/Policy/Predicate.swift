package import Encoding

/// The place of a claim in the signed view of a credential.
package enum ClaimPath: Hashable, Sendable {
    /// A JSON pointer (RFC 6901) into the signed text: the pointer as written, and its tokens. If the issuer signed
    /// statements, the names in the pointer mean properties (``ClaimNames``).
    case pointer(Text, [Text])
    /// A path of property IRIs through the signed statements, starting at the credential. Only linked data has such
    /// paths. The contexts of the document do not affect the meaning of the path.
    case properties([Text])

    /// The pointer, for display and verdicts; nil for a path of IRIs.
    package var pointer: String? { if case .pointer(let text, _) = self { text.string } else { nil } }

    /// The path to the claim, for display: the JSON pointer or the IRIs.
    package var description: String {
        switch self {
        case .pointer(let text, _): text.string
        case .properties(let iris): iris.map { "<\($0)>" }.joined(separator: "/")
        }
    }
}

/// A value with which a policy compares claims.
package enum PolicyValue: Hashable, Sendable {
    /// A text. Texts are compared by bytes.
    case text(Text)
    /// A number. Numbers are compared exactly.
    case number(DecimalNumber)
    /// A Boolean: `true` or `false`.
    case boolean(Bool)
}

/// A date with which a policy compares claims.
package enum PolicyDate: Hashable, Sendable {
    /// The present day at the gate.
    case today
    /// The present instant at the gate.
    case now
    /// A day without a time.
    case day(CivilDate)
    /// A single instant.
    case instant(Timestamp)
}

/// One test on one claim.
package enum ClaimTest: Hashable, Sendable {
    /// The claim exists (`true`), or does not exist (`false`).
    case exists(Bool)
    /// The claim equals the given value.
    case equals(PolicyValue)
    /// The claim equals one of the given values.
    case isOne(of: [PolicyValue])
    /// The claim is a text that begins with the given text.
    case hasPrefix(Text)
    /// The claim is a list that contains the given value, or is the value itself: JSON-LD writes a list of one value
    /// either way.
    case contains(PolicyValue)
    /// The claim contains at least one of the given values.
    case containsAny([PolicyValue])
    /// The claim contains each of the given values.
    case containsAll([PolicyValue])
    /// The claim is a number in the given relation to the given number.
    case number(Order, DecimalNumber)
    /// The claim is a date or an instant in the given relation to the given date.
    case date(Order, PolicyDate)
    /// The claim is a date of birth. The age in completed years is in the given relation to the given number.
    case age(Order, Int)

    /// The relation of one value to another.
    package enum Order: String, Sendable {
        case less, atMost, atLeast, more

        /// Returns whether `left` has this relation to `right`.
        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .less: left < right
            case .atMost: left <= right
            case .atLeast: left >= right
            case .more: left > right
            }
        }
    }

    /// The numbers with which the test compares the claim.
    var numbers: [DecimalNumber] {
        let values: [PolicyValue] =
            switch self {
            case .equals(let value), .contains(let value): [value]
            case .isOne(let values), .containsAny(let values), .containsAll(let values): values
            case .number(_, let number): [.number(number)]
            case .exists, .hasPrefix, .date, .age: []
            }
        return values.compactMap { if case .number(let number) = $0 { number } else { nil } }
    }

    /// The key of the test in a policy file. The text omits the values, because the value of a fulfilled test would
    /// reveal the claim.
    package var key: String {
        switch self {
        case .exists: "exists"
        case .equals: "equals"
        case .isOne: "in"
        case .hasPrefix: "starts-with"
        case .contains: "contains"
        case .containsAny: "contains-any"
        case .containsAll: "contains-all"
        case .number(let order, _), .age(let order, _):
            switch order {
            case .less: "below"
            case .atMost: "at-most"
            case .atLeast: "at-least"
            case .more: "above"
            }
        case .date(let order, _):
            switch order {
            case .less: "before"
            case .atMost: "on-or-before"
            case .atLeast: "on-or-after"
            case .more: "after"
            }
        }
    }
}

/// A condition on a verified credential. The result is fulfilled, not fulfilled, or unknown.
package indirect enum Predicate: Hashable, Sendable {
    /// A test on the claim at a path.
    case claim(ClaimPath, ClaimTest)
    /// The credential was issued at most the given duration ago.
    case issuedWithin(Duration)
    /// The credential is valid for at least the given duration from now on.
    case remaining(Duration)
    /// All of the given predicates are fulfilled.
    case all([Predicate])
    /// At least one of the given predicates is fulfilled.
    case any([Predicate])
    /// The given predicate is known not to be fulfilled.
    case not(Predicate)

    /// Whether the predicate needs a claim: the dates of validity alone cannot fulfil it.
    var asksOfClaims: Bool { asksOfClaims(denied: false) }

    private func asksOfClaims(denied: Bool) -> Bool {
        switch self {
        case .claim: true
        case .issuedWithin, .remaining: false
        case .all(let inner) where denied, .any(let inner) where !denied:
            inner.allSatisfy { $0.asksOfClaims(denied: denied) }
        case .all(let inner), .any(let inner): inner.contains { $0.asksOfClaims(denied: denied) }
        case .not(let inner): inner.asksOfClaims(denied: !denied)
        }
    }
}
