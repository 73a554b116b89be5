import Encoding
import TestKit
import Testing

@testable import Tuvali

/// Mutates real sessions. Nothing may crash or stall, no wrong payload may be delivered, and the next visit must
/// succeed.
@Suite struct MutationTests {
    /// The actions of a recorded wallet and its payload.
    struct Recording: Sendable {
        let privateKey: [UInt8]
        let payloadDigest: String?
        let events: [SessionEvent]

        init?(_ item: JSON) {
            guard let privateKey = try? item.hex("verifier_private"), let steps = try? item.list("steps") else {
                return nil
            }
            self.privateKey = privateKey
            payloadDigest = item["payload_sha256"]?.string?.string
            events = steps.compactMap { step in
                switch (step["dir"]?.string, step["op"]?.string) {
                case ("w>v", "connect"): return .connected(attMTU: 23)
                case (_, "mtu"): return step["mtu"]?.int.map { .mtuChanged($0) }
                case ("w>v", "disconnect"): return .linkLost
                case ("w>v", "write"):
                    guard let characteristic = step["char"]?.string.flatMap({ Characteristic(text: $0.string) }),
                        let value = try? step.hex("data")
                    else { return nil }
                    return .write(characteristic, value)
                default: return nil
                }
            }
        }
    }

    static let recordings: [Recording] = (VectorCases.files ?? []).filter { $0.kind == "session" }
        .compactMap { Recording($0.file) }

    /// The parts run in parallel, each with its own seeds. A failure names the seed of its session, which suffices to
    /// repeat it.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func mutatedSessionsEndAndTheNextIsAccepted(part: UInt64) throws {
        guard !Self.recordings.isEmpty else { return }
        var tally = Tally()
        for round in 0..<3_000 as Range<UInt64> {
            let seed = part << 32 | round
            if let failure = try Self.run(seed: seed, &tally) { Issue.record("seed \(seed): \(failure)") }
            if round % 25 == 0, let failure = try ordinaryVisit(seed: seed) {
                Issue.record("the visit after seed \(seed): \(failure)")
            }
        }
        print("mutated sessions, part \(part): \(tally)")
        // Checks that the mutations reach every stage: some sessions deliver, some fail, and some are abandoned.
        #expect(tally.delivered > 20 && tally.failed > 20 && tally.abandoned > 20)
        #expect(tally.codes.count >= 4)
    }

    struct Tally: CustomStringConvertible {
        var mutations = 0
        var delivered = 0
        var failed = 0
        var abandoned = 0
        var codes: Set<String> = []
        var description: String {
            "\(mutations) mutations; \(delivered) delivered, \(failed) failed, \(abandoned) abandoned; \(codes.sorted())"
        }
    }

    private static func run(seed: UInt64, _ tally: inout Tally) throws -> String? {
        var random = SplitMix64(seed: seed)
        let recording = recordings[Int.random(in: 0..<recordings.count, using: &random)]
        var events = recording.events
        let mutations = Int.random(in: 1...6, using: &random)
        for _ in 0..<mutations { mutate(&events, &random) }
        tally.mutations += mutations

        var driver = SessionDriver(
            key: try VerifierKey(privateBytes: recording.privateKey), verdict: Bool.random(using: &random) ? true : nil)
        for event in events {
            driver.give(event)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: driver.advance(.milliseconds(Int.random(in: 0...3000, using: &random)))
            case 1 where random.next().isMultiple(of: 20):
                driver.advance(.seconds(Int.random(in: 0...200, using: &random)))
            default: driver.advance(.milliseconds(Int.random(in: 0...20, using: &random)))
            }
        }
        // A mutated session without its connection event ends when its key expires.
        guard driver.runOut() else { return "stalled in \(driver.session.state)" }
        switch driver.outcomes.first {
        case .delivered: tally.delivered += 1
        case .failed(let error):
            tally.failed += 1
            tally.codes.insert(error.code.rawValue)
        default: tally.abandoned += 1
        }
        return fault(in: driver, recording)
    }

    /// Checks the properties of any session, whatever the phone did. Returns the first violation; nil if there is none.
    private static func fault(in driver: SessionDriver, _ recording: Recording) -> String? {
        let reports = driver.notified(.transferReportResponse)
        let last: Bool = if case .ended = driver.actions.last { true } else { false }
        return firstFailure(
            difference("ends", driver.outcomes.count, 1),
            last ? nil : "an action after the end",
            driver.errors.count <= 1 ? nil : "errors: \(driver.errors)",
            driver.notified(.disconnect).isEmpty ? nil : "Disconnect was notified",
            driver.errors.isEmpty || driver.actions.contains(.dropLink) ? nil : "an error that leaves the link up",
            driver.payloads.count <= 1 ? nil : "delivered twice",
            driver.payloads.allSatisfy { sha256($0.bytes) == recording.payloadDigest } ? nil : "another payload",
            driver.notified(.verificationStatus).count <= 33 ? nil : "too many verdicts",
            driver.notified(.verificationStatus).isEmpty || !driver.payloads.isEmpty ? nil : "a verdict on nothing",
            reports.contains { TestWallet.missing(in: $0) == nil || $0.count > 509 }
                ? "a report that breaks wallets" : nil)
    }

    private static func mutate(_ events: inout [SessionEvent], _ random: inout SplitMix64) {
        guard !events.isEmpty else { return }
        let index = Int.random(in: 0..<events.count, using: &random)
        let other = Int.random(in: 0..<events.count, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: events.swapAt(index, other)
        case 1: events.insert(events[index], at: other)
        case 2: events.remove(at: index)
        case 3: events.insert(.write(anyCharacteristic(&random), random.bytes(anyLength(&random))), at: index)
        case 4: events.insert(.mtuChanged(Int.random(in: -1...600, using: &random)), at: index)
        case 5: events.insert(.mtuChanged([Int.min, Int.max, 0, 66, 67, 65_535][index % 6]), at: index)
        case 6:
            let foreign = recordings[Int.random(in: 0..<recordings.count, using: &random)].events
            events.insert(foreign[Int.random(in: 0..<foreign.count, using: &random)], at: index)
        case 7:
            events.insert(
                [.verdict(accepted: true), .timer, .cancel, .linkLost, .connected(attMTU: 517)][index % 5], at: other)
        case 8: events.removeLast(events.count - index)
        case 9: events.insert(.write(.transferReportRequest, [UInt8(index % 4)]), at: other)
        case 10:
            var size: [UInt8] = []
            size.appendBE(UInt32(truncatingIfNeeded: random.next() >> UInt64.random(in: 32...63, using: &random)))
            events.insert(.write(.responseSize, size), at: index)
        default:
            // Most mutations hit a value that the wallet wrote.
            guard case .write(let characteristic, var value) = events[index] else { return }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: value = Array(value.prefix(anyLength(&random)))
            case 1: value += random.bytes(anyLength(&random))
            case 2: value = []
            case 3: value = random.bytes(value.count)
            default:
                for position in value.indices.shuffled(using: &random).prefix(1 + other % 3) {
                    value[position] ^= 1 << UInt8(truncatingIfNeeded: index % 8)
                }
            }
            events[index] = .write(
                random.next().isMultiple(of: 12) ? anyCharacteristic(&random) : characteristic, value)
        }
    }

    private static func anyCharacteristic(_ random: inout SplitMix64) -> Characteristic {
        Characteristic.allCases.randomElement(using: &random) ?? .identify
    }

    private static func anyLength(_ random: inout SplitMix64) -> Int {
        [0, 1, 2, 3, 4, 5, 43, 44, 45, 63, 64, 97, 182, 509, 512, 514, 4000].randomElement(using: &random) ?? 0
    }
}
