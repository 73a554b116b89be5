import Encoding
import Foundation
import Ledger
import Store
import Testing

// Helpers for tests of agents that keep messages for the kiosk.

extension CloudAgent {
    /// The options with which an unmodified agent keeps messages for unreachable peers.
    static let mediation = ["--open-mediation", "--enable-undelivered-queue"]

    /// Waits until the agent reaches the gate through its mailbox; returns the agent's id of that connection.
    func mailed(_ gate: DeliveryGate) async throws -> String {
        try await gate.wait("through the mailbox", within: .seconds(60)) {
            let stored = try await gate.courier.connections()
            let present = await gate.cursor().connection
            let way = stored.first { $0.id == present && $0.destination == DeliveryCursor.primary }
            let snapshot = try way.map { try JSON.parse($0.snapshot) }
            return snapshot?["mailbox"] == true && snapshot?["phase"] == "connected"
        }
        // The newer of the two connections.
        return try #require(await connections().last)
    }
}
