import Credentials
import Encoding
import Kiosk
import Ledger
import LinuxIO
package import Store
import Synchronization

extension LedgerSection {
    /// Where witness and key are. `environment`: systemd names there the folder of the credentials that it hands over. Is there
    /// one named `gatehouse-witness-key`, it is the key.
    package func witness(_ environment: [String: String]) -> WitnessSource {
        let code = Text(ReasonCode.ledgerRewritten.text)
        let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/gatehouse-witness-key" }
        if let credential, FileBytes.read(credential, limit: 1) != nil {
            return WitnessSource(path: witness, keyPath: credential, isHandedOver: true, code: code)
        }
        return WitnessSource(path: witness, keyPath: witnessKey, code: code)
    }
}

/// Opens the ledger with its witness, and tells whoever looks after the box what came of it.
enum LedgerOpening {
    static func open(
        _ section: LedgerSection, _ environment: [String: String], options: StoreOptions,
        report: @escaping HealthReporter
    ) async throws(StoreError) -> Store {
        let hasFailed = Mutex(false)
        let store = try await Store.open(
            section.path, options: options, witness: section.witness(environment)
        ) { failure in
            let isOver = hasFailed.withLock { failed in
                defer { failed = failure != nil }
                return failed && failure == nil
            }
            if let failure { report(.present(.ledgerWitness, detail: failure.text)) }
            if isOver { report(.over(.ledgerWitness)) }
        }
        switch store.standing {
        case .rewritten(let finding):
            let found = store.found.isEmpty ? "" : "; as it was found: \(store.found.joined(separator: ", "))"
            report(.present(.ledgerRewritten, detail: finding + found))
        case .unwitnessed(let why): report(.present(.ledgerWitness, detail: why))
        case .new, .adopted, .continued, nil: break
        }
        return store
    }
}
