import Encoding
import LinkedData

/// What stands at the place of a claim, in the kinds that rules can compare.
enum ClaimValue {
    case text(Text)
    case number(DecimalNumber)
    case boolean(Bool)
    /// Several values.
    case list([ClaimValue])
    /// `null`, an object, a number beyond reading: there, but comparable with nothing.
    case other

    /// A value of a document. `isRDF`: the signature covers its number as RDF writes it, so other digits that come to the same
    /// there are not the issuer's.
    init(_ json: JSON, isRDF: Bool = false) {
        switch json {
        case .string(let text): self = .text(text)
        case .number(let number):
            let text = isRDF ? RDFNumber.text(number, asDouble: false).text : number.text
            self = DecimalNumber(Text(text)).map { .number($0) } ?? .other
        case .bool(let value): self = .boolean(value)
        case .array(let elements):
            self = .list(elements.map { $0.array == nil ? ClaimValue($0, isRDF: isRDF) : .other })
        case .null, .object: self = .other
        }
    }

    init(_ term: Term) {
        switch term {
        case .iri(let iri): self = .text(iri)
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
    var text: Text? { if case .text(let text) = self { text } else { nil } }

    /// Whether it is that value; nil when it is of another kind and the two cannot be compared.
    func equals(_ value: PolicyValue) -> Bool? {
        switch (self, value) {
        case (.text(let left), .text(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        default: nil
        }
    }

    /// The values of a list, or the value alone; nil when nothing in it can be compared.
    var elements: [ClaimValue]? {
        switch self {
        case .list(let elements): elements
        case .other: nil
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

extension SignedClaims {
    /// Why what stands at a path need not be what the issuer meant by it; nil when it is.
    ///
    /// A signature over RDF covers only what names expand to: under a context that came with the document the holder chose
    /// what they mean, and under a pinned one that gives a meaning two names he chose between them. A path of IRIs can be read
    /// in any case, where there is a graph with one credential as its root.
    func obstacle(to path: ClaimPath, _ names: (Text) -> ContextNames?) -> String? {
        switch path {
        case .properties:
            guard let dataset else { return "the format has no graph: use a pointer" }
            return LinkedDataClaims.root(of: dataset, issuer: issuer) == nil ? "the graph has no single root" : nil
        case .pointer(_, let tokens):
            guard format == .ldpVC else { return nil }
            let known = contexts?.compactMap(names)
            let isOpen = known.map { known in tokens.contains { ContextNames.isAmbiguous($0, under: known) } } ?? true
            return isOpen ? "the context leaves open what this name means: use property IRIs" : nil
        }
    }

    /// Whether the absence of a claim says that the issuer did not state it: not where the holder chooses what to disclose, nor
    /// where he may write the same graph as another tree.
    func tellsAbsence(of path: ClaimPath) -> Bool {
        switch format {
        case .jwtVC, .vcJWT: true
        case .ldpVC: path.pointer == nil
        default: false
        }
    }

    /// What stands at the path; nil when nothing does.
    func value(at path: ClaimPath) -> ClaimValue? {
        switch path {
        case .pointer(_, let tokens): return resolve(tokens).map { ClaimValue($0, isRDF: format == .ldpVC) }
        case .properties(let iris): return values(at: iris)
        }
    }

    /// The contexts of a linked-data document as they are listed; nil when one of them is not a URL.
    var contexts: [Text]? {
        let entries = document["@context"].map { $0.array ?? [$0] } ?? []
        let urls = entries.compactMap(\.string)
        return urls.count == entries.count ? urls : nil
    }

    private func resolve(_ tokens: [Text]) -> JSON? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let elements):
                // RFC 6901 section 4: decimal digits without a leading zero.
                guard (1...9).contains(token.utf8.count), token == "0" || !token.hasPrefix("0"),
                    token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(token.string),
                    elements.indices.contains(index)
                else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// The values at the end of a path of properties that starts at the credential; several of them are a list.
    private func values(at iris: [Text]) -> ClaimValue? {
        guard let dataset, let root = LinkedDataClaims.root(of: dataset, issuer: issuer) else { return nil }
        var nodes: Set<Term> = [root]
        for iri in iris {
            var next: Set<Term> = []
            for quad in dataset.quads where quad.graph == nil && quad.predicate == iri && nodes.contains(quad.subject) {
                next.insert(quad.object)
            }
            nodes = next
        }
        let values = nodes.map { ClaimValue($0) }
        return values.count > 1 ? .list(values) : values.first
    }
}
