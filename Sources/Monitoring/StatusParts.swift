import Credentials
import Encoding
package import GateService
import Kiosk
import Ledger
package import LinuxIO
package import Observation
package import Settings
package import Store
import TrustFiles

/// The status of the parts other than the kiosk. It holds no claims and no keys, and is cheap to read.
package struct StatusParts: Sendable {
    let store: Store
    let verifiers: CurrentVerifier
    let date: TimedClockReader
    /// Returns the state of the agents' destinations.
    let agents: @Sendable () async -> [StatusReport.Destination]
    let expiry: ExpiryService
    /// The source of the hosts that are listed for fetching, and of the paths of trust data and rules.
    let configuration: Configuration
    let log: LogSink

    /// Creates the status of these parts. `agents` returns the state of the agents' destinations.
    package init(
        store: Store, verifiers: CurrentVerifier, date: TimedClockReader,
        agents: @escaping @Sendable () async -> [StatusReport.Destination],
        expiry: ExpiryService, configuration: Configuration, log: LogSink
    ) {
        (self.store, self.verifiers, self.date, self.agents) = (store, verifiers, date, agents)
        (self.expiry, self.configuration, self.log) = (expiry, configuration, log)
    }

    /// All parts.
    package var all: [StatusPart] {
        [
            StatusPart(\.ledger, ledger), StatusPart(\.disk, disk), StatusPart(\.clock, clock),
            StatusPart(\.trust, trust), StatusPart(\.agents, agents), StatusPart(\.expiry) { expiry.status },
            StatusPart(\.log, dropped),
        ]
    }

    @Sendable private func ledger() async -> StatusReport.Ledger {
        let head = await store.head
        var ledger = StatusReport.Ledger()
        (ledger.id, ledger.entries) = (head.ledger, head.point.count)
        (ledger.visits, ledger.open) = (head.point.nextSeq - 1, head.open.count)
        ledger.lostReports = await store.lostReports
        return ledger
    }

    @Sendable private func disk() async -> StatusReport.Disk? {
        guard let room = try? await store.room() else { return nil }
        var disk = StatusReport.Disk()
        (disk.ledger, disk.free, disk.total) = (room.ledger, room.free, room.total)
        return disk
    }

    @Sendable private func clock() async -> StatusReport.Clock {
        let time = await date.now()
        var clock = StatusReport.Clock()
        (clock.utc, clock.source) = (Timestamp(seconds: time.utc.seconds), time.provenance)
        clock.unsynchronised = time.unsynchronised.map { Int(clamping: $0.components.seconds) }
        return clock
    }

    @Sendable private func dropped() async -> StatusReport.Log {
        var part = StatusReport.Log()
        part.dropped = log.dropped
        return part
    }

    @Sendable private func trust() async -> StatusReport.Trust {
        let (verifier, section) = (verifiers.current, configuration.trust)
        let rules = RulesInForce(verifier, configuration)
        return Self.trust(verifier, rules: rules, fetchedFrom: section.fetchedFrom, at: await date.now().utc)
    }

    /// Returns the status of the trust data in force, with its age at the current date, and the status of the
    /// rules.
    static func trust(
        _ verifier: Verifier, rules: RulesInForce, fetchedFrom: Set<Text>?, at utc: Timestamp
    ) -> StatusReport.Trust {
        let store = verifier.trust
        var trust = StatusReport.Trust()
        (trust.version, trust.issuers) = (Text(store.version), store.listedIssuers.count)
        if let edition = store.edition {
            (trust.issued, trust.validUntil, trust.age) = (edition.issued, edition.validUntil, edition.age(at: utc))
        }
        (trust.policy, trust.policySource) = (rules.rules.map { Text($0.name) }, Text(rules.source.word))
        (trust.policyFile, trust.policyOrigin) = (rules.source.path.map { Text($0) }, rules.origin)
        trust.profile = verifier.profile
        // The oldest date of all fetched or copied data: the time at which the data becomes stale depends on
        // it.
        trust.oldest =
            (store.documentIDs.compactMap(store.confirmed) + store.statusListURLs.compactMap(store.listFetched)).min()
        // Find the oldest date of the data that the refresher updates. The refresher does not update other data.
        trust.refreshed =
            store.refreshed(from: fetchedFrom).compactMap { resource in
                resource.kind == .document ? store.confirmed(resource.id) : store.listFetched(resource.id)
            }.min()
        trust.soonestExpiry = store.firstEnd
        return trust
    }
}
