/// The reason why a session failed on the verifier's side.
///
/// After an error, the link is dropped, and keys and buffers are wiped. An error contains no content of the transfer.
package enum TuvaliError: Error, Hashable, Sendable {
    /// The codes that Tuvali documents for a verifier. The codes are never sent over the air.
    package enum Code: String, CaseIterable, Sendable {
        /// Any other failure on either side.
        case unknown = "TUV_UNK_001"
        /// The packets of the link are too small for a chunk.
        case connection = "TVV_CON_001"
        /// The announced size of the response is impossible.
        case responseSize = "TVV_TRA_001"
        /// Too many chunks were lost.
        case tooManyMissing = "TVV_TRA_002"
        /// A failure of the verifier that has no specific code.
        case verifier = "TVV_UNK_001"
        /// A write that violates the protocol.
        case peripheral = "TVV_UNK_002"
        /// The received bytes are not a payload.
        case transfer = "TVV_UNK_003"
    }

    /// The ATT MTU is below 67 bytes, so that a chunk has less than 60 bytes of payload.
    case mtuTooSmall(attMTU: Int)
    /// The announced number of encrypted bytes is outside the accepted range (17…2 097 152).
    case responseSizeOutOfRange(size: Int)
    /// A report was requested before any size was announced.
    case reportBeforeSize
    /// More than the tolerated fraction (70 %) of the chunks is missing at a report request. A transfer of ten chunks
    /// or fewer fails only after 15 repair rounds.
    case tooManyMissing(missing: Int, total: Int)
    /// A write of the size has `length` bytes, which is fewer than 4.
    case malformedSize(length: Int)
    /// The wallet's public key has low order, so that the shared secret would be zero (RFC 7748 section 6.1).
    case weakWalletKey
    /// The wallet sent a second, different Identify.
    case identifiedAgain
    /// The wallet began a second transfer after the delivery of the first, which would use key and nonce twice, or sent
    /// more complete messages than one session may send.
    case secondTransfer
    /// The authentication tag does not match: the data is damaged, or not encrypted for this session.
    case notAuthentic
    /// The decrypted bytes are not a gzip stream.
    case notCompressed
    /// The gzip stream inflates to more than the accepted number of bytes (8 MiB).
    case inflatedTooLarge
    /// The wallet reported a failure of its own (report request 0x02).
    case walletFailed
    /// The wallet wrote nothing for the silence limit during a transfer.
    case silence
    /// The wallet kept writing but did not complete the transfer within its time limit.
    case transferTooLong
    /// The application gave no verdict in time.
    case noVerdict

    /// Tuvali's code for the error.
    package var code: Code {
        switch self {
        case .mtuTooSmall: .connection
        case .responseSizeOutOfRange, .reportBeforeSize: .responseSize
        case .tooManyMissing: .tooManyMissing
        case .malformedSize, .weakWalletKey, .identifiedAgain, .secondTransfer: .peripheral
        case .notAuthentic, .notCompressed, .inflatedTooLarge: .transfer
        case .walletFailed, .silence, .transferTooLong: .verifier
        case .noVerdict: .unknown
        }
    }
}
