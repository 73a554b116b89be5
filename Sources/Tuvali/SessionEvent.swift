/// An input of a ``VerifierSession``.
package enum SessionEvent: Hashable, Sendable {
    /// A phone has connected; `attMTU` is the link's ATT MTU in bytes, 23 before any exchange.
    case connected(attMTU: Int)
    /// An ATT MTU exchange ended; the value is the new MTU in bytes.
    case mtuChanged(Int)
    /// The phone wrote a value of the characteristic, by Write Command or Write Request.
    case write(Characteristic, [UInt8])
    /// The session's ``VerifierSession/deadline`` has been reached.
    case timer
    /// The application gives its verdict on the payload. Only the first verdict counts.
    case verdict(accepted: Bool)
    /// The application wants the session to end.
    case cancel
    /// The link to the phone has ended.
    case linkLost
}

/// A ``VerifierSession``'s command to the host, or report to the application.
package enum SessionAction: Hashable, Sendable {
    /// The session has a phone or has ended: its advertisement must not attract another phone.
    case stopAdvertising
    /// Send a value of the characteristic as a Handle Value Notification, whether the phone has subscribed or
    /// not. Send it as an indication if the phone subscribed to indications.
    case notify(Characteristic, [UInt8])
    /// Terminate the link and report ``SessionEvent/linkLost``.
    case dropLink
    /// The wallet sent its key, and the session keys are derived.
    case identified
    /// The wallet announced `size` encrypted bytes in `totalChunks` chunks. The action is repeated with the
    /// first chunk after the wallet starts over.
    case transferStarted(size: Int, totalChunks: Int)
    /// The number of chunks received, out of `total`. The action is sent each time another whole percent is
    /// reached.
    case progress(received: Int, total: Int)
    /// The write just handled completed the assembly (T0). The value is the payload if it was authentic and
    /// within its limits. It may be verified from now on, before the wallet asks for its report. The action
    /// is repeated when the wallet starts over.
    case assembled(TransferredPayload?)
    /// The payload is delivered: it was complete, authentic and within its limits, and the wallet asked for
    /// the report. The action is sent at most once.
    case payload(TransferredPayload)
    /// The session failed, for the given reason. The end of the link follows.
    case failed(TuvaliError)
    /// The session is over, with the given outcome, and holds no keys. This is the last action.
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
    /// The description of a payload. It contains no part of the content.
    package var description: String { "TransferredPayload(\(bytes.count) bytes, \(statistics))" }
    /// Omits the content: a credential must not reach a log through a dump.
    package var customMirror: Mirror { Mirror(self, children: ["statistics": statistics]) }
}

/// The figures of one transfer, for logs and metrics.
package struct TransferStatistics: Hashable, Sendable {
    /// Chunks of the whole transfer.
    package var chunks: Int
    /// The number of chunks that were dropped because of their CRC.
    package var crcErrors: Int
    /// The number of chunks that were received again although they were already held.
    package var duplicates: Int
    /// The number of MISSING reports sent at the wallet's request.
    package var retries: Int
    /// The number of encrypted bytes.
    package var encryptedSize: Int
}

/// How a session ended.
package enum SessionOutcome: Hashable, Sendable {
    /// The payload was delivered. `status`: the verdict that was notified; nil if the phone left before that.
    case delivered(status: Bool?)
    /// The session failed with the given error, perhaps after the delivery.
    case failed(TuvaliError)
    /// The session ended without a payload and without an error, in the given way.
    case abandoned(Abandonment)

    /// Why a session ended without payload and without error.
    package enum Abandonment: Hashable, Sendable {
        /// No phone connected while the key was valid.
        case keyExpired
        /// The phone ended the link.
        case disconnected
        /// The phone connected and never identified itself.
        case notIdentified
        /// The wallet identified itself but never sent anything more.
        case nothingSent
        /// The application cancelled the session.
        case cancelled
    }
}
