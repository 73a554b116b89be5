import AsyncHTTPClient
import Encoding
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTP and HTTPS client with limits for size and time. It does not follow redirects, and uses plain HTTP only if
/// that is allowed.
///
/// Call ``shutdown()`` before releasing the last reference, or use ``withExchange(_:_:)``.
package final class HTTPExchange: MessageExchange {
    /// The limits and permissions of the client.
    package struct Settings: Sendable {
        /// Whether `http://` URLs are allowed. DIDComm messages are encrypted, but over plain HTTP their addresses and
        /// times are visible.
        package var allowsPlainHTTP = false
        /// The largest size of the body of a request or answer, in bytes: 2 MiB, the message limit of ACA-Py.
        package var maxBytes = 2 * 1024 * 1024
        /// The largest size of an answer to ``exchange(_:with:as:)``, in bytes. It is larger because some agencies send
        /// all waiting messages in one answer.
        var maxAnswerBytes = 8 * 1024 * 1024
        /// The timeout for making a connection.
        package var connectTimeout = Duration.seconds(10)
        /// The timeout for a whole exchange, from the connection to the end of the answer.
        package var timeLimit = Duration.seconds(30)
        /// How long the client waits for the server to confirm the end of a TLS connection, before it closes the
        /// connection.
        package var farewell = Duration.seconds(5)
        /// The content type of bodies that ``post(_:to:)`` sends.
        package var contentType = "application/didcomm-envelope-enc"
        /// The book that records each server and may refuse it; nil if there is none. A refused server counts as
        /// unreachable.
        package var contacts: (any ContactBook)?
        /// A PEM file with root certificates that are trusted in addition to the system's; nil if there is none. As
        /// long as the file cannot be read, it adds no root.
        package var additionalRootsFile: String?

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// The content types that agents use for answers.
    private static let envelopeTypes: Set<String> = [
        "application/didcomm-envelope-enc", "application/ssi-agent-wire", "application/octet-stream",
        "application/json",
    ]

    private let client: RootedClient
    private let settings: Settings

    /// Creates a client on the process-wide event loops.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        client = RootedClient(roots: settings.additionalRootsFile) { Self.client(settings, $0) }
    }

    private static func client(_ settings: Settings, _ roots: [NIOSSLCertificate]?) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .init(settings.connectTimeout), read: .init(settings.timeLimit))
        configuration.connectionPool.idleTimeout = .seconds(5)
        // Report a refused connection at once: the caller decides when to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.decompression = .disabled
        AnswerGuard.install(in: &configuration)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.shutdownTimeout = .init(settings.farewell)
        if let roots { tls.additionalTrustRoots = [.certificates(roots)] }
        configuration.tlsConfiguration = tls
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Returns the number of certificates in a PEM file; nil if the file is unreadable or has other content.
    package static func countRoots(in file: String) -> Int? { RootedClient.roots(file)?.count }

    /// Closes all connections. Exchanges in progress fail.
    package func shutdown() async {
        await client.shutdown()
    }

    /// Passes an exchange to `body` and shuts it down afterwards, even if `body` throws.
    @discardableResult
    package static func withExchange<Result: Sendable>(
        _ settings: Settings = Settings(), _ body: @Sendable (HTTPExchange) async throws -> Result
    ) async throws -> Result {
        let exchange = HTTPExchange(settings)
        do {
            let result = try await body(exchange)
            await exchange.shutdown()
            return result
        } catch {
            await exchange.shutdown()
            throw error
        }
    }

    /// Posts an envelope (``MessageExchange/post(_:to:)``).
    package func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        guard body.count <= settings.maxBytes else { throw .tooLarge }
        var request = try request(url)
        request.method = .POST
        request.headers = [
            "content-type": settings.contentType, "accept": Self.envelopeTypes.sorted().joined(separator: ", "),
        ]
        request.body = .bytes(ByteBuffer(bytes: body))
        let answer = try await perform(request, limit: settings.maxBytes, within: settings.timeLimit)
        guard (200...299).contains(answer.status) else { throw Self.failure(of: answer.status) }
        guard answer.body.isEmpty || Self.envelopeTypes.contains(answer.contentType) else { throw .notAnAgent }
        return answer.body
    }

    /// Implements ``MessageExchange/exchange(_:with:as:)``. The answer may have up to ``Settings/maxAnswerBytes``
    /// bytes. Each request has a random id in `x-request-id`, by which the server's operator can find it in a log.
    package func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        var request = try request(url)
        request.headers = [
            "accept": Self.envelopeTypes.sorted().joined(separator: ", "),
            "x-request-id": UUID().uuidString.lowercased(),
        ]
        if let body {
            guard body.count <= settings.maxBytes else { throw .tooLarge }
            request.method = .POST
            request.headers.add(name: "content-type", value: mediaType)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let answer = try await perform(request, limit: settings.maxAnswerBytes, within: settings.timeLimit)
        let isGood = !(200...299).contains(answer.status) || answer.body.isEmpty
        guard isGood || Self.envelopeTypes.contains(answer.contentType) else { throw .notAnAgent }
        return MessageAnswer(status: answer.status, body: answer.body)
    }

    /// The answer to ``get(_:accept:limit:within:)``.
    package struct Answer: Sendable {
        /// The HTTP status.
        package let status: Int
        /// The media type of the answer in lower case, without parameters; empty if the answer has none.
        package let contentType: String
        /// The `Location` header of the answer; nil if there is none. A caller may follow it.
        package let location: String?
        /// The body of the answer.
        package let body: [UInt8]
    }

    /// Sends a GET request to `url` and returns the answer, whatever its status. Does not follow redirects. Throws if
    /// the answer has more than `limit` bytes or is not complete within `timeLimit`.
    package func get(
        _ url: String, accept: String, limit: Int, within timeLimit: Duration
    ) async throws(ExchangeError) -> Answer {
        var request = try request(url)
        request.headers = ["accept": accept]
        return try await perform(request, limit: limit, within: timeLimit)
    }

    private func request(_ url: String) throws(ExchangeError) -> HTTPClientRequest {
        guard let url = WebURL(Text(url)), url.isSecure || settings.allowsPlainHTTP else { throw .forbidden }
        guard settings.contacts?.mayAsk(url.place) ?? true else { throw .unreachable }
        return HTTPClientRequest(url)
    }

    private func perform(
        _ request: HTTPClientRequest, limit: Int, within timeLimit: Duration
    ) async throws(ExchangeError) -> Answer {
        do {
            return try await withTimeLimit(timeLimit) { [client = client.current] in
                let response = try await client.execute(request, timeout: .init(timeLimit))
                let body = try await response.body.collect(upTo: limit)
                let type = response.headers.first(name: "content-type") ?? ""
                return Answer(
                    status: Int(response.status.code),
                    contentType: type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace },
                    location: response.headers.first(name: "location"), body: Array(buffer: body))
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(of status: Int) -> ExchangeError {
        status >= 500 || status == 408 || status == 429 ? .uncertain : .refused(status: status)
    }

    static func failure(_ error: any Error) -> ExchangeError {
        if error is CancellationError || Task.isCancelled { return .cancelled }
        if error is NIOTooManyBytesError { return .tooLarge }
        if error is NIOConnectionError { return .unreachable }
        if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError { return .untrusted }
        if let error = error as? IOError {
            // Only an attempt to connect causes these errors. Any other error may mean that an existing connection
            // broke.
            return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN].contains(error.errnoCode)
                ? .unreachable : .uncertain
        }
        guard let error = error as? HTTPClientError else { return .uncertain }
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout: return .unreachable
        case .tlsHandshakeTimeout: return .untrusted
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath: return .forbidden
        case .cancelled: return .cancelled
        default: return .uncertain
        }
    }
}

extension TimeAmount {
    /// Creates an amount of time from a duration, in whole nanoseconds.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
}
