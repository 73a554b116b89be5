import Encoding

/// The contexts that a linked-data document lists.
struct ListedContexts: Sendable {
    /// Their URLs, in their order.
    let urls: [Text]
    /// Whether the document brings contexts of its own, too.
    let bringsOwn: Bool
    /// Whether objects inside it list others, or the same in another order: there names have the meanings of those.
    var nests = false

    /// The contexts of an `@context` member.
    init(_ context: JSON) {
        let entries = context.isNull ? [] : context.array ?? [context]
        urls = entries.compactMap(\.string)
        bringsOwn = urls.count < entries.count
    }

    /// The contexts of a document. Those of its proofs are about the proofs.
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

    /// Whether these are all, in this order, for the whole document.
    func are(_ others: [Text]) -> Bool { begin(with: others) && !nests }

    /// The same for the outermost object.
    func begin(with others: [Text]) -> Bool { !bringsOwn && urls == others }
}
