/// The behaviour of a wallet, as data: the two libraries differ only in these points.
package struct WalletBehaviour: Sendable {
    /// The platform whose library the wallet uses.
    package var platform: WalletInvitation.Platform
    /// The library's generation, as far as it is visible from outside.
    package var generation = WalletGeneration.b
    /// The MTUs that the wallet requests one after the other; empty if the phone itself negotiates.
    package var mtuLadder: [Int]
    /// The fixed wait after each MTU request.
    package var mtuWait = Duration.milliseconds(500)
    /// The waits before service discovery is repeated.
    package var discoveryRetries: [Duration] = [2, 4, 8, 16, 32].map { .milliseconds($0) }
    /// The pause after each chunk; nil: the next chunk follows when the phone has accepted the previous one.
    package var chunkPause: Duration?
    /// The number of first chunks with a pause of only 20 ms: an attacker may send these fast in order to
    /// keep the link.
    var chunksAhead = 0
    /// Whether Identify, size, report request and repeated chunks are Write Requests; first-pass chunks never
    /// are.
    package var writesWithResponse: Bool
    /// Whether the wallet registers for report and verdict only after the report request was sent; otherwise
    /// it registers at the start.
    package var registersLate: Bool
    /// The maximum number of reports of missing chunks that the wallet answers. The next report ends the
    /// hand-over of the credential.
    var failureFrames = 15
    /// The time from the verdict to the wallet's disconnection.
    package var leaveAfter: Duration
    /// The time from a Disconnect notification to the wallet's close of its end. It requests the
    /// disconnection at once, and after the close it gets no more events of the link, not even its end. nil:
    /// it never closes its end, and requests the disconnection after ``leaveAfter``.
    package var closesAfter: Duration?
    /// The time from the secure channel to the user's choice of a credential.
    package var choosing = Duration.seconds(3)

    /// The Android library: `mosip/tuvali` 0.5.2.
    package static let android = WalletBehaviour(
        platform: .android, mtuLadder: [512, 185, 100], chunkPause: nil, writesWithResponse: false, registersLate: true,
        leaveAfter: .milliseconds(30), closesAfter: .milliseconds(50))

    /// The iOS library: `mosip/tuvali-ios-swift` 0.5.0.
    package static let ios = WalletBehaviour(
        platform: .ios, mtuLadder: [], discoveryRetries: [], chunkPause: .milliseconds(20), writesWithResponse: true,
        registersLate: false, leaveAfter: .milliseconds(5))
}
