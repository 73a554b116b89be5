import Courier
import Credentials
import GateService
import Settings
import TrustFiles

extension Composition.Gate {
    /// Returns the service that fetches current trust data.
    func trust(_ base: Composition.Base, _ records: Records) -> TrustService {
        let configuration = base.configuration
        let policyOver: @Sendable (GatePolicy?) -> VerificationPolicy = {
            ConfiguredPolicy.rules(of: configuration, under: $0)
        }
        return TrustService.make(
            configuration.trust, beginning: base.judgement.trust,
            refresher: TrustRefresher(
                configuration.trust, state: TrustState(configuration.trust), contacts: base.crashes),
            verifiers: verifiers,
            policy: RulesInForce.comeWithTrust(configuration.policy.file) ? policyOver : nil,
            clock: base.clock, wallTime: records.wallTime, log: base.log, report: base.report)
    }

    /// Returns the service that applies changes of the policy file.
    func policy(_ base: Composition.Base) -> PolicyService {
        let configuration = base.configuration
        return PolicyService(
            configuration.policy.file.map { PolicyState(path: $0, folder: configuration.trust.state) },
            over: ConfiguredPolicy.defaults(configuration),
            direction: ConfiguredPolicy.direction(configuration), verifiers: verifiers, log: base.log,
            report: base.report, clock: base.clock)
    }
}
