package import Encoding
import Synchronization

/// Contexts that issuers write inside their credentials, with all data for checking the next credential with the same
/// contexts. Such contexts are most of the text of a small credential, and all credentials of an issuer have the same
/// contexts.
///
/// Only contexts of accepted credentials are kept, and only few. Keeping them affects only the time of a verification.
package final class KnownContexts: Sendable {
    private let known = Mutex<[KnownObject]>([])
    /// The maximum number of kept contexts. A gate meets few issuers that write contexts of their own. A new context
    /// replaces the oldest.
    private static let most = 16
    /// The maximum size of a kept context, in bytes of text.
    private static let largest = 16 * 1024

    /// Creates an instance without contexts.
    package init() {}

    /// The contexts that are kept now.
    package var all: [KnownObject] { known.withLock { $0 } }

    /// Keeps the contexts of an accepted credential. `text` has their spelling.
    package func remember(_ contexts: [JSONObject], in text: [UInt8], limits: JSON.Limits) {
        for new in KnownObject.find(contexts.prefix(Self.most), in: text, limits: limits, largest: Self.largest) {
            known.withLock { known in
                // Another thread may have added the context at the same time.
                if known.contains(new) { return }
                if known.count == Self.most { known.removeFirst() }
                known.append(new)
            }
        }
    }
}
