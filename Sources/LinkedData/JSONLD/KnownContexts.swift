package import Encoding
import Synchronization

/// Contexts that trusted issuers wrote into their credentials, kept with all that the next such credential needs of them:
/// they are most of a small credential's text, and the same in each.
///
/// Only what an issuer has signed as text, in a credential that was accepted, is kept, and no more than a little of it; what
/// is kept changes the time of a verification and nothing else.
package final class KnownContexts: Sendable {
    private let known = Mutex<[KnownObject]>([])
    /// Contexts kept; a gate meets few issuers that write their own.
    private static let most = 16
    /// Bytes of text of one that is kept.
    private static let largest = 16 * 1024

    /// Nothing is known at first.
    package init() {}

    /// What is known now.
    package var all: [KnownObject] { known.withLock { $0 } }

    /// Keeps the contexts of an accepted credential with the letters that they have in `text`; starts anew when there is no
    /// room.
    package func remember(_ contexts: [JSONObject], in text: [UInt8], limits: JSON.Limits) {
        for context in contexts.prefix(Self.most) where context.known == nil {
            guard let new = KnownObject(context, in: text, limits: limits, largest: Self.largest) else { continue }
            known.withLock { known in
                // Another thread may have met it at the same time.
                if known.contains(where: { $0.text == new.text }) { return }
                if known.count == Self.most { known = [] }
                known.append(new)
            }
        }
    }
}
