package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO
import ServiceLifecycle
package import Store

/// Checks the clock at intervals, reports its faults, saves the lower bound of the date for the next start,
/// and applies the statement of `gatehouse clock accept`.
package actor ClockService: ServiceLifecycle.Service {
    /// The time between two checks.
    package static let pause: Duration = .seconds(2)
    /// The time between two writes of the lower bound; each record is a lower bound, too.
    package static let keeping: Duration = .seconds(3600)

    private let watch: ClockWatch
    private let store: Store
    private let acceptance: ClockAcceptance
    private let log: LogSink
    private let report: HealthReporter
    private let boot: Text
    private let times: Periodic
    /// The knowledge of the dates of this start of the machine that is on the disk.
    private var kept: ClockMemory?
    /// An acceptance that is in force and not yet on the disk.
    private var accepted: ClockAcceptance.Confirmation?
    private var keptAt: Instant

    /// Creates a service over `watch` in the start of the machine with the name `boot`. `report` receives the
    /// clock's faults. `clock` measures the time between two checks.
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

    /// Saves the knowledge of the date for the next start of the machine.
    func finish() async { await keepMemory(always: true) }

    private func work() async { await times.run { await turn(at: $0) } }

    /// Checks the clock once. It is also called once before the first record, so that no record gets a date
    /// that was corrected while the service was off.
    package func turn(at now: Instant) async {
        await takeOver()
        for change in watch.takeReports() { report(change) }
        await keepMemory()
        let time = watch.now()
        guard time.provenance >= .rtc, time.possible.count == 1, keptAt.duration(to: now) >= Self.keeping else {
            return
        }
        keptAt = now
        // Save the date with the provenance `given`, so that it also replaces a bound that a record with a
        // wrong late date has raised.
        try? await store.saveClock(WallTime(utc: time.utc, provenance: .given))
    }

    /// Saves the knowledge of the date. After a restart of the program, for example after a crash, a doubtful
    /// date must not count as confirmed. After a start of the machine, the last confirmed date must be known.
    /// So the date is saved when the service ends, and before that at least once per ``keeping``.
    private func keepMemory(always: Bool = false) async {
        guard let memory = watch.memory else { return }
        var same = memory
        // Ignore `at` and `highest` in the comparison: both change with each look at the clock.
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
        // The operator's acceptance counts already. The file of the acceptance stays until the database has the
        // accepted date and no longer has the earlier confirmed date.
        guard (try? await store.saveSetting(StoredDate.setting, [])) != nil,
            (try? await store.saveClock(WallTime(utc: word.date.utc, provenance: .given))) != nil
        else { return }
        kept = nil
        if acceptance.pending() == word { acceptance.remove() }
        accepted = nil
    }
}
