package import Encoding

/// The record of the servers that the gate contacts. A server is recorded before the request is sent, so the record is
/// complete even after a crash. The book can also refuse a server.
package protocol ContactBook: Sendable {
    /// Records the server `HOST:PORT` (``WebURL/place``). Returns whether the gate may contact it.
    func mayAsk(_ server: Text) -> Bool
}
