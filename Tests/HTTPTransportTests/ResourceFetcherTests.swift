import Encoding
import Foundation
import HTTPTransport
import NIOHTTP1
import Synchronization
import TestKit
import Testing

/// A value that several threads share.
private final class Box<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: sending Value) { self.value = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result { value.withLock(body) }
}

// No test measures time. A fetch that never ends exceeds the time limit of the suite.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct ResourceFetcherTests {
    /// The roots of the test server, in a file that is removed with the value.
    private final class Roots: Sendable {
        let path = NSTemporaryDirectory() + "roots-" + UUID().uuidString + ".pem"
        init() throws { try Data(TestCertificates.root.utf8).write(to: URL(fileURLWithPath: path)) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let roots: Roots

    init() throws { roots = try Roots() }

    /// Returns a fetcher that resolves every name to this machine and may connect to it.
    private func fetcher(_ change: (inout ResourceFetcher.Settings) -> Void = { _ in }) -> ResourceFetcher {
        var settings = ResourceFetcher.Settings()
        settings.allowsPrivateAddresses = true
        settings.trustRootsFile = roots.path
        settings.resolve = { _ in [HostAddress("127.0.0.1")].compactMap(\.self) }
        settings.timeLimit = .seconds(60)
        settings.farewell = .milliseconds(100)
        change(&settings)
        return ResourceFetcher(settings)
    }

    /// An answer in HTTP/2 would bypass ``AnswerGuard``, and some such answers end the process inside the HTTP client.
    /// The client therefore never offers HTTP/2, even if the server prefers it.
    @Test func http2IsNotOffered() async throws {
        let server = try await TLSServer(prefers: ["h2", "http/1.1"]) { _ in
            .init(headers: ["content-type": "application/json"], body: [9])
        }
        let url = try #require(WebURL(Text("https://issuer.example:\(server.port)/")))
        let fetched = try await fetcher().fetch(url, entityTag: nil, limit: 1000)
        #expect(fetched == .content([9], entityTag: nil))
        var settings = HTTPExchange.Settings()
        settings.additionalRootsFile = roots.path
        let answer = try await HTTPExchange.withExchange(settings) { exchange in
            try await exchange.post([1], to: "https://127.0.0.1:\(server.port)/")
        }
        #expect(answer == [9])
        await server.stop()
        #expect(server.protocols == ["http/1.1", "http/1.1"])
    }

    @Test func plainHTTPIsNotAsked() async throws {
        let url = try #require(WebURL("http://127.0.0.1/"))
        await #expect(throws: ResourceFetcher.Failure.exchange(.forbidden)) {
            try await fetcher().fetch(url, entityTag: nil, limit: 1)
        }
    }

    private func outcome(
        _ fetcher: ResourceFetcher? = nil, host: String = "issuer.example", target: String = "/did.json",
        entityTag: String? = nil, limit: Int = 1000,
        _ answer: @escaping @Sendable (TLSServer.Request) -> TLSServer.Answer?
    ) async throws -> Result<ResourceFetcher.Answer, ResourceFetcher.Failure> {
        let server = try await TLSServer(answer)
        let name = host.contains(":") ? "[\(host)]" : host
        let url = try #require(WebURL(Text("https://\(name):\(server.port)\(target)")))
        let result: Result<ResourceFetcher.Answer, ResourceFetcher.Failure>
        do throws(ResourceFetcher.Failure) {
            result = .success(
                try await (fetcher ?? self.fetcher()).fetch(
                    url, entityTag: entityTag, limit: limit))
        } catch { result = .failure(error) }
        await server.stop()
        return result
    }

    @Test func fetchesWithTheTagOfTheServer() async throws {
        let result = try await outcome { _ in .init(headers: ["ETag": "\"1\""], body: Array("{}".utf8)) }
        #expect(result == .success(.content(Array("{}".utf8), entityTag: "\"1\"")))
        let bare = try await outcome { _ in .init(body: Array("{}".utf8)) }
        #expect(bare == .success(.content(Array("{}".utf8), entityTag: nil)))
    }

    @Test func asksWhetherACopyIsStillRight() async throws {
        let result = try await outcome(entityTag: "\"1\"") { request in
            request.headers.contains("if-none-match: \"1\"") ? .init(status: .notModified) : .init()
        }
        #expect(result == .success(.unchanged))
    }

    @Test func requestsDoNotDependOnVisitors() async throws {
        let seen = Box<[TLSServer.Request]>([])
        for _ in 0..<2 {
            _ = try await outcome { request in
                seen.withLock { $0.append(request) }
                return .init(body: [1])
            }
        }
        let requests = seen.withLock { $0 }
        #expect(requests.count == 2 && requests.allSatisfy { $0.method == "GET" && $0.target == "/did.json" })
        // The request names only the resource and the accepted content type: no cookie, no name of a program
        // or a gate.
        for request in requests {
            let names = request.headers.compactMap { $0.split(separator: ":").first.map(String.init) }
            #expect(Set(names).isSubset(of: ["accept", "host", "connection"]), "\(request)")
        }
    }

    @Test func redirectsAreNotFollowed() async throws {
        for status in [301, 302, 303, 307, 308] {
            let result = try await outcome { request in
                request.target == "/did.json"
                    ? .init(status: .init(statusCode: status), headers: ["location": "/other"]) : .init(body: [1])
            }
            #expect(result == .failure(.redirected))
        }
    }

    @Test func otherAnswersAreReported() async throws {
        #expect(try await outcome { _ in .init(status: .notFound) } == .failure(.status(404)))
        #expect(try await outcome { _ in .init(status: .internalServerError) } == .failure(.status(500)))
        #expect(try await outcome { _ in .init(status: .noContent) } == .failure(.status(204)))
        #expect(try await outcome { _ in nil } == .failure(.exchange(.uncertain)))
    }

    @Test func sizesAreBounded() async throws {
        let full: @Sendable (TLSServer.Request) -> TLSServer.Answer? = { _ in
            .init(body: [UInt8](repeating: 65, count: 1000))
        }
        #expect(try await outcome(limit: 999, full) == .failure(.tooLarge))
        guard case .success = try await outcome(limit: 1000, full) else {
            Issue.record("the limit itself is too large")
            return
        }
        // A response without a length.
        let endless = try await outcome(limit: 5000) { _ in
            .init(body: [UInt8](repeating: 65, count: 1000), drip: .milliseconds(1))
        }
        #expect(endless == .failure(.tooLarge))
    }

    @Test func slowServersAreGivenUp() async throws {
        // The time limit is long enough for the connection itself.
        let impatient = fetcher { $0.timeLimit = .seconds(1) }
        let result = try await outcome(impatient, limit: 1 << 20) { _ in .init(body: [65], drip: .milliseconds(50)) }
        #expect(result == .failure(.timeout))
    }

    @Test func exchangesWithAgentsAreGivenUpAsWell() async throws {
        let server = try await TLSServer { _ in .init(body: [65], drip: .milliseconds(50)) }
        var settings = HTTPExchange.Settings()
        settings.additionalRootsFile = roots.path
        settings.farewell = .milliseconds(100)
        let url = "https://127.0.0.1:\(server.port)/"
        try await HTTPExchange.withExchange(settings) { exchange in
            await #expect(throws: ExchangeError.uncertain) {
                try await exchange.get(url, accept: "*/*", limit: 1 << 20, within: .milliseconds(500))
            }
        }
        await server.stop()
    }

    @Test func slowNamesAreGivenUp() async throws {
        let gate = Box(false)
        let impatient = fetcher {
            $0.timeLimit = .milliseconds(100)
            $0.resolve = { _ in
                while !gate.withLock({ $0 }) { usleep(1000) }
                return []
            }
        }
        let result = try await outcome(impatient) { _ in .init() }
        gate.withLock { $0 = true }
        #expect(result == .failure(.timeout))
    }

    @Test(.tags(.exact)) func theTimesAreThoseOfTheDocuments() {
        let (fetcher, exchange) = (ResourceFetcher.Settings(), HTTPExchange.Settings())
        #expect(fetcher.timeLimit == .seconds(30) && fetcher.connectTimeout == .seconds(10))
        #expect(exchange.timeLimit == .seconds(30) && exchange.connectTimeout == .seconds(10))
        #expect(fetcher.farewell == .seconds(5) && exchange.farewell == .seconds(5))
    }

    @Test func strangersAreNotTrusted() async throws {
        let strict = fetcher { $0.trustRootsFile = nil }
        #expect(try await outcome(strict) { _ in .init() } == .failure(.exchange(.untrusted)))
        // The root is right, but the name is not.
        let wrongName = try await outcome(host: "other.example") { _ in .init() }
        #expect(wrongName == .failure(.exchange(.untrusted)))
    }

    // MARK: - Addresses

    @Test func privateAddressesAreNotAsked() async throws {
        let asked = Box(false)
        let answer: @Sendable (TLSServer.Request) -> TLSServer.Answer? = { _ in
            asked.withLock { $0 = true }
            return .init()
        }
        let careful = fetcher { $0.allowsPrivateAddresses = false }
        for host in ["issuer.example", "127.0.0.1", "::1", "::ffff:7f00:1"] {
            #expect(try await outcome(careful, host: host, answer) == .failure(.privateAddress), "\(host)")
        }
        // With the system's resolver, for every name that it resolves to this machine.
        let system = fetcher {
            $0.allowsPrivateAddresses = false
            $0.resolve = ResourceFetcher.systemAddresses
        }
        for host in ["localhost", "127.1", "0x7f000001", "2130706433", "0"] {
            let result = try await outcome(system, host: host, answer)
            #expect(result == .failure(.privateAddress) || result == .failure(.unresolved), "\(host)")
        }
        #expect(asked.withLock { $0 } == false)
    }

    @Test func theAddressThatWasJudgedIsTheOneThatIsAsked() async throws {
        // The name has a public address at the first look-up and a private address at the next. It is looked up only
        // once.
        let looks = Box(0)
        let careful = fetcher {
            $0.allowsPrivateAddresses = false
            $0.connectTimeout = .milliseconds(200)
            $0.timeLimit = .milliseconds(500)
            $0.resolve = { _ in
                let isFirst = looks.withLock { count in
                    count += 1
                    return count == 1
                }
                // An address in 2000::/3 outside all assigned networks.
                return [HostAddress(isFirst ? "3ffe::1" : "127.0.0.1")].compactMap(\.self)
            }
        }
        let result = try await outcome(careful) { _ in .init(body: [1]) }
        guard case .failure = result else {
            Issue.record("\(result)")
            return
        }
        #expect(looks.withLock { $0 } == 1)
    }

    @Test func theNextAddressIsTriedAfterARefusedConnection() async throws {
        let several = fetcher {
            $0.resolve = { _ in ["127.0.0.2", "127.0.0.1"].compactMap { HostAddress($0) } }
        }
        let result = try await outcome(several) { _ in .init(body: [1]) }
        #expect(result == .success(.content([1], entityTag: nil)))
        let nowhere = fetcher { $0.resolve = { _ in [] } }
        #expect(try await outcome(nowhere) { _ in .init() } == .failure(.unresolved))
    }
}
