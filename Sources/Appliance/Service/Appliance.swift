import Encoding
import LinuxIO
import Logging
import ServiceLifecycle
import Store
import UnixSignals

/// `gatehouse run`: everything that lives as long as the service does, started in order and ended in the reverse one.
package enum ApplianceService {
    /// Runs until SIGTERM or SIGINT; every line is released, the radio closed and every record written when it returns.
    package static func run(_ configuration: Configuration, version: String, environment: [String: String]) async throws
    {
        let parts = try await Composition.make(configuration, version: version, environment: environment)
        // The library's own messages have nothing to tell an operator; what matters is in our log.
        let quiet = Logger(label: "lifecycle", factory: { _ in SwiftLogNoOpLogHandler() })
        let services: [any Service] = [
            RecordService(keeper: parts.keeper), parts.agents, parts.trust, parts.policy,
            UpkeepService(parts: parts), HousekeepingService(store: parts.store), GateService(parts: parts),
        ]
        var group = ServiceGroupConfiguration(
            services: services.map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        group.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: group).run()
        parts.lines?.release()
        await parts.store.close()
        let shortfall = parts.keeper.shortfall
        guard shortfall != .none else { return parts.log.log(.info, "ended") }
        parts.log.log(.error, "ended", ["unwritten": .int(shortfall.reserved), "lost": .int(shortfall.lost)])
        throw failure(shortfall, configuration)
    }

    private static func failure(
        _ shortfall: LedgerKeeper.Shortfall, _ configuration: Configuration
    ) -> ServiceFailure {
        let unwritten =
            "the ledger did not take \(shortfall.reserved) records; they wait in \(configuration.ledger.reserve)"
        let lost = "\(shortfall.lost) visits have no record: neither the ledger nor the reserve took it"
        return ServiceFailure(
            [shortfall.reserved > 0 ? unwritten : nil, shortfall.lost > 0 ? lost : nil].compactMap { $0 }
                .joined(separator: "; "),
            remedy: "look at the disk (free space, dmesg) and start the service again, which writes what waits")
    }
}

/// Writes records until everybody who makes some has ended.
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

/// The gate itself.
private struct GateService: Service {
    let parts: Composition

    func run() async throws {
        await withGracefulShutdownHandler {
            await parts.gatekeeper.run()
        } onGracefulShutdown: {
            parts.manager.stopping()
            Task { await parts.gatekeeper.stop() }
        }
    }
}

/// A sign of life for systemd.
private struct UpkeepService: Service {
    let parts: Composition

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let interval = parts.manager.watchdogInterval ?? .seconds(60)
            while !Task.isCancelled {
                // Only a radio thread that still takes turns may feed the watchdog.
                await parts.gatekeeper.breathe()
                parts.manager.alive()
                try? await Task.sleep(for: interval)
            }
        }
    }
}

/// Tidies the database every ten minutes, a little at a time. A failure is told by the records that fail next.
private struct HousekeepingService: Service {
    let store: Store

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await store.housekeep(at: SystemClock.wallTime(saved: store.savedClock))
                try? await Task.sleep(for: .seconds(600))
            }
        }
    }
}
