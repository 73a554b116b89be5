/// The limits and waiting times of a session. The defaults are those of the Tuvali specification and of the fielded wallets.
package struct SessionSettings: Hashable, Sendable {
    /// How long a key may stay on the air without a connection. Only 40 bits of it are authenticated, so it must not stay
    /// for ever; but a phone that read the old code while the key changes finds nothing, so neither may it be short.
    package var keyLifetime: Duration = .seconds(300)
    /// From the connection to Identify: phones that are no wallet connect too.
    package var identifyLimit: Duration = .seconds(10)
    /// From Identify to the response size: a person chooses a credential meanwhile.
    package var responseSizeLimit: Duration = .seconds(120)
    /// Without any write in the middle of a transfer; also how long a wallet that was told its verdict may stay.
    package var silenceLimit: Duration = .seconds(30)
    /// From the first response size to the delivery, however busily the wallet writes. Slow pairs of phones need minutes.
    package var transferLimit: Duration = .seconds(600)
    /// From the delivery to the application's verdict.
    package var verdictLimit: Duration = .seconds(15)

    /// When a transfer report follows its request, and when one on missing chunks goes out again while no write follows: as
    /// long as ``silenceLimit`` runs. The library answers within 5 ms; a phone that is only slow repairs twice and no more.
    package var report = Repetition(
        after: .milliseconds(5), pauses: [.seconds(2), .seconds(2), .seconds(5), .seconds(10)])
    /// When the verification status follows the SUCCESS report, and when it goes out again while the wallet stays: after 40,
    /// 120 and 300 ms and 1 s, then each second until ``silenceLimit`` has gone by. The library's verifier tells it once, 15 to
    /// 59 ms after the report.
    package var verdict = Repetition(
        after: .zero,
        pauses: [.milliseconds(40), .milliseconds(80), .milliseconds(180), .milliseconds(700), .seconds(1)])
    /// From dropping the link to ending the session without the host's word that the link is down.
    package var dropLimit: Duration = .seconds(3)

    /// Chunks up to which a transfer is a small one: of so few, an ordinary loss takes more than the tolerated share
    /// now and then.
    static let smallTransfer = 10
    /// Times that a wallet repairs a transfer before it gives up: the wallet's own number (Tuvali 0.5, TVW_REP_001).
    static let repairRounds = 15

    /// The share of missing chunks above which a report request fails the session; nil never does. The library has 0.7.
    /// A small transfer fails by it only after ``repairRounds`` reports on missing chunks.
    package var toleratedMissingShare: Double? = 0.7
    /// Encrypted bytes that are accepted.
    package var acceptedSizes = Assembler.acceptedSizes
    /// Bytes that may come out of the gzip stream: 8 MiB over all its members.
    package var inflatedLimit = 8 * 1024 * 1024

    /// The documented defaults.
    package init() {}

    /// Whether so many missing chunks of `total` are too many, after `retries` reports on missing chunks. In floating
    /// point, as the library reckons.
    func isTooMany(missing: Int, total: Int, retries: Int) -> Bool {
        let counts = total > Self.smallTransfer || retries >= Self.repairRounds
        guard let toleratedMissingShare, counts else { return false }
        return Double(missing) > toleratedMissingShare * Double(total)
    }
}
