package import Encoding
import NIOCore
import NIOHTTP1

/// A server that answers GET and HEAD requests from this machine with pages about the state of the gate. Requests
/// change nothing.
///
/// Like ``OneRequestServer``, the server cannot be blocked by idle connections. The browser may show pages of other
/// sites at the same time, so two rules apply. The host of a request must be this machine; this prevents DNS rebinding,
/// in which a foreign name resolves to this machine. Requests from pages of other origins are refused, except
/// navigations, whose answers such a page cannot read.
package struct LocalServer: Sendable {
    /// The limits of the server.
    package struct Limits: Sendable {
        /// The largest size of a request's head, in bytes.
        package var maxBytes = 8 * 1024
        /// The largest number of connections at the same time. A further connection closes the oldest.
        package var maxConnections = 32
        /// The longest duration of a connection, including the time for sending the answer to a slow reader.
        package var timeLimit = Duration.seconds(5)

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// A page with which the server answers a request.
    package struct Answer: Sendable {
        /// The media type of the page.
        package let mediaType: String
        /// The content of the page, in bytes.
        package let body: [UInt8]
        /// The Content-Security-Policy of the page: what the page may load.
        package let policy: String

        /// Creates a page that may load only what `policy` permits; by default nothing.
        package init(
            _ mediaType: String, _ body: [UInt8], policy: String = "default-src 'none'; frame-ancestors 'none'"
        ) {
            (self.mediaType, self.body, self.policy) = (mediaType, body, policy)
        }
    }

    /// Where the server listens.
    package enum Place: Sendable {
        /// At the given address, which must be a loopback address.
        case address(ListenAddress)
        /// At the bound socket with the given descriptor, which the server closes when it ends. `permits`: returns, for
        /// the descriptor of a connection, whether its client may send a request.
        case socket(Int32, permits: @Sendable (Int32) -> Bool)
    }

    private let place: Place
    private let limits: Limits
    private let answer: @Sendable (_ target: String) async -> Answer?

    /// Creates a server. `answer`: returns the page for a path with its query, or nil if there is none. It may take
    /// long, but the connection is closed after the time limit.
    package init(
        _ place: Place, limits: Limits = Limits(), answer: @escaping @Sendable (_ target: String) async -> Answer?
    ) {
        (self.place, self.limits, self.answer) = (place, limits, answer)
    }

    /// Listens until the task is cancelled. Calls `isListening` with the port as soon as clients can connect.
    package func run(isListening: @Sendable (Int) -> Void = { _ in }) async throws(ListenFailure) {
        let place: OneRequestServer.Place =
            switch place {
            case .address(let address): .address(address)
            case .socket(let descriptor, let permits): .socket(descriptor, permits: permits)
            }
        try await OneRequestServer(
            place: place, maxBytes: limits.maxBytes, maxConnections: limits.maxConnections, timeLimit: limits.timeLimit
        ) {
            [answer] in LocalRequest(answer)
        }.run(isListening: isListening)
    }
}
