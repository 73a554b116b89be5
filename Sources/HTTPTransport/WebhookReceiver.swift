package import Encoding
import NIOCore

/// A server for webhooks that accepts only short posts to one path. The only effect of a post is to wake a
/// task. The content of posts is not trusted.
///
/// The server is safe against arbitrary clients. It accepts one request for each connection, limits its bytes
/// and its time, and limits the number of connections: above the limit a new connection closes the oldest.
/// The server has no TLS; a proxy in front of it can provide TLS.
package struct WebhookReceiver: Sendable {
    /// The address and the limits.
    package struct Settings: Hashable, Sendable {
        /// The address at which the receiver listens.
        package var address: ListenAddress
        /// The path and query that a request must have, compared byte by byte.
        package var target: String
        /// The maximum size of a request with its head: 12 KiB.
        package var maxBytes = 12 * 1024
        /// The maximum size of a request's body: 4 KiB.
        var maxBodyBytes = 4 * 1024
        /// The maximum number of connections at a time.
        package var maxConnections = 16
        /// The maximum duration of a connection.
        package var timeLimit = Duration.seconds(5)

        /// Creates settings with the documented limits.
        package init(_ address: ListenAddress, target: String) { (self.address, self.target) = (address, target) }
    }

    private let settings: Settings
    private let take: @Sendable ([UInt8]) -> Bool

    /// Creates a receiver. `take` gets each body and returns whether it understands it: the answer is then
    /// 200, otherwise 400. It must not block.
    package init(_ settings: Settings, take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
    }

    /// Listens until the task is cancelled; `isListening` gets the address as soon as connections are
    /// possible.
    package func run(isListening: @Sendable (ListenAddress) -> Void = { _ in }) async throws(ListenFailure) {
        try await OneRequestServer(
            place: .address(settings.address), maxBytes: settings.maxBytes, maxConnections: settings.maxConnections,
            timeLimit: settings.timeLimit
        ) { [settings, take] in
            WebhookRequest(settings, take)
        }.run { isListening(ListenAddress(host: settings.address.host, port: $0)) }
    }
}
