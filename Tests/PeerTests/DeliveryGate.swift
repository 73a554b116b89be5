import Aries
import Clocks
import Courier
import Encoding
import Features
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Settings
import Store
import Synchronization

/// The active faults, as parts of the appliance report them.
final class FaultList: Sendable {
    private let present = Mutex<Set<ReasonCode>>([])
    var all: Set<ReasonCode> { present.withLock { $0 } }

    func take(_ report: HealthReport) {
        present.withLock { present in
            if report.isPresent { present.insert(report.code) } else { present.remove(report.code) }
        }
    }
}

/// A ledger and the service that delivers its reports, without the rest of a gate.
final class DeliveryGate: Sendable {
    let store: Store
    let courier: CourierStore
    private let service: AgentService
    private let task: Task<Void, any Error>
    private let list = FaultList()
    private let log: Journal
    private let isStopped = Atomic<Bool>(false)

    private static let software = Outcome.Software(name: "gatehouse", version: "0")
    private static let stamp = RecordStamp(
        kiosk: "Peer-Gate", boot: "b0070000-0000-4000-8000-000000000000",
        time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc), monotonic: .zero)

    /// The active faults.
    var faults: Set<ReasonCode> { list.all }

    /// `more`: further lines of `[agent]`.
    init(
        _ place: Workplace, _ invitation: String, copy: String? = nil, more: String = "", pace: GatePace = .usual()
    ) async throws {
        let copies = copy.map { "[[agent.copy]]\nname = \"backup\"\ninvitations = [\"\($0)\"]" } ?? ""
        let text = """
            [kiosk]
            name = "Peer-Gate"
            [ledger]
            path = "\(place.path("ledger/ledger.db"))"
            [agent]
            invitations = ["\(invitation)"]
            allowPlainHTTP = true
            retryFirst = "200ms"
            retryLast = "1s"
            batchDelay = "1s"
            \(more)
            \(copies)
            """
        var configuration = try Configuration.load(try place.write("gatehouse.toml", text))
        configuration.agent.reports.limits = pace.reports
        let store = try await Store.open(configuration.ledger.path, witness: configuration.ledger.witness([:]))
        try await store.begin(stamp: Self.stamp, software: Self.software)
        let log = try LogSink(.file(place.path("log.jsonl")), minimum: .debug)
        let courier = try await CourierOpening.open(
            configuration, besides: store, [:], options: StoreOptions(), log: log, report: { [list] in list.take($0) })
        let service = AgentService(
            configuration: configuration, store: store, openCourier: { () async throws(StoreError) in courier },
            log: log, times: pace.times, clock: .system, spawner: .system, report: { [list] in list.take($0) })
        (self.store, self.courier, self.service) = (store, courier, service)
        self.log = Journal(place.path("log.jsonl"))
        task = Task { try await service.run() }
    }

    /// Records `count` visits; returns their ids.
    @discardableResult
    func record(_ count: Int) async throws -> [Text] {
        var visits: [Text] = []
        let outcome = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: Self.software)
        for _ in 0..<count {
            let visit = Text(UUID().uuidString.lowercased())
            try await store.appendIntent(visit, stamp: Self.stamp)
            try await store.appendOutcome(visit, outcome, stamp: Self.stamp)
            visits.append(visit)
        }
        service.wake()
        return visits
    }

    /// Returns the number of log lines, of this gate and of earlier gates in the same workplace, whose text
    /// contains `words`.
    func said(_ words: String) -> Int {
        log.lines.count { $0["text"]?.string?.string.contains(words) == true }
    }

    /// The number of lines in the log, including those of earlier gates in the same workplace.
    var position: Int { log.position }

    /// Returns the number of the last record that was confirmed before the agent was reachable again, as
    /// logged after `position`; the lines about one connection are in order. Nil: the gate did not notice
    /// that the agent was unreachable.
    func confirmedBeforeReturn(from position: Int) -> Int? {
        let texts = log.lines.map { $0["text"]?.string?.string ?? "" }
        guard let back = texts[position...].firstIndex(of: AgentNotice.reachable.text) else { return nil }
        let words = "confirmed up to position "
        return texts[..<back].last { $0.hasPrefix(words) }.flatMap { Int($0.dropFirst(words.count)) } ?? 0
    }

    func end() async -> Int { await store.head.point.count }

    func cursor(_ name: Text = DeliveryCursor.primary) async -> DeliveryCursor {
        await store.deliveries[name] ?? DeliveryCursor(name)
    }

    func wait(
        _ what: String, within limit: Duration = .seconds(30), until isDone: @Sendable () async throws -> Bool
    ) async throws {
        let until = ContinuousClock.now + limit
        while true {
            let isLate = ContinuousClock.now >= until  // read first: a stalled test is not a stalled program
            if try await isDone() { return }
            if isLate {
                throw PeerFailure("not \(what) within \(limit): \(await cursor()) of \(await end()), \(faults)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits until the agent has confirmed every record.
    func waitForAll(within limit: Duration = .seconds(30)) async throws {
        try await wait("confirmed", within: limit) { await cursor().confirmed == end() }
    }

    /// Ends the service; a repeated call has no effect.
    func stop() async {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        task.cancel()
        _ = await task.result
        await courier.close()
        await store.close()
    }
}
