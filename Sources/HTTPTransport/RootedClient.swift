import AsyncHTTPClient
import Foundation
import NIOSSL
import Synchronization

/// The client of an exchange, which trusts the roots in a file beside the system's: made anew when the file comes or changes, as
/// nobody should have to restart a gate for an authority that he forgot.
final class RootedClient: Sendable {
    private struct State {
        var client: HTTPClient
        /// The file as it was when it was last looked at.
        var seen: String?
        var isOver = false
    }

    private let file: String?
    private let make: @Sendable (_ roots: [NIOSSLCertificate]?) -> HTTPClient
    private let state: Mutex<State>

    /// A client that `make` makes of the roots that there are; without a `file` it stays the same.
    init(roots file: String?, make: @escaping @Sendable (_ roots: [NIOSSLCertificate]?) -> HTTPClient) {
        (self.file, self.make) = (file, make)
        state = Mutex(State(client: make(file.flatMap(Self.roots)), seen: file.map(Self.edition)))
    }

    /// The client for the next request. Exchanges over the one before fail, as with a connection that breaks.
    var current: HTTPClient {
        guard let file else { return state.withLock(\.client) }
        let edition = Self.edition(file)
        let (client, old) = state.withLock { state -> (HTTPClient, HTTPClient?) in
            // What is no file of roots now, perhaps half written, takes nothing away.
            guard !state.isOver, state.seen != edition else { return (state.client, nil) }
            state.seen = edition
            guard let roots = Self.roots(file) else { return (state.client, nil) }
            let old = state.client
            state.client = make(roots)
            return (state.client, old)
        }
        if let old { Task { try? await old.shutdown() } }
        return client
    }

    /// Closes all connections. From then on there is no other client.
    func shutdown() async {
        let client = state.withLock { state in
            state.isOver = true
            return state.client
        }
        try? await client.shutdown()
    }

    /// The certificates in a PEM file; nil: it cannot be read, or holds something else.
    static func roots(_ file: String) -> [NIOSSLCertificate]? {
        guard let roots = try? NIOSSLCertificate.fromPEMFile(file), !roots.isEmpty else { return nil }
        return roots
    }

    /// What tells one content of the file from the next, as far as the file system does, and who may read it.
    private static func edition(_ file: String) -> String {
        let found = try? FileManager.default.attributesOfItem(atPath: file)
        let keys: [FileAttributeKey] = [
            .modificationDate, .size, .systemFileNumber, .ownerAccountID, .groupOwnerAccountID, .posixPermissions,
        ]
        return keys.map { key in
            let value = (found?[key] as? Date).map { "\($0.timeIntervalSince1970)" }
            return value ?? "\(found?[key] ?? "-")"
        }.joined(separator: " ")
    }
}
