import Credentials
import Encoding
import Kiosk
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
            UpkeepService(parts: parts), LineService(parts: parts), GateService(parts: parts),
        ]
        var group = ServiceGroupConfiguration(
            services: services.map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        group.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: group).run()
        parts.lines?.release()
        await parts.store.close()
        parts.log.log(.info, "ended")
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

/// Takes lamps and relay when their chip comes.
private struct LineService: Service {
    let parts: Composition

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(5))
                guard let lines = parts.lines, !lines.hasLines else { continue }
                do throws(GPIOError) {
                    try lines.takeLines()
                    parts.report(.over(.gpioFailed))
                } catch {
                    parts.report(.present(.gpioFailed, detail: "\(error). \(error.remedy)"))
                }
            }
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

/// What has to be done now and then: a sign of life for systemd, and tidying the database.
private struct UpkeepService: Service {
    let parts: Composition

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let interval = parts.manager.watchdogInterval ?? .seconds(60)
            var untilHousekeeping = Duration.zero
            while !Task.isCancelled {
                // Only a radio thread that still takes turns may feed the watchdog.
                await parts.gatekeeper.breathe()
                parts.manager.alive()
                if untilHousekeeping <= .zero {
                    untilHousekeeping = .seconds(3600)
                    try? await parts.store.housekeep(now: SystemClock.utc())
                }
                untilHousekeeping -= interval
                try? await Task.sleep(for: interval)
            }
        }
    }
}
