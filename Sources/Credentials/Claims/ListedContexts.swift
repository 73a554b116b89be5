import Encoding

/// The contexts that a linked-data document lists.
struct ListedContexts: Sendable {
    /// The URLs of the contexts, in their order.
    let urls: [Text]
    /// Whether the document also contains inline contexts.
    let bringsOwn: Bool
    /// Whether objects inside the document list other contexts, or the same contexts in another order. These contexts
    /// determine the meanings of the names in such an object.
    var nests = false

    /// Reads the contexts of an `@context` member.
    init(_ context: JSON) {
        let entries = context.isNull ? [] : context.array ?? [context]
        urls = entries.compactMap(\.string)
        bringsOwn = urls.count < entries.count
    }

    /// Reads the contexts of a document. Contexts inside proofs are ignored, because they apply to the proofs only.
    init(of document: JSONObject) {
        let context = document["@context"] ?? .null
        self.init(context)
        nests = document.members.contains { $0.name != "proof" && Self.lists($0.value, otherThan: context) }
    }

    private static func lists(_ value: JSON, otherThan context: JSON) -> Bool {
        if let elements = value.array { return elements.contains { lists($0, otherThan: context) } }
        guard let object = value.object else { return false }
        return object.members.contains { member in
            member.name == "@context" ? member.value != context : lists(member.value, otherThan: context)
        }
    }

    /// Returns whether `others`, in this order, are all contexts of the whole document.
    func are(_ others: [Text]) -> Bool { begin(with: others) && !nests }

    /// Returns whether `others`, in this order, are all contexts of the outermost object.
    func begin(with others: [Text]) -> Bool { !bringsOwn && urls == others }
}
