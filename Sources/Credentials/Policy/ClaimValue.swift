import Encoding
import LinkedData

/// What stands at the place of a claim, in the kinds that rules can compare.
enum ClaimValue {
    case text(Text)
    case number(DecimalNumber)
    /// A number of which the signature covers no more than a double keeps.
    case double(DecimalNumber)
    case boolean(Bool)
    /// An IRI, with the short names that the rule's contexts have for it.
    case iri(Text, names: Set<Text>)
    /// Several values.
    case list([ClaimValue])
    /// `null`, an object, a number beyond reading: there, but comparable with nothing.
    case other
    /// Something that the holder does not show, or nothing: nobody can say.
    case hidden

    /// A value of a signed text. `isCanonical`: the signature covers numbers as the JSON Canonicalization Scheme writes them
    /// (RFC 8785 section 3.2.2.3), so other digits that come to the same double there are not the issuer's.
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

    /// A value of a signed statement.
    init(_ term: Term, names: (Text) -> Set<Text>) {
        switch term {
        case .iri(let iri): self = .iri(iri, names: names(iri))
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

    /// The text when it is one.
    var text: Text? {
        switch self {
        case .text(let text), .iri(let text, _): text
        default: nil
        }
    }

    /// Whether it is that value; nil when it is of another kind and the two cannot be compared.
    func equals(_ value: PolicyValue) -> Bool? {
        switch (self, value) {
        case (.text(let left), .text(let right)): return left == right
        case (.iri(let iri, let names), .text(let right)):
            if iri == right || names.contains(right) { return true }
            // A short name that no context of the rule knows may be one for this IRI.
            return right.utf8.contains(UInt8(ascii: ":")) ? false : nil
        case (.number(let left), .number(let right)): return left == right
        case (.double(let left), .number(let right)): return right.asDouble.map { left == $0 }
        case (.boolean(let left), .boolean(let right)): return left == right
        default: return nil
        }
    }

    /// The values of a list, or the value alone; nil when nothing in it can be compared.
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
