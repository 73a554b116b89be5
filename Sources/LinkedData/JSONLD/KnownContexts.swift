package import Encoding
import Synchronization

/// Contexts that are written inside credentials, kept with all data that the check of the next credential
/// with the same contexts needs. They are most of the text of a small credential, and all credentials of an
/// issuer have the same contexts.
///
/// Only contexts of accepted credentials are kept, and only few of them. Keeping them affects only the time
/// of a verification.
package final class KnownContexts: Sendable {
    private let known = Mutex<[KnownObject]>([])
    /// The number of contexts that are kept. A gate meets few issuers that write their own contexts. A new
    /// context replaces the oldest.
    private static let most = 16
    /// The size of the largest context that is kept, in bytes of text.
    private static let largest = 16 * 1024

    /// Creates an instance that knows no contexts yet.
    package init() {}

    /// The contexts that are known now.
    package var all: [KnownObject] { known.withLock { $0 } }

    /// Keeps the contexts of an accepted credential, with their spelling in `text`.
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
