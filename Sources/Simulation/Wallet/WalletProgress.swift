/// The steps of a share that a wallet's user can see, in the order of their occurrence.
package enum WalletProgress: Equatable, Sendable {
    /// The ATT MTU that the wallet works with.
    case mtu(Int)
    /// Identify was sent: the secure channel is established.
    case identified
    /// The response size was sent: the user chose a credential of that many encrypted bytes.
    case chosen(encryptedBytes: Int)
    /// Chunk `chunk` of `total` is passed to the phone (first pass).
    case sending(chunk: Int, total: Int)
    /// The report request was sent.
    case reportRequested
    /// A report listed that many missing chunks; `round` counts from 1.
    case resending(chunks: Int, round: Int)
    /// The verifier reported SUCCESS.
    case delivered
    /// The verdict: status 0 is accepted, anything else rejected.
    case verdict(accepted: Bool)
    /// The verifier asked the wallet to disconnect.
    case dismissed
    /// The share failed on the wallet's side.
    case failed(WalletFailure)
}

/// The reason why a wallet gave up, by its documented code if it has one.
package enum WalletFailure: String, Error, Sendable {
    /// The QR text was not accepted.
    case invitation = "TVW_CON_001"
    /// No acceptable MTU.
    case mtu = "TVW_CON_002"
    /// The service or one of its characteristics is missing.
    case service = "TVW_CON_003"
    /// More than 15 reports of missing chunks, or the report request could not be written.
    case retries = "TVW_REP_001"
    /// The report is invalid.
    case report = "TVW_UNK_002"
    /// Any other reason, such as a verifier key that gives no secret.
    case other = "TUV_UNK_001"
    /// The iOS app crashes: an empty notification, an unknown report type, or a report without missing
    /// chunks.
    case crash = "crash"
}
