import NIOCore
import NIOHTTP1

/// Answers GET and HEAD for people and programs on this machine, and changes nothing: pages that show how it is.
///
/// As hard to hold up as ``OneRequestServer``. A browser may be on its way to another site: only requests that name this machine as
/// their host are answered (a name of somebody else's that leads here is not ours: DNS rebinding), and only those that a page of
/// another origin could not read or make.
package struct LocalServer: Sendable {
    /// Bounds.
    package struct Limits: Sendable {
        /// Bytes of a request's head.
        package var maxBytes = 8 * 1024
        /// Connections at a time.
        package var maxConnections = 32
        /// From the beginning of a connection to its end, with the answer's way to a slow reader.
        package var timeLimit = Duration.seconds(5)

        /// The documented bounds.
        package init() {}
    }

    /// What is answered.
    package struct Answer: Sendable {
        /// The media type.
        package let mediaType: String
        /// The content.
        package let body: [UInt8]
        /// What the content may load (Content-Security-Policy).
        package let policy: String

        /// Content that may load nothing, unless `policy` says otherwise.
        package init(
            _ mediaType: String, _ body: [UInt8], policy: String = "default-src 'none'; frame-ancestors 'none'"
        ) {
            (self.mediaType, self.body, self.policy) = (mediaType, body, policy)
        }
    }

    /// Where it listens.
    package enum Place: Sendable {
        /// An address, which has to be one of this machine for itself.
        case address(ListenAddress)
        /// A bound socket, which is closed with the server. `permits` is asked about each connection's descriptor.
        case socket(Int32, permits: @Sendable (Int32) -> Bool)
    }

    private let place: Place
    private let limits: Limits
    private let answer: @Sendable (_ target: String) async -> Answer?

    /// `answer` gets the path with its query, and gives nil for what there is not. It may take its time, of which the time limit is
    /// told by the connection's end.
    package init(
        _ place: Place, limits: Limits = Limits(), answer: @escaping @Sendable (_ target: String) async -> Answer?
    ) {
        (self.place, self.limits, self.answer) = (place, limits, answer)
    }

    /// Listens until the task is cancelled; `isListening` is told the port as soon as somebody can connect.
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
