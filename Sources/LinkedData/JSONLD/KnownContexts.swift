package import Encoding
import Synchronization

/// The contexts that issuers have written inside accepted credentials. They are stored in a form that makes checking
/// the next credential with the same contexts fast: such contexts are most of the text of a small credential, and equal
/// in all credentials of an issuer.
///
/// Only contexts of accepted credentials are stored, and only few. They change only the time of a verification, not its
/// result.
package final class KnownContexts: Sendable {
    private let known = Mutex<[KnownObject]>([])
    /// The largest number of stored contexts. A further context replaces the oldest. Few issuers write contexts of
    /// their own.
    private static let most = 16
    /// The largest size of a stored context, in bytes of text. A larger one is not stored.
    private static let largest = 16 * 1024

    /// Creates a store without contexts.
    package init() {}

    /// The contexts that are stored now.
    package var all: [KnownObject] { known.withLock { $0 } }

    /// Stores the contexts `contexts` of an accepted credential. `text`: the credential's text, which contains them.
    /// `limits`: the limits with which the text was parsed.
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
