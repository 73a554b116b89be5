/// What a wallet's user could see: the steps of a share, in order of their occurrence.
package enum WalletProgress: Equatable, Sendable {
    /// The ATT MTU that the wallet works with.
    case mtu(Int)
    /// Identify went out: the secure channel stands.
    case identified
    /// Response size went out: the user chose a credential of that many encrypted bytes.
    case chosen(encryptedBytes: Int)
    /// Chunk `chunk` of `total` is handed to the phone (first pass).
    case sending(chunk: Int, total: Int)
    /// The report request went out.
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

/// Why a wallet gave up, by its documented code where there is one.
package enum WalletFailure: String, Error, Sendable {
    /// The QR text was not understood.
    case invitation = "TVW_CON_001"
    /// No acceptable MTU.
    case mtu = "TVW_CON_002"
    /// The service or one of its characteristics is missing.
    case service = "TVW_CON_003"
    /// More than 15 reports of missing chunks, or the report request could not be written.
    case retries = "TVW_REP_001"
    /// A report that makes no sense.
    case report = "TVW_UNK_002"
    /// Anything else, such as a verifier key without a secret.
    case other = "TUV_UNK_001"
    /// The iOS app dies: an empty notification, an unknown report type, a report of nothing missing.
    case crash = "crash"
}
