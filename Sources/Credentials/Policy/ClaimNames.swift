import Encoding
import LinkedData

/// What the names in a rule's pointers and values mean for one credential: what the JSON-LD engine makes of them under
/// the contexts that the credential lists. A pinned context that it does not list gives a name no meaning.
///
/// A signature over statements does not cover the contexts. The holder may list other pinned ones and write the same
/// statements under other names, so a meaning alone is not enough: it must be the one that the issuer's own document
/// gave. Two facts lead there. Every statement of an accepted document is written under a name
/// (``Surroundings/checkSpelling(_:contextsListed:)`` refuses IRIs as names), and the issuer's contexts are pinned,
/// too. So a name is *in doubt*, and what it reads is unknown,
///
/// - where the listed contexts have another name for the property: the issuer may have written that one. Whatever
///   context the holder adds to the issuer's list, the issuer's own name stays there to be seen;
/// - where another pinned context gives the name a property that the node states: that may be the one meant. This
///   includes that the name states nothing under the listed contexts;
/// - where another pinned context has the name for something else and another name for the property: a twin, for which
///   the holder may have exchanged the issuer's context.
///
/// *Pinned* are those that the issuer's entry lists where it lists any; then the first of the three looks at all of
/// these, as the holder may also leave one out. Where the rule lists contexts, or the text is signed, the holder has no
/// choice, and the first alone counts. A foreign context that defines the name, and does no more, takes nothing away:
/// otherwise each context that an operator pins would make rules about other issuers unreadable.
///
/// What stays open where neither lists contexts: the holder may read under a name that no pinned context gives another
/// meaning, although the issuer's document had another name for the property. Rules then read what the issuer signed
/// about the property that every pinned context means by their name. ``TrustStore/namesInDoubt(in:)`` finds what pinned
/// contexts disagree on.
struct ClaimNames {
    /// Finds the meanings of names; nil where there is an ``obstacle``.
    let resolver: NameResolver?
    /// Why no name has a meaning.
    let obstacle: String
    /// What the rules may still look at.
    let work: RuleWork
    /// The names of the contexts that the document lists.
    private let own: [DefinedNames]
    /// The names of those that the holder could list instead.
    private let rivals: [DefinedNames]
    /// Both.
    private let all: [DefinedNames]
    /// Those whose other names for a property the issuer may have written.
    private let siblings: [DefinedNames]
    /// Whether the holder could not list others.
    let isFixed: Bool
    /// Whether the document brings contexts of its own, which may have names for anything.
    let isOpen: Bool

    /// Names in a rule about a credential.
    ///
    /// - Parameter listed: The contexts that the rule lists. It is about credentials that list exactly these.
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
        // Where the holder has no choice, what the contexts of the list borrow from each other is settled.
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
            obstacle = "a context that the name is read under is not pinned, or cannot be read"
        }
    }

    /// The properties that the name could stand for under pinned contexts; where the holder has no choice of these, under those of
    /// the list, as he still chooses at which of several descriptions of a node its types are written.
    func meanings(of name: Text) -> Set<Text> {
        all.reduce(into: []) { $0.formUnion($1.meanings(of: name)) }
    }

    /// Whether a name may stand for a keyword under other contexts that the issuer may have listed.
    func mayBeKeyword(_ name: Text) -> Bool { !isFixed && siblings.contains { $0.isKeyword(name) } }

    /// Why a name may not be the issuer's for the property that it stands for; nil where there is no doubt.
    func doubt(about name: Text, meaning property: Text) -> String? {
        if property == name { return nil }
        if siblings.contains(where: \.areUnknown) { return "too many scopes of contexts to tell: use property IRIs" }
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

    /// The same for a name that stands for the id or the types of a node.
    func doubt(aboutKeyword name: Text) -> String? {
        let isStandard = ["id", "type", "@id", "@type"].contains(name)
        return isStandard || isFixed || all.allSatisfy { $0.isKeyword(name) } ? nil : Self.disagreement
    }

    static let disagreement = "pinned contexts give this name several meanings: list the contexts, or use property IRIs"

    /// Whether a text of a rule stands for an IRI that is stated; nil where that cannot be told.
    ///
    /// A text with a colon is an IRI. Another one is a name, and stands for what the engine makes of it at the value's
    /// place. An IRI may be written without a name, unlike a property: that the contexts have another meaning for the
    /// name is a doubt, too.
    func isName(_ text: Text, of iri: Text, _ texts: TextMeaning?) -> Bool? {
        if text == iri { return true }
        if text.utf8.contains(UInt8(ascii: ":")) { return isCompact(text) ? nil : false }
        let meaning = texts?.iri(named: text)
        if meaning == iri, isFixed || !isInDoubt(text, iri) { return true }
        // A name that nothing defines may be misspelt.
        let isKnown = meaning != nil || all.contains { !$0.meanings(of: text).isEmpty }
        return isOpen || !isKnown || meaning == iri || all.contains { $0.mayMean(text, iri) } ? nil : false
    }

    /// Whether a text with a colon may be a compact IRI.
    func isCompact(_ text: Text) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].starts(with: "//".utf8) else { return false }
        let prefix = Text(String(decoding: parts[0], as: UTF8.self))
        return isOpen || all.contains { $0.isPrefix(prefix) }
    }

    /// The names of types of the credential itself where these are certain, else their IRIs.
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

/// What the rules of one visit may still look at: nodes and values, counted over all of them. Keeps what several rules
/// look at.
final class RuleWork {
    private var left: Int
    private var graphs: [ObjectIdentifier: (DeferredGraph, StatementGraph?)] = [:]

    init(_ limit: Int) { left = limit }

    /// Counts that much; false once it is too much.
    func take(_ count: Int = 1) -> Bool {
        left -= count
        return left >= 0
    }

    /// The statements of a credential, made for the first rule that asks.
    func graph(of claims: SignedClaims) -> StatementGraph? {
        guard let deferred = claims.deferred else { return nil }
        if let (_, graph) = graphs[ObjectIdentifier(deferred)] { return graph }
        let graph = deferred.graph
        graphs[ObjectIdentifier(deferred)] = (deferred, graph)
        return graph
    }
}
