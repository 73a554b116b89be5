import Encoding
import Foundation
import HTTPTransport

extension FuzzTarget {
    /// A server's answer, received by the real client over loopback. The exchange ends, and the next exchange
    /// works.
    static let answer = FuzzTarget(
        name: "answer", longest: 4096,
        seeds: {
            [
                good, good + good, "HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n",
                "HTTP/1.1 101 X\r\nupgrade: x\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n" + good, "HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\na:\r\nb: c\r\n d\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\n{}", "HTTP/1.0 200 OK\r\n\r\n{}",
                "HTTP/1.1 302 X\r\nlocation: http://%5B/\r\ncontent-length: 0\r\n\r\n", "HTTP/2.0 200\r\n\r\n", "",
            ].map { Array($0.utf8) }
        },
        check: { bytes in
            guard let server else { return require(false, "a server on loopback") }
            _ = server.exchange(bytes)
            // Not after each input, because this exchange takes as long as the exchange of the input.
            if bytes.count % 8 == 0 {
                // The client may reuse the connection that is about to close. In that case the exchange after
                // it works.
                let works = (1...2).contains { _ in server.exchange(Array(good.utf8)) == Array("{}".utf8) }
                require(works, "the next exchange works")
            }
        })

    private static let good = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    private static let server = AnswerServer()
}

/// A server on loopback with its client. It answers one request at a time with given bytes and closes the
/// connection.
private final class AnswerServer: Sendable {
    private let listener: Int32
    private let url: String
    private let client: HTTPExchange

    init?() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 4) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { return nil }
        self.listener = listener
        url = "http://127.0.0.1:\(in_port_t(bigEndian: address.sin_port))/"
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = true
        settings.timeLimit = .seconds(5)
        client = HTTPExchange(settings)
    }

    /// Returns the body that the client reads from an answer; nil for an error.
    func exchange(_ answer: [UInt8]) -> [UInt8]? {
        let done = DispatchSemaphore(value: 0)
        let result = Result()
        Task.detached { [client, url] in
            result.body = try? await client.post([1], to: url)
            done.signal()
        }
        // The client may end an exchange without a connection, or open a connection that it does not use.
        while done.wait(timeout: .now()) == .timedOut {
            var listening = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            if poll(&listening, 1, 1) > 0 { serve(answer) }
        }
        return result.body
    }

    /// Written by the client's task before it signals, and read after that.
    private final class Result: @unchecked Sendable { var body: [UInt8]? }

    /// Reads the request to its end before it answers. Otherwise the connection could be reset before the
    /// client has read the answer.
    private func serve(_ answer: [UInt8]) {
        let connection = Int32(Self.call { Int(accept(listener, nil, nil)) })
        guard connection >= 0 else { return }
        defer { close(connection) }
        var (request, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
        // One byte of a body follows the head.
        let end = Array("\r\n\r\n".utf8)
        while request.firstRange(of: end).map({ $0.upperBound < request.count }) != true {
            let count = Self.call { recv(connection, &piece, piece.count, 0) }
            guard count > 0 else { return }
            request += piece[..<count]
        }
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_WR))
        while Self.call({ recv(connection, &piece, piece.count, 0) }) > 0 {}
    }

    /// Makes a system call and repeats it when a signal interrupts it: libFuzzer has a timer that fires every
    /// six seconds.
    private static func call(_ body: () -> Int) -> Int {
        while true {
            let result = body()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
