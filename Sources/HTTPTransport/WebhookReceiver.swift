package import Encoding
import NIOCore

/// A server for webhooks that accepts only short posts to one path. A post only wakes a task; its content is not
/// trusted.
///
/// The server is safe against arbitrary clients. It accepts one request for each connection, and limits the bytes, the
/// time and the number of connections. A new connection above the limit closes the oldest. The server has no TLS; a
/// proxy in front of it can provide TLS.
package struct WebhookReceiver: Sendable {
    /// The address and the limits.
    package struct Settings: Hashable, Sendable {
        /// The address at which the receiver listens.
        package var address: ListenAddress
        /// The required path and query of a request, compared byte by byte.
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

    /// Creates a receiver. `take` returns whether it understands a body: the answer is 200 or 400. `take` must not
    /// block.
    package init(_ settings: Settings, take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
    }

    /// Listens until the task is cancelled. `isListening` is called with the address when connections are possible.
    package func run(isListening: @Sendable (ListenAddress) -> Void = { _ in }) async throws(ListenFailure) {
        try await OneRequestServer(
            place: .address(settings.address), maxBytes: settings.maxBytes, maxConnections: settings.maxConnections,
            timeLimit: settings.timeLimit
        ) { [settings, take] in
            WebhookRequest(settings, take)
        }.run { isListening(ListenAddress(host: settings.address.host, port: $0)) }
    }
}
