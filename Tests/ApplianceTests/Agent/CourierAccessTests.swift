import Administration
import Clocks
import Encoding
import Features
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Observation
import Reasons
import Settings
import Store
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// The agent service while the database of connections is not open, is damaged, or cannot be changed. The gate's
/// database works meanwhile.
@Suite struct CourierAccessTests {
    private let primary = DeliveryCursor.primary

    private func withStore(_ body: (Configuration, Store) async throws -> Void) async throws {
        try await Leftovers.ended { leftovers in
            let folder = try leftovers.folder("access")
            let text = "kiosk.name = \"Access\"\n[ledger]\npath = \"a.db\"\n"
            let configuration = try Configuration.parse(Array(text.utf8), file: "c.toml", folder: folder.path)
            let store = try await Store.open(configuration.ledger.path)
            leftovers.add { await store.close() }
            try await body(configuration, store)
        }
    }

    /// Makes a service that reports its faults to `reports`.
    private func service(
        _ configuration: Configuration, _ store: Store, _ reports: FaultReports,
        open: @escaping @Sendable () async throws(StoreError) -> CourierStore
    ) throws -> AgentService {
        AgentService(
            configuration: configuration, store: store, openCourier: open, log: try LogSink(.file("/dev/null")),
            clock: .system, spawner: .system, report: { reports.add($0) })
    }

    /// Runs the service until `isDone`, and closes it.
    private func run(
        _ service: AgentService, _ what: String, _ reports: FaultReports, until isDone: () async -> Bool
    ) async throws {
        let task = Task { try await service.run() }
        let isInTime = await becomesTrue { await isDone() }
        task.cancel()
        _ = await task.result
        await service.close()
        #expect(isInTime, "\(what): \(reports.all)")
    }

    /// While the opening fails, it is repeated every ten seconds. Each result is reported.
    @Test func anOpeningThatFailsIsRepeatedEveryTenSeconds() async throws {
        try await withStore { _, store in
            let courier = try await CourierStore.opened(besides: store)
            try VirtualTime.run { time in
                let attempts = Mutex<[Instant]>([])
                let results = Mutex<[String?]>([])
                let failures: [StoreError] = [
                    .locked(path: "a.db.courier", owner: 7), .locked(path: "a.db.courier", owner: 7),
                    .diskFull(path: "a.db.courier"),
                ]
                let (clock, began) = (time.clock, time.now)
                let access = CourierAccess("a.db.courier") { () async throws(StoreError) in
                    let number = attempts.withLock { attempts in
                        attempts.append(clock.now())
                        return attempts.count
                    }
                    if number <= failures.count { throw failures[number - 1] }
                    return courier
                }
                #expect(throws: ConnectFailure.self) { _ = try access.get() }
                let step = RepeatedStep(clock: clock) { result in results.withLock { $0.append(result) } }
                await step.run { () async throws(StoreError) in
                    _ = try await access.open(by: clock) { _ in Issue.record("no attempt takes long") }
                }
                #expect(try access.get() === courier)
                #expect(
                    attempts.withLock { $0.map { began.duration(to: $0) } } == [0, 10, 20, 30].map { .seconds($0) })
                #expect(results.withLock { $0 } == failures.map(\.description) + [nil])
                // It is opened once.
                try await access.open()
                #expect(attempts.withLock { $0.count } == 4)
            }
            await courier.close()
        }
    }

    /// An opening that does not end is reported after thirty seconds, with the path. Requests get the same reason.
    @Test func aHangingOpeningIsReported() async throws {
        try await withStore { _, store in
            let courier = try await CourierStore.opened(besides: store)
            try VirtualTime.run { time in
                let (clock, began) = (time.clock, time.now)
                let told = Mutex<[(text: String, at: Instant)]>([])
                let access = CourierAccess("a.db.courier") { () async throws(StoreError) in
                    try? await clock.sleep(for: .seconds(45))
                    return courier
                }
                async let opened = access.open(by: clock) { text in told.withLock { $0.append((text, clock.now())) } }
                try await clock.sleep(for: .seconds(29))
                #expect(throws: ConnectFailure.notReady) { _ = try access.get() }
                try await clock.sleep(for: .seconds(2))
                #expect {
                    _ = try access.get()
                } throws: {
                    ($0 as? ConnectFailure)?.text.contains("a.db.courier does not answer") == true
                }
                #expect(try await opened === courier)
                #expect(try access.get() === courier)
                #expect(told.withLock { $0.map { began.duration(to: $0.at) } } == [.seconds(30)])
                #expect(told.withLock { $0.allSatisfy { $0.text.contains("a.db.courier") } })
            }
            await courier.close()
        }
    }

    /// The status does not state whether a destination is connected, requests are refused with the reason, and the
    /// ledger works.
    @Test func withoutTheDatabaseRequestsAreRefused() async throws {
        try await withStore { configuration, store in
            try await store.route(over: "agent")
            let isThere = Atomic<Bool>(false)
            let service = AgentService(
                configuration: configuration, store: store,
                openCourier: { () async throws(StoreError) in
                    guard isThere.load(ordering: .relaxed) else { throw .diskFull(path: "a.db.courier") }
                    return try await CourierStore.opened(besides: store)
                },
                log: try LogSink(.file("/dev/null")), clock: .system, spawner: .system, report: { _ in })
            let handler = AgentHandler(store: store, service: service)
            await #expect(throws: ControlRefusal.self) { try await handler.answer(.list) }
            await #expect(throws: StoreError.diskFull(path: "a.db.courier")) { try await service.open() }
            let requests: [AgentRequest] = [
                .list, .show("agent"), .delete("agent", isForced: true, tellsAgent: false), .ping("agent"),
                .messages(of: nil, uid: nil, pendingOnly: false), .answer(uid: "u", response: "Yes", of: nil),
            ]
            for request in requests {
                await #expect("\(request)") { try await handler.answer(request) } throws: { error in
                    (error as? ControlRefusal)?.message.contains("a.db.courier") == true
                }
            }
            #expect(await service.status().map(\.isConnected) == [nil])
            #expect(await store.deliveries[primary]?.connection == "agent", "nothing was changed")
            try await store.record(1)
            isThere.store(true, ordering: .relaxed)
            try await service.open()
            #expect(await service.status().map(\.isConnected) == [nil], "the connections are not loaded")
            #expect(try await handler.answer(.list)["connections"]?.array == [])
            await service.close()
        }
    }

    /// A damaged database is put aside, and each destination that was connected is reported.
    @Test(.timeLimit(.minutes(2))) func aDamagedDatabaseIsReported() async throws {
        try await withStore { configuration, store in
            let first = try await CourierStore.opened(besides: store)
            try await first.saveConnection("agent", Array("{}".utf8))
            await first.close()
            try await store.route(over: "agent")
            try await store.record(1)
            try await store.confirm(primary, upTo: 2, over: "agent")
            try Data(repeating: 0x55, count: 4096).write(to: URL(fileURLWithPath: first.path))
            // Later starts find an empty database. They report the loss until a new connection takes over.
            for start in 1...3 {
                let reports = FaultReports()
                let service = try service(configuration, store, reports) { () async throws(StoreError) in
                    try await CourierStore.opened(besides: store)
                }
                try await run(service, "start \(start)", reports) {
                    await service.isRunning && reports.isInForce(.agentUnreadable)
                }
                #expect(await service.status().map(\.isConnected) == [false])
                #expect(await service.status().first?.faults?.contains("fault.agent-unreadable") == true)
                #expect(reports.all.contains { $0.contains(start == 1 ? ".damaged-1" : "does not contain") })
            }
            #expect(FileManager.default.fileExists(atPath: first.path + ".damaged-1"))
            #expect(await store.deliveries[primary]?.confirmed == 2, "the place in the ledger stays")
            #expect(try await store.verify().isIntact)
        }
    }

    /// A missing file is a loss, too, and a failed opening before it does not end its fault.
    @Test(.timeLimit(.minutes(2)), .tags(.realTime)) func aMissingDatabaseIsReported() async throws {
        try await withStore { configuration, store in
            try await store.route(over: "agent")
            let reports = FaultReports()
            let isFirst = Atomic<Bool>(true)
            let service = try service(configuration, store, reports) { () async throws(StoreError) in
                if isFirst.exchange(false, ordering: .relaxed) { throw .diskFull(path: "a.db.courier") }
                return try await CourierStore.opened(besides: store)
            }
            try await run(service, "missing", reports) { await service.isRunning }
            #expect(reports.isInForce(.agentUnreadable))
            #expect(reports.all.last?.contains("does not contain the connection agent") == true, "\(reports.all)")
        }
    }

    /// A destination that the configuration no longer has cannot be removed: this is a fault, and the configured
    /// destinations work.
    @Test(.timeLimit(.minutes(2))) func aFailedPreparationIsReported() async throws {
        try await withStore { configuration, store in
            let courier = try await CourierStore.opened(besides: store)
            try await store.cursor(of: "former")
            try replace(courier.path)
            let reports = FaultReports()
            let service = try service(configuration, store, reports) { () async throws(StoreError) in courier }
            try await run(service, "prepared", reports) { await service.isRunning }
            #expect(reports.isInForce(.agentUnreadable), "\(reports.all)")
            #expect(await store.deliveries["former"] != nil)
        }
    }

    /// Replaces a file by a copy. The owner of the open file still reads it, and no longer writes to it.
    private func replace(_ path: String) throws {
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try #require(rename(path + ".copy", path) == 0)
    }

    /// The mark of a deletion cannot be stored: the connection stays the route.
    @Test func aDeletionThatCannotBeStoredChangesNothing() async throws {
        try await withStore { configuration, store in
            let courier = try await CourierStore.opened(besides: store)
            try await courier.saveConnection("agent", Array("{}".utf8))
            try await store.route(over: "agent")
            let service = AgentService(
                configuration: configuration, store: store, openCourier: { () async throws(StoreError) in courier },
                log: try LogSink(.file("/dev/null")), clock: .system, spawner: .system, report: { _ in })
            try await service.open()
            try replace(courier.path)
            let handler = AgentHandler(store: store, service: service)
            await #expect(throws: ControlRefusal.self) {
                try await handler.answer(.delete("agent", isForced: true, tellsAgent: false))
            }
            #expect(await store.deliveries[primary]?.connection == "agent")
            #expect(try await courier.connections().map(\.isDeleting) == [false])
            await courier.close()
        }
    }
}

/// The reports of faults, in order.
private final class FaultReports: Sendable {
    private let reports = Mutex<[HealthReport]>([])

    func add(_ report: HealthReport) { reports.withLock { $0.append(report) } }

    /// Returns whether the last report about `code` states that the fault is in force.
    func isInForce(_ code: ReasonCode) -> Bool {
        reports.withLock { $0.last { $0.code == code }?.isPresent == true }
    }

    /// The descriptions of the faults. The end of a fault is an empty one.
    var all: [String] { reports.withLock { $0.map { $0.detail ?? "" } } }
}
