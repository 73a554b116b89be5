/// The limits and waiting times of a session. The defaults are those of the Tuvali specification and of
/// deployed wallets.
package struct SessionSettings: Hashable, Sendable {
    /// How long a key may be advertised without a connection. Only 40 bits of it are authenticated, so the
    /// lifetime must be limited. A phone that has read the old code finds nothing after the key changes, so
    /// the lifetime must not be short.
    package var keyLifetime: Duration = .seconds(300)
    /// The longest time from the connection to Identify. It is limited because phones without a wallet
    /// connect, too.
    package var identifyLimit: Duration = .seconds(10)
    /// The longest time from Identify to the response size. The visitor chooses a credential in that time.
    package var responseSizeLimit: Duration = .seconds(120)
    /// The longest time without any write during a transfer. It is also the longest time for which a wallet
    /// may stay after its verdict was sent.
    package var silenceLimit: Duration = .seconds(30)
    /// The time from the first response size to the delivery, even if the wallet keeps writing. Slow pairs of
    /// phones need minutes.
    package var transferLimit: Duration = .seconds(600)
    /// The longest time from the delivery to the application's verdict.
    package var verdictLimit: Duration = .seconds(15)

    /// When a transfer report follows its request, and when a report on missing chunks is repeated while no
    /// write follows, until ``silenceLimit``. The library answers within 5 ms; a phone that is only slow
    /// repairs twice and no more.
    package var report = Repetition(
        after: .milliseconds(5), pauses: [.seconds(2), .seconds(2), .seconds(5), .seconds(10)])
    /// When the verification status follows the SUCCESS report, and when it is repeated while the wallet
    /// stays: after 40, 120 and 300 ms and 1 s, then each second until ``silenceLimit`` has passed. The
    /// verifier of the Tuvali library sends it once, 15 to 59 ms after the report.
    package var verdict = Repetition(
        after: .zero,
        pauses: [.milliseconds(40), .milliseconds(80), .milliseconds(180), .milliseconds(700), .seconds(1)])
    /// The longest time from dropping the link to the end of the session if the host does not report that the
    /// link has ended.
    var dropLimit: Duration = .seconds(3)

    /// The number of chunks up to which a transfer counts as small. With so few chunks, an ordinary loss
    /// sometimes exceeds the tolerated fraction.
    static let smallTransfer = 10
    /// The number of repair rounds after which a wallet gives up; the number is that of the wallet (Tuvali
    /// 0.5, TVW_REP_001).
    static let repairRounds = 15

    /// The fraction of missing chunks above which a report request fails the session; nil: never. The Tuvali
    /// library uses 0.7. A small transfer fails for this reason only after ``repairRounds`` reports on
    /// missing chunks.
    package var toleratedMissingShare: Double? = 0.7
    /// The range of the accepted number of encrypted bytes.
    package var acceptedSizes = Assembler.acceptedSizes
    /// The largest size of the inflated payload in bytes: 8 MiB over all members of the gzip stream.
    package var inflatedLimit = 8 * 1024 * 1024

    /// Creates the documented default values.
    package init() {}

    /// Whether `missing` of `total` chunks are too many, after `retries` reports on missing chunks. Computed
    /// in floating point, as in the library.
    func isTooMany(missing: Int, total: Int, retries: Int) -> Bool {
        let counts = total > Self.smallTransfer || retries >= Self.repairRounds
        guard let toleratedMissingShare, counts else { return false }
        return Double(missing) > toleratedMissingShare * Double(total)
    }
}
