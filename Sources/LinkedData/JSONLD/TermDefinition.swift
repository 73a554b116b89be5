import Encoding

/// The complete definition of a term in an active context (JSON-LD 1.1 API section 4.1.2). It is immutable.
final class TermDefinition: Sendable {
    let fields: Fields
    /// Whether RDF allows the IRI of ``Fields/mapping`` as a predicate. The value is stored because every use of the
    /// term needs it.
    let isWellFormed: Bool
    /// Whether RDF allows the datatype of the term's values. True if the term has no datatype.
    let isTypeWellFormed: Bool
    /// Whether every string that is a value of the term becomes a literal, whatever the string contains.
    let takesPlainText: Bool
    /// Whether the term is an unusual spelling (``Spelling``).
    let isUnusual: Bool

    init(_ fields: Fields, isUnusual: Bool = false) {
        self.fields = fields
        self.isUnusual = isUnusual
        takesPlainText = Self.takesPlainText(fields)
        if case .iri(let iri) = fields.mapping { isWellFormed = IRI.isWellFormed(iri) } else { isWellFormed = false }
        if case .datatype(let iri)? = fields.type {
            isTypeWellFormed = IRI.isWellFormed(iri)
        } else {
            isTypeWellFormed = true
        }
    }

    private static func takesPlainText(_ fields: Fields) -> Bool {
        guard case .iri = fields.mapping, fields.context == nil, !fields.isReverse,
            fields.container.isSubset(of: .set)
        else { return false }
        switch fields.type {
        case nil, .none?, .datatype?: return true
        case .id?, .vocab?, .json?: return false
        }
    }

    /// The parts of a definition, which can change while it is made.
    struct Fields: Sendable {
        var mapping = Expanded.nothing
        var isPrefix = false
        var isProtected = false
        var isReverse = false
        var type: Coercion?
        var container: Container = []
        /// The property that receives the keys of an index map, as the context writes it; nil if there is none.
        var index: Text?
        var nest: Text?
        var language: Override<Text> = .inherited
        var direction: Override<Direction> = .inherited
        var context: ScopedContext?

        /// Returns whether the two definitions are equal, ignoring `@protected`.
        func means(_ other: Fields) -> Bool {
            mapping == other.mapping && isPrefix == other.isPrefix && isReverse == other.isReverse
                && type == other.type && container == other.container && index == other.index && nest == other.nest
                && language == other.language && direction == other.direction
                && context?.value.isSame(as: other.context?.value) ?? (other.context == nil)
        }
    }

    /// The result of expanding a text (IRI expansion).
    enum Expanded: Hashable, Sendable {
        /// The text has no meaning: a context maps it to null, or it has the form of a keyword but is none.
        case nothing
        case keyword(Keyword)
        /// An IRI, a blank node identifier, or a relative IRI that could not be resolved.
        case iri(Text)

        /// The IRI or keyword to which the term expands; nil if it expands to nothing.
        var text: Text? {
            switch self {
            case .nothing: nil
            case .keyword(let keyword): keyword.text
            case .iri(let iri): iri
            }
        }
    }

    /// The effect of the `@type` in a definition on strings that are values of the term.
    enum Coercion: Hashable, Sendable {
        case id
        case vocab
        case json
        case none
        case datatype(Text)
    }

    /// A setting of a definition that may replace the context's default. JSON null clears the default.
    enum Override<Value: Hashable & Sendable>: Hashable, Sendable {
        case inherited
        case cleared
        case set(Value)
    }

    /// A scoped context in a definition, as it is written.
    struct ScopedContext: Sendable {
        var value: JSON
        /// The URL of the document that contains the scoped context; nil for a context inside a document.
        var base: Text?
    }

    /// The keywords of `@container`.
    struct Container: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let graph = Container(rawValue: 1)
        static let id = Container(rawValue: 2)
        static let index = Container(rawValue: 4)
        static let language = Container(rawValue: 8)
        static let list = Container(rawValue: 16)
        static let set = Container(rawValue: 32)
        static let type = Container(rawValue: 64)
        /// The number of keywords that `@container` can have.
        static let keywords = 7

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init?(_ keyword: Keyword) {
            switch keyword {
            case .graph: self = .graph
            case .id: self = .id
            case .index: self = .index
            case .language: self = .language
            case .list: self = .list
            case .set: self = .set
            case .type: self = .type
            default: return nil
            }
        }
    }
}

extension JSON {
    /// Returns whether two values are equal, ignoring the order of the members of objects.
    func isSame(as other: JSON?) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)?):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)?):
            return left.count == right.count && left.members.allSatisfy { $0.value.isSame(as: right[$0.name]) }
        default: return self == other
        }
    }
}
