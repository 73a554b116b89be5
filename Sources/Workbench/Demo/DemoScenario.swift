package import Credentials
package import Encoding
package import Simulation

/// One story that the demonstration tells: what the visitor brings, what the gate trusts, and how the world misbehaves.
package struct DemoScenario: Sendable {
    /// How the story must end.
    package enum Ending: Hashable, Sendable {
        /// Let in.
        case accepted
        /// Refused, with this first reason.
        case rejected(ReasonCode)
    }

    /// Its name on the command line.
    package var name: String
    /// What happens, in one sentence.
    package var story: String
    /// The payload that the wallet sends.
    package var payload: [UInt8]
    /// The date at the gate.
    package var clock: Timestamp
    /// What the gate trusts.
    package var trust: TrustMaterial
    /// The gate's rules; nil: none.
    package var rules: GatePolicy?
    /// The visitor's phone.
    package var phone: PhoneTraits = .android14
    /// How long the cloud agent stays away after the visit began; nil: it is there.
    package var agentAway: Duration?
    /// How it must end; nil when only the visitor's file decides.
    package var ending: Ending?

    /// The scenarios by name, in the order in which help lists them.
    package static let names = ["accepted", "tampered", "untrusted-issuer", "expired", "lossy-radio", "agent-down"]

    /// The scenario of that name; nil when there is none.
    package static func named(_ name: String) -> DemoScenario? {
        var scenario = DemoScenario(
            name: name, story: "", payload: Samples.record(Samples.credential), clock: Samples.validDate,
            trust: Samples.trust, ending: .accepted)
        switch name {
        case "accepted":
            scenario.story = "A farmer's credential, signed by a real issuer, is shown at the gate."
        case "tampered":
            scenario.story = "Somebody has changed one word in the credential."
            scenario.payload = Samples.record(Samples.tamperedCredential)
            scenario.ending = .rejected(.proofInvalid)
        case "untrusted-issuer":
            scenario.story = "The credential is genuine, but the gate's operator does not trust its issuer."
            scenario.trust.issuers = []
            scenario.ending = .rejected(.issuerUntrusted)
        case "expired":
            scenario.story = "The same credential, a few days after it expired."
            scenario.clock = Samples.expiredDate
            scenario.ending = .rejected(.validityExpired)
        case "lossy-radio":
            scenario.story = "An older iPhone in a crowd: packets are lost in the air and in the phone, and repaired."
            scenario.payload = Samples.record(Samples.credential, ballast: 24 * 1024)
            scenario.phone = .iPhone185
            scenario.phone.loss = 0.25
            scenario.phone.queueLoss = 0.12
        case "agent-down":
            scenario.story =
                "The cloud agent is away: the gate decides all the same, the report waits and arrives once."
            scenario.agentAway = .seconds(20)
        default: return nil
        }
        return scenario
    }

    /// A visitor who sends exactly these bytes, at a gate with these rules that trusts the samples' issuer, or these.
    package static func sending(
        _ file: [UInt8], at clock: Timestamp?, trust: TrustMaterial?, rules: GatePolicy? = nil
    ) -> DemoScenario {
        DemoScenario(
            name: "credential", story: "The wallet sends the file as it is.", payload: file,
            clock: clock ?? Samples.validDate, trust: trust ?? Samples.trust, rules: rules, ending: nil)
    }
}
