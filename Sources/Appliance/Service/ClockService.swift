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
    private let boot: Text
    /// What the disk has of the dates of this start of the machine.
    private var kept: ClockMemory?
    /// An acceptance that is in force and not yet kept.
    private var accepted: ClockAcceptance.Word?
    private var keptAt: Instant

    /// A service over a watch in that start of the machine; `report` is told what is wrong.
    package init(
        watch: ClockWatch, store: Store, acceptance: ClockAcceptance, boot: Text, log: LogSink,
        report: @escaping HealthReporter
    ) {
        (self.watch, self.store, self.acceptance, self.boot) = (watch, store, acceptance, boot)
        (self.log, self.report) = (log, report)
        keptAt = SystemClock.now()
    }

    package func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
        await finish()
    }

    /// Keeps what is known, for the next start of the machine.
    func finish() async { await keepMemory(always: true) }

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
        await keepMemory()
        let time = watch.now()
        guard time.provenance >= .rtc, time.possible.count == 1, keptAt.duration(to: now) >= Self.keeping else {
            return
        }
        keptAt = now
        // As given: what is believed here takes the place of what a late record may have raised.
        try? await store.saveClock(WallTime(utc: time.utc, provenance: .given))
    }

    /// A program that begins anew, as after a crash, must not take a date for confirmed that was in doubt. After a start of the machine
    /// it must know the last one that was confirmed: that is kept when the service ends, and else not longer than ``keeping`` ago.
    private func keepMemory(always: Bool = false) async {
        guard let memory = watch.memory else { return }
        var same = memory
        // Both change with each look.
        (same.at, same.highest) = (kept?.at ?? memory.at, kept?.highest)
        if !always, same == kept, same.at.duration(to: memory.at) < Self.keeping { return }
        let bytes = KeptDate.bytes(memory, boot: boot)
        guard (try? await store.saveSetting(KeptDate.setting, bytes)) != nil else { return }
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
        // The file stays until the disk has taken the date, and has forgotten the one that was confirmed before; it counts already.
        guard (try? await store.saveSetting(KeptDate.setting, [])) != nil,
            (try? await store.saveClock(WallTime(utc: word.date.utc, provenance: .given))) != nil
        else { return }
        kept = nil
        if acceptance.pending() == word { acceptance.remove() }
        accepted = nil
    }
}
