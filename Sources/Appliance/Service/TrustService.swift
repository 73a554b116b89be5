package import Credentials
package import Encoding
package import HTTPTransport
package import Kiosk
package import LinuxIO
import ServiceLifecycle

/// Keeps the trust data in force as new as what is on the disk, and what is on the disk as new as the issuers' servers, while
/// visits go on: a visit under way keeps what it began with, the next one gets the new.
package actor TrustService: ServiceLifecycle.Service {
    /// Times.
    package struct Settings: Sendable {
        /// How often the files are looked at.
        package var pause = Duration.seconds(5)
        /// How often unchanged files that could not be used are tried again: what was wrong may not show in them.
        package var retry = Duration.seconds(60)
        /// When what is fetched; nil: nothing is.
        package var plan: RefreshPlan.Settings?

        /// The documented defaults: no refresh.
        package init() {}
    }

    private let settings: Settings
    private let state: TrustState
    private let refresher: TrustRefresher
    private let verifiers: VerifierInForce
    /// The policy over rules that came with the trust data, or without any; nil where the rules come from elsewhere.
    private let policy: (@Sendable (GatePolicy?) -> VerificationPolicy)?
    private let wallTime: @Sendable () -> WallTime
    private let log: LogSink
    private let report: HealthReporter
    private var plan: RefreshPlan
    /// The files as they were when they were last read, and when they were last looked at.
    private var inForce: [UInt8]
    private var seen: [UInt8]
    /// When to read the files again although they have not changed; nil while all is well.
    private var retryAt: Instant?

    /// A service over trust data that are in force already: what ``TrustState/begin(_:)`` gave. With `policy`, the rules in
    /// `policy.toml` of the trust data are replaced together with them. `report` hears what is wrong with what is on the disk.
    package init(
        settings: Settings, state: TrustState, beginning: TrustReading? = nil, refresher: TrustRefresher,
        verifiers: VerifierInForce, policy: (@Sendable (GatePolicy?) -> VerificationPolicy)? = nil,
        wallTime: @escaping @Sendable () -> WallTime, log: LogSink, report: @escaping HealthReporter
    ) {
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
        while !Task.isCancelled {
            await turn(at: SystemClock.now())
            try? await Task.sleep(for: settings.pause)
        }
    }

    /// One look at the disk and at the plan.
    package func turn(at now: Instant) async {
        let stamp = state.stamp()
        // Twice the same: nobody is in the middle of copying files.
        if stamp == seen, stamp != inForce || retryAt.map({ now >= $0 }) ?? false { reload(stamp, at: now) }
        seen = stamp
        guard settings.plan != nil else { return }
        let due = plan.due(at: now)
        if due.isEmpty { return }
        let copies = Dictionary(state.copies().map { ($0.resource, $0) }, uniquingKeysWith: { $1 })
        for resource in due where !Task.isCancelled {
            await refresh(resource, copies[resource])
        }
        // What was fetched is taken over at once, so that the next due resource is judged by it.
        let fetched = state.stamp()
        if fetched != inForce { reload(fetched, at: now) }
        seen = fetched
    }

    private func refresh(_ resource: RefreshResource, _ copy: RefreshedCopy?) async {
        let outcome = await refresher.refresh(resource, by: verifiers.current, copy: copy, at: wallTime())
        let (now, chance) = (SystemClock.now(), Double.random(in: 0..<1))
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
            // What was in force stays: a slip in a file must not shut the gate for those it has nothing to do with.
            retryAt = now.advanced(by: settings.retry)
            report(.present(.trustUnusable, detail: error.summary))
        }
    }

    private static func remember(_ reading: TrustReading, in state: TrustState, _ log: LogSink) {
        do {
            try state.remember(reading)
        } catch {
            // The bundle serves all the same; only the day when it is spoilt would find nothing.
            log.log(.warning, "trust.not-kept", ["reason": .text("\(error)")])
        }
    }

    private func replan() {
        guard settings.plan != nil else { return }
        let date = wallTime().utc
        let ages = state.copies().map { ($0.resource, Duration.seconds(max(0, date.seconds - $0.confirmed.seconds))) }
        plan.keep(
            verifiers.current.trust.refreshResources, ages: Dictionary(ages, uniquingKeysWith: { $1 }),
            at: SystemClock.now(), random: { Double.random(in: 0..<1) })
    }
}

extension TrustService {
    /// The service that a configuration asks for.
    package static func make(
        _ section: TrustSection, beginning: TrustReading, verifiers: VerifierInForce,
        policy: (@Sendable (GatePolicy?) -> VerificationPolicy)?, wallTime: @escaping @Sendable () -> WallTime,
        contacts: (any ContactBook)? = nil, log: LogSink, report: @escaping HealthReporter
    ) -> TrustService {
        let state = TrustState(section)
        var settings = Settings()
        if section.refresh {
            var plan = RefreshPlan.Settings()
            plan.interval = section.refreshInterval
            settings.plan = plan
        }
        return TrustService(
            settings: settings, state: state, beginning: beginning,
            refresher: TrustRefresher(section, state: state, contacts: contacts), verifiers: verifiers, policy: policy,
            wallTime: wallTime,
            log: log, report: report)
    }
}

extension TrustRefresher {
    /// The refresher that a configuration asks for.
    package init(_ section: TrustSection, state: TrustState, contacts: (any ContactBook)? = nil) {
        var settings = ResourceFetcher.Settings()
        settings.contacts = contacts
        settings.allowsPrivateAddresses = section.allowPrivateHosts
        settings.trustRootsFile = section.rootsFile
        self.init(state: state, hosts: section.hosts, fetcher: ResourceFetcher(settings))
    }
}
