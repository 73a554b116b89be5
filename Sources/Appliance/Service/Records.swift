import Credentials
import Encoding
import Kiosk
import Ledger
import LinuxIO
import Store

/// What the database gives at a start, everything that a disk may refuse: taken together or not at all, so that it can be tried
/// again.
struct Records: Sendable {
    /// What it takes to open them.
    struct Opening: Sendable {
        let configuration: Configuration
        /// Names the folder of the credentials that systemd hands over.
        let environment: [String: String]
        /// Names this start of the machine.
        let boot: Text
        let version: String
        /// The day on which that version was made.
        let made: Timestamp
        /// How long a credential is remembered.
        let window: Duration
        let log: LogSink
        let report: HealthReporter

        fileprivate var options: StoreOptions {
            var options = StoreOptions()
            options.retention.age = configuration.ledger.keep
            options.retention.bytes = configuration.ledger.keepMegabytes * 1_000_000
            return options
        }

        /// The reserve; without one the gate serves all the same, and that is told.
        fileprivate func openReserve() -> Reserve? {
            do {
                return try Reserve(path: configuration.ledger.reserve)
            } catch {
                report(.present(.ledgerReserve, detail: error.description))
                return nil
            }
        }
    }

    /// The database.
    let store: Store
    /// Goes to the keeper, and is used by nobody else.
    nonisolated(unsafe) let reserve: Reserve?
    /// Names credentials in records.
    let siteKey: SiteKey
    /// Watches the clock; it has taken its first look.
    let clock: ClockService
    /// The date and what is known about it.
    let wallTime: @Sendable () -> WallTime
    /// When and where a record is made.
    let stamp: @Sendable () -> RecordStamp
    /// Who was let in before this start.
    let memory: ReplayMemory
    /// How often the service has been started.
    let starts: Int
    /// Visits that the end before interrupted.
    let interrupted: Int
    /// Records that came from the reserve.
    let restored: Int

    /// Opens the database and brings it in order.
    init(_ opening: Opening) async throws(StoreError) {
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
        let configuration = opening.configuration
        let kept = try await store.setting(KeptDate.setting)
        let watch = ClockWatch(
            newest: await store.savedClock, skew: configuration.clock.skew, settle: configuration.clock.settle,
            memory: KeptDate.read(kept, boots: [opening.boot], at: SystemClock.now()),
            isAuthenticated: configuration.clock.authenticated, made: opening.made,
            look: ClockWatch.machine(made: opening.made))
        let wallTime: @Sendable () -> WallTime = { watch.now() }
        clock = ClockService(
            watch: watch, store: store, acceptance: ClockAcceptance(database: configuration.ledger.path),
            boot: opening.boot, log: opening.log, report: opening.report)
        await clock.turn(at: SystemClock.now())
        siteKey = try await store.siteKey()
        var memory = ReplayMemory(window: opening.window)
        memory.recall((try? await store.replays()) ?? [], at: wallTime(), now: SystemClock.now())
        self.memory = memory
        let (kiosk, boot) = (Text(configuration.kiosk.id), opening.boot)
        let stamp: @Sendable () -> RecordStamp = {
            RecordStamp(kiosk: kiosk, boot: boot, time: wallTime(), monotonic: SystemClock.now())
        }
        let software = Outcome.Software(name: "gatehouse", version: Text(opening.version))
        try await store.begin(stamp: stamp(), software: software)
        let reserve = opening.openReserve()
        // Before the recovery, which closes what then still has no outcome.
        if let reserve { restored = await LedgerKeeper.restore(reserve, into: store) } else { restored = 0 }
        interrupted = try await store.recover(stamp: stamp(), software: software).count
        starts = try await store.countStart()
        await store.tellWitness()
        (self.store, self.reserve, self.wallTime, self.stamp) = (store, reserve, wallTime, stamp)
    }
}
