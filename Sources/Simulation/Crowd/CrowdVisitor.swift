package import Credentials
package import Encoding
import Reasons

/// A visitor or attacker of a crowd.
struct CrowdVisitor: Sendable {
    /// The owner of the phone.
    enum Kind: Sendable {
        /// A visitor whose wallet behaves normally, with a genuine or a forged credential.
        case visitor(isGenuine: Bool)
        /// A visitor who leaves early, loses the link, or has a phone that behaves oddly.
        case odd
        /// An attacker who occupies the gate.
        case attacker
    }

    let kind: Kind
    let visit: Visit

    /// Phones of several years and manufacturers. One in ten is slow.
    private static let phones: [PhoneTraits] = [
        .android14, .iPhone, .android13, .iPhone185, .android14, .iPhone, .android14, .iPhone, .android13, .slow,
    ]

    /// The misbehaviours of odd visitors.
    private static let oddities: [Misbehaviour] = {
        let steps: [VisitStep] = [.connected, .identified, .chosen, .chunk(1), .chunk(2), .reportRequested, .delivered]
        return steps.flatMap { [.leaves($0), .vanishes($0)] }
            + [.lingers, .secondTransfer, .corruptsChunk(1), .losesEvery(2), .pairs]
    }()

    /// The attackers' behaviours; nil: replays a recorded session of another day.
    private static let attacks: [Misbehaviour?] = [
        .besieges(.silent), .besieges(.storm), .besieges(.identified), .besieges(.drips(every: .seconds(20))),
        .garbage(packets: 200), nil,
    ]

    /// Creates the next visitor.
    init(_ plan: CrowdPlan, _ credentials: CrowdCredentials, _ random: inout SplitMix64) {
        var phone = Self.phones.randomElement(using: &random) ?? .android14
        phone.loss = plan.loss * random.share()
        phone.wallet.choosing = random.time(in: plan.choosing)
        phone.codeReading = random.time(in: .milliseconds(300)...(.milliseconds(700)))
        phone.patience = .seconds(300)
        let isOdd = random.happens(plan.mixed)
        var oddity: Misbehaviour?
        // A third of the odd visitors only open the wallet late and otherwise behave normally.
        if isOdd, !random.happens(1 / 3) {
            oddity = Self.oddities.randomElement(using: &random)
        } else if isOdd {
            phone.codeReading = random.time(in: .zero...(.seconds(15)))
        }
        let isGenuine = !random.happens(plan.mixed)
        let record = isGenuine ? credentials.genuine : credentials.forged
        kind = oddity == nil ? .visitor(isGenuine: isGenuine) : .odd
        visit = Visit(
            "visitor", phone: phone, submission: .sealing(record, seed: random.next()), misbehaviour: oddity)
    }

    /// Creates an attacker with limited patience. An attacker's data never justifies an acceptance.
    init(attackerOf plan: CrowdPlan, _ credentials: CrowdCredentials, _ random: inout SplitMix64) {
        var phone = Self.phones.randomElement(using: &random) ?? .android14
        phone.loss = plan.loss * random.share()
        (phone.reaction, phone.hearing, phone.codeReading) = (.zero, 1, .zero)
        phone.wallet.choosing = .zero
        phone.patience = random.time(in: .seconds(5)...(.seconds(60)))
        let attack = Self.attacks.randomElement(using: &random) ?? nil
        var submission = WalletSubmission.sealing(credentials.forged, seed: random.next())
        if attack == nil,
            let recording = WalletSubmission.sealing(credentials.genuine, seed: random.next())
                .prepare(for: random.bytes(32))
        {
            submission = .recorded(identify: recording.identify, encrypted: recording.encrypted)
        }
        kind = .attacker
        visit = Visit("attacker", phone: phone, submission: submission, misbehaviour: attack)
    }
}

/// The credentials of a crowd's wallets, and the verifier.
package struct CrowdCredentials: Sendable {
    /// The record that the verifier accepts, and the record that the verifier rejects.
    package let genuine, forged: [UInt8]
    /// Returns the verdict on a payload. `now`: the gate's virtual time since the start.
    package let verify: @Sendable (_ payload: [UInt8], _ now: Instant) -> Verdict

    /// Creates credentials from the records `genuine` and `forged` and the verifier `verify`.
    package init(
        genuine: [UInt8], forged: [UInt8], verify: @escaping @Sendable (_ payload: [UInt8], _ now: Instant) -> Verdict
    ) {
        (self.genuine, self.forged, self.verify) = (genuine, forged, verify)
    }

    /// Records of a real credential's size that contain their own verdict, and a verifier that trusts them, for crowds
    /// in which real verification would dominate the run time.
    package static let placeholder: CrowdCredentials = {
        var random = SplitMix64(seed: 5)
        let ballast = Hex.encode(random.bytes(1000))
        let genuine = Array(#"{"is":"genuine","text":"\#(ballast)"}"#.utf8)
        let forged = Array(#"{"is":"forged","text":"\#(ballast)"}"#.utf8)
        return CrowdCredentials(genuine: genuine, forged: forged) { payload, _ in
            let isGenuine = payload == genuine
            var credential = CredentialSummary()
            credential.issuer = "crowd"
            return Verdict(
                decision: isGenuine ? .accept : .reject, reasons: [Reason(isGenuine ? .ok : .proofInvalid)],
                credential: credential, trust: "crowd", policy: "crowd")
        }
    }()
}

extension PhoneTraits {
    /// An old phone with a slow stack: short packets, two per event, a fixed interval, and long callback times.
    package static let slow: PhoneTraits = {
        var traits = android13
        (traits.packetsPerEvent, traits.dataLength, traits.supports2M, traits.policy) = (2, 27, false, .refuses)
        (traits.callbackTime, traits.writeCallbackTime) = (.milliseconds(20), .milliseconds(5))
        return traits
    }()
}

extension SplitMix64 {
    /// Returns a number from 0 to below 1.
    mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a random time within `range`, in whole milliseconds.
    mutating func time(in range: ClosedRange<Duration>) -> Duration {
        let (low, high) = (range.lowerBound.nanoseconds / 1_000_000, range.upperBound.nanoseconds / 1_000_000)
        return .milliseconds(Int64.random(in: low...max(low, high), using: &self))
    }
}
