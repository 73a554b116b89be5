/// The properties of a simulated phone's stack and radio as data. The times and counts are those of real phones and
/// within the limits of the Bluetooth specification.
package struct PhoneTraits: Sendable {
    /// The conversion of the wallet's MTU requests into ATT requests by the phone's stack.
    package enum MTUBehaviour: Equatable, Sendable {
        /// The phone sends each request of the wallet unchanged (Android 13 and earlier).
        case asAsked
        /// The phone requests 517 in place of the first MTU that the wallet requests. Later requests have no effect
        /// (Android 14 and later).
        case once517
        /// The phone starts the exchange of the given MTU at the start of the link. The wallet never does (iOS).
        case automatic(Int)
    }

    /// The phone's policy for a peripheral's request for connection parameters.
    package enum ParameterPolicy: Equatable, Sendable {
        /// The phone grants the shortest requested interval, but no less than the given interval (units of 1.25 ms).
        case atLeast(UInt16)
        /// Apple's accessory rules: the shortest interval is at least 15 ms and a multiple of 15 ms, the longest is at
        /// least 15 ms longer or both are 15 ms, and the timeout is 2 to 6 s.
        case apple
        /// The phone refuses every request for connection parameters.
        case refuses
    }

    /// The wallet app of the phone.
    package var wallet: WalletBehaviour
    /// The way in which the phone negotiates the MTU.
    package var mtu: MTUBehaviour
    /// The parameters with which the phone connects.
    package var parameters: ConnectionParameters
    /// The phone's answer to a peripheral's request for connection parameters.
    package var policy: ParameterPolicy
    /// The number of packet exchanges in one connection event.
    package var packetsPerEvent: Int
    /// The maximum LL payload in bytes. Above 27, the phone extends the data length after connecting.
    package var dataLength = 251
    /// Whether the phone uses the 2M PHY when the peer requests it.
    package var supports2M = true
    /// The probability that an exchange on the air fails and is repeated.
    package var loss = 0.0
    /// The number of L2CAP PDUs that the phone queues. A further write without response waits (Android) or is lost
    /// (iOS).
    var writeQueue = 32
    /// The probability that the phone loses a chunk of the first pass.
    package var queueLoss = 0.0
    /// Whether the phone's stack subscribes to Service Changed after discovery, as those of Android and Apple do.
    var subscribesToServiceChanged = true
    /// The delay from an event in the stack to the wallet's callback.
    var callbackTime = Duration.microseconds(500)
    /// The delay from the acceptance or the answer of a write to the wallet's callback.
    package var writeCallbackTime = Duration.microseconds(500)
    /// The delay until the stack reports a written report request, which is long in busy stacks; nil for the delay of
    /// other writes.
    package var reportCallbackTime: Duration?
    /// The delay from the wallet's request to disconnect to the phone's first attempt.
    package var disconnectTime = Duration.zero
    /// The delay from the end of the link to the wallet's callback.
    package var lossTime = Duration.zero
    /// The time from the first look at the QR code to a running scan.
    package var codeReading = Duration.milliseconds(500)
    /// The probability that a running scan receives an advertising event with its scan response.
    package var hearing = 0.6
    /// The time from the verifier's advertisement to the connection attempt.
    package var reaction = Duration.milliseconds(50)
    /// The timeout of a connection attempt; then the phone scans again.
    var connectTime = Duration.seconds(5)
    /// The time after which a person whose wallet finds no verifier reads the displayed code again.
    package var rereading = Duration.seconds(10)
    /// The maximum time from the arrival until the person gives up.
    package var patience = Duration.seconds(120)

    /// Creates a phone with the given properties.
    package init(
        wallet: WalletBehaviour, mtu: MTUBehaviour, parameters: ConnectionParameters, policy: ParameterPolicy,
        packetsPerEvent: Int
    ) {
        self.wallet = wallet
        self.mtu = mtu
        self.parameters = parameters
        self.policy = policy
        self.packetsPerEvent = packetsPerEvent
    }

    /// Android 13 or earlier: an interval of 48.75 ms, then 15 ms after a request; 6 packets per event.
    package static let android13 = PhoneTraits(
        wallet: .android, mtu: .asAsked, parameters: ConnectionParameters(interval: 39, timeout: 500),
        policy: .atLeast(12), packetsPerEvent: 6)

    /// Android 14 or later: the same as ``android13`` except for the MTU.
    package static let android14: PhoneTraits = {
        var traits = android13
        traits.mtu = .once517
        return traits
    }()

    /// An iPhone of about 2020 and later: an interval of 30 ms, 5 packets per event.
    package static let iPhone = PhoneTraits(
        wallet: .ios, mtu: .automatic(527), parameters: ConnectionParameters(interval: 24, timeout: 72),
        policy: .apple, packetsPerEvent: 5)

    /// An iPhone of about 2016: as ``iPhone``, with MTU 185 and without the 2M PHY.
    package static let iPhone185: PhoneTraits = {
        var traits = iPhone
        traits.mtu = .automatic(185)
        traits.supports2M = false
        return traits
    }()

    /// Returns the granted parameters for a request; nil for a refusal.
    package func grant(shortest: UInt16, longest: UInt16, latency: UInt16, timeout: UInt16) -> ConnectionParameters? {
        let isValid =
            (6...3200).contains(shortest) && longest >= shortest && longest <= 3200 && latency <= 499
            && (10...3200).contains(timeout) && Int(timeout) * 4 > (1 + Int(latency)) * Int(longest)
        guard isValid else { return nil }
        switch policy {
        case .refuses: return nil
        case .atLeast(let least):
            let interval = max(shortest, least)
            return ConnectionParameters(interval: interval, latency: latency, timeout: timeout)
        case .apple:
            let isMultiple = shortest.isMultiple(of: 12)
            let hasRoom = longest >= shortest + 12 || (shortest == 12 && longest == 12)
            guard shortest >= 12, isMultiple, hasRoom, latency <= 30, (200...600).contains(timeout) else { return nil }
            return ConnectionParameters(interval: shortest, latency: latency, timeout: timeout)
        }
    }
}
