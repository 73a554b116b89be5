/// How a wallet behaves, as data: the two libraries differ in these points only.
package struct WalletManner: Sendable {
    /// The library.
    package var platform: WalletInvitation.Platform
    /// The library's age, as far as it can be told from outside.
    package var generation = WalletGeneration.b
    /// MTUs asked for one after the other; empty where the phone negotiates by itself.
    package var mtuLadder: [Int]
    /// Fixed wait after each MTU request.
    package var mtuWait = Duration.milliseconds(500)
    /// Waits before service discovery is repeated.
    package var discoveryRetries: [Duration] = [2, 4, 8, 16, 32].map { .milliseconds($0) }
    /// Pause after each chunk; nil: the next chunk follows when the phone took the last one.
    package var chunkPause: Duration?
    /// Chunks before which there is a short pause only, 20 ms: one who means to keep the link by what it sent at first.
    package var chunksAhead = 0
    /// Identify, size, report request and re-sent chunks are Write Requests; first-pass chunks never are.
    package var writesWithResponse: Bool
    /// Registers for report and verdict only after the report request was handed over; else right at the start.
    package var registersLate: Bool
    /// Reports of missing chunks that are answered; the next one ends the share.
    package var failureFrames = 15
    /// From the verdict to the wallet's disconnecting.
    package var leaveAfter: Duration
    /// From a Disconnect notification to the wallet's closing of its end, after which it hears nothing more of the link, not even
    /// that it is gone; nil: it never does. It disconnects at once when it is notified.
    package var closesAfter: Duration?
    /// From the secure channel to the user's choice of a credential.
    package var choosing = Duration.seconds(3)

    /// `mosip/tuvali` 0.5.2.
    package static let android = WalletManner(
        platform: .android, mtuLadder: [512, 185, 100], chunkPause: nil, writesWithResponse: false, registersLate: true,
        leaveAfter: .milliseconds(30), closesAfter: .milliseconds(50))

    /// `mosip/tuvali-ios-swift` 0.5.0.
    package static let ios = WalletManner(
        platform: .ios, mtuLadder: [], discoveryRetries: [], chunkPause: .milliseconds(20), writesWithResponse: true,
        registersLate: false, leaveAfter: .milliseconds(5))
}
