package import Credentials
package import Encoding
package import Reasons
package import Simulation

/// A scenario of the demonstration: the visitor's payload, the gate's trust data, and the disturbances.
package struct DemoScenario: Sendable {
    /// The end that a scenario must have.
    package enum Ending: Hashable, Sendable {
        /// The visitor is accepted.
        case accepted
        /// The visitor is rejected. The value is the first reason code.
        case rejected(ReasonCode)
    }

    /// The name of the scenario on the command line.
    package var name: String
    /// What happens in the scenario, in one sentence.
    package var story: String
    /// The payload that the wallet sends.
    package var payload: [UInt8]
    /// The date at the gate when the scenario begins.
    package var clock: Timestamp
    /// The gate's trust data.
    package var trust: TrustMaterial
    /// The gate's policy; nil if the gate has none.
    package var rules: GatePolicy?
    /// The traits of the visitor's phone.
    package var phone: PhoneTraits = .android14
    /// How long the cloud agent is unreachable, from the connection of the phone on; nil if it is always reachable.
    var agentAway: Duration?
    /// The end that the scenario must have; nil for a visitor's own file, whose result is not known in advance.
    package var ending: Ending?

    /// The names of the scenarios in the order of the help text.
    package static let names = ["accepted", "tampered", "untrusted-issuer", "expired", "lossy-radio", "agent-down"]

    /// Returns the scenario with the name `name`; nil if there is none.
    package static func named(_ name: String) -> DemoScenario? {
        var scenario = DemoScenario(
            name: name, story: "", payload: Samples.record(Samples.credential), clock: Samples.validDate,
            trust: Samples.trust, ending: .accepted)
        switch name {
        case "accepted":
            scenario.story = "A farmer presents a credential of a real issuer at the gate."
        case "tampered":
            scenario.story = "One word of the credential has been changed."
            scenario.payload = Samples.record(Samples.tamperedCredential)
            scenario.ending = .rejected(.proofInvalid)
        case "untrusted-issuer":
            scenario.story = "The credential is genuine, but the operator does not trust its issuer."
            scenario.trust.issuers = []
            scenario.ending = .rejected(.issuerUntrusted)
        case "expired":
            scenario.story = "The same credential, a few days after it expired."
            scenario.clock = Samples.expiredDate
            scenario.ending = .rejected(.validityExpired)
        case "lossy-radio":
            scenario.story = "An older iPhone in a crowd: packets are lost on the air and in the phone, and repeated."
            scenario.payload = Samples.record(Samples.credential, ballast: 24 * 1024)
            scenario.phone = .iPhone185
            scenario.phone.loss = 0.25
            scenario.phone.queueLoss = 0.12
        case "agent-down":
            scenario.story =
                "The cloud agent is unreachable: the gate decides without it; the report is queued and arrives once."
            scenario.agentAway = .seconds(20)
        default: return nil
        }
        return scenario
    }

    /// Returns a scenario in which the visitor sends exactly the bytes of `file`. If `clock` or `trust` is nil, the
    /// date or the trust data of the samples apply.
    package static func sending(
        _ file: [UInt8], at clock: Timestamp?, trust: TrustMaterial?, rules: GatePolicy? = nil
    ) -> DemoScenario {
        DemoScenario(
            name: "credential", story: "The wallet sends the file as it is.", payload: file,
            clock: clock ?? Samples.validDate, trust: trust ?? Samples.trust, rules: rules, ending: nil)
    }
}
