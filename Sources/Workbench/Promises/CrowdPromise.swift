import Encoding
package import Simulation

/// The promise that every visitor in a crowd with attackers gets the right answer, and that the records match the
/// openings.
package struct CrowdPromise: Sendable {
    private let plan: CrowdPlan
    private let credentials: CrowdCredentials

    /// Creates the promise. `credentials` contains the payloads of the visitors, and their verifier.
    package init(seed: UInt64, credentials: CrowdCredentials) {
        self.credentials = credentials
        var plan = CrowdPlan()
        (plan.visits, plan.gates, plan.phones, plan.hostile, plan.loss) = (60, 1, 6, 0.25, 0.3)
        (plan.mixed, plan.seed) = (0.2, seed)
        self.plan = plan
    }

    /// Simulates the crowd, and returns the requirements of the promise with their results.
    package func play(_ tell: DemoPromise.StepReporter) throws -> [DemoPromise.Finding] {
        tell(
            .init(
                "crowd", "\(plan.visits) people, \(plan.phones) at a time, and \(plan.attackers) attackers among them"))
        let figures = try CrowdRun.play(plan, credentials)
        tell(
            .init(
                "gate",
                "accepts \(figures.accepted) and rejects \(figures.rejected), over \(figures.connections) connections"
            ))
        let half = Int(figures.waiting.percentile(0.5).milliseconds / 1000)
        let most = Int(figures.waiting.percentile(0.95).milliseconds / 1000)
        tell(.init("people", "half of them waited at most \(half) s, 95 % at most \(most) s"))
        tell(.init("again", "gatehouse demo --scenario crowd --seed \(plan.seed)"))
        return Self.findings(figures)
    }

    /// Returns the requirements of the promise, each with its result.
    package static func findings(_ figures: CrowdFigures) -> [DemoPromise.Finding] {
        [
            .init("no visitor gets a wrong answer", "\(figures.wrong) got one", isKept: figures.wrong == 0),
            .init(
                "every visitor with a credential gets an answer", "\(figures.unserved) got none",
                isKept: figures.unserved == 0 && figures.isOver && figures.accepted > 0),
            .init(
                "each opening has its record", "\(figures.pulses) pulses, \(figures.recordedPulses) records of one",
                isKept: figures.pulses > 0 && figures.pulses == figures.recordedPulses
                    && figures.records["accepted", default: 0] == figures.pulses),
            .init("no visit is left open", "\(figures.openIntents) are", isKept: figures.openIntents == 0),
            .init(
                "no rule of the kiosk is broken", figures.faults.first ?? "none was", isKept: figures.faults.isEmpty),
        ]
    }
}
