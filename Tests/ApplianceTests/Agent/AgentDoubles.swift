import Appliance
import Aries
import Encoding
import Foundation
import HTTPTransport

/// A store and an outbox in memory that can be broken.
final class Memory: ConnectionStore, Outbox, @unchecked Sendable {
    struct Broken: Error {}

    private let lock = NSLock()
    private var connections: [Text: [UInt8]] = [:]
    private var reports: [OutboundReport] = []
    private var queued = 0
    private var seen: [AgentNotice] = []
    private var isBroken = false
    private var isOutboxBroken = false

    var pending: Int { lock.withLock { reports.count } }
    var notices: [AgentNotice] { lock.withLock { seen } }

    func setBroken(_ isBroken: Bool) { lock.withLock { self.isBroken = isBroken } }
    func setBroken(outbox isBroken: Bool) { lock.withLock { isOutboxBroken = isBroken } }
    func observe(_ notice: AgentNotice) { lock.withLock { seen.append(notice) } }

    func queue(_ count: Int) {
        lock.withLock {
            for _ in 0..<count {
                let id = Text("report-\(queued)")
                reports.append(OutboundReport(id: id, content: "{}", time: "2026-01-02T03:04:05.000Z"))
                queued += 1
            }
        }
    }

    func loadConnections() async throws -> [(id: Text, snapshot: [UInt8])] {
        lock.withLock { connections.map { (id: $0.key, snapshot: $0.value) } }
    }

    func keepConnection(_ id: Text, _ snapshot: [UInt8]) async throws {
        try lock.withLock {
            if isBroken { throw Broken() }
            connections[id] = snapshot
        }
    }

    func forgetConnection(_ id: Text) async throws { lock.withLock { connections[id] = nil } }

    func nextReport() async throws -> OutboundReport? { lock.withLock { reports.first } }

    func reportsSent(_ ids: [Text]) async throws {
        try lock.withLock {
            if isOutboxBroken { throw Broken() }
            reports.removeAll { ids.contains($0.id) }
        }
    }

    func reportsAcknowledged(_ ids: [Text]) async throws {}
}

/// An exchange that never answers, only ends when it is cancelled.
struct HangingExchange: MessageExchange {
    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        try? await Task.sleep(for: .seconds(3600))
        throw .cancelled
    }
}
