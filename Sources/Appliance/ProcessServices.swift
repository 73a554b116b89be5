import Clocks
import Courier
import Encoding
import GateService
import Kiosk
import LinuxIO
import Reasons
import ServiceLifecycle
import Store

/// Runs the keeper of the records until all services that make records have ended.
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

/// Requests the GPIO lines of the lamps and the relay. While their chip is missing, tries again every 5 s.
struct LineService: Service {
    let panel: ReconnectingPanel?
    let clock: Clock

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(every: .seconds(5), by: clock).run { _ in panel?.takeLines() }
        }
    }
}

/// Runs the gatekeeper, which serves the visits and drives the lamps and the relay.
struct GatekeeperService: Service {
    let parts: Composition

    func run() async throws {
        Heap.keepFreedMemory()
        await withGracefulShutdownHandler {
            await parts.gate.gatekeeper.run()
        } onGracefulShutdown: {
            parts.base.manager.stopping()
            // If a disk or a reader blocks, end the process by force, so that it does not keep the radio and the
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

/// Calls the housekeeping of the database every ten minutes, which removes a few entries at a time. Its failure is
/// not reported, because the next record that cannot be written reports the same cause.
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

/// Sends the watchdog notification to systemd, but only while all parts that a visit needs respond: the radio's
/// thread, a verification, and the keeper of the records. Without systemd the service still probes the parts, for the
/// status report.
struct WatchdogService: Service {
    let base: Composition.Base
    let probes: LivenessProbes

    func run() async throws {
        let interval = base.manager.watchdogInterval ?? .seconds(15)
        await cancelWhenGracefulShutdown {
            await Periodic(every: interval, by: base.clock).run { _ in
                // This call waits for a part that does not respond, so systemd then gets no notification.
                if await probes.wait() { base.manager.alive() }
            }
        }
    }
}
