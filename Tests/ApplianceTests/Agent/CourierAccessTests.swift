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

    /// While the opening fails, it is repeated every ten seconds. Each new reason is reported once, and the end, too.
    @Test func anOpeningThatFailsIsRepeatedEveryTenSeconds() async throws {
        try await withStore { _, store in
            let courier = try await CourierStore.opened(besides: store)
            try VirtualTime.run { time in
                let attempts = Mutex<[Instant]>([])
                let reports = Mutex<[HealthReport]>([])
                let failures: [StoreError] = [
                    .locked(path: "a.db.courier", owner: 7), .locked(path: "a.db.courier", owner: 7),
                    .diskFull(path: "a.db.courier"),
                ]
                let (clock, began) = (time.clock, time.now)
                let access = CourierAccess { () async throws(StoreError) in
                    let number = attempts.withLock { attempts in
                        attempts.append(clock.now())
                        return attempts.count
                    }
                    if number <= failures.count { throw failures[number - 1] }
                    return courier
                }
                #expect(throws: ConnectFailure.self) { _ = try access.get() }
                let opened = await access.wait(by: clock) { report in reports.withLock { $0.append(report) } }
                #expect(opened === courier)
                #expect(try access.get() === courier)
                #expect(
                    attempts.withLock { $0.map { began.duration(to: $0) } } == [0, 10, 20, 30].map { .seconds($0) })
                let told = reports.withLock { $0 }
                #expect(told.map(\.isPresent) == [true, true, false])
                #expect(told.allSatisfy { $0.code == .agentUnreadable })
                #expect(told.prefix(2).allSatisfy { $0.detail?.contains("a.db.courier") == true }, "\(told)")
                // It is opened once.
                try await access.open()
                #expect(attempts.withLock { $0.count } == 4)
            }
            await courier.close()
        }
    }

    /// The status shows no connection, requests are refused with the reason, and the ledger works.
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
            #expect(await service.status().map(\.isConnected) == [false])
            #expect(await store.deliveries[primary]?.connection == "agent", "nothing was changed")
            try await store.record(1)
            isThere.store(true, ordering: .relaxed)
            try await service.open()
            #expect(await service.status().map(\.isConnected) == [true])
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
            let reports = Mutex<[HealthReport]>([])
            let service = AgentService(
                configuration: configuration, store: store,
                openCourier: { () async throws(StoreError) in try await CourierStore.opened(besides: store) },
                log: try LogSink(.file("/dev/null")), clock: .system, spawner: .system,
                report: { report in reports.withLock { $0.append(report) } })
            let task = Task { try await service.run() }
            try await eventually("reported", telling: { "\(reports.withLock { $0 })" }) {
                reports.withLock { $0.contains { $0.code == .agentUnreadable && $0.isPresent } }
            }
            task.cancel()
            _ = await task.result
            await service.close()
            #expect(FileManager.default.fileExists(atPath: first.path + ".damaged-1"))
            #expect(await store.deliveries[primary]?.confirmed == 2, "the place in the ledger stays")
            #expect(try await store.verify().isIntact)
        }
    }

    /// The ledger has let go of a connection, and its mark cannot be stored: it is the route again.
    @Test func aDeletionThatCannotBeStoredIsUndone() async throws {
        try await withStore { configuration, store in
            let courier = try await CourierStore.opened(besides: store)
            try await courier.saveConnection("agent", Array("{}".utf8))
            try await store.route(over: "agent")
            let service = AgentService(
                configuration: configuration, store: store, openCourier: { () async throws(StoreError) in courier },
                log: try LogSink(.file("/dev/null")), clock: .system, spawner: .system, report: { _ in })
            try await service.open()
            // The open file is still read, and no more written.
            try FileManager.default.copyItem(atPath: courier.path, toPath: courier.path + ".copy")
            #expect(rename(courier.path + ".copy", courier.path) == 0)
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
