package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO
import ServiceLifecycle
package import Store

/// Checks the clock at intervals and reports its faults. Stores a date before which the next start of the program
/// cannot be (the lower bound), and applies the statement that `gatehouse clock accept` left.
package actor ClockService: ServiceLifecycle.Service {
    /// The time between two checks.
    package static let pause: Duration = .seconds(2)
    /// The time between two writes of the lower bound to the database. The date of each record is also a lower bound.
    package static let keeping: Duration = .seconds(3600)

    private let watch: ClockWatch
    private let store: Store
    private let acceptance: ClockAcceptance
    private let log: LogSink
    private let report: HealthReporter
    private let boot: Text
    private let times: Periodic
    /// What this object has stored in the database about the dates of this boot of the machine; nil: nothing.
    private var kept: ClockMemory?
    /// The operator's statement that the clock check already uses but the database does not yet contain.
    private var accepted: ClockAcceptance.Confirmation?
    private var keptAt: Instant

    /// Creates a service that checks the clocks with `watch`. `boot` is the name of the machine's present boot.
    /// `report` receives the clock's faults. `clock` measures the time between two checks.
    package init(
        watch: ClockWatch, store: Store, acceptance: ClockAcceptance, boot: Text, clock: Clock, log: LogSink,
        report: @escaping HealthReporter
    ) {
        (self.watch, self.store, self.acceptance, self.boot) = (watch, store, acceptance, boot)
        (self.log, self.report) = (log, report)
        times = Periodic(every: Self.pause, by: clock)
        keptAt = clock.now()
    }

    package func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
        await finish()
    }

    /// Stores in the database what is known about the date, for the next start of the program.
    func finish() async { await keepMemory(always: true) }

    private func work() async { await times.run { await turn(at: $0) } }

    /// Checks the clock once. Also called once before the first record. Otherwise the first record could get the wrong
    /// date of the previous run, although the operator has corrected the clock since.
    package func turn(at now: Instant) async {
        await takeOver()
        for change in watch.takeReports() { report(change) }
        await keepMemory()
        let time = watch.now()
        guard time.provenance >= .rtc, time.possible.count == 1, keptAt.duration(to: now) >= Self.keeping else {
            return
        }
        keptAt = now
        // Store the date with the provenance `given`. Such a date also replaces a lower bound that is too late, for
        // example one from a record with a wrong date.
        try? await store.saveClock(WallTime(utc: time.utc, provenance: .given))
    }

    /// Stores what is known about the date. After a restart of the program in the same boot, for example after a
    /// crash, a doubtful date must not count as confirmed. After a reboot, the last confirmed date must be known.
    /// Therefore the service stores this knowledge when it ends, and before that at each change and at least once per
    /// ``keeping``.
    private func keepMemory(always: Bool = false) async {
        guard let memory = watch.memory else { return }
        var same = memory
        // Ignore `at` and `highest` in the comparison: both change with each reading of the clock.
        (same.at, same.highest) = (kept?.at ?? memory.at, kept?.highest)
        if !always, same == kept, same.at.duration(to: memory.at) < Self.keeping { return }
        let bytes = StoredDate.bytes(memory, boot: boot)
        guard (try? await store.saveSetting(StoredDate.setting, bytes)) != nil else { return }
        kept = memory
    }

    private func takeOver() async {
        guard let word = acceptance.pending() else {
            if acceptance.isUnreadable, acceptance.remove() {
                log.log(.warning, "date.refused", ["reason": .text(ClockAcceptance.Refusal.unreadable.rawValue)])
            }
            return
        }
        if word != accepted {
            if let refusal = watch.accept(word, in: boot) {
                acceptance.remove()
                return log.log(
                    .warning, "date.refused",
                    ["accepted": .text(word.date.utc.rfc3339), "reason": .text(refusal.rawValue)])
            }
            accepted = word
            log.log(.warning, "date.accepted", ["accepted": .text(word.date.utc.rfc3339)])
        }
        // The gate already uses the date that the operator accepted. The file with the operator's statement stays
        // until the database contains the accepted date and no longer contains the earlier confirmed date.
        guard (try? await store.saveSetting(StoredDate.setting, [])) != nil,
            (try? await store.saveClock(WallTime(utc: word.date.utc, provenance: .given))) != nil
        else { return }
        kept = nil
        if acceptance.pending() == word { acceptance.remove() }
        accepted = nil
    }
}
