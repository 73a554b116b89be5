import Credentials
package import Encoding
package import GateService
import Kiosk
import Ledger
package import LinuxIO
package import Settings
package import Store
import TrustFiles

/// The status of the parts other than the kiosk. It holds no claims and no keys, and is cheap to read.
package struct StatusParts: Sendable {
    let store: Store
    let verifiers: VerifierInForce
    let date: PatientDate
    /// Returns the state of the agents' destinations.
    let agents: @Sendable () async -> JSON
    let sticker: Sticker?
    let expiry: ExpiryService
    /// Gives the hosts that are listed for fetching, and the places of trust data and rules.
    let configuration: Configuration
    let log: LogSink

    /// Creates the status of these parts. `agents` returns the state of the agents' destinations.
    package init(
        store: Store, verifiers: VerifierInForce, date: PatientDate, agents: @escaping @Sendable () async -> JSON,
        sticker: Sticker?, expiry: ExpiryService, configuration: Configuration, log: LogSink
    ) {
        (self.store, self.verifiers, self.date, self.agents) = (store, verifiers, date, agents)
        (self.sticker, self.expiry, self.configuration, self.log) = (sticker, expiry, configuration, log)
    }

    /// All parts by name.
    package var all: [(name: Text, tell: @Sendable () async -> JSON)] {
        [
            ("ledger", ledger), ("disk", disk), ("clock", clock), ("trust", trust),
            ("agent", agents), ("expiry", { expiry.status }),
            ("sticker", { sticker?.status ?? .null }), ("log", { ["dropped": .int(log.dropped)] }),
        ]
    }

    @Sendable private func ledger() async -> JSON {
        let head = await store.head
        return [
            "id": .string(head.ledger), "entries": .int(head.point.count), "visits": .int(head.point.nextSeq - 1),
            "open": .int(head.open.count), "lostReports": .int(await store.lostReports),
        ]
    }

    @Sendable private func disk() async -> JSON {
        guard let room = try? await store.room() else { return .null }
        return [
            "ledgerBytes": .int(room.ledger), "freeBytes": .int(room.free), "totalBytes": .int(room.total),
        ]
    }

    @Sendable private func clock() async -> JSON {
        let time = await date.now()
        var clock: JSONObject = [
            "utc": .text(Timestamp(seconds: time.utc.seconds).rfc3339), "source": .text(time.provenance.rawValue),
        ]
        if let unsynchronised = time.unsynchronised {
            _ = clock.appendIfNew(
                .init("unsynchronisedSeconds", .int(Int(clamping: unsynchronised.components.seconds))))
        }
        return .object(clock)
    }

    @Sendable private func trust() async -> JSON {
        let (verifier, section) = (verifiers.current, configuration.trust)
        let rules = RulesInForce(verifier, configuration)
        return Self.trust(verifier, rules: rules, fetchedFrom: section.fetchedFrom, at: await date.now().utc)
    }

    /// Returns the status of the trust data in force, with its age at the current date, and the status of the
    /// rules.
    static func trust(_ verifier: Verifier, rules: RulesInForce, fetchedFrom: Set<Text>?, at utc: Timestamp) -> JSON {
        let store = verifier.trust
        var trust: JSONObject = ["version": .text(store.version), "issuers": .int(store.listedIssuers.count)]
        if let edition = store.edition {
            _ = trust.appendIfNew(.init("issued", .text(edition.issued.rfc3339)))
            _ = trust.appendIfNew(.init("validUntil", .text(edition.validUntil.rfc3339)))
            let age = edition.age(at: utc)
            let name = age == .fresh ? "fresh" : age == .overdue ? "overdue" : "stale"
            _ = trust.appendIfNew(.init("age", .text(name)))
        }
        for member in rules.members { _ = trust.appendIfNew(member) }
        _ = trust.appendIfNew(.init("profile", .text(verifier.profile.rawValue)))
        // The oldest date of all fetched or copied data: the time at which the data becomes stale depends on
        // it.
        let confirmed =
            store.documentIDs.compactMap(store.confirmed) + store.statusListURLs.compactMap(store.listFetched)
        if let oldest = confirmed.min() { _ = trust.appendIfNew(.init("oldest", .text(oldest.rfc3339))) }
        // Find the oldest date of the data that the refresher updates. It does not update the rest.
        let fetched = store.refreshed(from: fetchedFrom).compactMap { resource in
            resource.kind == .document ? store.confirmed(resource.id) : store.listFetched(resource.id)
        }
        if let oldest = fetched.min() { _ = trust.appendIfNew(.init("refreshed", .text(oldest.rfc3339))) }
        if let end = store.firstEnd {
            _ = trust.appendIfNew(.init("soonestExpiry", .text(end.rfc3339)))
        }
        return .object(trust)
    }
}
