/// An input of a ``VerifierSession``.
package enum SessionEvent: Hashable, Sendable {
    /// A phone has connected. `attMTU` is the link's ATT MTU in bytes, 23 before any exchange.
    case connected(attMTU: Int)
    /// An ATT MTU exchange ended; the value is the new MTU in bytes.
    case mtuChanged(Int)
    /// The phone wrote a value of the characteristic by Write Command or Write Request.
    case write(Characteristic, [UInt8])
    /// The session's ``VerifierSession/deadline`` has been reached.
    case timer
    /// The application decided about the payload. Only the first verdict counts.
    case verdict(accepted: Bool)
    /// The application wants the session to end.
    case cancel
    /// The link to the phone has ended.
    case linkLost
}

/// A ``VerifierSession``'s command to the host, or report to the application.
package enum SessionAction: Hashable, Sendable {
    /// The session has a phone or has ended. The session's advertisement must not attract another phone.
    case stopAdvertising
    /// Send a value of the characteristic. If the phone subscribed to indications, send an indication. Otherwise send a
    /// Handle Value Notification, with or without a subscription.
    case notify(Characteristic, [UInt8])
    /// Terminate the link and report ``SessionEvent/linkLost``.
    case dropLink
    /// The wallet sent its key, and the session keys are derived.
    case identified
    /// The wallet announced `size` encrypted bytes in `totalChunks` chunks. If the wallet starts over, the action is
    /// repeated with the first new chunk.
    case transferStarted(size: Int, totalChunks: Int)
    /// The number of chunks received, out of `total`. The action is reported at each whole percent.
    case progress(received: Int, total: Int)
    /// The write just handled completed the assembly (T0). The value is the payload if it was authentic and within its
    /// limits; otherwise nil. Verification may begin before the wallet requests its report. If the wallet starts over,
    /// the action is repeated.
    case assembled(TransferredPayload?)
    /// The payload is delivered: it was complete, authentic and within its limits, and the wallet requested the report.
    /// The action is reported at most once.
    case payload(TransferredPayload)
    /// The session failed, for the given reason. The end of the link follows.
    case failed(TuvaliError)
    /// The session has ended with the given outcome and has no keys. No action follows.
    case ended(SessionOutcome)
}

/// The data from the wallet, decrypted and inflated.
package struct TransferredPayload: Hashable, Sendable {
    /// The plain bytes: by convention UTF-8 JSON, unchecked.
    package let bytes: [UInt8]
    /// The figures of the transfer.
    package let statistics: TransferStatistics
}

extension TransferredPayload: CustomStringConvertible, CustomReflectable {
    /// The description of a payload. The description contains no part of the content.
    package var description: String { "TransferredPayload(\(bytes.count) bytes, \(statistics))" }
    /// Omits the content: a credential must not reach a log through a dump.
    package var customMirror: Mirror { Mirror(self, children: ["statistics": statistics]) }
}

/// The statistics of one transfer, for logs and metrics.
package struct TransferStatistics: Hashable, Sendable {
    /// The number of chunks of the whole transfer.
    package var chunks: Int
    /// The number of chunks that were dropped because of their CRC.
    package var crcErrors: Int
    /// The number of chunks that arrived more than once.
    package var duplicates: Int
    /// The number of MISSING reports sent at the wallet's request.
    package var retries: Int
    /// The number of encrypted bytes.
    package var encryptedSize: Int
}

/// The end of a session.
package enum SessionOutcome: Hashable, Sendable {
    /// The payload was delivered. `status`: the verdict that was sent; nil if the phone left before.
    case delivered(status: Bool?)
    /// The session failed with the given error, perhaps after the delivery.
    case failed(TuvaliError)
    /// The session ended in the given way, without a payload and without an error.
    case abandoned(Abandonment)

    /// The reason why a session ended without payload and without error.
    package enum Abandonment: Hashable, Sendable {
        /// No phone connected while the key was valid.
        case keyExpired
        /// The phone ended the link.
        case disconnected
        /// The phone connected and never identified itself.
        case notIdentified
        /// The wallet identified itself but sent nothing else.
        case nothingSent
        /// The application cancelled the session.
        case cancelled
    }
}
