package import Encoding
import Synchronization

/// Contexts inside credentials, kept with all that the next such credential needs of them: they are most of a small
/// credential's text, and the same in each of its issuer.
///
/// Only what came in an accepted credential is kept, and no more than a little of it; what is kept changes the time of a
/// verification and nothing else.
package final class KnownContexts: Sendable {
    private let known = Mutex<[KnownObject]>([])
    /// Contexts kept; a gate meets few issuers that write their own. The oldest makes room.
    private static let most = 16
    /// Bytes of text of one that is kept.
    private static let largest = 16 * 1024

    /// Nothing is known at first.
    package init() {}

    /// What is known now.
    package var all: [KnownObject] { known.withLock { $0 } }

    /// Keeps the contexts of an accepted credential with the letters that they have in `text`.
    package func remember(_ contexts: [JSONObject], in text: [UInt8], limits: JSON.Limits) {
        for new in KnownObject.find(contexts.prefix(Self.most), in: text, limits: limits, largest: Self.largest) {
            known.withLock { known in
                // Another thread may have met it at the same time.
                if known.contains(new) { return }
                if known.count == Self.most { known.removeFirst() }
                known.append(new)
            }
        }
    }
}
