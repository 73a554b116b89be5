import Encoding
import LinkedData

/// The value of a claim, in the kinds that rules can compare.
enum ClaimValue {
    case text(Text)
    case number(DecimalNumber)
    /// A number that is signed only with the precision of a double.
    case double(DecimalNumber)
    case boolean(Bool)
    /// A value that is an IRI.
    case iri(ClaimIRI)
    /// A list of several values.
    case list([ClaimValue])
    /// A present value that rules cannot compare: `null`, an object, or a number that is too long.
    case other
    /// A part of the credential that the holder may have withheld. Its value, and whether it exists, are unknown.
    case hidden

    /// Creates a value of a signed text. `isCanonical`: the signature covers numbers in the form of the JSON
    /// Canonicalization Scheme (RFC 8785 section 3.2.2.3). Different digits that give the same double then have the
    /// same signature, so the digits may not be the issuer's.
    init(_ json: JSON, isCanonical: Bool = false) {
        switch json {
        case .string(let text): self = .text(text)
        case .number(let number):
            if isCanonical {
                let text = ECMAScriptNumber.text(number.double)
                self = text.flatMap { DecimalNumber(Text($0)) }.map { .double($0) } ?? .other
            } else {
                self = DecimalNumber(Text(number.text)).map { .number($0) } ?? .other
            }
        case .bool(let value): self = .boolean(value)
        case .array(let elements):
            self = .list(elements.map { $0.array == nil ? ClaimValue($0, isCanonical: isCanonical) : .other })
        case .null, .object: self = .other
        }
    }

    /// Creates a value of a signed statement. `texts` gives the meanings of names at the place of the value.
    init(_ term: Term, names: ClaimNames, _ texts: TextMeaning?) {
        switch term {
        case .iri(let iri): self = .iri(ClaimIRI(iri: iri, names: names, texts: texts))
        case .blank: self = .other
        case .literal(let literal):
            if literal.datatype == XSD.boolean {
                switch literal.value {
                case "true", "1": self = .boolean(true)
                case "false", "0": self = .boolean(false)
                default: self = .other
                }
            } else if Self.numbers.contains(literal.datatype) {
                self = DecimalNumber(literal.value).map { .number($0) } ?? .other
            } else {
                self = literal.datatype == RDF.json ? .other : .text(literal.value)
            }
        }
    }

    /// The result of the comparison of a claim's value with a wanted value.
    enum Comparison {
        case same, different
        /// The result of the comparison is unknown.
        case unknown
        /// The claim's value and the wanted value are of different kinds.
        case incomparable

        init(_ isSame: Bool?) { self = isSame.map { $0 ? .same : .different } ?? .unknown }
    }

    /// Compares the value with a value of the policy.
    func compared(with value: PolicyValue) -> Comparison {
        switch (self, value) {
        case (.text(let left), .text(let right)): Comparison(left == right)
        case (.iri(let left), .text(let right)): Comparison(left.isNamed(right))
        case (.number(let left), .number(let right)): Comparison(left == right)
        case (.double(let left), .number(let right)): Comparison(right.asDouble.map { left == $0 })
        case (.boolean(let left), .boolean(let right)): Comparison(left == right)
        case (.hidden, _): .unknown
        default: .incomparable
        }
    }

    /// Returns whether the value begins with `prefix`; nil if the answer is unknown.
    func hasPrefix(_ prefix: Text) -> Bool? {
        switch self {
        case .text(let text): text.hasPrefix(prefix)
        case .iri(let iri): iri.hasPrefix(prefix)
        default: nil
        }
    }

    /// The values of a list, or a list of the single value; nil if the value is not comparable.
    var elements: [ClaimValue]? {
        switch self {
        case .list(let elements): elements
        case .other, .hidden: nil
        default: [self]
        }
    }

    /// The numeric types of XML Schema part 2 sections 3.2 and 3.3.
    private static let numbers: Set<Text> = Set(
        [
            "integer", "decimal", "double", "float", "long", "int", "short", "byte", "nonNegativeInteger",
            "positiveInteger", "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
            "unsignedByte",
        ].map { Text("http://www.w3.org/2001/XMLSchema#" + $0) })
}

/// An IRI as the value of a claim. The document and a rule may write a name in place of the IRI.
struct ClaimIRI {
    let iri: Text
    let names: ClaimNames
    /// The meanings of names at the place of the value in the document; nil if names have no meaning there.
    let texts: TextMeaning?

    /// Returns whether a text of a rule means this IRI; nil if the answer is unknown.
    func isNamed(_ text: Text) -> Bool? { names.isName(text, of: iri, texts) }

    /// Returns whether the IRI begins with `prefix`; nil if `prefix` may be the beginning of a name.
    func hasPrefix(_ prefix: Text) -> Bool? {
        let isIRI = prefix.utf8.contains(UInt8(ascii: ":")) && !names.isCompact(prefix)
        return isIRI ? iri.hasPrefix(prefix) : nil
    }
}
