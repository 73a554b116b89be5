package import Credentials
package import Encoding
package import Kiosk
package import Ledger
package import LinuxIO

extension Gatekeeper {
    /// What the kiosk is connected to.
    package struct Surroundings: Sendable {
        /// Opens the way to the controller, at every (re)start of the radio. Called on a thread of its own: it may resolve names,
        /// connect, and wait for a driver.
        package var openTransport: @Sendable () throws(TransportError) -> any HCITransport
        /// Asks for the adapter's reset by whoever has the right to it. Returns at once.
        package var resetAdapter: @Sendable () -> Void
        /// The records.
        package var ledger: any VisitLedger
        /// The key of a printed code; nil: there is none.
        package var sticker: Sticker?
        /// Judges a visit's payload at a date; called beside the radio's thread.
        package var verify: @Sendable (VisitID, [UInt8], WallTime) -> Verdict
        /// Told the state of a visit's credential: `ordered` with the order to the gate, and `used` or `released` with
        /// the outcome. Returns at once, with the names that the disk must keep or, of a released one, remove.
        package var settle: @Sendable (VisitID, CredentialUse) -> [ReplayName]
        /// The date and what is known about it.
        package var wallTime: @Sendable () -> WallTime
        /// When passage is free and when the gate is locked down.
        package var schedule: DoorSchedule
        /// What a date must be worth at the moment for that schedule.
        package var minimumClock: @Sendable () -> WallTime.Provenance
        /// Lamps and relay.
        package var panel: any Panel
        /// Everybody else who is told.
        package var listeners: Listeners
        /// Sees every turn; nil outside tests, the bench and debug builds.
        package var observe: TurnObserver?

        /// Connects the parts.
        package init(
            openTransport: @escaping @Sendable () throws(TransportError) -> any HCITransport,
            resetAdapter: @escaping @Sendable () -> Void = {}, ledger: any VisitLedger,
            sticker: Sticker? = nil, verify: @escaping @Sendable (VisitID, [UInt8], WallTime) -> Verdict,
            settle: @escaping @Sendable (VisitID, CredentialUse) -> [ReplayName] = { _, _ in [] },
            wallTime: @escaping @Sendable () -> WallTime, schedule: DoorSchedule = DoorSchedule(),
            minimumClock: @escaping @Sendable () -> WallTime.Provenance = { .rtc }, panel: any Panel,
            listeners: Listeners,
            observe: TurnObserver? = nil
        ) {
            self.openTransport = openTransport
            self.resetAdapter = resetAdapter
            self.ledger = ledger
            self.sticker = sticker
            self.verify = verify
            self.settle = settle
            self.wallTime = wallTime
            self.schedule = schedule
            self.minimumClock = minimumClock
            self.panel = panel
            self.listeners = listeners
            self.observe = observe
        }
    }
}
