package import Clocks
package import Credentials
package import Encoding
package import Kiosk
package import Ledger
package import LinuxIO

extension Gatekeeper {
    /// The parts that the kiosk is connected to.
    package struct Dependencies: Sendable {
        /// The clock of the kiosk's turns.
        package var clock: Clock
        /// Starts the tasks that bring results of other threads to the radio's thread.
        package var spawner: Spawner
        /// Opens the transport to the controller, at every start or restart of the radio. Called on its own
        /// thread: it may resolve names, connect, and wait for a driver.
        package var openTransport: @Sendable () throws(TransportError) -> any HCITransport
        /// Requests a reset of the adapter, for which the service has no permission. Returns at once.
        package var resetAdapter: @Sendable () -> Void
        /// The ledger that takes the records.
        package var ledger: any VisitLedger
        /// The owner of a printed key; nil: none.
        package var printedKey: (any PrintedKeySource)?
        /// Verifies a visit's payload at a date. Not called on the radio's thread.
        package var verify: @Sendable (VisitID, [UInt8], WallTime) -> Verdict
        /// Receives the state of a visit's credential: `ordered` with the order to the gate, and `used` or
        /// `released` with the outcome. Returns at once, with the names that the disk must keep or, for a
        /// released credential, remove.
        package var settle: @Sendable (VisitID, CredentialUse) -> [ReplayName]
        /// Returns the date and its trustworthiness.
        package var wallTime: @Sendable () -> WallTime
        /// The hours of free passage and of lock-down.
        package var schedule: DoorSchedule
        /// Returns the provenance that a date must have at present for the schedule of the door to be
        /// applied.
        package var minimumClock: @Sendable () -> WallTime.Provenance
        /// The lamps and the relay.
        package var panel: any Panel
        /// All outputs except the panel.
        package var listeners: Listeners
        /// Observes every turn; nil outside tests, the bench and debug builds.
        package var observe: TurnObserver?

        /// Connects the parts.
        package init(
            clock: Clock, spawner: Spawner,
            openTransport: @escaping @Sendable () throws(TransportError) -> any HCITransport,
            resetAdapter: @escaping @Sendable () -> Void = {}, ledger: any VisitLedger,
            printedKey: (any PrintedKeySource)? = nil,
            verify: @escaping @Sendable (VisitID, [UInt8], WallTime) -> Verdict,
            settle: @escaping @Sendable (VisitID, CredentialUse) -> [ReplayName] = { _, _ in [] },
            wallTime: @escaping @Sendable () -> WallTime, schedule: DoorSchedule = DoorSchedule(),
            minimumClock: @escaping @Sendable () -> WallTime.Provenance = { .rtc }, panel: any Panel,
            listeners: Listeners,
            observe: TurnObserver? = nil
        ) {
            (self.clock, self.spawner) = (clock, spawner)
            self.openTransport = openTransport
            self.resetAdapter = resetAdapter
            self.ledger = ledger
            self.printedKey = printedKey
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
