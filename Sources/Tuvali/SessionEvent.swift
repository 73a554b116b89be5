/// What can happen to a ``VerifierSession``.
package enum SessionEvent: Hashable, Sendable {
    /// A phone connected; `attMTU` is the link's ATT MTU in bytes, 23 before any exchange.
    case connected(attMTU: Int)
    /// An ATT MTU exchange ended with this many bytes.
    case mtuChanged(Int)
    /// The phone wrote a value, by Write Command or Write Request alike.
    case write(Characteristic, [UInt8])
    /// The session's ``VerifierSession/deadline`` has come.
    case timer
    /// The application's verdict on the payload. Only the first counts.
    case verdict(accepted: Bool)
    /// The application wants the session to end.
    case cancel
    /// The link is down.
    case linkLost
}

/// What a ``VerifierSession`` asks of the host, or tells the application.
package enum SessionAction: Hashable, Sendable {
    /// The session is taken, or over: its advertisement is nobody else's.
    case stopAdvertising
    /// Send a Handle Value Notification, whether the phone has subscribed or not; an indication if it subscribed to those.
    case notify(Characteristic, [UInt8])
    /// Terminate the link and report ``SessionEvent/linkLost``.
    case dropLink
    /// The wallet sent its key; the session keys are derived.
    case identified
    /// The wallet announced `size` encrypted bytes in `totalChunks` chunks. Comes again when the wallet starts over, with the
    /// first chunk.
    case transferStarted(size: Int, totalChunks: Int)
    /// Chunks received, each time another whole percent is reached.
    case progress(received: Int, total: Int)
    /// The write just handled completed the assembly (T0). The payload, when it was authentic and within its bounds: it may be
    /// verified from now on, while the wallet still asks for its report. Comes again when the wallet starts over.
    case assembled(TransferredPayload?)
    /// The payload: it was complete, authentic and within its bounds, and the wallet asked for the report. At most once.
    case payload(TransferredPayload)
    /// The session failed. The end of the link follows.
    case failed(TuvaliError)
    /// The session is over and holds no keys; the last action of all.
    case ended(SessionOutcome)
}

/// What the wallet sent, decrypted and inflated.
package struct TransferredPayload: Hashable, Sendable {
    /// The plain bytes: by convention UTF-8 JSON, which nobody has checked yet.
    package let bytes: [UInt8]
    /// How the transfer went.
    package let statistics: TransferStatistics
}

extension TransferredPayload: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the content.
    package var description: String { "TransferredPayload(\(bytes.count) bytes, \(statistics))" }
    /// Leaves out the content: a credential must not reach a log by way of a dump.
    package var customMirror: Mirror { Mirror(self, children: ["statistics": statistics]) }
}

/// Figures of one transfer, for logs and metrics.
package struct TransferStatistics: Hashable, Sendable {
    /// Chunks of the whole transfer.
    package var chunks: Int
    /// Chunks dropped because of their CRC.
    package var crcErrors: Int
    /// Chunks that came again though they were held.
    package var duplicates: Int
    /// MISSING reports that the wallet asked for and was sent.
    package var retries: Int
    /// Encrypted bytes.
    package var encryptedSize: Int
}

/// How a session ended.
package enum SessionOutcome: Hashable, Sendable {
    /// The payload was delivered; `status` is the verdict that was notified, nil when the phone left before that.
    case delivered(status: Bool?)
    /// An error was raised, perhaps after the delivery.
    case failed(TuvaliError)
    /// No payload and no error.
    case abandoned(Abandonment)

    /// Why a session ended without payload and without error.
    package enum Abandonment: Hashable, Sendable {
        /// No phone connected while the key was valid.
        case keyExpired
        /// The phone left.
        case disconnected
        /// The phone connected and never identified itself.
        case notIdentified
        /// The wallet identified itself and never sent anything.
        case nothingSent
        /// The application cancelled.
        case cancelled
    }
}
