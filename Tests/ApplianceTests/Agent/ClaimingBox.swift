import Aries
import Clocks
import Courier
import Encoding
import Foundation
import Ledger
import Simulation
import Store
import TestKit
import Testing

/// A gate with a witness and two destinations, each an agent that keeps ledgers or one that only receives
/// messages.
final class ClaimingBox: Sendable {
    /// The destination of a delivery.
    struct Peer: Sendable {
        let name: Text
        let exchange: VirtualAgentExchange
    }

    let box: BackupBox
    let primary: Peer
    let copy: Peer

    init(keepsLedgers: Bool = true) async throws {
        box = try BackupBox()
        func peer(_ name: Text) async throws -> Peer {
            let peer = Peer(name: name, exchange: try VirtualAgentExchange())
            if keepsLedgers { await peer.exchange.keepLedgers() }
            return peer
        }
        (primary, copy) = (try await peer(DeliveryCursor.primary), try await peer("copy"))
    }

    /// Opens the ledger as a start does.
    func open() async throws -> Store {
        let store = try await box.open()
        for peer in [primary, copy] { try await store.cursor(of: peer.name) }
        return store
    }

    /// Runs the connection to a destination until `isDone`, and returns its notices. The first run makes the
    /// connection. Like the service, it records in the witness that an agent's head contradicts the ledger.
    /// `batch`: the entries of a message. `life`: the life of a process that dies on the way to the primary
    /// agent. `patience`: the number of failed reads and refusals after which an earlier ledger is given up;
    /// the product's own value takes hours.
    func run(
        _ store: Store, to peer: Peer, batch: Int = 256, life: Life? = nil, patience: Int? = nil,
        until isDone: @escaping @Sendable () async -> Bool
    ) async throws -> [AgentNotice] {
        var reports = ReportSettings(batchDelay: .milliseconds(20))
        reports.limits.entries = batch
        reports.limits.pingAfter = .milliseconds(20)
        if let patience { (reports.limits.foreignHolds, reports.limits.longestWait) = (patience, .milliseconds(20)) }
        let notices = AgentNotices()
        let courier = try await box.courier(store)
        var dependencies = AgentLink.Dependencies(
            exchange: peer.exchange, store: courier, destination: peer.name,
            outbox: StoredOutbox(
                store, courier, peer.name, patience: patience ?? PastLedgers.patience, observe: { notices.add($0) }),
            reports: reports, clock: .system, observe: { notices.add($0) })
        if patience != nil { dependencies.outboxRetry = .milliseconds(5) }
        if let life {
            let mortal = Mortal(life, store, courier)
            (dependencies.store, dependencies.outbox) = (mortal, mortal)
            dependencies.exchange = MortalExchange(life: life, exchange: peer.exchange)
        }
        var link = try await AgentLinks.stored(.impatient, dependencies).links.first
        if link == nil {
            let new = try AgentLinks.new(try Invitation(await peer.exchange.invitation), .impatient, dependencies)
            try await new.keep()
            link = new
        }
        let running = try #require(link)
        await running.wake()
        try await Leftovers.ended { leftovers in
            let task = Task { await running.run() }
            leftovers.add {
                task.cancel()
                _ = await task.value
            }
            try await eventually("done", within: .seconds(60), telling: { notices.all }, isDone: isDone)
        }
        await courier.close()
        for case .behind(let point) in notices.ofLinks {
            _ = await store.contradict("an agent has a head signed here at record \(point.position)")
        }
        return notices.ofLinks
    }

    /// Runs the connection until the destination has every record.
    @discardableResult
    func deliver(_ store: Store, to peer: Peer) async throws -> [AgentNotice] {
        try await run(store, to: peer) { await store.owed(to: peer.name) == 0 }
    }

    /// Returns the outcomes that a keeper has of a ledger, by position.
    static func outcomes(_ peer: Peer, _ ledger: Text) async throws -> [OutcomeRecord] {
        let entries = await peer.exchange.keeper?.ledgers[ledger]?.values.sorted { $0.position < $1.position } ?? []
        return try entries.compactMap {
            guard case .outcome(let record) = try LedgerRecord(bytes: $0.body) else { return nil }
            return record
        }
    }
}
