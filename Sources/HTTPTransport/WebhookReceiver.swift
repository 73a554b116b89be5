import NIOCore

/// Takes short posts to one path, and nothing else: a server for webhooks, which wake somebody and carry nothing that is believed.
///
/// Made to be met by anybody: one request for each connection, all of it bounded in bytes and time, and a bounded number of
/// connections, of which the oldest goes when another one comes. It has no TLS: that is the proxy's in front of it.
package struct WebhookReceiver: Sendable {
    /// Where it listens, and its bounds.
    package struct Settings: Hashable, Sendable {
        /// Where it listens.
        package var address: ListenAddress
        /// The path and the query that a request has to have, byte by byte.
        package var target: String
        /// Bytes of a request with its head: 12 KiB.
        package var maxBytes = 12 * 1024
        /// Bytes of a request's body: 4 KiB.
        package var maxBodyBytes = 4 * 1024
        /// Connections at a time.
        package var maxConnections = 16
        /// From the beginning of a connection to its end.
        package var timeLimit = Duration.seconds(5)

        /// The documented bounds.
        package init(_ address: ListenAddress, target: String) { (self.address, self.target) = (address, target) }
    }

    private let settings: Settings
    private let take: @Sendable ([UInt8]) -> Bool

    /// `take` gets each body and says whether it understands it, which is answered by 200 or 400. It must not block.
    package init(_ settings: Settings, take: @escaping @Sendable ([UInt8]) -> Bool) {
        (self.settings, self.take) = (settings, take)
    }

    /// Listens until the task is cancelled; `isListening` is told where as soon as somebody can connect.
    package func run(isListening: @Sendable (ListenAddress) -> Void = { _ in }) async throws(ListenFailure) {
        try await OneRequestServer(
            place: .address(settings.address), maxBytes: settings.maxBytes, maxConnections: settings.maxConnections,
            timeLimit: settings.timeLimit
        ) { [settings, take] in
            WebhookRequest(settings, take)
        }.run { isListening(ListenAddress(host: settings.address.host, port: $0)) }
    }
}
