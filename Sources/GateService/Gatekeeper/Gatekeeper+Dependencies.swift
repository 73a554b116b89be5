package import Clocks
package import Credentials
package import Encoding
package import Kiosk
package import Ledger
package import LinuxIO

extension Gatekeeper {
    /// The parts of the program that the driver connects with the kiosk.
    package struct Dependencies: Sendable {
        /// The clock by which the kiosk's turns are timed.
        package var clock: Clock
        /// Starts the tasks that pass results of other threads to the radio's thread.
        package var spawner: Spawner
        /// Opens the transport to the controller, at each start or restart of the radio. Called on a separate thread,
        /// because it may resolve names, connect and wait for a driver.
        package var openTransport: @Sendable () throws(TransportError) -> any HCITransport
        /// Requests a reset of the adapter from a process that may reset it; the service itself may not. Returns at
        /// once.
        package var resetAdapter: @Sendable () -> Void
        /// The ledger that stores the records.
        package var ledger: any VisitLedger
        /// The source of the key of a printed code; nil if the gate has no printed code.
        package var printedKey: (any PrintedKeySource)?
        /// Verifies the payload of a visit at a date and returns the verdict. Called on a thread for verifications.
        package var verify: @Sendable (VisitID, [UInt8], WallTime) -> Verdict
        /// Receives the new state of a visit's credential: `ordered` with the order to open the gate, and `used` or
        /// `released` with the outcome. Returns at once, with the names of the credential that the ledger must store
        /// or, for a released credential, remove.
        package var settle: @Sendable (VisitID, CredentialUse) -> [ReplayName]
        /// Returns the date and its provenance.
        package var wallTime: @Sendable () -> WallTime
        /// The schedule of the door: the hours of free passage and of lock-down.
        package var schedule: DoorSchedule
        /// Returns the lowest provenance of a date at which the door's schedule may be applied at present.
        package var minimumClock: @Sendable () -> WallTime.Provenance
        /// The lamps and the relay.
        package var panel: any Panel
        /// All outputs except the panel, for example displays and the log.
        package var listeners: Listeners
        /// Receives every turn of the kiosk; nil except in tests, in the bench and in debug builds.
        package var observe: TurnObserver?

        /// Creates the dependencies of a driver.
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
