/// Connection parameters that the host requests from the phone (Core Specification Vol 3 Part A 4.20).
package struct PreferredConnectionParameters: Equatable, Sendable {
    /// The shortest wanted interval, in units of 1.25 ms (6 to 3200).
    package let minimumInterval: UInt16
    /// The longest wanted interval, in units of 1.25 ms.
    package let maximumInterval: UInt16
    /// Connection events that the peripheral, this host, may skip.
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

/// The settings of a host.
package struct HostConfiguration: Equatable, Sendable {
    /// The Device Name characteristic, at most 248 bytes of UTF-8. Empty by default: a name would tell every
    /// phone in range which gate this is.
    package var deviceName = ""
    /// The Appearance characteristic (Assigned Numbers 2.6): 0 is "unknown".
    package var appearance: UInt16 = 0
    /// The number in every Exchange MTU Response. Android asks for 517; a smaller number makes Android 14
    /// wallets fail.
    package var serverMTU = 517
    /// Advertising interval in units of 0.625 ms (32 to 16384). The default is 20–30 ms: phones scan with a small
    /// duty cycle and must receive both advertisement and scan response, and the appliance has mains power.
    package var advertisingInterval: ClosedRange<UInt16> = 32...48
    /// Whether several advertisements are shown at once if the controller can.
    package var usesAdvertisingSets = true
    /// How long each of several advertisements is on the air when they share a place: about seven advertising
    /// events, enough for a scanning phone to receive it.
    var advertisingTurn: Duration = .milliseconds(200)
    /// The time from one proof that the controller really advertises to the next proof.
    var advertisingProof: Duration = .milliseconds(800)
    /// The time from one renewal to the next. A renewal switches advertising off and on; it is used if the
    /// controller's answers prove nothing.
    var advertisingRenewal: Duration = .seconds(10)
    /// Connection parameters to request after the phone's first request, in this order: the next ones after
    /// each refusal. The first are 15 ms, which both Android and Apple's accessory guidelines allow; the
    /// second are up to 30 ms. All have latency 0 and timeout 6 s.
    package var connectionParameters = [
        PreferredConnectionParameters(minimumInterval: 12, maximumInterval: 12, latency: 0, supervisionTimeout: 600),
        PreferredConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 600),
    ]
    /// The time without packets from a ready controller after which the host probes it; nil: never.
    package var watchdogInterval: Duration? = .seconds(10)
    /// The limits of memory and time.
    package var limits = Limits()

    /// Creates the default configuration.
    package init() {}
}
