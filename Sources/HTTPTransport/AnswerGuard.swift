import AsyncHTTPClient
import Encoding
import NIOCore
import NIOHTTP1
import NIOSSL

/// A channel handler that checks each HTTP answer after it is decoded. At an unexpected status it closes the
/// connection: at a status below 100 the state machine of the HTTP client would end the process (async-http-client
/// 1.37.0).
///
/// The handler understands only HTTP/1.1, so the client must not use another version.
final class AnswerGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The error of an answer with a status below 100 (RFC 9110 section 15), or with 101, although no request asked to
    /// switch protocols.
    struct BadStatus: Error {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 || head.status.code == 101 {
            context.fireErrorCaught(BadStatus())
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    /// Adds the handler to each connection of the clients that are made with `configuration`.
    ///
    /// - Parameter host: The name that the server's certificate must contain; nil if the HTTP client's own check is
    /// enough.
    static func install(in configuration: inout HTTPClient.Configuration, host: String? = nil) {
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { channel in
            guard let host else { return channel.eventLoop.makeCompletedFuture { try add(to: channel) } }
            return channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
                guard let certificate, CertificateNames(certificate).include(host) else { throw WrongName() }
                try add(to: channel)
            }
        }
    }

    private static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(AnswerGuard(), position: .after(decoder))
    }
}

/// The error of a server certificate that is valid for the address but does not contain the requested name.
struct WrongName: Error {}

extension HTTPClientRequest {
    /// Creates a request for a URL. Do not use the client's other initialisers: some texts make them crash.
    init(_ url: WebURL) { self.init(url: url.request) }
}
