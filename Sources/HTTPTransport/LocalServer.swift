package import Encoding
import NIOCore
import NIOHTTP1

/// Answers GET and HEAD requests from this machine with pages about the state of the gate. The server changes nothing.
///
/// Like ``OneRequestServer``, it cannot be blocked by idle connections. A browser may show pages of other sites at the
/// same time. Only requests whose host is this machine are answered. This rule prevents DNS rebinding, in which a
/// foreign name resolves to this machine. Requests from pages of other origins are refused, except navigations, whose
/// answers such a page cannot read.
package struct LocalServer: Sendable {
    /// The limits of the server.
    package struct Limits: Sendable {
        /// The maximum size of a request's head in bytes.
        package var maxBytes = 8 * 1024
        /// The maximum number of connections at a time.
        package var maxConnections = 32
        /// The maximum duration of a connection, including sending the answer to a slow reader.
        package var timeLimit = Duration.seconds(5)

        /// Creates the documented default limits.
        package init() {}
    }

    /// An answer of the server: a page.
    package struct Answer: Sendable {
        /// The media type.
        package let mediaType: String
        /// The content of the page, in bytes.
        package let body: [UInt8]
        /// The Content-Security-Policy: what the content may load.
        package let policy: String

        /// Creates an answer whose content may load only what `policy` permits. The default permits nothing.
        package init(
            _ mediaType: String, _ body: [UInt8], policy: String = "default-src 'none'; frame-ancestors 'none'"
        ) {
            (self.mediaType, self.body, self.policy) = (mediaType, body, policy)
        }
    }

    /// The place where the server listens.
    package enum Place: Sendable {
        /// The server listens at the given address, which must be a loopback address.
        case address(ListenAddress)
        /// The server uses the bound socket with the given descriptor, and closes it at its end. `permits` returns, for
        /// the descriptor of a connection, whether that client may send requests.
        case socket(Int32, permits: @Sendable (Int32) -> Bool)
    }

    private let place: Place
    private let limits: Limits
    private let answer: @Sendable (_ target: String) async -> Answer?

    /// Creates a server. `answer` returns the answer for a path with its query; nil if there is no such page. `answer`
    /// may take long: the connection is closed after the time limit.
    package init(
        _ place: Place, limits: Limits = Limits(), answer: @escaping @Sendable (_ target: String) async -> Answer?
    ) {
        (self.place, self.limits, self.answer) = (place, limits, answer)
    }

    /// Listens until the task is cancelled. `isListening` is called with the port when connections are possible.
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
