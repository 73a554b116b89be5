import Encoding
import Kiosk
import Simulation
import Testing
import Tuvali

/// Crowds at real kiosks that share one simulated radio environment. For a failing plan, the test prints the command
/// that repeats it.
@Suite struct CrowdTests {
    private func play(_ plan: CrowdPlan) throws -> CrowdFigures {
        let crowd = try Crowd(plan) { KioskSettings(name: try Identifier($0), softwareVersion: "test") }
        return crowd.run()
    }

    private func plan(_ change: (inout CrowdPlan) -> Void) -> CrowdPlan {
        var plan = CrowdPlan()
        change(&plan)
        return plan
    }

    private func expectRight(_ figures: CrowdFigures, _ plan: CrowdPlan) {
        let isRight = figures.isRight
        #expect(
            isRight,
            """
            \(plan.command): wrong \(figures.wrong), unserved \(figures.unserved), open \(figures.openIntents), \
            pulses \(figures.pulses) \(figures.recordedPulses), over \(figures.isOver), \(figures.records) \(figures.faults)
            """)
    }

    /// 50 phones of all kinds at eight gates; about one in ten leaves at some step, and one in twenty is an
    /// attacker's.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 2] as [UInt64])
    func manyVisits(seed: UInt64) async throws {
        let plan = plan { ($0.visits, $0.seed) = (1250, seed) }
        print("crowd: \(plan.command)")
        let figures = try play(plan)
        expectRight(figures, plan)
        let (visitors, attackers) = (figures.visitors, figures.attackers)
        #expect(visitors >= plan.visits && attackers > 10)
        print(
            "crowd \(seed): \(figures.accepted) accepted, \(figures.rejected) rejected, \(figures.connections) connections, "
                + "\(figures.attackers) attacks, median \(figures.waiting.percentile(0.5)), "
                + "\(figures.visitsAMinute(gates: plan.gates)) a minute")
    }

    @Test func theSamePlanGivesTheSameBits() throws {
        let plan = plan { ($0.visits, $0.gates, $0.phones, $0.hostile, $0.seed) = (24, 3, 9, 0.2, 7) }
        let (one, again) = (try play(plan), try play(plan))
        var other = plan
        other.seed = 8
        #expect(one.digest == again.digest && one.waiting == again.waiting && one.connections == again.connections)
        #expect(try play(other).digest != one.digest)
        expectRight(one, plan)
    }

    /// With four concurrent phones, whose owners choose for five seconds, a gate completes at least 30 visits a minute.
    /// With one phone at a time, the gate completes about seven.
    @Test func aGateServesThirtyAMinute() throws {
        let four = plan {
            ($0.visits, $0.gates, $0.phones, $0.hostile, $0.loss, $0.mixed) = (160, 1, 4, 0, 0, 0)
            $0.choosing = .seconds(5)...(.seconds(5))
        }
        var one = four
        (one.places, one.visits) = (1, 20)
        let (served, alone) = (try play(four), try play(one))
        expectRight(served, four)
        expectRight(alone, one)
        print(
            "crowd: \(served.visitsAMinute(gates: 1)) visits a minute, one at a time \(alone.visitsAMinute(gates: 1))")
        #expect(served.visitsAMinute(gates: 1) >= 30 && (5...9).contains(alone.visitsAMinute(gates: 1)))
        #expect(served.waiting.percentile(0.95) < .seconds(12))
    }

    /// No visitor waits longer than twice the median if there are no more phones than links of the gate, all owners
    /// take the same time to choose, and the air loses at most a tenth of the packets. The result holds with and
    /// without one attacker of any kind.
    @Test(arguments: [1, 2, 3] as [UInt64]) func noVisitorWaitsTwiceTheMedian(seed: UInt64) throws {
        for (phones, hostile) in [(4, 0.0), (8, 0.0), (4, 0.2), (6, 0.1)] {
            let plan = plan {
                ($0.visits, $0.gates, $0.phones, $0.hostile, $0.loss, $0.mixed) = (50, 1, phones, hostile, 0.1, 0)
                ($0.choosing, $0.seed) = (.seconds(5)...(.seconds(5)), seed)
            }
            let figures = try play(plan)
            expectRight(figures, plan)
            let (median, longest) = (figures.waiting.percentile(0.5), figures.waiting.percentile(1))
            print("crowd of \(phones), \(hostile) hostile, seed \(seed): median \(median), longest \(longest)")
            #expect(longest <= median * 2, "\(plan.command)")
        }
    }
}
