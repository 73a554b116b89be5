import Encoding
import LinkedData

/// Writes the same signed statements in other letters, as the holder of a linked-data credential can.
///
/// A trick is a small function from a place to another way of writing it; whatever comes out is given away only when the
/// canonical N-Quads of every signed part are what they were.
struct Respeller {
    /// One way of writing that may keep the statements.
    struct Candidate {
        let trick: String
        /// The member that it is about; `*` for a whole document.
        let member: Text
        /// Whether a data model may allow it, as another form of the same value.
        let isForm: Bool
        fileprivate let part: SignedPart
        fileprivate let place: JSONPlace
        fileprivate let make: () -> JSONObject?

        /// Where it happens.
        var target: String { "\(part.kind.rawValue) \(part.place)\(place)" + (member == "*" ? "" : "/\(member)") }

        var name: String { "\(trick) \(target)" }

        /// Whether two names mean each other under the second context.
        var exchanges: Bool { trick.hasPrefix("names exchanged") }

        /// What a refusal of it may begin with, where the plain document is accepted. The one spelling answers for spellings;
        /// what is left of a proof without its members may fail as any broken proof does.
        func refusals(checkingSpelling: Bool) -> [String] {
            // Under a vocabulary the name may stay; then it is a value object that differs.
            let isForm = isForm || trick == "inline @vocab"
            var own = checkingSpelling && !isForm ? ["shape.spelling"] : ["shape."]
            // Rules do not read a name where the listed contexts have another one for the same.
            if trick == "alias of a second context" { own.append("policy.") }
            // What is said twice may be lost in one of the places, and the statements are the same.
            if part.repeatsNode { own.append("claims.unsigned") }
            // A proof that does not show its purpose has none, whatever it calls it.
            // Of several proofs one is looked at more closely.
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
    /// A second pinned context, with other names for what the document says.
    let second: SecondContext
    private let meanings = Meanings()

    /// A term that may stand for the beginning of an IRI.
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

    /// What several documents may have in common.
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

    init(_ document: JSON, _ surroundings: Setting, inlineAllowed: Bool) {
        self.document = document
        self.inlineAllowed = inlineAllowed
        processor = surroundings.processor
        second = surroundings.second
        prefixes = surroundings.prefixes
        parts = SignedPart.all(of: document)
        canonical = parts.map { $0.canonical($0.node, surroundings.processor) }
    }

    /// The respeller of another writing of the same statements.
    func moved(to document: JSON) -> Respeller { Respeller(document, of: self) }

    private init(_ document: JSON, of other: Respeller) {
        self.document = document
        (inlineAllowed, processor, prefixes) = (other.inlineAllowed, other.processor, other.prefixes)
        (second, canonical) = (other.second, other.canonical)
        parts = SignedPart.all(of: document)
    }

    /// All that may be tried, in an order that is always the same.
    var candidates: [Candidate] { sites.flatMap { candidates(at: $0) } }

    /// The document so respelt; nil when the trick does not work there: the text would be what it was, or no signature would
    /// cover it any more.
    func respelt(_ candidate: Candidate) -> JSON? {
        guard let node = candidate.make(), node != candidate.part.node else { return nil }
        let whole = candidate.part.splice(node, into: document)
        let others = SignedPart.all(of: whole)
        // Its own part first: most tricks that do not work are found out there.
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

    /// Something that can be written otherwise: a part as a whole, a node of it, or a member of a node.
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

    /// All there are; much fewer than the ways of writing them.
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

    /// What may be tried at one of them.
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
            // A map of languages is no node: what is added to it is no language, and nobody signed it.
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

    /// Every object in a document that may be a node; what stands in contexts and in presented credentials is none of it.
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
            // What is appended comes after what the document itself says.
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

    /// Terms of the pinned contexts that stand for IRIs which others begin with.
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

    /// Meanings that were found; looking for one takes two expansions.
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
    /// What is left of an IRI behind its stem.
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
