import Encoding
import Testing

@testable import Credentials
@testable import Kiosk
@testable import Simulation

/// A transfer takes the time that the link needs, and the kiosk adds none.
@Suite struct LinkSpeedTests {
    /// A phone and a controller whose link is limited by the air, not by the phone's own pace.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var phone = PhoneTraits.android14
        var controller = ControllerTraits()
    }

    static let rows: [Row] = ([12, 24] as [UInt16]).flatMap { interval in
        [("1M, data length", false, 251), ("2M, data length", true, 251), ("1M", false, 27), ("2M", true, 27)].map {
            name, supports2M, dataLength in
            var row = Row(testDescription: "\(name), \(interval) units")
            row.phone.policy = .atLeast(interval)
            (row.phone.supports2M, row.phone.dataLength) = (supports2M, dataLength)
            row.phone.packetsPerEvent = supports2M ? 13 : 6
            row.phone.wallet.choosing = .milliseconds(700)
            row.phone.patience = .seconds(2000)
            return row
        }
    }

    @Test(arguments: rows) func aTransferTakesWhatTheLinkTakes(row: Row) throws {
        for (loss, limit) in [(0.0, 1.05), (0.1, 1.25)] {
            var worst = 0.0
            for bytes in [2_000, 10_000, 50_000, 100_000, 700_000] where bytes < 700_000 || row.phone.dataLength > 27 {
                var phone = row.phone
                phone.loss = loss
                let (taken, ideal) = try transfer(phone, row.controller, bytes: bytes)
                #expect(taken <= ideal * limit, "\(bytes) bytes, loss \(loss): \(taken), ideal \(ideal)")
                worst = max(worst, taken.milliseconds / ideal.milliseconds)
            }
            print("transfer over ideal, \(row.testDescription), loss \(loss): \(worst) at worst")
        }
    }

    /// Returns the time from the first chunk to the last, as measured, and the ideal time of the same link if
    /// it had all chunks at once.
    private func transfer(
        _ phone: PhoneTraits, _ controller: ControllerTraits, bytes: Int
    ) throws -> (taken: Duration, ideal: Duration) {
        var random = SplitMix64(seed: UInt64(bytes))
        let record = Array("{\"a\":\"\(Hex.encode(random.bytes(bytes / 2)))\"}".utf8)
        let gate = try TestGate(visits: [.test(phone, record: record)], controller: controller)
        #expect(gate.run { if case .phone(_, .wallet(.sending)) = $0 { true } else { false } })
        let began = gate.now
        var link = try #require(gate.radio.links.values.first?.link)
        let announced = gate.seen.compactMap { entry in
            if case .phone(_, .wallet(.chosen(let bytes))) = entry.what { bytes } else { nil }
        }
        let size = try #require(announced.first)
        for start in stride(from: 505, to: size, by: 505) {
            let pdu = [UInt8](repeating: 0, count: min(505, size - start) + 11)
            link.send(pdu, start: true, from: .central, at: began)
        }
        var end = began
        while let due = link.deadline {
            for case .completed(by: .central) in link.advance(to: due) { end = due }
        }
        #expect(gate.run(untilNote: "transfer.received", limit: .seconds(1000)))
        let taken = began.duration(to: gate.now)
        #expect(gate.run() && gate.phoneOutcomes == [0: .accepted])
        if phone.loss == 0 { try expectPromptAnswer(gate, phone) }
        return (taken, began.duration(to: end))
    }

    /// Checks the time from the report request to SUCCESS at the wallet: one connection event for each
    /// direction, and the phone's own time.
    private func expectPromptAnswer(_ gate: TestGate, _ phone: PhoneTraits) throws {
        func time(_ progress: WalletProgress) -> Instant? {
            gate.seen.first { if case .phone(_, .wallet(progress)) = $0.what { true } else { false } }?.at
        }
        let asked = try #require(time(.reportRequested))
        let interval = Duration.microseconds(1250 * (phone.policy == .atLeast(12) ? 12 : 24))
        // Chunks that still wait in the phone are sent before the request.
        let received = try #require(
            gate.seen.first { if case .kiosk(.received) = $0.what { true } else { false } }?.at)
        let delivered = try #require(time(.delivered))
        #expect(max(asked, received).duration(to: delivered) <= interval * 2 + .milliseconds(6))
    }
}
