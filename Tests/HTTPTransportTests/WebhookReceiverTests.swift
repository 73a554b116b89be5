import Encoding
import Glibc
import HTTPTransport
import Synchronization
import TestKit
import Testing

/// Any client can connect to the receiver. The connection ends, whatever the client sends.
///
/// No test measures time. A connection that never ends exceeds the time limit of the suite.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct WebhookReceiverTests {
    private static let good = "POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ncontent-length: 2\r\n\r\nok"

    @Test(arguments: [
        (good, "200"),
        ("POST /wake?k=1 HTTP/1.0\r\ncontent-length: 2\r\n\r\nok", "200"),
        (
            "POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ntransfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
            "200"
        ),
        ("POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ncontent-length: 2\r\n\r\nno", "400"),
        ("POST /wake?k=1 HTTP/1.1\r\nhost: k\r\n\r\n", "400"),
        ("POST /wake HTTP/1.1\r\nhost: k\r\ncontent-length: 2\r\n\r\nok", "404"),
        ("POST /wake?k=2 HTTP/1.1\r\nhost: k\r\ncontent-length: 2\r\n\r\nok", "404"),
        ("POST /wake?k=1/ HTTP/1.1\r\nhost: k\r\ncontent-length: 2\r\n\r\nok", "404"),
        ("CONNECT kiosk:80 HTTP/1.1\r\nhost: k\r\n\r\n", "404"),
        ("GET /wake?k=1 HTTP/1.1\r\nhost: k\r\n\r\n", "405"),
        ("PUT /wake?k=1 HTTP/1.1\r\nhost: k\r\ncontent-length: 2\r\n\r\nok", "405"),
        ("POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ncontent-length: 4097\r\n\r\n", "413"),
        ("POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ncontent-length: 999999999999\r\n\r\nok", "413"),
        (
            "POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ntransfer-encoding: chunked\r\n\r\n1400\r\n"
                + String(repeating: "x", count: 5120), "413"
        ),
        // In many chunks, so that the chunk headers are larger than the content.
        (
            "POST /wake?k=1 HTTP/1.1\r\nhost: k\r\ntransfer-encoding: chunked\r\n\r\n"
                + String(repeating: "1\r\nx\r\n", count: 4000), "413"
        ),
        ("POST /wake?k=1 HTTP/1.1\r\nhost: k\r\nx: " + String(repeating: "x", count: 16_384), "431"),
        (String(repeating: "x", count: 16_384), "4"),
        ("?\r\n\r\n", "400"),
        ("POST /wake?k=1 HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok", "400"),
        ("POST /wake?k=1 HTTP/1.1\r\ncontent-length: -1\r\n\r\nok", "400"),
    ])
    func eachRequestHasItsAnswer(_ request: String, _ status: String) async throws {
        try await serving { port, taken in
            let answer = try await RawConnection.open(port).exchange(request)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            #expect(answer.contains("allow: POST") == status.elementsEqual("405"))
            #expect(taken.bodies == (status == "200" ? ["ok"] : request.hasSuffix("no") ? ["no"] : taken.bodies))
            #expect(try await RawConnection.open(port).exchange(Self.good).hasPrefix("HTTP/1.1 200"))
        }
    }

    /// The bytes after a request are ignored, and the connection ends with the answer.
    @Test func aConnectionIsForOneRequest() async throws {
        try await serving { port, taken in
            let answer = try await RawConnection.open(port).exchange(Self.good + Self.good)
            #expect(answer.components == 1, "\(answer)")
            #expect(taken.bodies == ["ok"])
        }
    }

    /// The body is much larger than the buffers of both sides. A client that does not stop sending is cut off.
    @Test func aBodyWithoutEndIsCutOff() async throws {
        try await serving { port, taken in
            for head in ["content-length: 67108864\r\n\r\n", "transfer-encoding: chunked\r\n\r\n4000000\r\n"] {
                let connection = try await RawConnection.open(port)
                connection.send("POST /wake?k=1 HTTP/1.1\r\nhost: k\r\n" + head)
                let piece = String(repeating: "x", count: 1 << 20)
                for _ in 0..<64 { connection.send(piece) }
                _ = await connection.answer()
            }
            #expect(taken.bodies.isEmpty)
        }
    }

    /// Single bytes with pauses do not keep a connection open.
    @Test(arguments: ["", "POST /wake?k=1 HTTP/1.1\r\nx: ", "POST /wake?k=1 HTTP/1.1\r\ncontent-length: 4096\r\n\r\n"])
    func slowClientsAreDisconnected(_ beginning: String) async throws {
        try await serving {
            $0.timeLimit = .milliseconds(200)
        } during: { port, taken in
            let connection = try await RawConnection.open(port)
            connection.send(beginning)
            let drip = Task {
                while !Task.isCancelled, !beginning.isEmpty {
                    connection.send("x")
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            #expect(await connection.answer().isEmpty)
            drip.cancel()
            #expect(taken.bodies.isEmpty)
        }
    }

    /// Silent connections do not exclude other clients: the oldest connections are closed.
    @Test func theOldestConnectionGoes() async throws {
        try await serving {
            ($0.maxConnections, $0.timeLimit) = (4, .seconds(3600))
        } during: { port, _ in
            var silent: [RawConnection] = []
            for _ in 0..<20 { silent.append(try await RawConnection.open(port)) }
            #expect(try await RawConnection.open(port).exchange(Self.good).hasPrefix("HTTP/1.1 200"))
            for connection in silent.prefix(16) { #expect(await connection.answer().isEmpty) }
            for connection in silent { connection.close() }
        }
    }

    @Test func aPortThatCannotBeOpened() async throws {
        let other = try LoopbackServer { _ in nil }
        #expect(await failure("127.0.0.1:\(other.port)") == .inUse)
        // An address for documentation (RFC 5737), which no machine has.
        #expect(await failure("192.0.2.1:0") == .notHere)
    }

    private func failure(_ address: String) async -> ListenFailure? {
        guard let address = ListenAddress(address) else { return nil }
        do throws(ListenFailure) {
            try await WebhookReceiver(.init(address, target: "/")) { _ in true }.run()
            return nil
        } catch {
            return error
        }
    }

    @Test func thePortIsFreeAfterwards() async throws {
        let free = try #require(Self.lowPort)
        let address = Mutex(try #require(ListenAddress("127.0.0.1:\(free)")))
        for _ in 0..<3 {
            try await serving {
                $0.address = address.withLock { $0 }
            } during: { port, _ in
                address.withLock { $0 = ListenAddress(host: $0.host, port: port) }
                #expect(try await RawConnection.open(port).exchange(Self.good).hasPrefix("HTTP/1.1 200"))
                // A connection that is open when the server ends.
                _ = try await RawConnection.open(port)
            }
        }
    }

    /// The bodies that the receiver accepted.
    private final class Taken: Sendable {
        private let list = Recorder<String>()
        var bodies: [String] { list.all }
        func take(_ body: [UInt8]) -> Bool {
            list.add(String(decoding: body, as: UTF8.self))
            return body == Array("ok".utf8)
        }
    }

    /// A free port below the range that the system gives to clients. A client could take a port in that range between
    /// two runs.
    private static var lowPort: Int? {
        (20_000..<30_000).shuffled().prefix(100).first { port in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            return withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    private func serving(
        _ change: (inout WebhookReceiver.Settings) -> Void = { _ in }, during body: (Int, Taken) async throws -> Void
    ) async throws {
        var settings = WebhookReceiver.Settings(try #require(ListenAddress("127.0.0.1:0")), target: "/wake?k=1")
        change(&settings)
        let taken = Taken()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let task = Task { [settings] in
            defer { port.finish() }
            try await WebhookReceiver(settings) { taken.take($0) }.run { port.yield($0.port) }
        }
        var listening = ports.makeAsyncIterator()
        let first = await listening.next()
        do {
            try await body(try #require(first, "it listens"), taken)
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        try await task.value
    }
}

extension String {
    /// The number of answers in a text.
    fileprivate var components: Int { split(separator: "HTTP/1.1 ").count }
}
