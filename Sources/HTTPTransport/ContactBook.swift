package import Encoding

/// Hears of each server before it is asked, so that it is known which one was asked when the program ended, and can refuse one.
package protocol ContactBook: Sendable {
    /// Whether a server may be asked: ``WebURL/place``, `HOST:PORT`.
    func mayAsk(_ server: Text) -> Bool
}
