import AsyncHTTPClient
package import Encoding
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A type that fetches public resources: ``ResourceFetcher``, or its replacement in tests.
package protocol ResourceFetching: Sendable {
    /// Fetches a resource (``ResourceFetcher/fetch(_:entityTag:limit:)``).
    func fetch(
        _ url: WebURL, entityTag: String?, limit: Int
    ) async throws(ResourceFetcher.Failure) -> ResourceFetcher.Answer
}

/// Fetches public resources by HTTPS, such as status lists and keys, for the trust refresher.
///
/// The fetcher resolves the host's name, checks the addresses, and connects to one of the checked addresses; a later
/// change of the name's addresses has no effect. It does not follow redirects. All gates send the same request: the
/// resource, the media types, and the entity tag of the copy.
package struct ResourceFetcher: ResourceFetching {
    /// The limits and permissions of the fetcher.
    package struct Settings: Sendable {
        /// Whether the fetcher may connect to addresses of private networks and of this machine.
        package var allowsPrivateAddresses = false
        /// The timeout for one resource, including resolving the name and all attempts.
        package var timeLimit = Duration.seconds(30)
        /// The timeout for making one connection.
        package var connectTimeout = Duration.seconds(10)
        /// How long the fetcher waits for the server to confirm the end of a TLS connection, before it closes the
        /// connection.
        package var farewell = Duration.seconds(5)
        /// The largest number of addresses of one host that are tried.
        package var attempts = 3
        /// The book that records each server and may refuse it; nil if there is none. A refused server counts as
        /// unreachable.
        package var contacts: (any ContactBook)?
        /// A PEM file with the root certificates that are trusted in place of the system's; nil to trust the system's.
        package var trustRootsFile: String?
        /// Returns the addresses of a host's name. By default the system's resolver finds them.
        package var resolve: @Sendable (_ host: String) -> [HostAddress] = ResourceFetcher.systemAddresses

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// The server's answer to a request.
    package enum Answer: Hashable, Sendable {
        /// The content has not changed since the copy whose entity tag was sent.
        case unchanged
        /// The present content, and its entity tag if the server sent one.
        case content([UInt8], entityTag: String?)
    }

    /// Why the resource was not fetched.
    package enum Failure: Error, Hashable, Sendable {
        /// No address of the host is public, and the settings do not allow other addresses.
        case privateAddress
        /// The name of the host has no address.
        case unresolved
        /// The server answered with a redirect, which the fetcher does not follow.
        case redirected
        /// The server answered with the given HTTP status, which is not a success.
        case status(Int)
        /// The content is larger than the limit.
        case tooLarge
        /// The fetch did not end within the timeout.
        case timeout
        /// The exchange with the server failed, for the given reason.
        case exchange(ExchangeError)
    }

    private let settings: Settings

    /// Creates a fetcher with the given settings.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Fetches the resource at an `https` URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - entityTag: The entity tag of the present copy; nil if there is no copy.
    ///   - limit: The largest size of the content in bytes.
    package func fetch(
        _ url: WebURL, entityTag: String?, limit: Int
    ) async throws(Failure) -> Answer {
        guard url.isSecure else { throw .exchange(.forbidden) }
        guard settings.contacts?.mayAsk(url.place) ?? true else { throw .exchange(.unreachable) }
        let host = url.host.string
        let deadline = ContinuousClock.now + settings.timeLimit
        let found = try await addresses(of: host)
        guard !found.isEmpty else { throw .unresolved }
        let allowed = settings.allowsPrivateAddresses ? found : found.filter(\.isPublic)
        guard !allowed.isEmpty else { throw .privateAddress }
        var request = HTTPClientRequest(url)
        request.headers = ["accept": "application/did+json, application/json, application/statuslist+jwt, */*;q=0.1"]
        if let entityTag { request.headers.add(name: "if-none-match", value: entityTag) }
        var last = Failure.unresolved
        for address in allowed.prefix(max(1, settings.attempts)) {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { throw .timeout }
            do {
                return try await fetch(request, host, by: address, limit: limit, within: rest)
            } catch {
                // Try the next address only if no connection to this one was made.
                guard error == .exchange(.unreachable) else { throw error }
                last = error
            }
        }
        throw last
    }

    private func fetch(
        _ request: HTTPClientRequest, _ host: String, by address: HostAddress, limit: Int, within time: Duration
    ) async throws(Failure) -> Answer {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .init(min(settings.connectTimeout, time)), read: .init(time))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.decompression = .disabled
        configuration.dnsOverride = [host: address.text]
        AnswerGuard.install(in: &configuration, host: HostAddress(host) == nil ? host : nil)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.shutdownTimeout = .init(settings.farewell)
        if let file = settings.trustRootsFile { tls.trustRoots = .file(file) }
        configuration.tlsConfiguration = tls
        // Each exchange has its own client, because the client's configuration contains the address and no connection
        // is to be kept open.
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Answer, Failure>
        do {
            let answer = try await withTimeLimit(time) {
                try await Self.read(try await client.execute(request, timeout: .init(time)), limit: limit)
            }
            result = .success(answer)
        } catch let failure as Failure {
            result = .failure(failure)
        } catch {
            result = .failure(Self.failure(error))
        }
        try? await client.shutdown()
        return try result.get()
    }

    private static func read(_ response: HTTPClientResponse, limit: Int) async throws -> Answer {
        switch response.status.code {
        case 200:
            let body = try await response.body.collect(upTo: limit)
            return .content(Array(buffer: body), entityTag: response.headers.first(name: "etag"))
        case 304: return .unchanged
        case 300...399: throw Failure.redirected
        default: throw Failure.status(Int(response.status.code))
        }
    }

    private static func failure(_ error: any Error) -> Failure {
        if error is TimeLimitPassed { return .timeout }
        if error is WrongName { return .exchange(.untrusted) }
        if let error = error as? HTTPClientError, error == .deadlineExceeded || error == .readTimeout {
            return .timeout
        }
        let failure = HTTPExchange.failure(error)
        return failure == .tooLarge ? .tooLarge : .exchange(failure)
    }

    // MARK: - Resolution of host names

    /// Returns the addresses of a host. The system's resolver blocks its thread, so it does not run on an event loop.
    /// Its result is ignored after the timeout of the fetch.
    private func addresses(of host: String) async throws(Failure) -> [HostAddress] {
        if let address = HostAddress(host) { return [address] }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [HostAddress].self)
        let search = NIOThreadPool.singleton.runIfActive(eventLoop: loop) { [settings] in settings.resolve(host) }
        let isOver = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: loop)
        let timer = loop.scheduleTask(in: .init(settings.timeLimit)) {
            guard !isOver.value else { return }
            isOver.value = true
            promise.fail(Failure.timeout)
        }
        search.whenComplete { result in
            timer.cancel()
            guard !isOver.value else { return }
            isOver.value = true
            promise.completeWith(result)
        }
        do {
            return try await promise.futureResult.get()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .unresolved
        }
    }

    /// Returns the addresses of a host that the system's resolver finds; an empty array if it finds none.
    package static func systemAddresses(_ host: String) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [HostAddress] = []
        var next = list
        while let entry = next {
            if let address = address(of: entry.pointee), !addresses.contains(address) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func address(of entry: addrinfo) -> HostAddress? {
        // The address begins after the family and the port and, for IPv6, after the flow label.
        let (offset, count): (Int, Int)
        switch entry.ai_family {
        case AF_INET: (offset, count) = (4, 4)
        case AF_INET6: (offset, count) = (8, 16)
        default: return nil
        }
        guard let socket = entry.ai_addr, Int(entry.ai_addrlen) >= offset + count else { return nil }
        return HostAddress(bytes: Array(UnsafeRawBufferPointer(start: socket, count: offset + count).suffix(count)))
    }
}

extension ResourceFetcher.Failure: CustomStringConvertible {
    /// The failure in words, for people.
    package var description: String {
        switch self {
        case .privateAddress: "the host is on a private network"
        case .unresolved: "the host's name is not known"
        case .redirected: "the server points elsewhere"
        case .status(let status): "the server answers \(status)"
        case .tooLarge: "the answer is too large"
        case .timeout: "no answer in time"
        case .exchange(.unreachable): "the server cannot be reached"
        case .exchange(.untrusted): "the server's certificate is not trusted (or the clock is wrong)"
        case .exchange(.forbidden): "the address may not be asked"
        case .exchange: "the connection broke off"
        }
    }
}
