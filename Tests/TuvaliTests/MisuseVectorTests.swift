import Encoding
import TestKit
import Testing

@testable import Tuvali

@Suite struct MisuseVectorTests {
    /// Starts, writes and compares as the vectors' README specifies.
    @Test func misuseIsMetAsWanted() {
        VectorCases.check("verifier_misuse") { item, _ in
            var driver = SessionDriver(key: try VerifierKey(privateBytes: item.hex("verifier_private")))
            driver.give(.connected(attMTU: 23))
            let mtu = try item.number("att_mtu")
            if mtu != 23 { driver.give(.mtuChanged(mtu)) }
            for write in try item.list("writes") {
                driver.advance(.milliseconds(500))
                guard let characteristic = Characteristic(text: try write.text("char")) else { return "characteristic" }
                driver.give(.write(characteristic, try write.hex("data")))
            }
            driver.advance(.milliseconds(500))
            return try Self.compare(driver, with: item["want"] ?? .null)
        }
    }

    private static func compare(_ driver: SessionDriver, with want: JSON) throws -> String? {
        let code = driver.errors.first?.code.rawValue
        let outcomes = Set((want["outcome"]?.array ?? [want["outcome"] ?? .null]).compactMap { $0.string?.string })
        let actual: Set<String> =
            if code != nil {
                ["error"]
            } else if !driver.payloads.isEmpty {
                ["received"]
            } else if driver.notified(.verificationStatus).contains([1]) {
                ["rejected"]
            } else if driver.notifications.isEmpty {
                ["waiting", "ignored"]
            } else {
                ["waiting"]
            }
        let codes = try want.list("codes").compactMap { $0.string?.string }
        let reports = driver.notified(.transferReportResponse)
        // If a vector expects Disconnect, the gate drops the link without a Disconnect: a wallet that receives it stops
        // listening 50 ms later.
        let drops = driver.actions.count { $0 == .dropLink }
        return firstFailure(
            actual.isDisjoint(with: outcomes) ? "outcome: got \(actual), want \(outcomes)" : nil,
            code.map { codes.contains($0) ? nil : "code: got \($0), want one of \(codes)" } ?? nil,
            want["disconnect"]?.bool.flatMap { difference("dropped links", drops, $0 ? 1 : 0) },
            difference("disconnect", driver.notified(.disconnect), []),
            want["reports"]?.array == nil ? nil : difference("reports", reports, try want.hexList("reports")),
            difference("deliveries", driver.payloads.count, try want.number("deliveries")),
            want["payload_utf8"]?.string.flatMap {
                difference("payload", driver.payloads.first?.bytes, Array($0.utf8))
            },
            want["payload_sha256"]?.string.flatMap {
                difference("payload", driver.payloads.first.map { sha256($0.bytes) }, $0.string)
            })
    }
}
