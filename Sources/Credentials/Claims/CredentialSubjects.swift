package import Encoding

/// Whom a credential is about.
package struct CredentialSubjects: Hashable, Sendable {
    /// The ids of its subjects, each once.
    package var ids: [Text]
    /// Whether there is a subject without an id, or none at all.
    package var isOneUnnamed: Bool
    /// Whether the holder may have left a subject or its id out.
    package var mayHideOne: Bool

    /// Subjects with these ids.
    package init(_ ids: [Text], isOneUnnamed: Bool = false, mayHideOne: Bool = false) {
        var seen: Set<Text> = []
        self.ids = ids.filter { seen.insert($0).inserted }
        self.isOneUnnamed = isOneUnnamed || ids.isEmpty
        self.mayHideOne = mayHideOne
    }

    /// Whether it is certain who all of them are.
    package var areKnown: Bool { !isOneUnnamed && !mayHideOne }

    /// The subjects that signed JSON names: `credentialSubject` is one object or a list of them.
    init(of document: JSONObject) {
        let member = document["credentialSubject"].flatMap { $0.isNull ? nil : $0 }
        let subjects = member.map { $0.array ?? [$0] } ?? []
        let ids = subjects.compactMap { $0["id"]?.string }
        self.init(ids, isOneUnnamed: ids.count < subjects.count)
    }
}
