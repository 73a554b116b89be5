import Encoding
import LinkedData

/// The signed properties of a list in a bitstring status list credential (Bitstring Status List 1.0 section 2.2).
struct StatusListFacts: Equatable {
    /// The id of the credential or, without one, the id of its subject without the fragment.
    let id: Text?
    /// The kinds of list in both the credential and its subject.
    let kinds: Set<StatusListKind>
    let purposes: [Text]
    /// The number of bits of an entry; nil if the list does not state the number.
    let size: Int?
    let encodedList: Text?

    /// Reads the facts of a list in linked data. Returns nil if the credential is not a list, or if the statements of a
    /// signed text describe another list than its member names.
    init?(_ signed: SignedCredential) {
        let stated = signed.statements.flatMap { Self($0) }
        guard let text = signed.text else {
            guard let stated else { return nil }
            self = stated
            return
        }
        self.init(text: text)
        if let stated, stated != self { return nil }
    }

    /// Reads the facts of a list whose text is signed.
    init?(text document: JSONObject) {
        let types = Self.texts(document["type"])
        guard let subject = document["credentialSubject"]?.object else { return nil }
        let subjectTypes = Self.texts(subject["type"])
        kinds = Set(
            StatusListKind.all.filter { types.contains($0.credentialType) && subjectTypes.contains($0.listType) })
        id = document["id"]?.string ?? subject["id"]?.string.map(KeyResolver.withoutFragment)
        purposes = Self.texts(subject["statusPurpose"])
        size = subject["statusSize"].map { $0.int ?? 0 }
        encodedList = subject["encodedList"]?.string
    }

    /// Reads the facts of a list whose statements are signed, from its single subject.
    init?(_ graph: StatementGraph) {
        let subjects = graph.values(of: CredentialVocabulary.subject, at: graph.root)
        guard subjects.count == 1 else { return nil }
        let subject = subjects[0]
        let (types, subjectTypes) = (graph.types(of: graph.root), graph.types(of: subject))
        let kinds = CredentialVocabulary.statusLists.filter { prefix, kind in
            types.contains(Text(prefix + kind.credentialType.string))
                && subjectTypes.contains(Text(prefix + kind.listType.string))
        }
        guard kinds.count == 1, let prefix = kinds.first?.prefix else { return nil }
        func texts(_ name: String) -> [Text] {
            graph.values(of: Text(prefix + name), at: subject).compactMap(\.lexicalForm)
        }
        self.kinds = Set(kinds.map(\.kind))
        id = graph.root.iri ?? subject.iri.map(KeyResolver.withoutFragment)
        purposes = texts("statusPurpose")
        let (sizes, lists) = (texts("statusSize"), texts("encodedList"))
        size = sizes.isEmpty ? nil : sizes.count == 1 ? Int(sizes[0].string) ?? 0 : 0
        encodedList = lists.count == 1 ? lists[0] : nil
    }

    private static func texts(_ member: JSON?) -> [Text] {
        (member.map { $0.array ?? [$0] } ?? []).compactMap(\.string)
    }
}
