import Foundation
import NIOHTTP1
import TestKit
import Testing

@testable import HTTPTransport

// No test measures time. An exchange that never ends exceeds the time limit of the suite.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct HTTPExchangeTests {
    private func settings(_ change: (inout HTTPExchange.Settings) -> Void = { _ in }) -> HTTPExchange.Settings {
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = true
        settings.connectTimeout = .seconds(60)
        settings.timeLimit = .seconds(600)
        change(&settings)
        return settings
    }

    /// Returns the result of a post to a server with that answer.
    private func outcome(
        _ settings: HTTPExchange.Settings? = nil,
        _ answer: @escaping @Sendable (TestServer.Request) -> TestServer.Answer?
    ) async throws -> Result<[UInt8], ExchangeError> {
        let server = try await TestServer(answer)
        let url = server.url
        let result = try await HTTPExchange.withExchange(settings ?? self.settings()) { exchange in
            do throws(ExchangeError) {
                return Result<[UInt8], ExchangeError>.success(try await exchange.post([1, 2, 3], to: url))
            } catch {
                return .failure(error)
            }
        }
        await server.stop()
        return result
    }

    @Test func postsAnEnvelopeAndReturnsOne() async throws {
        let result = try await outcome { request in
            guard request.method == "POST", request.body == [1, 2, 3],
                request.contentType == "application/didcomm-envelope-enc"
            else { return .init(status: 400) }
            return .init(headers: [("Content-Type", "application/didcomm-envelope-enc; charset=utf-8")], body: [9, 8])
        }
        #expect(result == .success([9, 8]))
    }

    @Test func anEmptyAnswerIsFineInAnyType() async throws {
        #expect(try await outcome { _ in .init(headers: [("content-type", "text/plain")]) } == .success([]))
        #expect(try await outcome { _ in .init(status: 202) } == .success([]))
    }

    @Test func aHotspotsPageIsNoAnswer() async throws {
        let page = try await outcome { _ in .init(headers: [("content-type", "text/html")], body: Array("<html>".utf8))
        }
        #expect(page == .failure(.notAnAgent))
    }

    @Test func statusesAreReported() async throws {
        #expect(try await outcome { _ in .init(status: 400) } == .failure(.refused(status: 400)))
        #expect(
            try await outcome { _ in .init(status: 302, headers: [("location", "http://127.0.0.1:1/")]) }
                == .failure(.refused(status: 302)))
        #expect(try await outcome { _ in .init(status: 429) } == .failure(.uncertain))
        #expect(try await outcome { _ in .init(status: 503) } == .failure(.uncertain))
    }

    @Test func sizesAreBounded() async throws {
        let small = settings { $0.maxBytes = 1000 }
        let result = try await outcome(small) { _ in
            .init(headers: [("content-type", "application/json")], body: [UInt8](repeating: 65, count: 1001))
        }
        #expect(result == .failure(.tooLarge))
        let tiny = settings { $0.maxBytes = 2 }
        #expect(try await outcome(tiny) { _ in .init() } == .failure(.tooLarge))
    }

    @Test func aSilentServerIsGivenUp() async throws {
        let impatient = settings { $0.timeLimit = .seconds(1) }
        let result = try await outcome(impatient) { _ in .init(delay: .seconds(3600)) }
        #expect(result == .failure(.uncertain))
    }

    @Test func aBrokenConnectionIsUncertain() async throws {
        #expect(try await outcome { _ in nil } == .failure(.uncertain))
    }

    @Test func aPortWithoutAServerIsUnreachable() async throws {
        try await HTTPExchange.withExchange(settings()) { exchange in
            // Do not use the port of a stopped server, because another test's program may still have it open.
            await #expect(throws: ExchangeError.unreachable) {
                try await exchange.post([1], to: "http://127.0.0.1:1/")
            }
            await #expect(throws: ExchangeError.unreachable) {
                try await exchange.post([1], to: "http://nowhere.invalid/")
            }
        }
    }

    @Test func plainHTTPAndOtherSchemesNeedPermission() async throws {
        try await HTTPExchange.withExchange { exchange in
            for url in [
                "http://127.0.0.1:1/", "file:///etc/passwd", "ws://a/", "", "didcomm:transport/queue", "https://",
            ] {
                await #expect(throws: ExchangeError.forbidden, "\(url)") { try await exchange.post([1], to: url) }
            }
        }
    }

    /// Such a port does not exist, and the HTTP client would end the process. Every function with a URL parameter
    /// refuses such a port.
    @Test(arguments: ["0", "65536", "70000", "99999999999999999999", "9223372036854775807"])
    func aPortThatIsNoneIsForbidden(port: String) async throws {
        try await HTTPExchange.withExchange(settings()) { exchange in
            for host in ["127.0.0.1", "[::1]", "localhost", "user:1@127.0.0.1"] {
                for url in ["http://\(host):\(port)/", "https://\(host):\(port)", "http://\(host):\(port)?a#b"] {
                    await #expect(throws: ExchangeError.forbidden, "\(url)") { try await exchange.post([1], to: url) }
                    await #expect(throws: ExchangeError.forbidden, "\(url)") {
                        try await exchange.exchange(nil, with: url, as: "text/plain")
                    }
                    await #expect(throws: ExchangeError.forbidden, "\(url)") {
                        try await exchange.get(url, accept: "*/*", limit: 1, within: .seconds(60))
                    }
                }
            }
        }
    }

    @Test func tlsWithAStrangerIsUntrusted() async throws {
        let server = try await TestServer { _ in .init() }  // speaks no TLS
        let url = "https://127.0.0.1:\(server.port)/"
        try await HTTPExchange.withExchange(settings()) { exchange in
            await #expect(throws: ExchangeError.untrusted) { try await exchange.post([1], to: url) }
        }
        await server.stop()
    }

    /// A certificate authority of the operator, in addition to the system's.
    @Test func rootsOfOnesOwnAreTrustedToo() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roots-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (good, bad) = (folder.appendingPathComponent("good.pem"), folder.appendingPathComponent("bad.pem"))
        try Data(TestCertificates.root.utf8).write(to: good)
        try Data("no certificate".utf8).write(to: bad)
        #expect(HTTPExchange.countRoots(in: good.path) == 1)
        for file in [bad.path, folder.path, "/nowhere"] { #expect(HTTPExchange.countRoots(in: file) == nil, "\(file)") }

        let server = try await TLSServer { _ in .init(headers: ["content-type": "application/json"], body: [9]) }
        let url = "https://127.0.0.1:\(server.port)/"
        for (file, isTrusted) in [(good.path, true), (bad.path, false), (nil, false)] as [(String?, Bool)] {
            try await HTTPExchange.withExchange(settings { $0.additionalRootsFile = file }) { exchange in
                if isTrusted {
                    let answer = try await exchange.post([1], to: url)
                    #expect(answer == [9])
                } else {
                    await #expect(throws: ExchangeError.untrusted) { try await exchange.post([1], to: url) }
                }
            }
        }
        await server.stop()
    }

    /// A file of roots that appears while the service runs is used. A damaged file does not remove the present roots.
    @Test func rootsThatComeLaterAreTakenUp() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roots-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("roots.pem")
        let server = try await TLSServer { _ in .init(headers: ["content-type": "application/json"], body: [9]) }
        let url = "https://127.0.0.1:\(server.port)/"
        try await HTTPExchange.withExchange(settings { $0.additionalRootsFile = file.path }) { exchange in
            await #expect(throws: ExchangeError.untrusted) { try await exchange.post([1], to: url) }
            try Data(TestCertificates.root.utf8).write(to: file)
            for _ in 0..<2 {
                let answer = try await exchange.post([1], to: url)
                #expect(answer == [9])
            }
            try Data("half a file".utf8).write(to: file)
            let answer = try await exchange.post([1], to: url)
            #expect(answer == [9])
        }
        await server.stop()
    }

    @Test func cancellingEndsAnExchange() async throws {
        let server = try await TestServer { _ in .init(delay: .seconds(3600)) }
        let url = server.url
        let settings = settings()
        let task = Task {
            try await HTTPExchange.withExchange(settings) { exchange in
                do throws(ExchangeError) {
                    _ = try await exchange.post([1], to: url)
                    return false
                } catch {
                    return error == .cancelled
                }
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(try await task.value)
        await server.stop()
    }

    @Test func getReturnsRedirectsUnfollowed() async throws {
        let server = try await TestServer { request in
            request.path == "/a" ? .init(status: 301, headers: [("Location", "/b")]) : .init(body: Array("x".utf8))
        }
        let base = server.url
        try await HTTPExchange.withExchange(settings()) { exchange in
            let answer = try await exchange.get(
                base + "a", accept: "application/json", limit: 10, within: .seconds(60))
            #expect(answer.status == 301 && answer.location == "/b")
        }
        await server.stop()
    }
}
