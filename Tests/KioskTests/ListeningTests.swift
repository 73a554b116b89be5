import Encoding
import Kiosk
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// The time at which a phone receives its report and its verdict, for all delays of its Bluetooth stack.
@Suite struct ListeningTests {
    /// Returns a phone whose stack confirms the report request to the wallet after that delay; an Android
    /// wallet listens only from then on.
    private func phone(_ traits: PhoneTraits, late: Duration) -> PhoneTraits {
        var traits = traits
        traits.reportCallbackTime = late
        traits.wallet.choosing = .milliseconds(500)
        return traits
    }

    private func time(_ gate: TestGate, _ progress: WalletProgress) -> Instant? {
        gate.seen.first { if case .phone(_, .wallet(progress)) = $0.what { true } else { false } }?.at
    }

    @Test(arguments: [5, 50, 200, 400, 800, 1500, 3000, 6000, 20_000])
    func everyWalletReceivesItsVerdict(milliseconds: Int) throws {
        for traits in [PhoneTraits.android13, .android14, .iPhone] {
            let late = Duration.milliseconds(milliseconds)
            let gate = try TestGate(visits: [.test(phone(traits, late: late))])
            #expect(gate.run() && gate.phoneOutcomes == [0: .accepted], "\(traits.wallet.platform)")
            let asked = try #require(time(gate, .reportRequested))
            let told = asked.duration(to: try #require(time(gate, .verdict(accepted: true))))
            // The limit is the next repetition after the wallet begins to listen (repetitions are frequent at
            // first) and four connection events: for the request, for the acknowledgement of earlier packets
            // (a link has one of eight buffers), for the verdict, and for the phone's own pace.
            let isListening = traits.wallet.platform == .ios
            let pause: Duration =
                late < .milliseconds(40) || isListening ? .zero : min(max(late * 2, .milliseconds(80)), .seconds(1))
            #expect(
                told <= (isListening ? .zero : late) + pause + .milliseconds(80), "\(traits.wallet.platform): \(told)")
            print(
                "callback late by \(milliseconds) ms, \(traits.wallet.platform): verdict after \(told.milliseconds) ms")
            #expect(gate.breaches == [] && gate.violations == [])
        }
    }

    /// A report of missing chunks that the wallet did not receive is repeated as long as the session waits.
    @Test(arguments: [5, 400, 3000, 7000, 9000, 20_000]) func everyWalletGetsMissingChunks(milliseconds: Int) throws {
        let late = Duration.milliseconds(milliseconds)
        for traits in [PhoneTraits.android14, .iPhone] {
            let visit = Simulation.Visit.test(
                phone(traits, late: late), record: MisbehaviourTests.incompressible, misbehaviour: .losesEvery(3))
            let gate = try TestGate(visits: [visit])
            #expect(gate.run() && gate.phoneOutcomes == [0: .accepted], "\(traits.wallet.platform)")
            #expect(gate.breaches == [])
        }
    }

    /// A wallet that has its verdict and stays connected does not keep the next wallet out.
    @Test func aPhoneThatStaysAfterTheVerdictBlocksNoOther() throws {
        let gate = try TestGate(visits: [
            .test(misbehaviour: .lingers), .test(arrival: .at(.seconds(8))), .test(.iPhone, arrival: .at(.seconds(12))),
        ])
        #expect(gate.run() && gate.phoneOutcomes == [0: .accepted, 1: .accepted, 2: .accepted])
        #expect(gate.breaches == [] && gate.violations == [])
    }
}

/// The time from the link's start to the verdict at the phone, compared with a verifier that behaves as the
/// library's: SUCCESS 5 ms after the request, and the status once, 40 ms later.
@Suite struct PaceTests {
    private static let phones: [(String, PhoneTraits)] = [
        ("Android 13", .android13), ("Android 14", .android14), ("iPhone", .iPhone), ("iPhone, MTU 185", .iPhone185),
    ]

    @Test(arguments: [2_000, 10_000, 50_000, 100_000, 475_000, 700_000])
    func noPhoneIsServedLaterThanByTheLibrary(bytes: Int) throws {
        for (name, traits) in Self.phones where bytes <= 100_000 || name == "Android 14" || name == "iPhone" {
            let ours = try linkToVerdict(traits, bytes: bytes) { _ in }
            let library = try linkToVerdict(traits, bytes: bytes) {
                $0.report = Repetition(after: .milliseconds(5))
                $0.verdict = Repetition(after: .milliseconds(40))
            }
            #expect(ours <= library, "\(name)")
            print(
                "link to verdict, \(bytes) bytes, \(name): \(ours.milliseconds) ms, library \(library.milliseconds) ms")
        }
    }

    private func linkToVerdict(
        _ traits: PhoneTraits, bytes: Int, _ configure: (inout SessionSettings) -> Void
    ) throws -> Duration {
        var traits = traits
        traits.wallet.choosing = .milliseconds(20)
        traits.patience = .seconds(600)
        var random = SplitMix64(seed: UInt64(bytes))
        let record = Array("{\"photo\":\"\(Hex.encode(random.bytes(bytes / 2 - 6)))\"}".utf8)
        let gate = try TestGate(visits: [.test(traits, record: record)]) { configure(&$0.tuvali) }
        #expect(gate.run() && gate.phoneOutcomes == [0: .accepted])
        let up = gate.seen.first { if case .phone(_, .connected) = $0.what { true } else { false } }?.at
        let told = gate.seen.first { if case .phone(_, .wallet(.verdict)) = $0.what { true } else { false } }?.at
        return try #require(up).duration(to: try #require(told))
    }
}
