package import Encoding

/// A record of the servers that are asked. It is notified of each server before a request to it, so that it
/// is known which servers were asked before a crash, and it can refuse a server.
package protocol ContactBook: Sendable {
    /// Returns whether a server may be asked: ``WebURL/place``, `HOST:PORT`.
    func mayAsk(_ server: Text) -> Bool
}
