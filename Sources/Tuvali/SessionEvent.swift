/// An input of a ``VerifierSession``.
package enum SessionEvent: Hashable, Sendable {
    /// A phone has connected; `attMTU` is the link's ATT MTU in bytes, 23 before any exchange.
    case connected(attMTU: Int)
    /// An ATT MTU exchange ended with this many bytes.
    case mtuChanged(Int)
    /// The phone wrote a value, by Write Command or Write Request.
    case write(Characteristic, [UInt8])
    /// The session's ``VerifierSession/deadline`` has been reached.
    case timer
    /// The application's verdict on the payload. Only the first counts.
    case verdict(accepted: Bool)
    /// The application wants the session to end.
    case cancel
    /// The link is down.
    case linkLost
}

/// A ``VerifierSession``'s command to the host, or report to the application.
package enum SessionAction: Hashable, Sendable {
    /// The session has a phone or has ended: its advertisement must not attract another phone.
    case stopAdvertising
    /// Send a Handle Value Notification, whether the phone has subscribed or not; an indication if it
    /// subscribed to indications.
    case notify(Characteristic, [UInt8])
    /// Terminate the link and report ``SessionEvent/linkLost``.
    case dropLink
    /// The wallet sent its key; the session keys are derived.
    case identified
    /// The wallet announced `size` encrypted bytes in `totalChunks` chunks. Sent again with the first chunk
    /// after the wallet starts over.
    case transferStarted(size: Int, totalChunks: Int)
    /// Chunks received, each time another whole percent is reached.
    case progress(received: Int, total: Int)
    /// The write just handled completed the assembly (T0). Carries the payload if it was authentic and within
    /// its limits: it may be verified from now on, before the wallet asks for its report. Sent again when the
    /// wallet starts over.
    case assembled(TransferredPayload?)
    /// The payload: it was complete, authentic and within its limits, and the wallet asked for the report. At
    /// most once.
    case payload(TransferredPayload)
    /// The session failed. The end of the link follows.
    case failed(TuvaliError)
    /// The session is over and holds no keys; the last action of all.
    case ended(SessionOutcome)
}

/// The data that the wallet sent, decrypted and inflated.
package struct TransferredPayload: Hashable, Sendable {
    /// The plain bytes: by convention UTF-8 JSON, not checked yet.
    package let bytes: [UInt8]
    /// The figures of the transfer.
    package let statistics: TransferStatistics
}

extension TransferredPayload: CustomStringConvertible, CustomReflectable {
    /// Contains nothing of the content.
    package var description: String { "TransferredPayload(\(bytes.count) bytes, \(statistics))" }
    /// Omits the content: a credential must not reach a log through a dump.
    package var customMirror: Mirror { Mirror(self, children: ["statistics": statistics]) }
}

/// Figures of one transfer, for logs and metrics.
package struct TransferStatistics: Hashable, Sendable {
    /// Chunks of the whole transfer.
    package var chunks: Int
    /// Chunks dropped because of their CRC.
    package var crcErrors: Int
    /// Chunks that were received again although they were held.
    package var duplicates: Int
    /// MISSING reports sent at the wallet's request.
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
