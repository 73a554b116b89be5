package import Encoding
import NIOCore

/// A server for webhooks. It accepts only short posts to one path. A post only wakes a task; its content is not
/// trusted.
///
/// The server is safe against untrusted clients: it accepts one request for each connection, and limits the bytes, the
/// duration and the number of connections. A connection above the largest number closes the oldest. The server has no
/// TLS; a proxy in front of it can add it.
package struct WebhookReceiver: Sendable {
    /// The address and the limits of a receiver.
    package struct Settings: Hashable, Sendable {
        /// The address at which the receiver listens for connections.
        package var address: ListenAddress
        /// The path and query that a request must have, compared byte by byte.
        package var target: String
        /// The largest size of a whole request in bytes: 12 KiB.
        package var maxBytes = 12 * 1024
        /// The largest size of a request's body in bytes: 4 KiB.
        var maxBodyBytes = 4 * 1024
        /// The largest number of connections at the same time.
        package var maxConnections = 16
        /// The longest duration of a connection.
        package var timeLimit = Duration.seconds(5)

        /// Creates settings with the default limits.
        package init(_ address: ListenAddress, target: String) { (self.address, self.target) = (address, target) }
    }

    private let settings: Settings
    private let take: @Sendable ([UInt8]) -> Bool

    /// Creates a receiver. `take`: handles the body of a post, without blocking. It returns whether the body is valid;
    /// the answer is then 200, otherwise 400.
    package init(_ settings: Settings, take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
    }

    /// Listens until the task is cancelled. Calls `isListening` with the address and port as soon as clients can
    /// connect.
    package func run(isListening: @Sendable (ListenAddress) -> Void = { _ in }) async throws(ListenFailure) {
        try await OneRequestServer(
            place: .address(settings.address), maxBytes: settings.maxBytes, maxConnections: settings.maxConnections,
            timeLimit: settings.timeLimit
        ) { [settings, take] in
            WebhookRequest(settings, take)
        }.run { isListening(ListenAddress(host: settings.address.host, port: $0)) }
    }
}
