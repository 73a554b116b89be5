import Administration
package import Clocks
import Courier
package import Encoding
import Features
package import GateService
import Kiosk
import LinuxIO
import Logging
import Reasons
import ServiceLifecycle
package import Settings
import Store
import UnixSignals

/// `gatehouse run`: all services, started in order and ended in the reverse order.
package enum ApplianceService {
    /// How long an end in order may take. Records that are not written by then are reported as lost.
    static let stopLimit: Duration = .milliseconds(1800)

    /// Runs until SIGTERM, SIGINT, SIGHUP or SIGQUIT, or until another ledger must begin
    /// (``RenewalService``). When it returns, every line is released, the radio closed and every record
    /// written. Other signals that would end a process are ignored. `made`: the day on which this version was
    /// built. All parts use `clock` and `spawner`. `observe` gets every turn of the kiosk.
    package static func run(
        _ configuration: Configuration, version: String, made: Timestamp, environment: [String: String],
        clock: Clock, spawner: Spawner, observe: Gatekeeper.TurnObserver? = nil
    ) async throws {
        ProcessEnd.ignoreStraySignals()
        Heap.returnFreedMemory()
        guard
            let parts = try await Composition.make(
                configuration, version: version, made: made, environment: environment, clock: clock, spawner: spawner,
                observe: observe)
        else { return }
        // The library's own messages are of no use to an operator.
        let quiet = Logger(label: "lifecycle", factory: { _ in SwiftLogNoOpLogHandler() })
        let services = services(parts)
        var group = ServiceGroupConfiguration(
            services: services.map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, gracefulShutdownSignals: [.sigterm, .sigint, .sighup, .sigquit], logger: quiet)
        group.maximumGracefulShutdownDuration = stopLimit
        try await ServiceGroup(configuration: group).run()
        _ = parts.panel?.end(within: .milliseconds(200))
        _ = parts.doorLines?.end(within: .milliseconds(200))
        await parts.store.close()
        await WitnessService.logHead(parts.store, parts.log)
        let shortfall = parts.keeper.shortfall
        parts.crashes.end()
        if shortfall == .none {
            parts.log.log(.info, "ended")
        } else {
            parts.log.log(.error, "ended", ["unwritten": .int(shortfall.reserved), "lost": .int(shortfall.lost)])
        }
        _ = parts.listeners.flush(within: .milliseconds(200))
        _ = parts.log.flush(within: .milliseconds(200))
        if shortfall != .none { throw failure(shortfall, configuration) }
    }

    /// Returns all services in the order in which they start.
    private static func services(_ parts: Composition) -> [any Service] {
        let gate = RunningGate(gatekeeper: parts.gatekeeper, clock: parts.time)
        var services: [any Service] = [
            RecordService(keeper: parts.keeper), parts.aside(parts.agents), parts.aside(parts.trust), parts.policy,
            parts.clock, parts.dating, parts.expiry, parts.door, parts.renewal, parts.restart,
        ]
        services += parts.features.flatMap { $0.services(of: gate) }
        services += [
            HousekeepingService(parts), parts.witness, WatchdogService(parts: parts), parts.counters,
            parts.aside(parts.control),
        ]
        services += parts.features.flatMap { $0.detachedServices(of: parts.observed) }.map(parts.aside)
        return services + [LineService(panel: parts.panel, clock: parts.time), GatekeeperService(parts: parts)]
    }

    private static func failure(
        _ shortfall: LedgerKeeper.Shortfall, _ configuration: Configuration
    ) -> ServiceFailure {
        let unwritten =
            "the ledger did not accept \(shortfall.reserved) records; they are stored in "
            + "\(configuration.ledger.reserve)"
        let lost = "\(shortfall.lost) visits have no record: neither the ledger nor the reserve accepted it"
        return ServiceFailure(
            [shortfall.reserved > 0 ? unwritten : nil, shortfall.lost > 0 ? lost : nil].compactMap { $0 }
                .joined(separator: "; "),
            remedy: "check the disk (free space, dmesg) and restart the service, which writes the stored records")
    }
}

/// Writes records until all services that make records have ended.
private struct RecordService: Service {
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
private struct LineService: Service {
    let panel: ReconnectingPanel?
    let clock: Clock

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(every: .seconds(5), by: clock).run { _ in panel?.takeLines() }
        }
    }
}

/// Runs the gate.
private struct GatekeeperService: Service {
    let parts: Composition

    func run() async throws {
        Heap.keepFreedMemory()
        await withGracefulShutdownHandler {
            await parts.gatekeeper.run()
        } onGracefulShutdown: {
            parts.manager.stopping()
            // A disk or a reader that hangs must not keep the process alive, and with it the radio and the
            // lines.
            ProcessEnd.force(1, after: ApplianceService.stopLimit) {
                [panel = parts.panel, log = parts.log, keeper = parts.keeper, crashes = parts.crashes] in
                _ = panel?.end(within: .milliseconds(50))
                let shortfall = keeper.shortfall
                crashes.end()
                log.log(
                    .error, "end.forced",
                    [
                        "unwritten": .int(shortfall.reserved), "lost": .int(shortfall.lost + shortfall.inMemory),
                        "remedy": .text("check the part that hung: disk, log, display"),
                    ])
                _ = log.flush(within: .milliseconds(50))
            }
            parts.spawner.start("the end of the gatekeeper") { await parts.gatekeeper.stop() }
        }
    }
}

/// Tidies the database every ten minutes, a little at a time. A failure to tidy is not reported, because the
/// next record that cannot be written reports the same cause.
private struct HousekeepingService: Service {
    private let parts: Composition

    init(_ parts: Composition) { self.parts = parts }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(every: .seconds(600), by: parts.time).run { _ in await tidy(parts.store) }
        }
    }

    private func tidy(_ store: Store) async {
        try? await store.housekeep(at: parts.wallTime())
        let (lost, openings) = (await store.lostReports, await store.lostOpenings)
        if lost > 0 {
            let detail = openings > 0 ? "\(openings) of them of visits for which the gate opened" : nil
            parts.report(.present(.reportsDropped, count: lost, detail: detail))
        }
        if let isFilled = try? await store.isFilledWithUnconfirmed() {
            parts.report(isFilled ? .present(.ledgerFilled) : .over(.ledgerFilled))
        }
    }
}

/// Sends the watchdog notification to systemd, but only while all parts that a visit needs respond: the
/// radio's thread, a verification, and the ledger writer. Without systemd the service still probes the parts,
/// for the status report.
private struct WatchdogService: Service {
    let parts: Composition

    func run() async throws {
        let interval = parts.manager.watchdogInterval ?? .seconds(15)
        await cancelWhenGracefulShutdown {
            await Periodic(every: interval, by: parts.time).run { _ in
                // A part that does not answer keeps this call waiting, so systemd gets no notification.
                if await parts.lifeSigns.wait() { parts.manager.alive() }
            }
        }
    }
}
