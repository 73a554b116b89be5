import Encoding
import LinkedData

/// Which nodes a document may describe in more than one place. Open Badges describe their issuer again as the creator of an
/// achievement, and their subject in each credential inside. All of it is signed, and what decides is read from all
/// statements. What decides about the document itself nevertheless stands in one place, where readers of names see it.
struct RepeatedNodes {
    private let document: DeserializedDocument
    private let descriptions: [Text: [NodeDescription]]

    init(_ document: DeserializedDocument) {
        self.document = document
        descriptions = Dictionary(grouping: document.repeatedNodes, by: \.id)
    }

    /// The id of a node that should not be described so; nil where there is none.
    var unusual: Text? {
        if descriptions.isEmpty { return nil }
        let entries = statusEntries
        let found = descriptions.keys.filter { id in
            let all = descriptions[id] ?? []
            return id.hasPrefix("_:") || Self.areInOneList(all) || !keepsRoot(id, all)
                || entries.contains(.iri(id)) && !all.allSatisfy { isStatus($0) || $0.properties.isEmpty }
        }
        return found.min() ?? contradicted
    }

    /// Whether two are values of one property of one object.
    private static func areInOneList(_ all: [NodeDescription]) -> Bool {
        var seen: Set<[Text]> = []
        return !all.allSatisfy { description in
            guard let parent = description.parent, let property = description.property else { return true }
            return seen.insert([Text("\(parent)"), property]).inserted
        }
    }

    /// Whether the outermost node stands in the outermost object. Elsewhere it may have a type, as where a credential is its
    /// own refresh service; as its own subject, as MOSIP's status lists are, also what is no property of credentials.
    private func keepsRoot(_ id: Text, _ all: [NodeDescription]) -> Bool {
        guard let root = document.root else { return false }
        guard root == .iri(id) else { return true }
        return all.allSatisfy { description in
            description.object == 0 || description.properties.isEmpty
                || description.parent == 0 && description.property == CredentialVocabulary.subject
                    && description.properties.allSatisfy { !CredentialVocabulary.credentialProperties.contains($0) }
        }
    }

    private var statusEntries: Set<Term> {
        var entries: Set<Term> = []
        for quad in document.dataset.quads
        where quad.predicate == CredentialVocabulary.status && quad.subject == document.root && quad.graph == nil {
            entries.insert(quad.object)
        }
        return entries
    }

    private func isStatus(_ description: NodeDescription) -> Bool {
        description.parent == 0 && description.property == CredentialVocabulary.status
    }

    /// The id of a node whose descriptions disagree: a property that has one value has two.
    private var contradicted: Text? {
        var values: [[Term?]: Term] = [:]
        for quad in document.dataset.quads where CredentialVocabulary.singleProperties.contains(quad.predicate) {
            guard let id = quad.subject.iri, descriptions[id] != nil else { continue }
            let old = values.updateValue(quad.object, forKey: [quad.graph, quad.subject, .iri(quad.predicate)])
            if let old, old != quad.object { return id }
        }
        return nil
    }
}
