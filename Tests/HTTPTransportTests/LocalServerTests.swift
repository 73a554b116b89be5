import Encoding
import Foundation
import Glibc
import HTTPTransport
import NIOCore
import NIOPosix
import Synchronization
import TestKit
import Testing

/// The server for local pages: its answers, and its limits against clients that block it.
///
/// No test measures time. A request that never ends exceeds the time limit of the suite.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct LocalServerTests {
    private static func get(_ target: String = "/page", host: String? = "localhost", _ more: String = "") -> String {
        "GET \(target) HTTP/1.1\r\n" + (host.map { "Host: \($0)\r\n" } ?? "") + more + "\r\n"
    }

    @Test func aPageAndNothingThatABrowserCouldMisuse() async throws {
        try await serving { port in
            let answer = try await RawConnection.open(port).exchange(Self.get())
            let (head, body) = try #require(answer.split())
            #expect(head.hasPrefix("HTTP/1.1 200") && body == "hello /page")
            for line in [
                "content-type: text/plain", "content-length: 11", "connection: close", "cache-control: no-store",
                "x-content-type-options: nosniff", "x-frame-options: DENY", "referrer-policy: no-referrer",
                "cross-origin-resource-policy: same-origin", "content-security-policy: default-src 'none'; x",
            ] {
                #expect(head.contains("\r\n" + line + "\r\n") || head.hasSuffix("\r\n" + line), "\(line): \(head)")
            }
            #expect(!head.lowercased().contains("access-control"))
            let bare = try await RawConnection.open(port).exchange(
                Self.get().replacingOccurrences(of: "GET", with: "HEAD"))
            let (same, none) = try #require(bare.split())
            #expect(none.isEmpty && same.contains("content-length: 11"))
        }
    }

    static let requests: [(request: String, status: String)] = [
        (get("/page?x=1"), "200"), (get("/other"), "404"), (get("http://localhost/page"), "400"), (get("*"), "400"),
        (get(host: "localhost:8080"), "200"), (get(host: "LOCALHOST"), "200"), (get(host: "127.0.0.1"), "200"),
        (get(host: "127.9.9.9:65535"), "200"), (get(host: "[::1]"), "200"), (get(host: "[::1]:9464"), "200"),
        // Names that may resolve to this machine but belong to others.
        (get(host: "evil.example"), "421"), (get(host: "localhost.evil.example"), "421"),
        (get(host: "127.0.0.1.evil.example"), "421"), (get(host: "evil.example:9464"), "421"),
        (get(host: "192.168.0.7"), "421"), (get(host: "[::2]"), "421"), (get(host: "localhost:"), "200"),
        (get(host: "localhost:123456"), "421"), (get(host: "localhost:80:80"), "421"), (get(host: ""), "421"),
        (get(host: "user@localhost"), "421"), (get(host: nil), "400"),
        (get(host: "localhost", "Host: evil\r\n"), "400"),
        // Requests from pages of other origins.
        (get("/page", "Sec-Fetch-Site: none\r\n"), "200"), (get("/page", "Sec-Fetch-Site: same-origin\r\n"), "200"),
        (get("/page", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n"), "403"),
        (get("/page", "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n"), "403"),
        (get("/page", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"), "403"),
        (get("/page", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"), "200"),
        // Requests that change something or contain a body.
        (get().replacingOccurrences(of: "GET", with: "POST"), "405"),
        (get().replacingOccurrences(of: "GET", with: "OPTIONS"), "405"),
        (get().replacingOccurrences(of: "GET", with: "DELETE"), "405"),
        (get("/page", "Content-Length: 2\r\n") + "ok", "413"),
        (get("/page", "Transfer-Encoding: chunked\r\n") + "2\r\nok\r\n0\r\n\r\n", "413"),
        (get("/page", "X: " + String(repeating: "x", count: 16_384) + "\r\n"), "431"),
        (get("/" + String(repeating: "x", count: 16_384)), "431"), ("?\r\n\r\n", "400"),
        (get("/page", "Content-Length: 1\r\nContent-Length: 2\r\n"), "400"),
    ]

    @Test(arguments: requests) func eachRequestHasItsAnswer(_ request: String, _ status: String) async throws {
        try await serving { port in
            let answer = try await RawConnection.open(port).exchange(request)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer.prefix(300))")
            #expect(answer.contains("allow: GET, HEAD") == status.elementsEqual("405"))
        }
    }

    /// After ten megabytes of header lines, a thousand silent connections, and clients that do not read, the next
    /// client is served.
    @Test func slowClientsDelayNoOther() async throws {
        try await serving { port in
            let long = try await RawConnection.open(port)
            long.send("GET /page HTTP/1.1\r\nHost: localhost\r\n")
            let piece = "X: " + String(repeating: "x", count: 1 << 20) + "\r\n"
            for _ in 0..<10 { long.send(piece) }
            var silent: [RawConnection] = []
            for number in 0..<1000 { silent.append(try await RawConnection.open(port, reads: number < 980)) }
            for connection in silent.suffix(20) { connection.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            for _ in 0..<3 {
                #expect(try await RawConnection.open(port).exchange(Self.get()).hasPrefix("HTTP/1.1 200"))
            }
            _ = await long.answer()
            for connection in silent { connection.close() }
        }
    }

    /// A client that reads slowly, and a request that takes too long to be answered, are cut off.
    @Test func timeIsLimited() async throws {
        var limits = LocalServer.Limits()
        limits.timeLimit = .milliseconds(200)
        try await serving(limits) { port in
            #expect(await (try RawConnection.open(port)).answer().isEmpty)
            let slow = try await RawConnection.open(port)
            slow.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await slow.answer().isEmpty)
            // The exchange has the same time limit, so on a slow machine the first attempts may be cut off.
            var answer = ""
            for _ in 0..<50 where !answer.hasPrefix("HTTP/1.1 200") {
                answer = try await RawConnection.open(port).exchange(Self.get())
            }
            #expect(answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    /// On a Unix socket the kernel names the client. The request of a client without permission is not read.
    @Test(arguments: [true, false]) func aSocketIsForSome(_ may: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString.prefix(8))")
            .path
        let descriptor = try #require(Self.bound(path))
        defer { unlink(path) }
        let asked = Mutex(0)
        let server = LocalServer(
            .socket(
                descriptor,
                permits: { descriptor in
                    asked.withLock { $0 += descriptor > 2 ? 1 : 0 }
                    return may
                })
        ) { _ in LocalServer.Answer("text/plain", Array("hello".utf8)) }
        try await running(server) { _ in
            let answer = try await RawConnection.open(path: path).exchange(Self.get())
            #expect(may ? answer.hasSuffix("hello") : answer.isEmpty, "\(answer)")
            #expect(asked.withLock { $0 } == 1)
        }
    }

    private static func bound(_ path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        return isBound ? descriptor : nil
    }

    private func serving(
        _ limits: LocalServer.Limits = LocalServer.Limits(), during body: (Int) async throws -> Void
    ) async throws {
        let address = try #require(ListenAddress("127.0.0.1:0"))
        let server = LocalServer(.address(address), limits: limits) { target in
            switch target {
            case "/never":
                try? await Task.sleep(for: .seconds(3600))
                return nil
            case "/large": return LocalServer.Answer("text/plain", [UInt8](repeating: 0x78, count: 1 << 20))
            case _ where target.hasPrefix("/page"):
                return LocalServer.Answer("text/plain", Array("hello /page".utf8), policy: "default-src 'none'; x")
            default: return nil
            }
        }
        try await running(server, during: body)
    }

    private func running(_ server: LocalServer, during body: (Int) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            defer { port.finish() }
            try await server.run { port.yield($0) }
        }
        var listening = ports.makeAsyncIterator()
        let first = await listening.next()
        do {
            try await body(try #require(first, "it listens"))
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        try await task.value
    }
}

extension String {
    /// Returns the head and the body of an answer.
    fileprivate func split() -> (head: String, body: String)? {
        guard let end = range(of: "\r\n\r\n") else { return nil }
        return (String(self[..<end.lowerBound]), String(self[end.upperBound...]))
    }
}
