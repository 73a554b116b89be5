/// The limits and waiting times of a session. The defaults are those of the Tuvali specification and of the fielded wallets.
package struct SessionSettings: Hashable, Sendable {
    /// How long a key may stay on the air without a connection. Only 40 bits of it are authenticated, so it must not stay
    /// for ever; but a phone that read the old code while the key changes finds nothing, so neither may it be short.
    package var keyLifetime: Duration = .seconds(300)
    /// From the connection to Identify: phones that are no wallet connect too.
    package var identifyLimit: Duration = .seconds(10)
    /// From Identify to the response size: a person chooses a credential meanwhile.
    package var responseSizeLimit: Duration = .seconds(120)
    /// Without any write in the middle of a transfer.
    package var silenceLimit: Duration = .seconds(30)
    /// From the first response size to the delivery, however busily the wallet writes. Slow pairs of phones need minutes.
    package var transferLimit: Duration = .seconds(600)
    /// From the delivery to the application's verdict.
    package var verdictLimit: Duration = .seconds(15)

    /// From a report request to the report. The Android wallet listens only after its request has left; what comes earlier
    /// is lost, and it has no timer.
    package var reportHoldBack: Duration = .milliseconds(100)
    /// From the SUCCESS report to the verification status, for the same reason.
    package var verdictHoldBack: Duration = .milliseconds(300)
    /// From one verification status to the next, while the wallet stays.
    package var verdictInterval: Duration = .seconds(1)
    /// How often the verification status is sent; one interval after the last the link is dropped.
    package var verdictCount = 5
    /// From a MISSING report to its repetition when no write follows.
    package var reportInterval: Duration = .seconds(2)
    /// How often a MISSING report is repeated.
    package var reportRepetitions = 3
    /// From the Disconnect notification to dropping the link. The Android wallet forgets a link 50 ms after the notification,
    /// and its user learns nothing unless the link is down by then; every wallet hears a link that goes. The library has 5 ms.
    package var disconnectGrace: Duration = .milliseconds(5)
    /// From dropping the link to ending the session without the host's word that the link is down.
    package var dropLimit: Duration = .seconds(3)

    /// The share of missing chunks above which a report request fails the session; nil never does. The library has 0.7.
    package var toleratedMissingShare: Double? = 0.7
    /// Encrypted bytes that are accepted.
    package var acceptedSizes = Assembler.acceptedSizes
    /// Bytes that may come out of the gzip stream: 8 MiB over all its members.
    package var inflatedLimit = 8 * 1024 * 1024

    /// The documented defaults.
    package init() {}

    /// Whether so many missing chunks are too many. In floating point, as the library reckons.
    func isTooMany(missing: Int, total: Int) -> Bool {
        guard let toleratedMissingShare else { return false }
        return Double(missing) > toleratedMissingShare * Double(total)
    }
}
