import Encoding
import LinkedData

/// The meanings, for one credential, of the names in a rule's pointers and values. The JSON-LD engine determines the
/// meanings under the contexts that the credential lists. A pinned context that the credential does not list gives a
/// name no meaning.
///
/// A signature over statements does not cover the contexts. The holder may list other pinned contexts and write the
/// same statements under other names. A rule may therefore read a name only if the name has the same meaning in the
/// issuer's own document. This type relies on two facts: every statement of an accepted document is written under a
/// name (``VerificationContext/checkSpelling(_:contextsListed:)`` refuses IRIs as names), and the issuer's contexts are
/// pinned, too. A name is *in doubt*, and its value is unknown, in these cases:
///
/// - The listed contexts have another name for the property, so the issuer may have used that name. The holder may add
///   contexts to the issuer's list, but the issuer's name stays visible in the list.
/// - Another pinned context gives the name a property that the node states, so the author of the rule may have meant
///   that property. The case includes names that state nothing under the listed contexts.
/// - Another pinned context uses the name for another property and has another name for this property. The issuer may
///   have used one of the two contexts, and the holder may have listed the other.
///
/// *Pinned* contexts are those that the issuer's entry lists, if the entry lists any. Then the first case considers all
/// contexts of the entry, because the holder may also omit a context. If the rule lists contexts, or the text is
/// signed, the holder has no choice, and only the first case applies. A context of another issuer that only defines the
/// name causes no doubt. Otherwise each newly pinned context would make rules about other issuers unreadable.
///
/// One case stays open if neither the rule nor the issuer's entry lists contexts. The holder may use a name to which no
/// pinned context gives another meaning, although the issuer's document had another name for the property. A rule then
/// reads the issuer's statement about the property that every pinned context means by the rule's name.
/// ``TrustStore/namesInDoubt(in:)`` finds the names on which pinned contexts disagree.
struct ClaimNames {
    /// The resolver of names; nil if there is an ``obstacle``.
    let resolver: NameResolver?
    /// The reason why no name has a meaning; empty if there is a resolver.
    let obstacle: String
    /// The remaining work limit of the rules.
    let work: RuleWork
    /// The names of the contexts that the document lists.
    private let own: [DefinedNames]
    /// The names of the contexts that the holder could list instead.
    private let rivals: [DefinedNames]
    /// The names of the listed contexts, and of the contexts that the holder could list instead.
    private let all: [DefinedNames]
    /// The names of the contexts in which the issuer may have used another name for a property.
    private let siblings: [DefinedNames]
    /// Whether the holder cannot choose the contexts that give the document's names their meaning.
    let isFixed: Bool
    /// Whether the document has inline contexts, which may define any name.
    let isOpen: Bool

    /// Reads the contexts for the names in a rule about a credential.
    ///
    /// - Parameter listed: The contexts that the rule lists. The rule applies only to credentials that list exactly
    ///   these contexts.
    init(of claims: SignedClaims, listed: [Text], pinned processor: JSONLDProcessor?, work: RuleWork) {
        self.work = work
        isFixed = !listed.isEmpty && !claims.contexts.nests || claims.text != nil
        isOpen = claims.contexts.bringsOwn
        let contexts = listed.isEmpty ? claims.contexts.urls : listed
        guard let processor, claims.format == .ldpVC else {
            (resolver, own, rivals, all, siblings, obstacle) = (nil, [], [], [], [], "no context is pinned")
            return
        }
        let together = processor.definedNames(under: contexts)
        // If the holder has no choice of contexts, only the joint meaning of the listed contexts counts. One of these
        // contexts may use terms that another one defines.
        own = isFixed ? [together] : [together] + processor.definedNames(of: contexts)
        let pinned = isFixed ? [] : claims.issuerContexts ?? Array(processor.contexts.documents.keys)
        rivals = processor.definedNames(of: pinned.filter { !contexts.contains($0) })
        all = own + rivals
        siblings = claims.issuerContexts == nil ? own : all
        do {
            resolver = try processor.names(under: contexts)
            obstacle = ""
        } catch {
            resolver = nil
            obstacle = "a context that defines the name is not pinned, or cannot be read"
        }
    }

    /// Returns the properties that the name may mean under pinned contexts. If the holder cannot choose the contexts,
    /// returns the meanings under the listed contexts. A name may have several meanings even then: the holder still
    /// chooses which of several descriptions of a node contains its types.
    func meanings(of name: Text) -> Set<Text> {
        all.reduce(into: []) { $0.formUnion($1.meanings(of: name)) }
    }

    /// Returns whether the name may be a keyword under other contexts that the issuer may have listed.
    func mayBeKeyword(_ name: Text) -> Bool { !isFixed && siblings.contains { $0.isKeyword(name) } }

    /// Returns the reason why the issuer may have named the property differently; nil if there is no doubt.
    func doubt(about name: Text, meaning property: Text) -> String? {
        if property == name { return nil }
        if siblings.contains(where: \.areUnknown) { return "too many context scopes to decide: use property IRIs" }
        if siblings.contains(where: { $0.names(property, otherwiseThan: name) }) {
            return "the contexts have another name with the same meaning: use property IRIs"
        }
        if isFixed { return nil }
        if name.utf8.contains(UInt8(ascii: ":")) { return "a compact IRI: use property IRIs" }
        let isTwin = rivals.contains { rival in
            rival.isKeyword(name)
                || rival.names(property, otherwiseThan: name) && rival.means(name, otherwiseThan: property)
        }
        return isTwin ? Self.disagreement : nil
    }

    /// Returns why it is doubtful that the member with this name contains the id or the types of a node; nil if it is
    /// certain.
    func doubt(aboutKeyword name: Text) -> String? {
        let isStandard = ["id", "type", "@id", "@type"].contains(name)
        return isStandard || isFixed || all.allSatisfy { $0.isKeyword(name) } ? nil : Self.disagreement
    }

    static let disagreement = "pinned contexts give this name several meanings: list the contexts, or use property IRIs"

    /// Returns whether `text`, a value in a rule, means `iri`, an IRI in a statement; nil if the answer is unknown.
    ///
    /// A text with a colon is an IRI. Any other text is a name; the JSON-LD engine determines its meaning at the place
    /// of the value. A document may write an IRI in full as a value, but not as a property. A name to which the
    /// contexts give another meaning is therefore in doubt.
    func isName(_ text: Text, of iri: Text, _ texts: TextMeaning?) -> Bool? {
        if text == iri { return true }
        if text.utf8.contains(UInt8(ascii: ":")) { return isCompact(text) ? nil : false }
        let meaning = texts?.iri(named: text)
        if meaning == iri, isFixed || !isInDoubt(text, iri) { return true }
        // A name that no context defines may be a typing error.
        let isKnown = meaning != nil || all.contains { !$0.meanings(of: text).isEmpty }
        return isOpen || !isKnown || meaning == iri || all.contains { $0.mayMean(text, iri) } ? nil : false
    }

    /// Returns whether a text with a colon may be a compact IRI.
    func isCompact(_ text: Text) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].starts(with: "//".utf8) else { return false }
        let prefix = Text(String(decoding: parts[0], as: UTF8.self))
        return isOpen || all.contains { $0.isPrefix(prefix) }
    }

    /// Returns the names of the credential's types if the names are certain, otherwise the IRIs.
    func names(ofTypes types: [Text]) -> [Text] {
        guard var resolver, let node = try? resolver.node(at: resolver.document, types: types),
            case .types(let texts)? = try? resolver.meaning(of: "@type", in: node)
        else { return types }
        return types.map { type in
            let name = own.lazy.compactMap { $0.name(of: type) }.first
            guard let name, texts.iri(named: name) == type, !isInDoubt(name, type) else { return type }
            return name
        }
    }

    private func isInDoubt(_ name: Text, _ iri: Text) -> Bool {
        siblings.contains { $0.means(name, otherwiseThan: iri) || $0.names(iri, otherwiseThan: name) }
            || rivals.contains { $0.means(name, otherwiseThan: iri) && $0.names(iri, otherwiseThan: name) }
    }
}

/// The work limit for the rules of one visit: the number of nodes and values that the rules may still read. The object
/// also caches the graphs that several rules read.
final class RuleWork {
    private var left: Int
    private var graphs: [ObjectIdentifier: (DeferredGraph, StatementGraph?)] = [:]

    init(_ limit: Int) { left = limit }

    /// Subtracts `count`; returns false once the limit is exceeded.
    func take(_ count: Int = 1) -> Bool {
        left -= count
        return left >= 0
    }

    /// Returns the graph of a credential's statements; nil if there is none or it cannot be computed. The first call
    /// for a credential computes the graph; later calls return the same graph.
    func graph(of claims: SignedClaims) -> StatementGraph? {
        guard let deferred = claims.deferred else { return nil }
        if let (_, graph) = graphs[ObjectIdentifier(deferred)] { return graph }
        let graph = deferred.graph
        graphs[ObjectIdentifier(deferred)] = (deferred, graph)
        return graph
    }
}
