import Simulation
import TestKit
import Testing
import Workbench

@testable import Workshop

/// A crowd whose credentials the real verifier checks. Exactly the visitors with a genuine credential are admitted.
@Suite(.tags(.models)) struct CrowdTableTests {
    @Test func theRealVerifierJudgesACrowd() throws {
        var plan = CrowdPlan()
        (plan.visits, plan.gates, plan.phones, plan.hostile, plan.mixed) = (60, 2, 12, 0.1, 0.3)
        let figures = try CrowdRun.play(plan, CrowdRun.realCredentials())
        let (isRight, accepted, rejected) = (figures.isRight, figures.accepted, figures.rejected)
        #expect(isRight, "\(plan.command): \(figures.wrong) wrong, \(figures.unserved) unserved, \(figures.faults)")
        #expect(accepted > 20 && rejected > 5)
        #expect(CrowdTable.cells(plan, figures).count == CrowdTable.heads.count)
    }
}
