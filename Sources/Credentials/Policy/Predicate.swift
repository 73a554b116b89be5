package import Encoding

/// Where a claim stands in the signed view of a credential.
package enum ClaimPath: Hashable, Sendable {
    /// A JSON pointer (RFC 6901) into the signed text, as written and as its tokens; where statements are signed its names
    /// stand for their properties (``ClaimNames``).
    case pointer(Text, [Text])
    /// Property IRIs from the credential on through the signed statements; linked data only. Says what is meant whatever
    /// context the document was written under.
    case properties([Text])

    /// For people and verdicts: the pointer; nil for a path of IRIs.
    package var pointer: String? { if case .pointer(let text, _) = self { text.string } else { nil } }

    /// For people: the pointer, or the IRIs.
    package var description: String {
        switch self {
        case .pointer(let text, _): text.string
        case .properties(let iris): iris.map { "<\($0)>" }.joined(separator: "/")
        }
    }
}

/// A value that a policy compares claims with.
package enum PolicyValue: Hashable, Sendable {
    /// Text, compared by bytes.
    case text(Text)
    /// A number, compared exactly.
    case number(DecimalNumber)
    /// `true` or `false`.
    case boolean(Bool)
}

/// A date that a policy compares claims with.
package enum PolicyDate: Hashable, Sendable {
    /// The day at the gate.
    case today
    /// The instant at the gate.
    case now
    /// A day.
    case day(CivilDate)
    /// An instant.
    case instant(Timestamp)
}

/// One test on one claim.
package enum ClaimTest: Hashable, Sendable {
    /// The claim is there, or is not.
    case exists(Bool)
    /// It is this value.
    case equals(PolicyValue)
    /// It is one of these values.
    case isOne(of: [PolicyValue])
    /// It is a text that begins so.
    case hasPrefix(Text)
    /// It is a list with this value in it, or the value itself: JSON-LD writes a list of one either way.
    case contains(PolicyValue)
    /// The same for one of several values.
    case containsAny([PolicyValue])
    /// The same for each of several values.
    case containsAll([PolicyValue])
    /// It is a number that compares so.
    case number(Order, DecimalNumber)
    /// It is a date or an instant that compares so.
    case date(Order, PolicyDate)
    /// It is a date of birth, and the completed years of life compare so.
    case age(Order, Int)

    /// How one value stands to another.
    package enum Order: String, Sendable {
        case less, atMost, atLeast, more

        /// Whether `left` stands so to `right`.
        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .less: left < right
            case .atMost: left <= right
            case .atLeast: left >= right
            case .more: left > right
            }
        }
    }

    /// The numbers that it compares with.
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

    /// The key of the policy file that asks for it. Values are left out: a claim that fulfils the test could be guessed.
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

/// A condition on a verified credential. Total: it is fulfilled, not fulfilled, or cannot be told.
package indirect enum Predicate: Hashable, Sendable {
    /// A test on a claim.
    case claim(ClaimPath, ClaimTest)
    /// Issued no longer ago than that.
    case issuedWithin(Duration)
    /// Valid for at least that long from now on.
    case remaining(Duration)
    /// Each of these.
    case all([Predicate])
    /// At least one of these.
    case any([Predicate])
    /// Known not to be so.
    case not(Predicate)

    /// Whether it cannot be fulfilled without something being so of the claims.
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
