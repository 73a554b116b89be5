import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on a free port of the loopback address, for tests that need an agent or a web site inside their
/// own process.
///
/// Each connection carries one request, and the server closes it after the answer. The server runs on its own threads
/// and blocks no executor.
package final class LoopbackServer: Sendable {
    /// A request of a client.
    package struct Request: Sendable {
        /// The method, such as `GET` or `POST`.
        package var method: String
        /// The path with the query.
        package var target: String
        /// The header fields, by name in small letters.
        package var headers: [String: String]
        /// The body of the request.
        package var body: [UInt8]
    }

    /// The server's answer.
    package struct Answer: Sendable {
        /// The status code.
        package var status: Int
        /// The header lines in addition to `content-length` and `connection`, as name and value.
        package var headers: [(String, String)]
        /// The body of the answer.
        package var body: [UInt8]

        /// Creates an answer.
        package init(_ status: Int = 200, _ headers: [(String, String)] = [], _ body: [UInt8] = []) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    /// The error that the server cannot listen.
    package struct Failure: Error {
        /// The errno(3) code.
        let code: Int32
    }

    /// The number of seconds after which the server closes a connection on which nothing can be sent or received.
    private static let patience = 30

    /// The port on which the server listens.
    package let port: Int
    private let listener: Listener
    private let answer: @Sendable (Request) -> Answer?
    private let count = Atomic<Int>(0)

    /// The listening socket. It is closed only when neither the server nor its thread refers to it, so that its
    /// descriptor number cannot be reused earlier.
    private final class Listener: Sendable {
        let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    /// Opens a socket that listens on a free port of the loopback address.
    package static func listen() throws -> (descriptor: Int32, port: Int) {
        let port = try BoundPort()
        guard Glibc.listen(port.descriptor, 64) == 0 else {
            let code = errno
            close(port.descriptor)
            throw Failure(code: code)
        }
        return (port.descriptor, port.number)
    }

    /// Starts a server that calls `answer` for each request. If `answer` returns nil, the server closes the connection
    /// without an answer.
    package init(_ answer: @escaping @Sendable (Request) -> Answer?) throws {
        let (descriptor, port) = try Self.listen()
        let listener = Listener(descriptor)
        (self.listener, self.port, self.answer) = (listener, port, answer)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener.descriptor, nil, nil)
                let code = errno
                guard let server = self else {
                    if client >= 0 { close(client) }
                    return
                }
                guard client >= 0 else {
                    server.refuse(code)
                    continue
                }
                Thread.detachNewThread { server.serve(client) }
            }
        }
    }

    deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    /// Waits after an error of accept(2), then lets the server continue. Such errors are temporary: EINTR, a client
    /// that has left, no free descriptor.
    private func refuse(_ code: Int32) {
        guard code != EINTR else { return }
        FileHandle.standardError.write(
            Data("loopback server \(port): accept fails: \(String(cString: strerror(code)))\n".utf8))
        usleep(50_000)
    }

    /// The URL of the server, without a path.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The number of requests that the server has received.
    package var requests: Int { count.load(ordering: .relaxed) }

    private func serve(_ client: Int32) {
        defer { close(client) }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(client, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard let request = Self.read(client) else { return }
        count.add(1, ordering: .relaxed)
        guard let answer = answer(request) else { return }
        let lines =
            ["HTTP/1.1 \(answer.status) Answer"]
            + (answer.headers + [("content-length", "\(answer.body.count)"), ("connection", "close")])
            .map { "\($0.0): \($0.1)" }
        Self.write(client, Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + answer.body)
    }

    private static func read(_ client: Int32) -> Request? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        var head: (end: Int, length: Int, words: [Substring], headers: [String: String])?
        while true {
            if let head, bytes.count >= head.end + head.length {
                guard head.words.count >= 2 else { return nil }
                return Request(
                    method: String(head.words[0]), target: String(head.words[1]), headers: head.headers,
                    body: Array(bytes[head.end...]))
            }
            let got = recv(client, &piece, piece.count, 0)
            guard got > 0, bytes.count < 8 << 20 else { return nil }
            bytes += piece[..<got]
            guard head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { continue }
            let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let name = line.prefix { $0 != ":" }
                headers[name.lowercased()] = line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            let length = headers["content-length"].flatMap { Int($0) } ?? 0
            head = (end, length, lines.first?.split(separator: " ") ?? [], headers)
        }
    }

    private static func write(_ client: Int32, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }
}
