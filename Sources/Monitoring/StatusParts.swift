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

/// The sources of those members of the status report that are not about the kiosk. They return no claims and no keys,
/// and need little time.
package struct StatusParts: Sendable {
    let store: Store
    let verifiers: CurrentVerifier
    let date: TimedClockReader
    /// Returns the state of each destination.
    let agents: @Sendable () async -> [StatusReport.Destination]
    let expiry: ExpiryService
    /// Names the hosts for fetching, and the paths of trust data and rules.
    let configuration: Configuration
    let log: LogSink

    /// Creates the sources. `agents` returns the state of each destination.
    package init(
        store: Store, verifiers: CurrentVerifier, date: TimedClockReader,
        agents: @escaping @Sendable () async -> [StatusReport.Destination],
        expiry: ExpiryService, configuration: Configuration, log: LogSink
    ) {
        (self.store, self.verifiers, self.date, self.agents) = (store, verifiers, date, agents)
        (self.expiry, self.configuration, self.log) = (expiry, configuration, log)
    }

    /// The sources of all members.
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

    /// Returns the status of the trust data in force and of the rules. `utc` is the present date, from which ages are
    /// computed.
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
        // The oldest date of all documents and status lists, which become too old first.
        trust.oldest =
            (store.documentIDs.compactMap(store.confirmed) + store.statusListURLs.compactMap(store.listFetched)).min()
        // The oldest date of the documents and status lists that the service fetches.
        trust.refreshed =
            store.refreshed(from: fetchedFrom).compactMap { resource in
                resource.kind == .document ? store.confirmed(resource.id) : store.listFetched(resource.id)
            }.min()
        trust.soonestExpiry = store.firstEnd
        return trust
    }
}
