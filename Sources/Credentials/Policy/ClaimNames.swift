import Encoding
import LinkedData

/// The meanings of the names in a rule's pointers and values for one credential. The JSON-LD engine
/// determines them under the contexts that the credential lists. A pinned context that the credential does
/// not list gives a name no meaning.
///
/// A signature over statements does not cover the contexts. The holder may list other pinned contexts and
/// write the same statements under other names. So it is not enough that a name has a meaning: that meaning
/// must be the same as in the issuer's own document. Two facts help to find it. Every statement of an
/// accepted document is written under a name (``VerificationContext/checkSpelling(_:contextsListed:)`` refuses IRIs
/// as names), and the issuer's contexts are pinned too. A name is therefore *in doubt*, and the value under
/// it is unknown, in these cases:
///
/// - The listed contexts have another name for the property, so the issuer may have used that name. The
///   holder may add contexts to the issuer's list, but the issuer's own name stays visible there.
/// - Another pinned context gives the name a property that the node states, so the author of the rule may
///   have meant that property. This includes names that state nothing under the listed contexts.
/// - Another pinned context uses the name for something else and has another name for the property. Of two
///   such contexts the holder may have listed the one that the issuer did not use.
///
/// *Pinned* contexts are those that the issuer's entry lists, if it lists any. In that case the first rule
/// checks all of them, because the holder may also omit one. If the rule lists contexts, or the text is
/// signed, the holder has no choice, and only the first rule applies. A context of another issuer that only
/// defines the name causes no doubt. Otherwise each context that an operator pins would make rules about
/// other issuers unreadable.
///
/// One case stays open if neither the rule nor the issuer's entry lists contexts. The holder may use a name
/// to which no pinned context gives another meaning, although the issuer's document had another name for the
/// property. Rules then read what the issuer signed about the property that every pinned context means by
/// their name. ``TrustStore/namesInDoubt(in:)`` finds the names on which pinned contexts disagree.
struct ClaimNames {
    /// The resolver of names; nil where there is an ``obstacle``.
    let resolver: NameResolver?
    /// The reason why no name has a meaning.
    let obstacle: String
    /// The remaining work limit of the rules.
    let work: RuleWork
    /// The names of the contexts that the document lists.
    private let own: [DefinedNames]
    /// The names of the contexts that the holder could list instead.
    private let rivals: [DefinedNames]
    /// The names of the listed contexts, and of the contexts that the holder could list instead.
    private let all: [DefinedNames]
    /// The names of the contexts whose other names for a property the issuer may have used.
    private let siblings: [DefinedNames]
    /// Whether the holder has no choice of contexts.
    let isFixed: Bool
    /// Whether the document has inline contexts. They may define any name.
    let isOpen: Bool

    /// Reads the contexts for the names in a rule about a credential.
    ///
    /// - Parameter listed: The contexts that the rule lists. The rule applies only to credentials that list
    ///   exactly these.
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
        // Where the holder has no choice, the contexts of the list are fixed, so only their joint meaning
        // counts, with what they take from each other.
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

    /// Returns the properties that the name may mean under pinned contexts. If the holder cannot choose the
    /// contexts, returns the meanings under the listed contexts. More than one meaning is possible then, too:
    /// the holder still chooses which of several descriptions of a node contains its types.
    func meanings(of name: Text) -> Set<Text> {
        all.reduce(into: []) { $0.formUnion($1.meanings(of: name)) }
    }

    /// Returns whether a name may be a keyword under other contexts that the issuer may have listed.
    func mayBeKeyword(_ name: Text) -> Bool { !isFixed && siblings.contains { $0.isKeyword(name) } }

    /// Returns the reason why a name might not be the issuer's name for a property; nil if there is no doubt.
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

    /// Returns the reason for doubt about a name for the id or the types of a node; nil if there is no doubt.
    func doubt(aboutKeyword name: Text) -> String? {
        let isStandard = ["id", "type", "@id", "@type"].contains(name)
        return isStandard || isFixed || all.allSatisfy { $0.isKeyword(name) } ? nil : Self.disagreement
    }

    static let disagreement = "pinned contexts give this name several meanings: list the contexts, or use property IRIs"

    /// Returns whether a text of a rule means a stated IRI; nil where that is unknown.
    ///
    /// A text with a colon is an IRI. Any other text is a name with the meaning that the engine gives it at
    /// the value's place. Unlike a property, an IRI as a value may be written in full, without a name. So a
    /// name to which the contexts give another meaning is in doubt too.
    func isName(_ text: Text, of iri: Text, _ texts: TextMeaning?) -> Bool? {
        if text == iri { return true }
        if text.utf8.contains(UInt8(ascii: ":")) { return isCompact(text) ? nil : false }
        let meaning = texts?.iri(named: text)
        if meaning == iri, isFixed || !isInDoubt(text, iri) { return true }
        // A name that no context defines may be misspelt.
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

    /// Returns the names of the credential's own types where these are certain, otherwise their IRIs.
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

/// The work limit for the rules of one visit: the number of nodes and values that these rules may still read
/// together. The object also caches graphs that several rules read.
final class RuleWork {
    private var left: Int
    private var graphs: [ObjectIdentifier: (DeferredGraph, StatementGraph?)] = [:]

    init(_ limit: Int) { left = limit }

    /// Subtracts `count`; returns false once the limit is exceeded.
    func take(_ count: Int = 1) -> Bool {
        left -= count
        return left >= 0
    }

    /// Returns the statements of a credential, which are made when the first rule reads them. Returns nil if
    /// the credential has no statements, or if they cannot be made.
    func graph(of claims: SignedClaims) -> StatementGraph? {
        guard let deferred = claims.deferred else { return nil }
        if let (_, graph) = graphs[ObjectIdentifier(deferred)] { return graph }
        let graph = deferred.graph
        graphs[ObjectIdentifier(deferred)] = (deferred, graph)
        return graph
    }
}
