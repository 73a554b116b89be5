import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on a free port of the loopback address, for tests that need an agent or a web site in their own process.
///
/// One request for each connection, which is closed behind the answer. Threads of its own: nobody's executor waits for it.
package final class LoopbackServer: Sendable {
    /// What somebody asks.
    package struct Request: Sendable {
        /// GET, POST, …
        package var method: String
        /// Path and query.
        package var target: String
        /// The body.
        package var body: [UInt8]
    }

    /// What he gets.
    package struct Answer: Sendable {
        /// The status code.
        package var status: Int
        /// Further header lines, as name and value.
        package var headers: [(String, String)]
        /// The body.
        package var body: [UInt8]

        /// An answer of these parts.
        package init(_ status: Int = 200, _ headers: [(String, String)] = [], _ body: [UInt8] = []) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    /// The server cannot listen.
    package struct Failure: Error {}

    /// Where it listens.
    package let port: Int
    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer?
    private let count = Atomic<Int>(0)

    /// A server that listens at once; nil from `answer` closes the connection without one.
    package init(_ answer: @escaping @Sendable (Request) -> Answer?) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Failure() }
        (port, self.answer) = (Int(UInt16(bigEndian: address.sin_port)), answer)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let server = self else { return }
                Thread.detachNewThread { server.serve(client) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The address as a URL without a path.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Requests so far.
    package var requests: Int { count.load(ordering: .relaxed) }

    private func serve(_ client: Int32) {
        defer { close(client) }
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
        var head: (end: Int, length: Int, words: [Substring])?
        while true {
            if let head, bytes.count >= head.end + head.length {
                guard head.words.count >= 2 else { return nil }
                return Request(
                    method: String(head.words[0]), target: String(head.words[1]), body: Array(bytes[head.end...]))
            }
            let got = recv(client, &piece, piece.count, 0)
            guard got > 0, bytes.count < 8 << 20 else { return nil }
            bytes += piece[..<got]
            guard head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { continue }
            let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
            let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
            head = (end, length ?? 0, lines.first?.split(separator: " ") ?? [])
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
