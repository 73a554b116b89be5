import Encoding
import LinkedData

/// Writes the same signed statements in other ways, like the holder of a linked-data credential.
///
/// A trick is a function from a place to another way of writing it. A result is used only if the canonical N-Quads of
/// every signed part are unchanged.
struct Respeller {
    /// One way of writing that may preserve the statements.
    struct Candidate {
        let trick: String
        /// The member that is changed; `*` for a whole document.
        let member: Text
        /// Whether a data model may allow the result, as another form of the same value.
        let isForm: Bool
        fileprivate let part: SignedPart
        fileprivate let place: JSONPlace
        fileprivate let make: () -> JSONObject?

        /// The place of the change.
        var target: String { "\(part.kind.rawValue) \(part.place)\(place)" + (member == "*" ? "" : "/\(member)") }

        var name: String { "\(trick) \(target)" }

        /// Whether the second context exchanges the meaning of two names.
        var exchanges: Bool { trick.hasPrefix("names exchanged") }

        /// Returns the possible beginnings of a refusal if the plain document is accepted. The spelling check refuses
        /// other spellings. A proof that lost its members may fail like any broken proof.
        func refusals(checkingSpelling: Bool) -> [String] {
            // With an inline @vocab the name may keep its spelling. Then only the value object differs.
            let isForm = isForm || trick == "inline @vocab"
            var own = checkingSpelling && !isForm ? ["shape.spelling"] : ["shape."]
            // Rules do not read a name if the listed contexts have another name for the same property.
            if trick == "alias of a second context" { own.append("policy.") }
            // If the part describes a node twice, one description may be lost while the statements stay the same.
            if part.repeatsNode { own.append("claims.unsigned") }
            // A proof that does not show its purpose has none, whatever name it uses. The first of several proofs is
            // examined more closely.
            let isFirst = !(1...9).contains { "\(part.place)".hasSuffix("/\($0)") }
            if part.kind == .proof, checkingSpelling, !isForm, isFirst { return own + ["proof.purpose"] }
            return part.kind == .proof ? own + ["proof.", "holder.invalid", "context.invalid"] : own
        }
    }

    let document: JSON
    let processor: JSONLDProcessor
    /// Whether the document may bring contexts of its own.
    let inlineAllowed: Bool
    private let parts: [SignedPart]
    private let canonical: [[UInt8]?]
    private let prefixes: [Prefix]
    /// A second pinned context, with other names for the document's properties.
    let second: SecondContext
    private let meanings = Meanings()

    /// A term that may replace the beginning of an IRI.
    struct Prefix: Hashable, Sendable {
        let term: Text
        let stem: Text
    }

    /// - Parameter contexts: The pinned context documents.
    init(_ document: JSON, contexts: [Text: JSON], inlineAllowed: Bool) {
        let processor = JSONLDProcessor(contexts: ContextDocuments(contexts))
        self.init(
            document, Setting(contexts, second: SecondContext(for: SignedPart.all(of: document), processor)),
            inlineAllowed: inlineAllowed)
    }

    /// Data that several documents may share.
    struct Setting: Sendable {
        fileprivate let processor: JSONLDProcessor
        fileprivate let prefixes: [Prefix]
        let second: SecondContext

        init(_ contexts: [Text: JSON], second: SecondContext) {
            processor = JSONLDProcessor(contexts: ContextDocuments(contexts.merging(second.documents) { $1 }))
            prefixes = Respeller.prefixes(in: contexts)
            self.second = second
        }
    }

    init(_ document: JSON, _ verificationContext: Setting, inlineAllowed: Bool) {
        self.document = document
        self.inlineAllowed = inlineAllowed
        processor = verificationContext.processor
        second = verificationContext.second
        prefixes = verificationContext.prefixes
        parts = SignedPart.all(of: document)
        canonical = parts.map { $0.canonical($0.node, verificationContext.processor) }
    }

    /// Returns the respeller for another spelling of the same statements.
    func moved(to document: JSON) -> Respeller { Respeller(document, of: self) }

    private init(_ document: JSON, of other: Respeller) {
        self.document = document
        (inlineAllowed, processor, prefixes) = (other.inlineAllowed, other.processor, other.prefixes)
        (second, canonical) = (other.second, other.canonical)
        parts = SignedPart.all(of: document)
    }

    /// All candidates, always in the same order.
    var candidates: [Candidate] { sites.flatMap { candidates(at: $0) } }

    /// Returns the document with the change; nil if the trick does not work there: the text would not change, or no
    /// signature would cover it.
    func respelt(_ candidate: Candidate) -> JSON? {
        guard let node = candidate.make(), node != candidate.part.node else { return nil }
        let whole = candidate.part.splice(node, into: document)
        let others = SignedPart.all(of: whole)
        // Its own part is checked first: this rejects most tricks that do not work.
        guard let own = parts.firstIndex(where: { $0.place == candidate.part.place }), let signed = canonical[own],
            candidate.part.canonical(node, processor) == signed, others.count == parts.count
        else { return nil }
        for (index, part) in others.enumerated() where index != own {
            if part.node == parts[index].node, part.contexts == parts[index].contexts { continue }
            guard let signed = canonical[index], part.canonical(part.node, processor) == signed else { return nil }
        }
        return whole
    }

    // MARK: - Places

    /// A unit that can be written in another way: a whole part, a node of it, or a member of a node.
    struct Site {
        fileprivate let part: SignedPart
        fileprivate let place: JSONPlace
        fileprivate let scope: Scope

        fileprivate enum Scope {
            case document
            case node
            case member(Text)
        }
    }

    /// All sites; there are far fewer than ways to write them.
    var sites: [Site] {
        parts.flatMap { part -> [Site] in
            let nodes = Self.nodes(of: .object(part.node)).flatMap { place -> [Site] in
                let names = JSON.object(part.node).value(at: place)?.object?.names ?? []
                return [Site(part: part, place: place, scope: .node)]
                    + names.filter { $0 != "@context" }.map { Site(part: part, place: place, scope: .member($0)) }
            }
            return [Site(part: part, place: JSONPlace(), scope: .document)] + nodes
        }
    }

    /// Returns the candidates for one of the sites.
    func candidates(at site: Site) -> [Candidate] {
        let (part, place) = (site.part, site.place)
        func candidate(
            _ trick: String, _ member: Text, _ isForm: Bool, _ make: @escaping () -> JSONObject?
        ) -> Candidate {
            Candidate(trick: trick, member: member, isForm: isForm, part: part, place: place, make: make)
        }
        switch site.scope {
        case .document:
            let whole = DocumentTrick.all.map { name, isForm, trick in
                candidate(name, "*", isForm) { trick(part.node) }
            }
            return part.kind == .credential ? whole + [exchange(in: part)] : whole
        case .node:
            // A language map is not a node: a member that is added to it is no language and is not signed.
            if let node = JSON.object(part.node).value(at: place)?.object, node.isLanguageMap { return [] }
            return NodeTrick.all.map { trick in
                candidate(trick.name, "*", trick.isForm) { apply(trick, at: place, of: part) }
            }
        case .member(let member):
            return MemberTrick.all.filter { inlineAllowed || !$0.isInline }.map { trick in
                candidate(trick.name, member, trick.isForm) { apply(trick, to: member, at: place, of: part) }
            }
        }
    }

    private func exchange(in part: SignedPart) -> Candidate {
        let place = SecondContext.subject
        return Candidate(
            trick: "names exchanged under a second context", member: "*", isForm: false, part: part, place: place,
            make: {
                second.exchanging(part.node) { name in
                    JSON.object(part.node).value(at: place)?.object.flatMap {
                        meanings.of(name, in: $0, at: place, of: part, processor)
                    }
                }
            })
    }

    /// Returns every object in a document that may be a node, except those in contexts and in presented
    /// credentials.
    private static func nodes(of value: JSON, at place: JSONPlace = JSONPlace()) -> [JSONPlace] {
        switch value {
        case .object(let object):
            [place]
                + object.members.filter { $0.name != "@context" && $0.name != "verifiableCredential" }
                .flatMap { nodes(of: $0.value, at: place / $0.name) }
        case .array(let elements): elements.enumerated().flatMap { nodes(of: $1, at: place / $0) }
        default: []
        }
    }

    private func apply(_ trick: MemberTrick, to member: Text, at place: JSONPlace, of part: SignedPart) -> JSONObject? {
        let whole = JSON.object(part.node)
        guard let node = whole.value(at: place)?.object, let value = node[member] else { return nil }
        let site = MemberSite(
            node: node, name: member, value: value, isTop: place.steps.isEmpty, prefixes: prefixes,
            aliases: second.aliases,
            meaning: { meanings.of(member, in: node, at: place, of: part, processor) })
        guard let changed = trick.apply(site) else { return nil }
        var document = whole.replacing(place, by: .object(changed.node)).object
        if let context = changed.context {
            // An appended context follows the document's own contexts.
            document?["@context"] = .array((part.node["@context"]?.elements ?? []) + [context])
        }
        return document
    }

    private func apply(_ trick: NodeTrick, at place: JSONPlace, of part: SignedPart) -> JSONObject? {
        let whole = JSON.object(part.node)
        guard let node = whole.value(at: place)?.object else { return nil }
        let types = node["type"]?.elements.compactMap { type -> Text? in
            let lone = part.document(["@context": .array(part.node["@context"]?.elements ?? []), "@type": type])
            return (try? processor.expand(lone).value)?.array?.first?["@type"]?.array?.first?.string
        }
        guard
            let changed = trick.apply(
                NodeSite(node: node, isTop: place.steps.isEmpty, types: types ?? [], prefixes: prefixes))
        else { return nil }
        return whole.replacing(place, by: changed).object
    }

    /// Returns terms of the pinned contexts whose IRIs are the beginning of other IRIs.
    fileprivate static func prefixes(in contexts: [Text: JSON]) -> [Prefix] {
        var found: Set<Prefix> = []
        func collect(_ context: JSON) {
            switch context {
            case .array(let elements): elements.forEach(collect)
            case .object(let object):
                for member in object.members where !member.name.hasPrefix("@") {
                    let id = member.value.string ?? member.value["@id"]?.string
                    if let id, id.hasSuffix("#") || id.hasSuffix("/") || id.hasSuffix(":"), id.utf8.contains(0x3A) {
                        found.insert(Prefix(term: member.name, stem: id))
                    }
                    if let inner = member.value["@context"] { collect(inner) }
                }
            default: return
            }
        }
        for url in contexts.keys.sorted() { collect(contexts[url]?["@context"] ?? .null) }
        return found.sorted { ($0.term, $0.stem) < ($1.term, $1.stem) }
    }

    /// A cache of meanings; finding one takes two expansions.
    private final class Meanings {
        private var known: [String: Meaning?] = [:]

        func of(
            _ name: Text, in node: JSONObject, at place: JSONPlace, of part: SignedPart, _ processor: JSONLDProcessor
        ) -> Meaning? {
            let key = "\(part.place) \(place) \(name)"
            if let meaning = known[key] { return meaning }
            let meaning = Meaning(of: name, in: node, at: place, of: part, processor)
            known[key] = .some(meaning)
            return meaning
        }
    }
}

extension Text {
    /// Returns the part of an IRI after its stem.
    func rest(behind stem: Text) -> Text? {
        guard hasPrefix(stem), utf8.count > stem.utf8.count else { return nil }
        return Text(String(decoding: utf8.dropFirst(stem.utf8.count), as: UTF8.self))
    }
}

extension JSONObject {
    /// Whether all members are texts in languages (BCP 47).
    fileprivate var isLanguageMap: Bool {
        !members.isEmpty
            && members.allSatisfy { member in
                let primary = member.name.string.split(separator: "-").first ?? ""
                return (2...3).contains(primary.utf8.count) && member.name != "id"
                    && primary.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
                    && member.value.elements.allSatisfy { $0.string != nil }
            }
    }
}
