import Encoding
import LinkedData

/// The URLs of all contexts that a JSON-LD processor would load for a document: the contexts in any `@context`, and
/// recursively the contexts that pinned contexts name. Each URL is listed once, in the order of first occurrence.
struct ContextURLs {
    private(set) var urls: [Text] = []
    /// The contexts whose content is known, by URL.
    private let known: [Text: JSON]
    private var seen: Set<Text> = []

    init(in document: JSON, known: [Text: JSON] = [:]) {
        self.known = known
        visit(document)
    }

    private mutating func visit(_ value: JSON) {
        switch value {
        case .object(let object):
            for member in object.members {
                if member.name == "@context" {
                    visit(context: member.value)
                } else if member.value.isContainer {
                    visit(member.value)
                }
            }
        case .array(let elements): for element in elements where element.isContainer { visit(element) }
        default: return
        }
    }

    private mutating func visit(context: JSON) {
        for entry in context.array ?? [context] {
            if let url = entry.string { note(url) }
            guard let object = entry.object else { continue }
            if let url = object["@import"]?.string { note(url) }
            // The definition of a term may contain a context.
            visit(entry)
        }
    }

    private mutating func note(_ url: Text) {
        guard seen.insert(url).inserted else { return }
        urls.append(url)
        if let document = known[url] { visit(document) }
    }
}

extension TrustStore {
    /// Returns the contexts that prevent the reading of a document: those that are not pinned or, if all are pinned,
    /// those that the issuer's entry in the trust data does not list. Returns at most ``Limits/missingContexts`` URLs
    /// and omits overlong URLs.
    func missingContexts(of document: JSON, issuer: Text?, limits: Limits) -> [Text] {
        let named = ContextURLs(in: document, known: processor.contexts.documents).urls
        var missing = named.filter { !pins($0) }
        if missing.isEmpty, let allowed = issuer.flatMap({ self.issuer($0)?.contexts }) {
            missing = ContextURLs(in: document).urls.filter { !allowed.contains($0) }
        }
        return Array(missing.filter { $0.utf8.count <= limits.recordedBytes }.prefix(limits.missingContexts))
    }
}
