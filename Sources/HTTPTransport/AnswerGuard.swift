import AsyncHTTPClient
import Encoding
import NIOCore
import NIOHTTP1
import NIOSSL

/// A channel handler after the decoder of answers. It closes the connection at an unexpected status, because the
/// client's state machine ends the process at a status below 100 (async-http-client 1.37.0).
///
/// The handler understands only HTTP/1.1, so the client may use no other version.
final class AnswerGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// A status below 100 (RFC 9110 section 15), or 101, because no request switches protocols.
    struct BadStatus: Error {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 || head.status.code == 101 {
            context.fireErrorCaught(BadStatus())
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    /// Installs the handler on each connection of a client.
    ///
    /// - Parameter host: The name that the server's certificate must contain. If nil, the client checks the
    ///   certificate.
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

/// The certificate is valid for the address, but not for the name.
struct WrongName: Error {}

extension HTTPClientRequest {
    /// Creates a request for a URL. Use no other initialiser, because some texts crash the client.
    init(_ url: WebURL) { self.init(url: url.request) }
}
