/// The folders and files of the dependencies that handle bytes from a socket, as paths below the checkouts.
/// They are scanned for traps.
let receivePath = [
    "async-http-client/Sources/AsyncHTTPClient/AsyncAwait/",
    "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/",
    "async-http-client/Sources/AsyncHTTPClient/ConnectionTarget.swift",
    "swift-nio/Sources/NIOHTTP1/",
    "swift-nio/Sources/NIOCore/ByteBuffer-core.swift",
    "swift-nio/Sources/NIOCore/ByteBuffer-views.swift",
    "swift-nio/Sources/NIOCore/Codec.swift",
    "swift-nio/Sources/NIOCore/NIOPooledRecvBufferAllocator.swift",
    "swift-nio/Sources/NIOCore/RecvByteBufferAllocator.swift",
    "swift-nio/Sources/NIOCore/SocketAddresses.swift",
    "swift-nio/Sources/NIOPosix/BaseSocket.swift",
    "swift-nio/Sources/NIOPosix/BaseSocketChannel.swift",
    "swift-nio/Sources/NIOPosix/BaseStreamSocketChannel.swift",
    "swift-nio/Sources/NIOPosix/GetaddrinfoResolver.swift",
    "swift-nio/Sources/NIOPosix/HappyEyeballs.swift",
    "swift-nio/Sources/NIOPosix/PendingWritesManager.swift",
    "swift-nio/Sources/NIOPosix/Socket.swift",
    "swift-nio/Sources/NIOPosix/SocketChannel.swift",
    "swift-nio-ssl/Sources/NIOSSL/",
    "swift-asn1/Sources/SwiftASN1/",
]

/// Parts of these folders that never run: the beginning of their paths, and the reason.
let unusedParts: [(path: String, reason: String)] = [
    (
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTP2/",
        "HTTP/2 is not offered (`ResourceFetcherTests.http2IsNotOffered`)."
    ),
    (
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/State Machine/HTTPConnectionPool+HTTP2",
        "The same."
    ),
    (
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/ChannelHandler/HTTP1ProxyConnectHandler.swift",
        "No proxy is configured."
    ),
    (
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/ChannelHandler/SOCKSEventsHandler.swift",
        "No proxy is configured."
    ),
    (
        "swift-nio/Sources/NIOHTTP1/HTTPServerProtocolErrorHandler.swift",
        "Not in a pipeline of ours: `OneRequestServer` adds decoder, encoder and handler itself."
    ),
    (
        "swift-nio/Sources/NIOHTTP1/HTTPServerUpgradeHandler.swift",
        "No upgrade is offered or asked for."
    ),
    (
        "swift-nio/Sources/NIOHTTP1/NIOHTTPClientUpgradeHandler.swift",
        "The same."
    ),
    (
        "swift-nio/Sources/NIOHTTP1/NIOTypedHTTP",
        "The same."
    ),
    (
        "swift-nio/Sources/NIOHTTP1/NIOHTTPObjectAggregator.swift",
        "Not in a pipeline of ours."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/CustomPrivateKey.swift",
        "The client has no key."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/SSLPKCS12Bundle.swift",
        "The same."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/SSLPrivateKey.swift",
        "The same."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/NIOSSLServerHandler.swift",
        "There is no server with TLS."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/SecurityFrameworkCertificateVerification.swift",
        "For Apple systems."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/SwiftCrypto/",
        "Holds keys that are shared in advance, which are not configured."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/UniversalBootstrapSupport.swift",
        "Not used by the client."
    ),
    (
        "swift-nio-ssl/Sources/NIOSSL/UnsafeKeyAndChainTarget.swift",
        "For callbacks that choose a certificate, of which there are none."
    ),
]

/// A file with traps that was reviewed.
struct ReviewedFile {
    /// Its path below the checkouts.
    let path: String
    /// The number of lines that may trap.
    let traps: Int
    /// A hash of those lines, with two lines around each.
    let hash: UInt64
    /// The reason why bytes from a socket do not reach these lines, or the check that stops them.
    let reason: String

    init(_ path: String, _ traps: Int, _ hash: UInt64, _ reason: String) {
        (self.path, self.traps, self.hash, self.reason) = (path, traps, hash, reason)
    }
}

/// The files were reviewed in the versions of `Package.swift`, the last time on 28 November 2026.
let reviewedTraps: [ReviewedFile] = [
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/AsyncAwait/HTTPClient+execute.swift", 1, 0xfc885ef59bb5496b,
        "Whether the handler of a cancellation is registered once: no bytes."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/AsyncAwait/HTTPClientRequest.swift", 1, 0x53cacbac9dabfa39,
        "A kind of request body that is not used: bodies are whole arrays."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/AsyncAwait/SingleIteratorPrecondition.swift", 1, 0x6a79a60c102d5e8d,
        "A body that is read twice: `HTTPExchange` and `ResourceFetcher` collect it once."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/AsyncAwait/Transaction+StateMachine.swift", 20, 0xf559d5ead9c217eb,
        "Head, body and end in another order. The request's state machine forwards them in order, as the "
            + "decoder does, after `AnswerGuard`."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/ChannelHandler/TLSEventsHandler.swift", 2,
        0x45911df188393a80,
        "A handshake that is complete before the channel is active: TLS begins when it is."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTP1/HTTP1ClientChannelHandler.swift", 13,
        0xabd651648bee63fb,
        "`request!` is set from the head of a request to its end, and answers outside of that are "
            + "refused by the decoder. The rest is of timers."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTP1/HTTP1Connection.swift", 2, 0xbf416e1d3eb2b5db,
        "Begun twice or never closed: no bytes."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTP1/HTTP1ConnectionStateMachine.swift", 22,
        0xe0256db3284d7e0c,
        "An answer while nothing was asked: the decoder throws `unsolicitedResponse` before. A status "
            + "below 100, of which the decoder sends an end: **`AnswerGuard`**."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTPConnectionPool+Factory.swift", 9,
        0x866a1bf260c49f38,
        "The scheme of a URL, which is `http` or `https` (`WebURL`); proxies."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTPConnectionPool+Manager.swift", 3,
        0xe8fce1d5d2cf460d,
        "A client that is shut down twice: its own state refuses that."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTPConnectionPool.swift", 3, 0xbd9898a25503d0d0,
        "Timers that are cancelled twice: no bytes."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTPRequestStateMachine+Demand.swift", 5,
        0x6186fecbe539c080,
        "Marks of a value that is being changed: no bytes."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/HTTPRequestStateMachine.swift", 35,
        0x3065cb5c494453dc,
        "**A status below 100, whose head is left out and whose end is not, ends the process (1.37.0): "
            + "`AnswerGuard`**, also for 101. Else head, body and end come in order from the decoder."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/State Machine/"
            + "HTTPConnectionPool+HTTP1Connections.swift",
        17, 0xf7a20fc3b30d68a2,
        "Ids of connections of the pool: events come once each, whatever a server does."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/State Machine/"
            + "HTTPConnectionPool+HTTP1StateMachine.swift",
        19, 0x3fb8990ab9bcd089,
        "The same; changes from HTTP/2, which is not spoken."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/State Machine/HTTPConnectionPool+RequestQueue.swift",
        4, 0xcffa1bb499c233e9,
        "Ids of requests that wait: no bytes."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionPool/State Machine/HTTPConnectionPool+StateMachine.swift",
        1, 0x60706770503ff865,
        "The same."),
    ReviewedFile(
        "async-http-client/Sources/AsyncHTTPClient/ConnectionTarget.swift", 3, 0xd9673b48603a25af,
        "**An empty host ends the process, as `%5B` has one: `WebURL`** is the only way to a request, "
            + "and has no `%` in a host."),
    ReviewedFile(
        "swift-nio/Sources/NIOHTTP1/ByteCollectionUtils.swift", 1, 0x44853a19dc602b97,
        "Constants."),
    ReviewedFile(
        "swift-nio/Sources/NIOHTTP1/HTTPDecoder.swift", 39, 0xad902626b9193745,
        "Callbacks of llhttp in an order that it does not have. Names without a value, trailers, folded "
            + "and cut heads were tried (`AnswerGuardTests`, fuzz target `answer`). `url!`, of servers: llhttp "
            + "has no request without one."),
    ReviewedFile(
        "swift-nio/Sources/NIOHTTP1/HTTPTypes.swift", 2, 0xafc8ca02c9a93a4d,
        "`add` with letters that are not ASCII: the decoder makes a list itself; ours are constants, but "
            + "for the entity tag, which is a value."),
    ReviewedFile(
        "swift-nio/Sources/NIOCore/ByteBuffer-core.swift", 17, 0x2c8692997174498e,
        "Indices: handlers move them by what there is."),
    ReviewedFile(
        "swift-nio/Sources/NIOCore/ByteBuffer-views.swift", 14, 0xb3ca0a19471854f6,
        "The same."),
    ReviewedFile(
        "swift-nio/Sources/NIOCore/Codec.swift", 16, 0x816c6a97031f2362,
        "A handler that is used twice or outside of its channel: no bytes."),
    ReviewedFile(
        "swift-nio/Sources/NIOCore/NIOPooledRecvBufferAllocator.swift", 8, 0x9b0bd1f2669fda6d,
        "Sizes that are configured."),
    ReviewedFile(
        "swift-nio/Sources/NIOCore/RecvByteBufferAllocator.swift", 7, 0x237990ba875faba1,
        "The same; what is read is never more than was asked for."),
    ReviewedFile(
        "swift-nio/Sources/NIOCore/SocketAddresses.swift", 16, 0x47548974ebd7864d,
        "Names of addresses of the families that were asked for."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/BaseSocket.swift", 9, 0x644bb8cde9edd443,
        "The family of an address that the kernel gave."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/BaseSocketChannel.swift", 28, 0xb42efbe5b2ddaa31,
        "States of a channel. That data or an end follow EPOLLRDHUP is the kernel's promise."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/BaseStreamSocketChannel.swift", 7, 0x803fc4139ddd7012,
        "Types of options, which are ours."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/GetaddrinfoResolver.swift", 2, 0x4ffa659f3e15e02f,
        "Addresses of the system's resolver, which are not empty."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/HappyEyeballs.swift", 5, 0xde7b7fd0c3887fc2,
        "Events of connection attempts, each of which comes once."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/PendingWritesManager.swift", 6, 0xcd2772713a7d49c8,
        "What is written: ours."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/Socket.swift", 6, 0x7c5113be4b1a3d5b,
        "Buffers that are not empty."),
    ReviewedFile(
        "swift-nio/Sources/NIOPosix/SocketChannel.swift", 31, 0x20ad7141ace1919a,
        "Types of options; datagrams, which are not used."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/ByteBufferBIO.swift", 8, 0x1035a25fa4599194,
        "BoringSSL calls without its own objects: no bytes."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/NIOSSLClientHandler.swift", 4, 0x7d2d18689d2b35e9,
        "No memory; a server name that is not valid is thrown before."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/NIOSSLHandler.swift", 9, 0x2343e4db25ec9dcd,
        "States of a shutdown and of checks that are not configured; an end of data during a handshake, "
            + "as data is decoded after it only."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/ObjectIdentifier.swift", 8, 0x15268aa3a26b6358,
        "Types of declarations, not uses."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLCallbacks.swift", 6, 0x14c8fb9983b7b811,
        "Results of BoringSSL's own check; callbacks that are not configured."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLCertificate.swift", 16, 0x45a34a758c7e6867,
        "No memory; accessors of a certificate that BoringSSL has read and checked. Of these "
            + "`CertificateNames` uses the alternative names only."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLCertificateExtensions.swift", 3, 0x2adb61e89d6983d0,
        "Indices of extensions, which are not used."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLConnection.swift", 17, 0x919d6d2b28fa22c1,
        "Codes of errors of BoringSSL, all of which are known; callbacks that are not configured."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLContext.swift", 21, 0x581d2be537eca5b5,
        "Settings, which are ours; keys that are shared in advance."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLErrors.swift", 3, 0x026d133290845fd9,
        "Texts of BoringSSL."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SSLPublicKey.swift", 2, 0x47d666fcfdfbd391,
        "Keys are not taken out of certificates."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/String+unsafeUninitializedCapacity.swift", 2, 0x2cf1dc9effdb97ff,
        "Sizes that are not zero."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/SubjectAlternativeName.swift", 8, 0x8fff34566f02b3d7,
        "Indices inside of the list. Addresses are of 4 or 16 bytes before they are printed, and are not "
            + "printed."),
    ReviewedFile(
        "swift-nio-ssl/Sources/NIOSSL/TLSConfiguration.swift", 2, 0xbe1416bebf73f0f0,
        "Settings, which are ours."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/ASN1.swift", 4, 0x39ef112f8e014556,
        "The tree of nodes that the parser made itself; its depth is bounded. Fuzz targets `certificate` "
            + "and `mdoc`."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/BER.swift", 2, 0x92cc078d970862c0,
        "BER is not used."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/ASN1BitString.swift", 4, 0x806d2d76dce404eb,
        "Setters, which are not used."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/ASN1Identifier.swift", 2, 0xe92170e1ccc7d93e,
        "A short identifier: longer ones are read another way."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/ASN1Integer.swift", 1, 0x98d0c737e74af8f3,
        "The condition of its own loop."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/ASN1Strings.swift", 7, 0x1c468911d3a9cd69,
        "Setters and literals, which are not used: reading throws."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/GeneralizedTime.swift", 10, 0xb819a0a561b2f19c,
        "Setters, which are not used."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/ObjectIdentifier.swift", 4, 0x78b12fb98dfe3c2a,
        "Bytes that reading has checked; literals."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/PEMDocument.swift", 1, 0x280f8916cd83b12d,
        "A separator that is a constant."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/TimeUtilities.swift", 1, 0xfea6dcac7e07a935,
        "Writing, which is not used."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/Basic ASN1 Types/UTCTime.swift", 6, 0x599294503838d161,
        "Setters, which are not used."),
    ReviewedFile(
        "swift-asn1/Sources/SwiftASN1/DER.swift", 2, 0x92cc078d970862c0,
        "The parser's own result has one root, else it throws before."),
]
