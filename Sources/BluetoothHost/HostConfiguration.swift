/// Connection parameters to ask the phone for (Core Specification Vol 3 Part A 4.20).
package struct PreferredConnectionParameters: Equatable, Sendable {
    /// Shortest interval wanted, in units of 1.25 ms (6 to 3200).
    package let minimumInterval: UInt16
    /// Longest interval wanted, in units of 1.25 ms.
    package let maximumInterval: UInt16
    /// Connection events that we may leave out.
    package let latency: UInt16
    /// Supervision timeout, in units of 10 ms (10 to 3200).
    package let supervisionTimeout: UInt16

    /// Parameters in the units of L2CAP.
    package init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// What a host is set to do.
package struct HostConfiguration: Equatable, Sendable {
    /// The Device Name characteristic, at most 248 bytes of UTF-8. Empty by default: a name would tell every phone in
    /// range which gate it talks to.
    package var deviceName = ""
    /// The Appearance characteristic (Assigned Numbers 2.6): 0 is "unknown".
    package var appearance: UInt16 = 0
    /// The number in every Exchange MTU Response. 517 is what Android asks for; a smaller one ends Android 14 wallets.
    package var serverMTU = 517
    /// Advertising interval in units of 0.625 ms (32 to 16384). 20–30 ms: phones scan with a small duty cycle and have to
    /// catch both advertisement and scan response; the appliance has mains power.
    package var advertisingInterval: ClosedRange<UInt16> = 32...48
    /// Whether several advertisements are shown side by side where the controller can.
    package var usesAdvertisingSets = true
    /// How long each of several advertisements is on the air where they share a place: about seven advertising events, in which a
    /// phone that listens hears it.
    package var advertisingTurn: Duration = .milliseconds(200)
    /// From one proof to the next that the controller does advertise.
    package var advertisingProof: Duration = .milliseconds(800)
    /// How often advertising is switched off and on where the controller's answer proves nothing.
    package var advertisingRenewal: Duration = .seconds(10)
    /// What is asked for after the phone's first request, in order, the next after each refusal. First 15 ms, which
    /// both Android and Apple's accessory guidelines allow, then up to 30 ms; latency 0, timeout 6 s.
    package var connectionParameters = [
        PreferredConnectionParameters(minimumInterval: 12, maximumInterval: 12, latency: 0, supervisionTimeout: 600),
        PreferredConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 600),
    ]
    /// Silence of a ready controller after which it is asked for a sign of life; nil never asks.
    package var watchdogInterval: Duration? = .seconds(10)
    /// Bounds.
    package var limits = Limits()

    /// The defaults.
    package init() {}
}
