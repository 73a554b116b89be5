package import Encoding

/// The subjects of a credential.
package struct CredentialSubjects: Hashable, Sendable {
    /// The ids of the subjects, each once.
    package var ids: [Text]
    /// Whether a subject has no id or the credential has no subject.
    package var isOneUnnamed: Bool
    /// Whether the holder may have withheld a subject or its id.
    package var mayHideOne: Bool

    /// Creates subjects with the given ids.
    package init(_ ids: [Text], isOneUnnamed: Bool = false, mayHideOne: Bool = false) {
        var seen: Set<Text> = []
        self.ids = ids.filter { seen.insert($0).inserted }
        self.isOneUnnamed = isOneUnnamed || ids.isEmpty
        self.mayHideOne = mayHideOne
    }

    /// Whether all subjects are certainly known.
    package var areKnown: Bool { !isOneUnnamed && !mayHideOne }

    /// Reads the subjects in signed JSON: `credentialSubject` is one object or a list of objects.
    init(of document: JSONObject) {
        let member = document["credentialSubject"].flatMap { $0.isNull ? nil : $0 }
        let subjects = member.map { $0.array ?? [$0] } ?? []
        let ids = subjects.compactMap { $0["id"]?.string }
        self.init(ids, isOneUnnamed: ids.count < subjects.count)
    }
}
