/// The steps of the hand-over of a credential that the user of a wallet sees, in order.
package enum WalletProgress: Equatable, Sendable {
    /// The wallet works with the given ATT MTU in bytes.
    case mtu(Int)
    /// Identify was sent: the secure channel is established.
    case identified
    /// The response size was sent: the user chose a credential of `encryptedBytes` encrypted bytes.
    case chosen(encryptedBytes: Int)
    /// The chunk with the number `chunk` of `total` was passed to the phone (first pass).
    case sending(chunk: Int, total: Int)
    /// The report request was sent.
    case reportRequested
    /// A report listed `chunks` missing chunks; `round` counts from 1.
    case resending(chunks: Int, round: Int)
    /// The verifier reported SUCCESS: all chunks arrived.
    case delivered
    /// The wallet received the verdict: status 0 is accepted, any other status rejected.
    case verdict(accepted: Bool)
    /// The verifier asked the wallet to disconnect.
    case dismissed
    /// The hand-over of the credential failed on the wallet's side, for the given reason.
    case failed(WalletFailure)
}

/// The reason why a wallet gave up. The raw value is the documented code, if there is one.
package enum WalletFailure: String, Error, Sendable {
    /// The QR text was not accepted.
    case invitation = "TVW_CON_001"
    /// No acceptable MTU was negotiated.
    case mtu = "TVW_CON_002"
    /// The service or one of its characteristics is missing.
    case service = "TVW_CON_003"
    /// The verifier sent more than 15 reports on missing chunks, or the report request could not be written.
    case retries = "TVW_REP_001"
    /// The verifier's report is invalid.
    case report = "TVW_UNK_002"
    /// The wallet gave up for any other reason, for example because no secret can be derived from the verifier's key.
    case other = "TUV_UNK_001"
    /// The iOS app crashes: an empty notification, an unknown report type, or a report without missing chunks.
    case crash = "crash"
}
