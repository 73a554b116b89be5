/// The behaviour of a wallet as data. The Android library and the iOS library differ only in these properties.
package struct WalletBehaviour: Sendable {
    /// The platform whose library the wallet uses.
    package var platform: WalletInvitation.Platform
    /// The generation of the library.
    package var generation = WalletGeneration.b
    /// The MTUs that the wallet requests one after the other; empty if the phone negotiates the MTU.
    package var mtuLadder: [Int]
    /// The fixed wait after each MTU request.
    package var mtuWait = Duration.milliseconds(500)
    /// The waits before service discovery is repeated, one for each repetition.
    package var discoveryRetries: [Duration] = [2, 4, 8, 16, 32].map { .milliseconds($0) }
    /// The pause after each chunk; nil if the next chunk follows the phone's acceptance of the previous chunk.
    package var chunkPause: Duration?
    /// The number of first chunks that are sent with pauses of only 20 ms. An attacker may send these chunks fast in
    /// order to keep the link.
    var chunksAhead = 0
    /// Whether Identify, size, report request and repeated chunks are Write Requests. Chunks of the first pass never
    /// are.
    package var writesWithResponse: Bool
    /// Whether the wallet registers for report and verdict after the report request was sent. Otherwise it registers at
    /// the start.
    package var registersLate: Bool
    /// The maximum number of reports on missing chunks that the wallet answers. The next report ends the hand-over of
    /// the credential.
    var failureFrames = 15
    /// The time from the verdict to the wallet's disconnection.
    package var leaveAfter: Duration
    /// The time from a Disconnect notification to the closing of the wallet's end. The wallet requests the
    /// disconnection at once. After the closing it gets no events of the link, not even that of its end. If nil, the
    /// wallet never closes its end and requests the disconnection after ``leaveAfter``.
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
