import Features
import GateService
import Settings
import Store

extension Scratch {
    /// Makes the empty ledger of that configuration, the empty database of its connections, and their keys, as a start
    /// of the service does.
    func makeLedger(_ configuration: String) async throws {
        let file = try Configuration.load(configuration)
        let store = try await Store.open(
            file.ledger.path, witness: file.ledger.witness([:]), sealing: file.agent.sealing([:]))
        try await CourierStore.open(besides: store.path, sealing: file.agent.sealing([:])).close()
        await store.close()
    }
}
