import Appliance
import Store

extension Scratch {
    /// Makes the ledger of that configuration, and its keys, as a start of the service does; nothing is in it.
    func makeLedger(_ configuration: String) async throws {
        let file = try Configuration.load(configuration)
        let store = try await Store.open(
            file.ledger.path, witness: file.ledger.witness([:]), sealing: file.agent.sealing([:]))
        await store.close()
    }
}
