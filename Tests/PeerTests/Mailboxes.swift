import Encoding
import Foundation
import Ledger
import Store
import Testing

// What tests of agents that keep messages for the kiosk share.

extension CloudAgent {
    /// What makes an unmodified agent keep messages for who cannot be reached.
    static let mediation = ["--open-mediation", "--enable-undelivered-queue"]

    /// Waits until the gate is reached through the agent's mailbox; the agent's name for that connection.
    func mailed(_ gate: DeliveryGate) async throws -> String {
        try await gate.wait("through the mailbox", within: .seconds(60)) {
            let stored = try await gate.store.connections()
            let present = await gate.cursor().connection
            let way = stored.first { $0.id == present && $0.destination == DeliveryCursor.primary }
            let snapshot = try way.map { try JSON.parse($0.snapshot) }
            return snapshot?["mailbox"] == true && snapshot?["phase"] == "connected"
        }
        // The younger of the two.
        return try #require(await connections().last)
    }
}
