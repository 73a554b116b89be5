import Clocks
import Commissioning
import Courier
import Encoding
import Features
import Foundation
import Ledger
import LinuxIO
import Observation
import Settings
import Store
import Testing

/// The destinations in a gate's status: those that the configuration or a connection names, and those with
/// waiting records.
@Suite struct AgentStatusTests {
    private let primary = DeliveryCursor.primary

    /// Runs `body` with a store and a service on it, which is not started, with these further lines of
    /// configuration. As the service has loaded no connection, it does not know whether a destination is connected.
    private func gate(
        _ more: String = "", _ body: (AgentService, Store) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("status-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = "kiosk.name = \"Status\"\n[ledger]\npath = \"a.db\"\n\(more)\n"
        let configuration = try Configuration.parse(Array(text.utf8), file: "c.toml", folder: folder.path)
        let store = try await Store.open(configuration.ledger.path)
        // As at each start.
        for name in [primary] + configuration.agent.copies.map({ Text($0.name) }) { try await store.cursor(of: name) }
        let service = AgentService(
            configuration: configuration, store: store,
            openCourier: { () async throws(StoreError) in try await CourierStore.opened(besides: store) },
            log: try LogSink(.file("/dev/null")), clock: .system, spawner: .system, report: { _ in })
        try await service.open()
        try await body(service, store)
        await service.close()
        await store.close()
    }

    private func brief(_ service: AgentService) async -> [String] {
        await service.status().map { agent in
            "\(agent.name ?? "?") \(agent.isConnected.map { "\($0)" } ?? "unknown") \(agent.waiting ?? -1)"
        }
    }

    @Test func aGateWithoutAgents() async throws {
        try await gate { service, store in
            #expect(await brief(service) == [])
            try await BackupBox.record(1, store)
            #expect(await brief(service) == [])
            #expect(await service.status() == [])
            #expect(try await store.visits(last: 9).map(\.report) == [.nobody])
        }
    }

    /// Records wait for a destination that is configured.
    @Test func recordsWaitForConfiguredDestinations() async throws {
        let more = """
            [agent]
            invitations = ["first.json"]
            [[agent.copy]]
            name = "backup"
            invitations = ["second.json"]
            """
        try await gate(more) { service, store in
            try await BackupBox.record(1, store)
            #expect(await brief(service) == ["backup unknown 2", "primary unknown 2"])
        }
        try await gate("[[agent.copy]]\nname = \"backup\"\ninvitations = [\"second.json\"]") { service, store in
            try await BackupBox.record(1, store)
            #expect(await brief(service) == ["backup unknown 2"])
        }
    }

    /// While the connections are not loaded, the doctor does not advise a new invitation.
    @Test func theDoctorWaitsForTheConnections() throws {
        for (isConnected, code) in [(nil, nil), (.bool(false), "fault.agent-unconnected")] as [(JSON?, String?)] {
            var gate = try HealthyGate(more: "[agent]\ninvitations = [\"a.invitation\"]\n")
            var agent: JSONObject = ["name": "primary", "confirmed": 7, "waiting": 3]
            agent["connected"] = isConnected
            let status: JSON = [
                "version": "0.1.0", "faults": .array([]), "silent": .array([]), "agent": .array([.object(agent)]),
            ]
            gate.facts.service = .running(StatusReport(status))
            #expect(gate.findings.compactMap(\.code) == [code].compactMap(\.self))
        }
    }

    /// No destination loses its waiting records silently: a destination that was connected stays until it has
    /// every record.
    @Test func aFormerDestinationStaysWhileRecordsWait() async throws {
        try await gate { service, store in
            try await store.route(over: "agent")
            #expect(await brief(service) == ["primary unknown 0"])
            try await BackupBox.record(2, store)
            #expect(try await store.visits(last: 9).map(\.report) == [.queued, .queued])
            try await store.confirm(primary, upTo: 2, over: "agent")
            #expect(await brief(service) == ["primary unknown 2"])
            try await store.letGo(of: "agent")
            #expect(await brief(service) == ["primary unknown 2"])
            #expect(try await store.visits(last: 9).map(\.report) == [.queued, .confirmed])
        }
        try await gate { service, store in
            try await store.route(over: "agent")
            try await BackupBox.record(1, store)
            try await store.confirm(primary, upTo: 2, over: "agent")
            try await store.letGo(of: "agent")
            #expect(await brief(service) == [], "it has got everything")
        }
    }
}
