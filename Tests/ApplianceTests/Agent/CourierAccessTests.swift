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

    /// A failed step on the databases is repeated every ten seconds, and the result of each attempt is reported.
    @Test func aFailedStepIsRepeatedEveryTenSeconds() throws {
        try VirtualTime.run { time in
            let attempts = Mutex<[Instant]>([])
            let results = Mutex<[String?]>([])
            let failures: [StoreError] = [
                .locked(path: "a.db.courier", owner: 7), .locked(path: "a.db.courier", owner: 7),
                .diskFull(path: "a.db.courier"),
            ]
            let (clock, began) = (time.clock, time.now)
            let step = RepeatedStep(clock: clock) { result in results.withLock { $0.append(result) } }
            await step.run { () async throws(StoreError) in
                let number = attempts.withLock { attempts in
                    attempts.append(clock.now())
                    return attempts.count
                }
                if number <= failures.count { throw failures[number - 1] }
            }
            #expect(attempts.withLock { $0.map { began.duration(to: $0) } } == [0, 10, 20, 30].map { .seconds($0) })
            #expect(results.withLock { $0 } == failures.map(\.description) + [nil])
        }
    }

    /// An opening that takes longer than 30 s is reported once, and requests are refused with this reason until it
    /// ends.
    @Test(arguments: [29, 31]) func anOpeningThatTakesLongIsReported(seconds: Int) throws {
        try VirtualTime.run { time in
            let clock = time.clock
            let reports = Mutex<[(Instant, String)]>([])
            let access = CourierAccess("a.db.courier") { () async throws(StoreError) in
                try? await clock.sleep(for: .seconds(seconds))
                throw .diskFull(path: "a.db.courier")
            }
            let began = clock.now()
            let opening = time.spawner.start("the opening of a test") {
                _ = try? await access.open(by: clock) { text in reports.withLock { $0.append((clock.now(), text)) } }
            }
            #expect(throws: ConnectFailure.notReady) { _ = try access.get() }
            try await clock.sleep(for: .milliseconds(30_500))
            let isLate = seconds > 30
            #expect(reports.withLock { $0.map { began.duration(to: $0.0) } } == (isLate ? [.seconds(30)] : []))
            #expect(reports.withLock { $0.allSatisfy { $0.1.contains("a.db.courier does not answer") } })
            func refusal() -> String? {
                do throws(ConnectFailure) { _ = try access.get() } catch { return error.text }
                return nil
            }
            #expect(refusal()?.contains("does not answer") == isLate)
            await opening.value
            #expect(refusal()?.contains("no space left for a.db.courier") == true)
            try await clock.sleep(for: .seconds(60))
            #expect(reports.withLock { $0.count } == (isLate ? 1 : 0))
        }
    }

    /// The status does not know the connections, requests are refused with the reason, and the ledger works.
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
            #expect(await service.status().map(\.isConnected) == [nil], "its connections are not loaded")
            #expect(try await handler.answer(.list)["connections"]?.array == [])
            await service.close()
        }
    }

    /// A damaged database is put aside. Each start reports the lost connection, and the status shows it, until another
    /// connection takes over.
    @Test(.timeLimit(.minutes(2))) func aLostConnectionIsReportedAtEachStart() async throws {
        try await withStore { configuration, store in
            let first = try await CourierStore.opened(besides: store)
            try await first.saveConnection("agent", Array("{}".utf8))
            await first.close()
            try await store.route(over: "agent")
            try await store.record(1)
            try await store.confirm(primary, upTo: 2, over: "agent")
            try Data(repeating: 0x55, count: 4096).write(to: URL(fileURLWithPath: first.path))
            for detail in [first.path + ".damaged-1", "does not contain the connection agent"] {
                let reports = Mutex<[HealthReport]>([])
                let service = AgentService(
                    configuration: configuration, store: store,
                    openCourier: { () async throws(StoreError) in try await CourierStore.opened(besides: store) },
                    log: try LogSink(.file("/dev/null")), clock: .system, spawner: .system,
                    report: { report in reports.withLock { $0.append(report) } })
                let task = Task { try await service.run() }
                try await eventually("reported", telling: { "\(reports.withLock { $0 })" }) {
                    await service.status().map(\.isConnected) == [false]
                }
                let told = reports.withLock { $0 }
                #expect(told.contains { $0.isPresent && $0.detail?.contains(detail) == true }, "\(told)")
                #expect(told.allSatisfy { $0.isPresent && $0.code == .agentUnreadable }, "\(told)")
                #expect(await service.status().first?.faults == [Text(ReasonCode.agentUnreadable.text)])
                task.cancel()
                _ = await task.result
                await service.close()
            }
            #expect(FileManager.default.fileExists(atPath: first.path + ".damaged-1"))
            #expect(await store.deliveries[primary]?.confirmed == 2, "the place in the ledger stays")
            #expect(try await store.verify().isIntact)
        }
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
