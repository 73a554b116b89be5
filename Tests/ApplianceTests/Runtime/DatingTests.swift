import Credentials
import Encoding
import GateService
import Kiosk
import Reasons
import Testing

/// The reports of a date with which no visitor can be admitted.
@Suite struct DatingTests {
    private func look(
        _ dating: inout Dating, _ source: WallTime.Provenance, at seconds: Int64, _ policy: VerificationPolicy,
        unsynchronised: Duration? = nil
    ) -> String? {
        let time = WallTime(utc: Timestamp(seconds: 1), provenance: source, unsynchronised: unsynchronised)
        let report = dating.look(time, under: policy, at: Instant(nanoseconds: seconds * 1_000_000_000))
        guard let report else { return nil }
        #expect(report.code == .clockFault)
        return report.isPresent ? report.detail : "over"
    }

    private func policy(_ minimum: WallTime.Provenance) -> VerificationPolicy {
        var policy = VerificationPolicy()
        policy.minimumClock = minimum
        return policy
    }

    @Test func anUnsetClockIsReportedOnceAfterADelay() {
        var dating = Dating()
        #expect(look(&dating, .unset, at: 0, policy(.rtc)) == nil)
        #expect(look(&dating, .unset, at: 4, policy(.rtc)) == nil)
        #expect(
            look(&dating, .unset, at: 5, policy(.rtc))
                == "the date is unknown (unset), and the gate's rules require at least rtc")
        #expect(look(&dating, .unset, at: 6, policy(.rtc)) == nil)
        // Another reason is reported too; the end of the fault is reported once.
        #expect(look(&dating, .saved, at: 7, policy(.rtc))?.contains("continued from an earlier one") == true)
        #expect(look(&dating, .rtc, at: 8, policy(.rtc)) == "over")
        #expect(look(&dating, .synchronised, at: 9, policy(.rtc)) == nil)
        // A new fault again begins with a delay.
        #expect(look(&dating, .saved, at: 20, policy(.rtc)) == nil)
        #expect(look(&dating, .saved, at: 25, policy(.rtc)) != nil)
    }

    /// The date that is unknown at a start, or a moment without a time server, is no fault.
    @Test func aShortFaultIsNotReported() {
        var dating = Dating()
        for start in stride(from: Int64(0), to: 100, by: 10) {
            #expect(look(&dating, .unset, at: start, policy(.rtc)) == nil)
            #expect(look(&dating, .unset, at: start + 4, policy(.rtc)) == nil)
            #expect(look(&dating, .synchronised, at: start + 5, policy(.rtc)) == nil)
        }
    }

    /// The report agrees with the rule of a verification, for every source and every minimum.
    @Test(arguments: WallTime.Provenance.allCases, WallTime.Provenance.allCases)
    func itIsReportedWhereNoVisitorIsAdmitted(_ source: WallTime.Provenance, _ minimum: WallTime.Provenance) {
        var dating = Dating()
        let policy = policy(minimum)
        _ = look(&dating, source, at: 0, policy)
        let isTold = look(&dating, source, at: 5, policy) != nil
        #expect(isTold == !policy.trusts(WallTime(utc: Timestamp(seconds: 1), provenance: source)))
    }

    @Test func aBatteryClockThatRunsTooLongOnItsOwn() {
        var (dating, policy) = (Dating(), policy(.rtc))
        var rules = GatePolicy(id: "p", version: "1", digest: [])
        rules.maxUnsynchronised = .seconds(3600)
        policy.rules = rules
        #expect(look(&dating, .rtc, at: 0, policy, unsynchronised: .seconds(3600)) == nil)
        #expect(look(&dating, .rtc, at: 10, policy, unsynchronised: .seconds(3601)) == nil)
        #expect(
            look(&dating, .rtc, at: 15, policy, unsynchronised: .seconds(3606))
                == "the last contact with a time server is longer ago than the policy's max-unsynced")
        #expect(look(&dating, .rtc, at: 16, policy)?.contains("since the start") == true)
        #expect(look(&dating, .synchronised, at: 17, policy) == "over")
    }

    /// The light is amber, and faults that prevent all service take precedence.
    @Test func theLightIsAmber() {
        for code in [ReasonCode.clockFault, .trustUnusable, .agentUnconnected, .controlFailed, .gpioFailed] {
            var health = Health()
            health.take(.present(code), at: .zero)
            #expect(health.light == .attention, "\(code)")
            health.take(.present(.radioFailed), at: .zero)
            #expect(health.faults.map(\.code) == [.radioFailed, code] && health.light == .fault)
        }
    }
}
