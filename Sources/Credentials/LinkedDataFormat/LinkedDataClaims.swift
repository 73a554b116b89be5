import Encoding

/// What the signed view of a linked-data credential needs of its document.
enum LinkedDataClaims {
    /// The contexts as they are listed; nil when one of them is not a URL.
    static func contexts(of context: JSON) -> [Text]? {
        let entries = context.isNull ? [] : context.array ?? [context]
        let urls = entries.compactMap(\.string)
        return urls.count == entries.count ? urls : nil
    }
}
