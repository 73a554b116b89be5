package import Encoding
package import Kiosk
package import LinuxIO
import ServiceLifecycle
package import Store

/// Looks at the clock while nobody asks, tells what is wrong with it, keeps the lower bound for the next start, and takes over what
/// `gatehouse clock accept` left.
package actor ClockService: ServiceLifecycle.Service {
    /// Between two looks.
    package static let pause: Duration = .seconds(2)
    /// Between two writings of the lower bound; each record is one too.
    package static let keeping: Duration = .seconds(3600)

    private let watch: ClockWatch
    private let store: Store
    private let acceptance: ClockAcceptance
    private let log: LogSink
    private let report: HealthReporter
    /// An acceptance that is in force and not yet kept.
    private var accepted: Timestamp?
    private var keptAt: Instant

    /// A service over a watch; `report` is told what is wrong.
    package init(
        watch: ClockWatch, store: Store, acceptance: ClockAcceptance, log: LogSink, report: @escaping HealthReporter
    ) {
        (self.watch, self.store, self.acceptance) = (watch, store, acceptance)
        (self.log, self.report) = (log, report)
        keptAt = SystemClock.now()
    }

    package func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async {
        while !Task.isCancelled {
            await turn(at: SystemClock.now())
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// One look. Called once before the first record too, so that none is written under a date that was corrected while the
    /// service was off.
    package func turn(at now: Instant) async {
        await takeOver()
        for change in watch.takeReports() { report(change) }
        let time = watch.now()
        guard time.provenance >= .rtc, keptAt.duration(to: now) >= Self.keeping else { return }
        keptAt = now
        // As given: what is believed here takes the place of what a late record may have raised.
        try? await store.saveClock(WallTime(utc: time.utc, provenance: .given))
    }

    private func takeOver() async {
        guard let date = acceptance.pending() else { return }
        if date != accepted {
            accepted = date
            watch.accept(date)
            log.log(.warning, "date.accepted", ["accepted": .text(date.rfc3339)])
        }
        // The file stays until the disk has taken the date; it counts already.
        guard (try? await store.saveClock(WallTime(utc: date, provenance: .given))) != nil else { return }
        if acceptance.pending() == date { acceptance.remove() }
        accepted = nil
    }
}
