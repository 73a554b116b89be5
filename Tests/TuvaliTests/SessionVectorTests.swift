import Encoding
import TestKit
import Testing

@testable import Tuvali

/// Replays recorded sessions of real wallets as the vectors' README specifies.
@Suite struct SessionVectorTests {
    @Test func recordedWalletsAreServed() {
        VectorCases.check("session") { item, _ in
            let verdict = item["verdict"]?.string.map { $0 == "ACCEPTED" }
            let key = try VerifierKey(privateBytes: item.hex("verifier_private"))
            var driver = SessionDriver(key: key, verdict: verdict)
            var expected: [Notification] = []
            for step in try item.list("steps") {
                let direction = try step.text("dir")
                guard direction == "v>w" || direction == "w>v" else { continue }
                switch try step.text("op") {
                case "advertise":
                    if let failure = try Self.checkAdvertisement(step, item, key) { return failure }
                case "connect": driver.give(.connected(attMTU: 23))
                case "mtu": driver.give(.mtuChanged(try step.number("mtu")))
                case "write":
                    guard let characteristic = Characteristic(text: try step.text("char")) else {
                        return "unknown write"
                    }
                    driver.give(.write(characteristic, try step.hex("data")))
                case "notify":
                    driver.advance(.milliseconds(500))
                    guard let characteristic = Characteristic(text: try step.text("char")) else {
                        return "unknown notify"
                    }
                    guard characteristic != .disconnect else { break }
                    expected.append(Notification(characteristic: characteristic, value: try step.hex("data")))
                    let sent = Self.comparable(driver)
                    // The verdict may be sent one step early, because its hold-back has ended, too.
                    if !sent.starts(with: expected) { return "notifications: got \(sent), want \(expected)" }
                case "disconnect": driver.give(.linkLost)
                default: break  // MTU requests and subscriptions concern the host only
                }
            }
            return try difference("notifications", Self.comparable(driver), expected)
                ?? Self.compare(driver, with: item["want"] ?? .null)
        }
    }

    private struct Notification: Equatable, CustomStringConvertible {
        let characteristic: Characteristic
        let value: [UInt8]
        var description: String { "\(characteristic) \(Hex.encode(value))" }
    }

    /// Returns the notifications; a repeated verdict appears once.
    private static func comparable(_ driver: SessionDriver) -> [Notification] {
        driver.notifications.map { Notification(characteristic: $0.characteristic, value: $0.value) }
            .reduce(into: []) { list, next in
                if next.characteristic != .verificationStatus || list.last != next { list.append(next) }
            }
    }

    private static func checkAdvertisement(_ step: JSON, _ item: JSON, _ key: VerifierKey) throws -> String? {
        let identifier = try Identifier(try item.text("identifier"), alphabet: .any)
        let invitation = Invitation(identifier: identifier, key: key)
        return firstFailure(
            difference("adv", withoutFlags(invitation.advertisingData(for: .b)), withoutFlags(try step.hex("adv"))),
            difference("rsp", invitation.scanResponseData(for: .b), try step.hex("rsp")),
            difference("uri", invitation.uri, try item.text("uri")))
    }

    private static func compare(_ driver: SessionDriver, with want: JSON) throws -> String? {
        guard driver.outcomes.count == 1, let outcome = driver.outcomes.first else { return "ended \(driver.outcomes)" }
        let (word, code): (String, String?) =
            switch outcome {
            case .delivered(let status): (status == nil ? "disconnected" : "received", nil)
            case .failed(let error): ("error", error.code.rawValue)
            case .abandoned: ("disconnected", nil)
            }
        let verdicts = Set(driver.notified(.verificationStatus).map { $0.first.map(Int.init) })
        return firstFailure(
            difference("outcome", word, try want.text("outcome")),
            difference("code", code, want["code"]?.string?.string),
            difference("verdict", verdicts, want["verdict_sent"]?.int.map { [$0] } ?? []),
            // The link is dropped without Disconnect.
            want["disconnect"]?.bool.flatMap {
                difference("dropped links", driver.actions.count { $0 == .dropLink }, $0 ? 1 : 0)
            },
            difference("disconnect", driver.notified(.disconnect), []),
            difference("reports", driver.notified(.transferReportResponse), try want.hexList("reports")),
            difference("payloads", driver.payloads.count, want["payload_len"]?.int == nil ? 0 : 1),
            difference("length", driver.payloads.first?.bytes.count, want["payload_len"]?.int),
            difference(
                "payload", driver.payloads.first.map { sha256($0.bytes) }, want["payload_sha256"]?.string?.string))
    }
}

/// Returns the advertisement with its third byte, the flags, set to zero, because the flags are not compared.
func withoutFlags(_ data: [UInt8]) -> [UInt8] {
    guard data.count > 2, data.starts(with: [0x02, 0x01]) else { return data }
    var data = data
    data[2] = 0
    return data
}
