package import Clocks
package import Encoding
package import Kiosk
package import Ledger
package import LinuxIO
import Reasons
package import Settings
package import Store

/// The open ledger and the data that a start reads from it. A start either gets all of them or fails as a whole, so
/// that it can be repeated.
package struct Records: Sendable {
    /// The parameters for opening the ledger.
    package struct Opening: Sendable {
        let configuration: Configuration
        /// The environment variables. They name the folder of the credentials that systemd provides.
        let environment: [String: String]
        /// The id of this start of the machine.
        let boot: Text
        let version: String
        /// The date on which this version of the program was built.
        let made: Timestamp
        /// The time for which an admitted credential is remembered.
        let window: Duration
        let clock: Clock
        let log: LogSink
        let report: HealthReporter

        /// Creates the parameters from the values of its properties.
        package init(
            configuration: Configuration, environment: [String: String], boot: Text, version: String, made: Timestamp,
            window: Duration, clock: Clock, log: LogSink, report: @escaping HealthReporter
        ) {
            (self.configuration, self.environment, self.boot) = (configuration, environment, boot)
            (self.version, self.made, self.window, self.clock) = (version, made, window, clock)
            (self.log, self.report) = (log, report)
        }

        fileprivate var options: StoreOptions {
            var options = StoreOptions()
            options.clock = clock
            options.retention.age = configuration.ledger.keep
            options.retention.bytes = configuration.ledger.keepMegabytes * 1_000_000
            return options
        }

        /// Returns the reserve. If it cannot be opened, reports the fault and returns nil: the gate works without a
        /// reserve.
        fileprivate func openReserve() -> Reserve? {
            do {
                return try Reserve(path: configuration.ledger.reserve)
            } catch {
                report(.present(.ledgerReserve, detail: error.description))
                return nil
            }
        }
    }

    /// The ledger's database.
    package let store: Store
    /// The reserve; nil if it could not be opened. Unsafe, because a reserve has no lock: only the keeper uses it,
    /// one step at a time.
    package nonisolated(unsafe) let reserve: Reserve?
    /// The key under which records name credentials.
    package let siteKey: SiteKey
    /// The service that watches the clock. It has made its first check.
    package let clock: ClockService
    /// Returns the date and how trustworthy it is.
    package let wallTime: @Sendable () -> WallTime
    /// Returns the gate's name and the time for a new record.
    package let stamp: @Sendable () -> RecordStamp
    /// The credentials that were admitted before this start and are still remembered.
    package let memory: ReplayMemory
    /// The number of starts of the service, including this one.
    package let starts: Int
    /// The number of visits without an outcome that this start has closed.
    package let interrupted: Int
    /// The number of records that this start has copied from the reserve into the ledger.
    package let restored: Int

    /// Opens the ledger and completes the records of the last run.
    package init(_ opening: Opening) async throws(StoreError) {
        let store = try await LedgerOpening.open(
            opening.configuration, opening.environment, options: opening.options, log: opening.log,
            report: opening.report)
        do throws(StoreError) {
            try await self.init(store, opening)
        } catch {
            await store.close()
            throw error
        }
    }

    private init(_ store: Store, _ opening: Opening) async throws(StoreError) {
        let (configuration, clock) = (opening.configuration, opening.clock)
        let kept = try await store.setting(StoredDate.setting)
        let watch = ClockWatch(
            newest: await store.savedClock, skew: configuration.clock.skew, settle: configuration.clock.settle,
            memory: StoredDate.read(kept, boots: [opening.boot], at: clock.now()),
            isAuthenticated: configuration.clock.authenticated, made: opening.made,
            look: ClockWatch.machine(made: opening.made, clock: clock))
        let wallTime: @Sendable () -> WallTime = { watch.now() }
        self.clock = ClockService(
            watch: watch, store: store, acceptance: ClockAcceptance(database: configuration.ledger.path),
            boot: opening.boot, clock: clock, log: opening.log, report: opening.report)
        await self.clock.turn(at: clock.now())
        siteKey = try await store.siteKey()
        var memory = ReplayMemory(window: opening.window)
        memory.recall((try? await store.replays()) ?? [], at: wallTime(), now: clock.now())
        self.memory = memory
        let (kiosk, boot) = (Text(configuration.kiosk.id), opening.boot)
        let stamp: @Sendable () -> RecordStamp = {
            RecordStamp(kiosk: kiosk, boot: boot, time: wallTime(), monotonic: clock.now())
        }
        let software = Outcome.Software(name: "gatehouse", version: Text(opening.version))
        try await store.begin(stamp: stamp(), software: software)
        let reserve = opening.openReserve()
        // Copy the records of the reserve first: `recover` closes the visits that still have no outcome.
        if let reserve { restored = await reserve.restore(into: store) } else { restored = 0 }
        interrupted = try await store.recover(stamp: stamp(), software: software).count
        starts = try await store.countStart()
        await store.updateWitness()
        (self.store, self.reserve, self.wallTime, self.stamp) = (store, reserve, wallTime, stamp)
    }
}
