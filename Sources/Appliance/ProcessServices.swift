import Clocks
import Courier
import Encoding
import GateService
import Kiosk
import LinuxIO
import Reasons
import ServiceLifecycle
import Store

/// Writes records until all services that make records have ended.
struct RecordService: Service {
    let keeper: LedgerKeeper

    func run() async throws {
        await withGracefulShutdownHandler {
            await keeper.run()
        } onGracefulShutdown: {
            keeper.finish()
        }
    }
}

/// Requests the lines of lamps and relay, again every 5 s while their chip is missing.
struct LineService: Service {
    let panel: ReconnectingPanel?
    let clock: Clock

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(every: .seconds(5), by: clock).run { _ in panel?.takeLines() }
        }
    }
}

/// Runs the gate.
struct GatekeeperService: Service {
    let parts: Composition

    func run() async throws {
        Heap.keepFreedMemory()
        await withGracefulShutdownHandler {
            await parts.gate.gatekeeper.run()
        } onGracefulShutdown: {
            parts.base.manager.stopping()
            // A disk or a reader that hangs must not keep the process alive, and with it the radio and the
            // lines.
            ProcessEnd.force(1, after: ApplianceService.stopLimit) {
                [base = parts.base, keeper = parts.gate.keeper] in
                _ = base.panel?.end(within: .milliseconds(50))
                let shortfall = keeper.shortfall
                base.crashes.end()
                base.log.log(
                    .error, "end.forced",
                    [
                        "unwritten": .int(shortfall.reserved), "lost": .int(shortfall.lost + shortfall.inMemory),
                        "remedy": .text("check the part that hung: disk, log, display"),
                    ])
                _ = base.log.flush(within: .milliseconds(50))
            }
            parts.base.spawner.start("the end of the gatekeeper") { await parts.gate.gatekeeper.stop() }
        }
    }
}

/// Tidies the database every ten minutes, a little at a time. A failure to tidy is not reported, because the
/// next record that cannot be written reports the same cause.
struct HousekeepingService: Service {
    let parts: Composition

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(every: .seconds(600), by: parts.base.clock).run { _ in await tidy(parts.records.store) }
        }
    }

    private func tidy(_ store: Store) async {
        try? await store.housekeep(at: parts.records.wallTime())
        let (lost, openings) = (await store.lostReports, await store.lostOpenings)
        if lost > 0 {
            let detail = openings > 0 ? "\(openings) of them of visits for which the gate opened" : nil
            parts.base.report(.present(.reportsDropped, count: lost, detail: detail))
        }
        if let isFilled = try? await store.isFilledWithUnconfirmed() {
            parts.base.report(isFilled ? .present(.ledgerFilled) : .over(.ledgerFilled))
        }
    }
}

/// Sends the watchdog notification to systemd, but only while all parts that a visit needs respond: the
/// radio's thread, a verification, and the ledger writer. Without systemd the service still probes the parts,
/// for the status report.
struct WatchdogService: Service {
    let base: Composition.Base
    let probes: LivenessProbes

    func run() async throws {
        let interval = base.manager.watchdogInterval ?? .seconds(15)
        await cancelWhenGracefulShutdown {
            await Periodic(every: interval, by: base.clock).run { _ in
                // A part that does not answer keeps this call waiting, so systemd gets no notification.
                if await probes.wait() { base.manager.alive() }
            }
        }
    }
}
