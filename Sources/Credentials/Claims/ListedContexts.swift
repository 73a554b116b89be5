import Encoding

/// The contexts that a linked-data document lists.
struct ListedContexts: Sendable {
    /// Their URLs, in their order.
    let urls: [Text]
    /// Whether the document brings contexts of its own, too.
    let bringsOwn: Bool

    /// The contexts of an `@context` member.
    init(_ context: JSON) {
        let entries = context.isNull ? [] : context.array ?? [context]
        urls = entries.compactMap(\.string)
        bringsOwn = urls.count < entries.count
    }

    /// Whether these are all, in this order.
    func are(_ others: [Text]) -> Bool { !bringsOwn && urls == others }
}
