import AsyncHTTPClient
import Foundation
import NIOSSL
import Synchronization

/// The HTTP client of an ``HTTPExchange``. It trusts the root certificates in a file in addition to the system's. When
/// the file appears or changes, a new client is made, so adding a root needs no restart of the gate.
final class RootedClient: Sendable {
    private struct State {
        var client: HTTPClient
        /// The value of ``edition(_:)`` for the file at the last check; nil without a file.
        var seen: String?
        var isOver = false
    }

    private let file: String?
    private let make: @Sendable (_ roots: [NIOSSLCertificate]?) -> HTTPClient
    private let state: Mutex<State>

    /// Creates the client by calling `make` with the root certificates in the file. If `file` is nil, the client never
    /// changes.
    init(roots file: String?, make: @escaping @Sendable (_ roots: [NIOSSLCertificate]?) -> HTTPClient) {
        (self.file, self.make) = (file, make)
        state = Mutex(State(client: make(file.flatMap(Self.roots)), seen: file.map(Self.edition)))
    }

    /// The client for the next request. When a client is replaced, its exchanges fail as if the connection had broken.
    var current: HTTPClient {
        guard let file else { return state.withLock(\.client) }
        let edition = Self.edition(file)
        let (client, old) = state.withLock { state -> (HTTPClient, HTTPClient?) in
            // A file that contains no list of certificates, perhaps because it is half written, does not remove the
            // earlier roots.
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

    /// Closes all connections. After that no further client is made.
    func shutdown() async {
        let client = state.withLock { state in
            state.isOver = true
            return state.client
        }
        try? await client.shutdown()
    }

    /// Returns the certificates in a PEM file; nil if the file cannot be read or contains anything else.
    static func roots(_ file: String) -> [NIOSSLCertificate]? {
        guard let roots = try? NIOSSLCertificate.fromPEMFile(file), !roots.isEmpty else { return nil }
        return roots
    }

    /// Returns a text that changes when the content of the file, or the permission to read it, changes.
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
