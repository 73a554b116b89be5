/// What kind of phone is simulated: its stack and its radio, as data. Times and counts are those of real phones and of
/// Bluetooth's own limits.
package struct PhoneTraits: Sendable {
    /// How the phone's stack turns the wallet's MTU requests into ATT requests.
    package enum MTUManner: Equatable, Sendable {
        /// Each request goes out as asked (Android 13 and before).
        case asAsked
        /// The first request goes out as 517, later ones do nothing (Android 14 and later).
        case once517
        /// The phone asks by itself when the link stands; the wallet never does (iOS).
        case automatic(Int)
    }

    /// What connection parameters the phone grants a peripheral that asks for them.
    package enum ParameterPolicy: Equatable, Sendable {
        /// The shortest interval asked for, but not below this one (units of 1.25 ms).
        case atLeast(UInt16)
        /// Apple's accessory rules: shortest ≥ 15 ms and a multiple of it, longest ≥ shortest + 15 ms or both 15 ms,
        /// timeout 2 … 6 s.
        case apple
        /// Every request is refused.
        case refuses
    }

    /// The wallet app in it.
    package var wallet: WalletManner
    /// MTU negotiation.
    package var mtu: MTUManner
    /// Parameters the phone connects with.
    package var parameters: ConnectionParameters
    /// Answer to a parameter request.
    package var policy: ParameterPolicy
    /// Exchanges in one connection event.
    package var packetsPerEvent: Int
    /// Largest LL payload in bytes; over 27 the phone extends the data length itself after connecting.
    package var dataLength = 251
    /// Whether the phone can and will use the 2M PHY when the peer asks for it.
    package var supports2M = true
    /// Probability that an exchange on the air fails and is repeated.
    package var loss = 0.0
    /// L2CAP PDUs the phone holds before a write without response has to wait (Android) or is lost (iOS).
    package var writeQueue = 32
    /// Probability that the phone itself loses a first-pass chunk.
    package var queueLoss = 0.0
    /// Whether the phone's own stack subscribes to Service Changed after discovery, as Android's and Apple's do.
    package var subscribesToServiceChanged = true
    /// From a stack's event to the wallet's hearing of it.
    package var callbackTime = Duration.microseconds(500)
    /// From a write's acceptance or answer to the wallet's hearing of it.
    package var writeCallbackTime = Duration.microseconds(500)
    /// The same for a report request, of which stacks tell late when they are busy; nil: as for any write.
    package var reportCallbackTime: Duration?
    /// From the wallet's wish to disconnect to the phone's first attempt at it.
    package var disconnectTime = Duration.zero
    /// From the end of the link to the wallet's hearing that it is gone.
    package var lossTime = Duration.zero
    /// From the first look at the QR code to a running scan.
    package var codeReading = Duration.milliseconds(500)
    /// Probability that the running scan hears an advertising event with its scan response.
    package var hearing = 0.6
    /// From the verifier's advertisement to the connection attempt.
    package var reaction = Duration.milliseconds(50)
    /// Longest time for a connection attempt; then the phone scans again.
    package var connectTime = Duration.seconds(5)
    /// How long a person looks at a wallet that finds nothing before reading the code that is then on display.
    package var rereading = Duration.seconds(10)
    /// Longest time from arrival until the person gives up.
    package var patience = Duration.seconds(120)

    /// A phone of that kind.
    package init(
        wallet: WalletManner, mtu: MTUManner, parameters: ConnectionParameters, policy: ParameterPolicy,
        packetsPerEvent: Int
    ) {
        self.wallet = wallet
        self.mtu = mtu
        self.parameters = parameters
        self.policy = policy
        self.packetsPerEvent = packetsPerEvent
    }

    /// Android 13 or before: 48.75 ms until asked otherwise, then 15 ms, 6 packets an event.
    package static let android13 = PhoneTraits(
        wallet: .android, mtu: .asAsked, parameters: ConnectionParameters(interval: 39, timeout: 500),
        policy: .atLeast(12), packetsPerEvent: 6)

    /// Android 14 or later: the same but for the MTU.
    package static let android14: PhoneTraits = {
        var traits = android13
        traits.mtu = .once517
        return traits
    }()

    /// An iPhone of about 2020 and later: 30 ms, 5 packets an event.
    package static let iPhone = PhoneTraits(
        wallet: .ios, mtu: .automatic(527), parameters: ConnectionParameters(interval: 24, timeout: 72),
        policy: .apple, packetsPerEvent: 5)

    /// An iPhone of about 2016: MTU 185.
    package static let iPhone185: PhoneTraits = {
        var traits = iPhone
        traits.mtu = .automatic(185)
        traits.supports2M = false
        return traits
    }()

    /// The parameters granted for a request, or nil when it is refused.
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
