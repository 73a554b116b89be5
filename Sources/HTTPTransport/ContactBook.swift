package import Encoding

/// A record of the contacted servers. Each server is recorded before a request, so that the record is complete after a
/// crash. The book can also refuse a server.
package protocol ContactBook: Sendable {
    /// Returns whether a server, given as `HOST:PORT` (``WebURL/place``), may be contacted.
    func mayAsk(_ server: Text) -> Bool
}
