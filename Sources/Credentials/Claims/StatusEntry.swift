import Encoding
import LinkedData

/// An entry of a bitstring status list in a credential, as signed by the issuer (Bitstring Status List 1.0 section
/// 2.1). A property is nil if it is missing, repeated or unreadable.
struct StatusEntry {
    /// The place of the entry in the credential, as a JSON pointer.
    let pointer: String
    /// The kind of bitstring status list that the entry belongs to; nil if the entry has no type of such a list.
    let kind: StatusListKind?
    let purpose: Text?
    /// The URL of the list.
    let list: Text?
    let index: Int?
    /// The number of bits that the entry has in the list, 1 to 8.
    let size: Int?
    /// The types of an entry whose ``kind`` is nil. The list is empty if the holder may have withheld a type.
    let otherTypes: [Text]

    /// Reads the entry from signed JSON.
    init(_ entry: Located<JSONObject>) {
        let types = Self.texts(entry.value["type"])
        pointer = entry.pointer
        kind = StatusListKind.all.first { types.contains($0.entryType) }
        otherTypes = kind == nil ? types : []
        purpose = entry.value["statusPurpose"]?.string
        list = entry.value["statusListCredential"]?.string
        index = entry.value["statusListIndex"].flatMap(Self.index)
        let messages = entry.value["statusMessage"].map { member in
            member.array?.map { ($0["status"]?.string, $0["message"]?.string) } ?? [(nil, nil)]
        }
        size = Self.size(entry.value["statusSize"].map { $0.int ?? 0 }, messages)
    }

    /// Reads the entry from a node of signed statements.
    init(_ node: Term, in graph: StatementGraph, pointer: String) {
        self.pointer = pointer
        let types = graph.types(of: node)
        let kinds = CredentialVocabulary.statusLists.filter {
            types.contains(Text($0.prefix + $0.kind.entryType.string))
        }
        guard kinds.count == 1, let (prefix, kind) = kinds.first else {
            // Do not read an entry of two kinds as either kind. The entry remains a status that must be checked.
            (self.kind, list, index, size) = (kinds.first?.kind, nil, nil, nil)
            otherTypes = kinds.isEmpty && graph.isComplete(RDF.type, at: node) ? types : []
            purpose =
                CredentialVocabulary.statusLists.lazy.compactMap { prefix, _ in
                    graph.values(of: Text(prefix + "statusPurpose"), at: node).first?.lexicalForm
                }.first
            return
        }
        func values(_ name: String, at node: Term) -> [Term] { graph.values(of: Text(prefix + name), at: node) }
        func one(_ name: String, at node: Term) -> Term? {
            let values = values(name, at: node)
            return values.count == 1 ? values[0] : nil
        }
        self.kind = kind
        otherTypes = []
        purpose = one("statusPurpose", at: node)?.lexicalForm
        let list = one("statusListCredential", at: node)
        self.list = list?.iri ?? list?.lexicalForm
        index = one("statusListIndex", at: node)?.lexicalForm.flatMap(Self.index)
        let sizes = values("statusSize", at: node)
        // The search for each message goes through all statements, so read at most 257 messages. An entry of 8 bits has
        // 256 messages; a 257th message proves that there are too many.
        let messages = values("statusMessage", at: node).prefix(257).map { message in
            (one("status", at: message)?.lexicalForm, one("message", at: message)?.lexicalForm)
        }
        size = Self.size(
            sizes.isEmpty ? nil : sizes.count == 1 ? sizes[0].lexicalForm.flatMap(Self.index) ?? 0 : 0,
            messages.isEmpty ? nil : messages)
    }

    /// Returns whether `other` has the same list, kind, index, size and purpose.
    func says(_ other: StatusEntry) -> Bool {
        kind == other.kind && purpose == other.purpose && list == other.list && index == other.index
            && size == other.size
    }

    /// Returns the number of bits of one entry: 1, or the value of `statusSize`. An entry of several bits needs a
    /// message for each value. The text of messages is not checked, because messages are for people. Returns nil for a
    /// malformed size, a wrong number of messages, or a size above 8 bits.
    private static func size(_ stated: Int?, _ messages: [(status: Text?, message: Text?)]?) -> Int? {
        let size = stated ?? 1
        guard (1...8).contains(size) else { return nil }
        guard let messages else { return size == 1 ? 1 : nil }
        guard messages.count == 1 << size,
            messages.allSatisfy({ $0.status?.hasPrefix("0x") ?? false && $0.message != nil })
        else { return nil }
        return size
    }

    private static func index(_ member: JSON) -> Int? {
        if let number = member.int { return number >= 0 ? number : nil }
        return member.string.flatMap(index)
    }

    private static func index(_ text: Text) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text.string)
    }

    private static func texts(_ member: JSON?) -> [Text] {
        (member.map { $0.array ?? [$0] } ?? []).compactMap(\.string)
    }
}
