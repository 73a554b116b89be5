import Encoding
import LinkedData

/// The rules for nodes that a document describes in several places. Open Badges describe their issuer again as the
/// creator of an achievement, and their subject in each embedded credential. All descriptions are signed, and the
/// verdict uses all statements. The statements on which the acceptance of the document depends must be in one place,
/// where code that reads members by name finds them.
struct RepeatedNodes {
    private let document: DeserializedDocument
    private let descriptions: [Text: [NodeDescription]]

    init(_ document: DeserializedDocument) {
        self.document = document
        descriptions = Dictionary(grouping: document.repeatedNodes, by: \.id)
    }

    /// The id of a node whose descriptions break the rules of this type; nil if no node breaks them.
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

    /// Returns whether two descriptions are values of one property of one object.
    private static func areInOneList(_ all: [NodeDescription]) -> Bool {
        var seen: Set<[Text]> = []
        return !all.allSatisfy { description in
            guard let parent = description.parent, let property = description.property else { return true }
            return seen.insert([Text("\(parent)"), property]).inserted
        }
    }

    /// Returns whether the outermost object describes the outermost node. Another place may give the node a type, for
    /// example if a credential is its own refresh service. If the node is its own subject, as in MOSIP's status lists,
    /// the subject may also have properties that are not those of a credential.
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

    /// The id of a node with contradictory descriptions: a property for one value has two values. Nil if there is none.
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
