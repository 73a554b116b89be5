import Clocks
import Credentials
import GateService
import Kiosk
import LinuxIO
import Reasons

extension Composition.Gate {
    /// Returns the liveness probes of the parts that every visit needs.
    func lifeSigns(_ base: Composition.Base, _ records: Records) -> LivenessProbes {
        let (clock, spawner, wallTime) = (base.clock, base.spawner, records.wallTime)
        return LivenessProbes(
            [
                .init("the radio's thread", by: clock, spawner) { [gatekeeper] in await gatekeeper.breathe() > 0 },
                .init("the verification", by: clock, spawner) { [gatekeeper, verifiers] in
                    // Verify an empty payload, which the verifier must reject.
                    await gatekeeper.verifications.answer {
                        !verifiers.current.verify([], at: wallTime()).isAccepted
                    }
                },
                .init("the ledger writer", by: clock, spawner) { [keeper] in
                    await keeper.breathe()
                    return true
                },
            ], stuck: Composition.stuck(base.report, base.log, clock, base.manager))
    }
}

extension Composition {
    /// Returns the handler for a part of the program that does not respond to its probe. The handler reports the
    /// fault directly: the part that does not respond may be the thread on which other reports depend.
    static func stuck(
        _ report: @escaping HealthReporter, _ log: LogSink, _ clock: Clock, _ manager: ServiceManager
    ) -> @Sendable (String?) -> Void {
        { part in
            guard let part else { return report(.over(.stuck)) }
            let detail = "\(part) has not responded for \(LivenessProbes.limit)"
            report(.present(.stuck, detail: detail))
            LogOutput.reporter(log, clock: clock)(.present(.stuck, detail: detail))
            manager.status("\(ReasonCode.stuck): \(detail)")
        }
    }
}
