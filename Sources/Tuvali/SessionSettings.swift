/// The limits and waiting times of a session. The defaults suit the Tuvali specification and deployed wallets.
package struct SessionSettings: Hashable, Sendable {
    /// The maximum time for which a key is advertised without a connection. The lifetime must be limited, because only
    /// 40 bits of the key are authenticated. The lifetime must not be short, because a phone with the old QR code finds
    /// nothing after a change of the key.
    package var keyLifetime: Duration = .seconds(300)
    /// The maximum time from the connection to Identify. Phones without a wallet connect, too.
    package var identifyLimit: Duration = .seconds(10)
    /// The maximum time from Identify to the response size. The visitor chooses a credential during this time.
    package var responseSizeLimit: Duration = .seconds(120)
    /// The maximum time without a write during a transfer. The same time limits the stay of a wallet after its verdict.
    package var silenceLimit: Duration = .seconds(30)
    /// The maximum time from the first response size to the delivery, even if the wallet keeps writing. Slow pairs of
    /// phones need minutes.
    package var transferLimit: Duration = .seconds(600)
    /// The longest time from the delivery to the application's verdict.
    package var verdictLimit: Duration = .seconds(15)

    /// The times of a transfer report after its request. A report on missing chunks is repeated until a write follows
    /// or ``silenceLimit`` has passed. The library answers within 5 ms. The only effect of a repetition on a phone
    /// that is merely slow is that it repairs twice.
    package var report = Repetition(
        after: .milliseconds(5), pauses: [.seconds(2), .seconds(2), .seconds(5), .seconds(10)])
    /// The times of the verification status after the SUCCESS report. While the wallet stays, the status is repeated
    /// after 40, 120 and 300 ms and 1 s, and then each second until ``silenceLimit`` has passed. The verifier of the
    /// Tuvali library sends the status once, 15 to 59 ms after the report.
    package var verdict = Repetition(
        after: .zero,
        pauses: [.milliseconds(40), .milliseconds(80), .milliseconds(180), .milliseconds(700), .seconds(1)])
    /// The maximum time from the request to end the link to the end of the session, if the host does not report the end
    /// of the link.
    var dropLimit: Duration = .seconds(3)

    /// The maximum number of chunks of a small transfer. In a small transfer, an ordinary loss sometimes exceeds the
    /// tolerated fraction.
    static let smallTransfer = 10
    /// The number of repair rounds after which a wallet gives up (Tuvali 0.5, TVW_REP_001).
    static let repairRounds = 15

    /// The fraction of missing chunks above which a report request fails the session; nil for no limit. The Tuvali
    /// library uses 0.7. A small transfer fails only after ``repairRounds`` reports on missing chunks.
    package var toleratedMissingShare: Double? = 0.7
    /// The range of the accepted number of encrypted bytes.
    package var acceptedSizes = Assembler.acceptedSizes
    /// The maximum size of the inflated payload in bytes: 8 MiB over all members of the gzip stream.
    package var inflatedLimit = 8 * 1024 * 1024

    /// Creates the documented default values.
    package init() {}

    /// Returns whether `missing` of `total` chunks are too many after `retries` reports on missing chunks. The
    /// computation uses floating point, as in the library.
    func isTooMany(missing: Int, total: Int, retries: Int) -> Bool {
        let counts = total > Self.smallTransfer || retries >= Self.repairRounds
        guard let toleratedMissingShare, counts else { return false }
        return Double(missing) > toleratedMissingShare * Double(total)
    }
}
