/// The limits and waiting times of a session. The defaults are those of the Tuvali specification and of
/// deployed wallets.
package struct SessionSettings: Hashable, Sendable {
    /// How long a key may be advertised without a connection. Only 40 bits of it are authenticated, so the
    /// lifetime must be limited. A phone that has read the old code finds nothing after the key changes, so
    /// the lifetime must not be short.
    package var keyLifetime: Duration = .seconds(300)
    /// Time from the connection to Identify: phones without a wallet connect, too.
    package var identifyLimit: Duration = .seconds(10)
    /// Time from Identify to the response size: the visitor chooses a credential meanwhile.
    package var responseSizeLimit: Duration = .seconds(120)
    /// Time without any write during a transfer; also how long a wallet may stay after its verdict was sent.
    package var silenceLimit: Duration = .seconds(30)
    /// Time from the first response size to the delivery, even if the wallet keeps writing. Slow pairs of
    /// phones need minutes.
    package var transferLimit: Duration = .seconds(600)
    /// Time from the delivery to the application's verdict.
    package var verdictLimit: Duration = .seconds(15)

    /// When a transfer report follows its request, and when a report on missing chunks is repeated while no
    /// write follows, until ``silenceLimit``. The library answers within 5 ms; a phone that is only slow
    /// repairs twice and no more.
    package var report = Repetition(
        after: .milliseconds(5), pauses: [.seconds(2), .seconds(2), .seconds(5), .seconds(10)])
    /// When the verification status follows the SUCCESS report, and when it is repeated while the wallet
    /// stays: after 40, 120 and 300 ms and 1 s, then each second until ``silenceLimit`` has passed. The
    /// library's verifier sends it once, 15 to 59 ms after the report.
    package var verdict = Repetition(
        after: .zero,
        pauses: [.milliseconds(40), .milliseconds(80), .milliseconds(180), .milliseconds(700), .seconds(1)])
    /// Time from dropping the link to the end of the session if the host does not report that the link is down.
    package var dropLimit: Duration = .seconds(3)

    /// Number of chunks up to which a transfer is small: with so few chunks, an ordinary loss sometimes
    /// exceeds the tolerated share.
    static let smallTransfer = 10
    /// Number of repair rounds after which a wallet gives up: the wallet's own number (Tuvali 0.5, TVW_REP_001).
    static let repairRounds = 15

    /// The share of missing chunks above which a report request fails the session; nil: never. The library uses 0.7. A
    /// small transfer fails for this reason only after ``repairRounds`` reports on missing chunks.
    package var toleratedMissingShare: Double? = 0.7
    /// Encrypted bytes that are accepted.
    package var acceptedSizes = Assembler.acceptedSizes
    /// The largest size of the inflated payload in bytes: 8 MiB over all members of the gzip stream.
    package var inflatedLimit = 8 * 1024 * 1024

    /// The documented defaults.
    package init() {}

    /// Whether `missing` of `total` chunks are too many, after `retries` reports on missing chunks. Computed
    /// in floating point, as in the library.
    func isTooMany(missing: Int, total: Int, retries: Int) -> Bool {
        let counts = total > Self.smallTransfer || retries >= Self.repairRounds
        guard let toleratedMissingShare, counts else { return false }
        return Double(missing) > toleratedMissingShare * Double(total)
    }
}
