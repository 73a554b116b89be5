import Encoding
import LinkedData

/// The URLs of the contexts that a document names in any `@context`, and of those that these contexts name in
/// turn, as far as they are known. A JSON-LD processor would load all of them. Each URL is listed once, in
/// the order of first occurrence.
struct ContextURLs {
    private(set) var urls: [Text] = []
    /// The known contexts, by URL.
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
            // Terms may have scoped contexts.
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
    /// Returns the contexts because of which a document cannot be read: the contexts that are not pinned or,
    /// if all are pinned, the contexts that the issuer's entry in the trust data does not list. At most
    /// ``Limits/missingContexts`` are returned; overlong URLs are omitted.
    func missingContexts(of document: JSON, issuer: Text?, limits: Limits) -> [Text] {
        let named = ContextURLs(in: document, known: processor.contexts.documents).urls
        var missing = named.filter { !pins($0) }
        if missing.isEmpty, let allowed = issuer.flatMap({ self.issuer($0)?.contexts }) {
            missing = ContextURLs(in: document).urls.filter { !allowed.contains($0) }
        }
        return Array(missing.filter { $0.utf8.count <= limits.recordedBytes }.prefix(limits.missingContexts))
    }
}
