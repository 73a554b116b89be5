import Administration
package import Clocks
import Courier
package import Encoding
package import GateService
import LinuxIO
import Logging
import ServiceLifecycle
package import Settings
import Store
import UnixSignals

/// `gatehouse run`: starts all services in order, and ends them in the reverse order.
package enum ApplianceService {
    /// The time limit for an end in order. Records that are not written by then are reported as lost.
    static let stopLimit: Duration = .milliseconds(1800)

    /// Runs until SIGTERM, SIGINT, SIGHUP or SIGQUIT arrives, or until another ledger must begin
    /// (``RenewalService``). Other signals that would end a process are ignored. When the function returns, every
    /// line is released, the radio is closed and every record is written. `made`: the date on which this version was
    /// built. All parts use `clock` and `spawner`. `observe` receives each turn of the kiosk.
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
        // Do not log the library's own messages, because they are of no use to an operator.
        let quiet = Logger(label: "lifecycle", factory: { _ in SwiftLogNoOpLogHandler() })
        var group = ServiceGroupConfiguration(
            services: parts.services.map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, gracefulShutdownSignals: [.sigterm, .sigint, .sighup, .sigquit], logger: quiet)
        group.maximumGracefulShutdownDuration = stopLimit
        try await ServiceGroup(configuration: group).run()
        _ = parts.base.panel?.end(within: .milliseconds(200))
        _ = parts.door.lines?.end(within: .milliseconds(200))
        await parts.records.store.close()
        await WitnessService.logHead(parts.records.store, parts.base.log)
        await parts.gate.agents.close()
        let shortfall = parts.gate.keeper.shortfall
        parts.base.crashes.end()
        if shortfall == .none {
            parts.base.log.log(.info, "ended")
        } else {
            parts.base.log.log(.error, "ended", ["unwritten": .int(shortfall.reserved), "lost": .int(shortfall.lost)])
        }
        _ = parts.gate.listeners.flush(within: .milliseconds(200))
        _ = parts.base.log.flush(within: .milliseconds(200))
        if shortfall != .none { throw failure(shortfall, configuration) }
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
