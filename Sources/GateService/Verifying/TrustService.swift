package import Clocks
package import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Reasons
import ServiceLifecycle
package import Settings
package import TrustFiles

/// Keeps the trust data in force up to date with the files on the disk, and these files up to date with the data on
/// the issuers' servers. This also works during visits: a verification in progress keeps its trust data, and the next
/// one uses the new trust data.
package actor TrustService: ServiceLifecycle.Service {
    /// The times of the service.
    package struct Options: Sendable {
        /// The time between two checks of the files.
        package var pause = Duration.seconds(5)
        /// The time after which unchanged files that could not be used are read again. They may be usable then,
        /// because the cause can lie outside the files.
        package var retry = Duration.seconds(60)
        /// The settings of the plan for fetching data from the servers; nil: the service fetches nothing.
        package var plan: RefreshPlan.Settings?

        /// Creates the documented default settings: no refresh.
        package init() {}
    }

    private let settings: Options
    private let state: TrustState
    private let refresher: any TrustRefreshing
    private let verifiers: CurrentVerifier
    /// Returns the policy that follows from the rules of the trust data; the argument is nil if the trust data
    /// contain no rules. The property is nil if the gate's rules do not come from the trust data.
    private let policy: (@Sendable (GatePolicy?) -> VerificationPolicy)?
    private let clock: Clock
    private let wallTime: @Sendable () -> WallTime
    private let log: LogSink
    private let report: HealthReporter
    private var plan: RefreshPlan
    /// The digests of the files when they were last read (`inForce`), and at the last check (`seen`).
    private var inForce: [UInt8]
    private var seen: [UInt8]
    /// The instant at which to read the files again even if they are unchanged; nil: the last reading had no fault.
    private var retryAt: Instant?

    /// Creates a service. `beginning` is the result of ``TrustState/begin(_:)``, whose trust data are already in
    /// force. With `policy`, the rules in `policy.toml` of the trust data are put in force together with the trust
    /// data. `report` receives the faults of the files.
    package init(
        settings: Options, state: TrustState, beginning: TrustReading? = nil, refresher: any TrustRefreshing,
        verifiers: CurrentVerifier, policy: (@Sendable (GatePolicy?) -> VerificationPolicy)? = nil,
        clock: Clock, wallTime: @escaping @Sendable () -> WallTime, log: LogSink, report: @escaping HealthReporter
    ) {
        self.clock = clock
        (self.settings, self.state, self.refresher, self.report) = (settings, state, refresher, report)
        (self.verifiers, self.policy, self.wallTime, self.log) = (verifiers, policy, wallTime, log)
        plan = RefreshPlan(settings.plan ?? .init())
        inForce = state.stamp()
        seen = inForce
        if let beginning {
            if beginning.fault != nil { retryAt = .zero }
            Self.remember(beginning, in: state, log)
        }
    }

    package func run() async {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async {
        replan()
        await Periodic(every: settings.pause, by: clock).run { await turn(at: $0) }
    }

    /// Reads the files if they have changed, and fetches the data that are due.
    package func turn(at now: Instant) async {
        let stamp = state.stamp()
        // If two checks found the same digest, no program is in the middle of copying files.
        if stamp == seen, stamp != inForce || retryAt.map({ now >= $0 }) ?? false { reload(stamp, at: now) }
        seen = stamp
        guard settings.plan != nil else { return }
        let due = plan.due(at: now)
        if due.isEmpty { return }
        let copies = Dictionary(state.copies().map { ($0.resource, $0) }, uniquingKeysWith: { $1 })
        for resource in due where !Task.isCancelled {
            await refresh(resource, copies[resource])
        }
        // Put fetched data in force at once, because the next data that are due may need them for their verification.
        let fetched = state.stamp()
        if fetched != inForce { reload(fetched, at: now) }
        seen = fetched
    }

    private func refresh(_ resource: RefreshResource, _ copy: RefreshedCopy?) async {
        let outcome = await refresher.refresh(resource, by: verifiers.current, copy: copy, at: wallTime())
        let (now, chance) = (clock.now(), Double.random(in: 0..<1))
        let name = JSON.string(resource.id)
        switch outcome {
        case .changed, .unchanged:
            plan.succeeded(resource, at: now, random: chance)
            if case .changed = outcome { log.log(.info, "trust.refreshed", ["resource": name]) }
        case .failed(let failure):
            plan.failed(resource, at: now, random: chance)
            log.log(.warning, "trust.refresh-failed", ["resource": name, "reason": .text("\(failure)")])
        }
    }

    private func reload(_ stamp: [UInt8], at now: Instant) {
        inForce = stamp
        do {
            let reading = try state.read()
            retryAt = reading.fault == nil ? nil : now.advanced(by: settings.retry)
            let store = reading.directory.store
            let (old, before) = (verifiers.current.trust.version, verifiers.current.policy.rules?.digest)
            if let policy {
                let inForce = RulesInForce(file: nil, over: reading.directory)
                verifiers.replace(trust: store, policy: policy(inForce.rules))
                if inForce.rules?.digest != before { PolicyService.log(inForce, by: store, log) }
            } else {
                verifiers.replace(trust: store)
            }
            replan()
            report(.over(.trustBundle))
            if store.version != old {
                log.log(.info, "trust.changed", ["from": .text(old), "to": .text(store.version)])
            }
            reading.tell(report)
            Self.remember(reading, in: state, log)
        } catch {
            // Keep the trust data in force: a mistake in one file must not shut the gate for holders of other
            // issuers' credentials.
            retryAt = now.advanced(by: settings.retry)
            report(.present(.trustUnusable, detail: error.summary))
        }
    }

    private static func remember(_ reading: TrustReading, in state: TrustState, _ log: LogSink) {
        do {
            try state.remember(reading)
        } catch {
            // Use the bundle although its copy could not be stored. The copy is needed only if a later start finds a
            // damaged bundle.
            log.log(.warning, "trust.not-kept", ["reason": .text("\(error)")])
        }
    }

    private func replan() {
        guard settings.plan != nil else { return }
        let date = wallTime().utc
        let ages = state.copies().map { ($0.resource, Duration.seconds(max(0, date.seconds - $0.confirmed.seconds))) }
        plan.keep(
            verifiers.current.trust.refreshResources, ages: Dictionary(ages, uniquingKeysWith: { $1 }),
            at: clock.now(), random: { Double.random(in: 0..<1) })
    }
}

extension TrustService {
    /// Creates the service from the section `trust` of the configuration.
    package static func make(
        _ section: TrustSection, beginning: TrustReading, refresher: any TrustRefreshing, verifiers: CurrentVerifier,
        policy: (@Sendable (GatePolicy?) -> VerificationPolicy)?, clock: Clock,
        wallTime: @escaping @Sendable () -> WallTime, log: LogSink, report: @escaping HealthReporter
    ) -> TrustService {
        var settings = Options()
        if section.refresh {
            var plan = RefreshPlan.Settings()
            plan.interval = section.refreshInterval
            settings.plan = plan
        }
        return TrustService(
            settings: settings, state: TrustState(section), beginning: beginning, refresher: refresher,
            verifiers: verifiers, policy: policy, clock: clock, wallTime: wallTime, log: log, report: report)
    }
}
