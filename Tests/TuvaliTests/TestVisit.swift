import Encoding
import Testing

@testable import Tuvali

/// A session in a given state, to which a well-behaved wallet has brought it.
struct TestVisit {
    /// The states of a session, in the order of a visit.
    enum Stage: CaseIterable {
        case advertising, connected, keyed, receiving, reportAsked, reportSent, assembled, delivered, successSent, told
    }

    static let plain = Array("{\"a\":\"credential\"}".utf8)

    var driver: SessionDriver
    let wallet: TestWallet
    let sealed: [UInt8]
    let chunks: [[UInt8]]

    /// Plays a visit up to `stage`. The payload has at least two chunks. Before `assembled` the first chunk is not
    /// written, so that a repair round is necessary.
    init(at stage: Stage, settings: SessionSettings = SessionSettings(), seed: UInt64 = 1) throws {
        var random = SplitMix64(seed: seed)
        let key = try VerifierKey(privateBytes: random.bytes(32))
        wallet = try TestWallet(verifierKey: key.publicKey, random: &random)
        sealed = try wallet.seal(Self.plain + random.bytes(600))
        chunks = TestWallet.cut(sealed, maxData: 182)
        driver = SessionDriver(key: key, settings: settings)
        let index = Stage.allCases.firstIndex(of: stage) ?? 0
        for next in Stage.allCases[...index].dropFirst() { step(to: next) }
    }

    private mutating func step(to stage: Stage) {
        switch stage {
        case .advertising: break
        case .connected:
            driver.give(.connected(attMTU: 23))
            driver.give(.mtuChanged(185))
        case .keyed: driver.give(.write(.identify, wallet.identify))
        case .receiving:
            driver.give(.write(.responseSize, TestWallet.size(sealed)))
            for chunk in chunks.dropFirst() { driver.give(.write(.submitResponse, chunk)) }
        case .reportAsked: driver.give(.write(.transferReportRequest, [1]))
        case .reportSent: driver.advance(.milliseconds(5))
        case .assembled: driver.give(.write(.submitResponse, chunks[0]))
        case .delivered: driver.give(.write(.transferReportRequest, [1]))
        case .successSent: driver.advance(.milliseconds(5))
        case .told:
            driver.give(.verdict(accepted: true))
        }
    }
}

/// Plays an ordinary visit on a fresh session, from the connection until the wallet leaves. Returns a description of a
/// failure; nil if there is none.
func ordinaryVisit(seed: UInt64) throws -> String? {
    var visit = try TestVisit(at: .told, seed: seed)
    visit.driver.give(.linkLost)
    return firstFailure(
        difference("outcome", visit.driver.outcomes, [.delivered(status: true)]),
        difference("reports", visit.driver.notified(.transferReportResponse), [[0, 0, 1, 0, 1], [1, 0, 0]]),
        difference("status", visit.driver.notified(.verificationStatus), [[0]]),
        difference("payload", visit.driver.payloads.first?.bytes.starts(with: TestVisit.plain), true))
}
