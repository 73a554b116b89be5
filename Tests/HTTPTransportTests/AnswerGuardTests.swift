import Encoding
import NIOCore
import NIOPosix
import TestKit
import Testing

@testable import HTTPTransport

/// The exchange ends after any bytes of a server, and the next exchange works. Without the guard, some of these bytes
/// would end the process inside the HTTP client.
@Suite struct AnswerGuardTests {
    /// A server that answers the first read of each connection with the next prepared bytes, and then closes.
    private final class ByteServer: Sendable {
        private let channel: any Channel
        let port: Int

        init(_ answer: @escaping @Sendable () -> [UInt8]) async throws {
            channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Handler(answer))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            port = channel.localAddress?.port ?? 0
        }

        func stop() async { try? await channel.close().get() }

        private final class Handler: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            typealias OutboundOut = ByteBuffer
            private let answer: @Sendable () -> [UInt8]
            private var isDone = false

            init(_ answer: @escaping @Sendable () -> [UInt8]) { self.answer = answer }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                if isDone { return }
                isDone = true
                let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer()))).whenComplete { _ in
                    loop.value.close(promise: nil)
                }
            }

            func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        }
    }

    private static let good = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"

    /// Returns the result of an exchange: the body, or the error.
    private func ask(_ exchange: HTTPExchange, _ port: Int) async -> Result<[UInt8], ExchangeError> {
        do throws(ExchangeError) {
            return .success(try await exchange.post([1], to: "http://127.0.0.1:\(port)/"))
        } catch { return .failure(error) }
    }

    private func outcomes(_ answers: [String]) async throws -> [Result<[UInt8], ExchangeError>] {
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = true
        return try await HTTPExchange.withExchange(settings) { exchange in
            var outcomes: [Result<[UInt8], ExchangeError>] = []
            for answer in answers {
                let server = try await ByteServer { Array(answer.utf8) }
                outcomes.append(await ask(exchange, server.port))
                await server.stop()
            }
            return outcomes
        }
    }

    /// Statuses below 100 are invalid, and no request asks for a change of protocol (101).
    @Test(arguments: [
        "000", "001", "042", "099", "101",
    ]) func suchAStatusIsNoAnswer(status: String) async throws {
        let ends = [
            "content-length: 0\r\n\r\n", "content-length: 2\r\n\r\n{}", "\r\n",
            "upgrade: x\r\nconnection: upgrade\r\n\r\n",
        ]
        let outcomes = try await outcomes(ends.map { "HTTP/1.1 \(status) X\r\n" + $0 } + [Self.good])
        #expect(outcomes.dropLast().allSatisfy { $0 == .failure(.uncertain) }, "\(outcomes)")
        #expect(outcomes.last == .success(Array("{}".utf8)))
    }

    @Test func othersAreReadAsBefore() async throws {
        let outcomes = try await outcomes([
            "HTTP/1.1 100 Continue\r\n\r\n" + Self.good, "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n" + Self.good,
            "HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 599 X\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n",
        ])
        let body: Result<[UInt8], ExchangeError> = .success(Array("{}".utf8))
        #expect(outcomes == [body, body, .failure(.refused(status: 404)), .failure(.uncertain), .failure(.uncertain)])
    }

    /// Unusual answers, and valid ones with bytes removed, doubled and changed.
    @Test func anyBytes() async throws {
        let heads = [
            Self.good, "HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\nhello", "HTTP/1.1 304 X\r\n\r\nx",
            Self.good + Self.good,
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\na: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}", "HTTP/1.0 200 OK\r\n\r\n{}",
            "HTTP/1.1 199 X\r\n\r\n" + Self.good, "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 1000 X\r\n\r\n",
            "HTTP/1.1 -1 X\r\n\r\n",
            // Header names and values that reach the decoder cut, folded and empty; a chunk size that does
            // not fit a number.
            "HTTP/1.1 200 OK\r\na:\r\nb: c\r\n d\r\n\r\n", "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a=\"b\"\r\n{}\r\n0\r\na:\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10000000000000000\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\n{}",
            "HTTP/0.9 200\r\n\r\n", "ICY 200 OK\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n",
        ]
        var random = FixedGenerator(state: 25)
        var answers = heads
        for _ in 0..<400 {
            var bytes = Array(heads[Int.random(in: 0..<heads.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(bytes[place], at: place)
                case 2: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
                default: bytes[place] = UInt8(ascii: "0")
                }
            }
            answers.append(String(decoding: bytes, as: UTF8.self))
        }
        let outcomes = try await outcomes(answers + [Self.good])
        #expect(outcomes.count == answers.count + 1 && outcomes.last == .success(Array("{}".utf8)))
    }
}
