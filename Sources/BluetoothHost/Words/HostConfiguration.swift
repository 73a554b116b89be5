/// Connection parameters that the host requests from the phone (Core Specification Vol 3 Part A 4.20).
package struct PreferredConnectionParameters: Equatable, Sendable {
    /// The minimum interval, in units of 1.25 ms (6 to 3200).
    package let minimumInterval: UInt16
    /// The maximum interval, in units of 1.25 ms.
    package let maximumInterval: UInt16
    /// The number of connection events that this host, the peripheral, may skip.
    package let latency: UInt16
    /// Supervision timeout, in units of 10 ms (10 to 3200).
    package let supervisionTimeout: UInt16

    /// Creates parameters in the units of L2CAP.
    package init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// The settings of a host.
package struct HostConfiguration: Equatable, Sendable {
    /// The Device Name characteristic, at most 248 bytes of UTF-8. Empty by default, because a name would identify the
    /// gate to every phone in range.
    package var deviceName = ""
    /// The Appearance characteristic (Assigned Numbers 2.6): 0 is "unknown".
    package var appearance: UInt16 = 0
    /// The number in every Exchange MTU Response. Android asks for 517. With a smaller number, wallets on Android 14
    /// fail.
    package var serverMTU = 517
    /// The advertising interval in units of 0.625 ms (32 to 16384). The default is 20–30 ms: phones scan with a small
    /// duty cycle and must receive advertisement and scan response, and the appliance has mains power.
    package var advertisingInterval: ClosedRange<UInt16> = 32...48
    /// Whether to show several advertisements at once, if the controller can.
    package var usesAdvertisingSets = true
    /// The time for which one advertisement is shown if several share an advertising place: about seven advertising
    /// events, enough for a scanning phone.
    var advertisingTurn: Duration = .milliseconds(200)
    /// The time between two proofs that the controller really advertises.
    var advertisingProof: Duration = .milliseconds(800)
    /// The time between two renewals, which switch advertising off and on. Renewals are used if the controller's
    /// answers prove nothing.
    var advertisingRenewal: Duration = .seconds(10)
    /// The connection parameters to request after the phone's first request. After each refusal, the next parameters
    /// are requested. The first have 15 ms, which Android and Apple's accessory guidelines allow, the second up to 30
    /// ms. All have latency 0 and timeout 6 s.
    package var connectionParameters = [
        PreferredConnectionParameters(minimumInterval: 12, maximumInterval: 12, latency: 0, supervisionTimeout: 600),
        PreferredConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 600),
    ]
    /// The time without packets from a ready controller after which the host probes the controller; nil for never.
    package var watchdogInterval: Duration? = .seconds(10)
    /// The limits of memory and time.
    package var limits = Limits()

    /// Creates the default configuration.
    package init() {}
}
