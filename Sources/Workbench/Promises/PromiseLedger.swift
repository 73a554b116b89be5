import Clocks
import Encoding
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Store

/// A gate's real database with seal and witness in one folder, from a start of the program to its end.
final class PromiseLedger: Sendable {
    /// The database of the ledger.
    let store: Store
    /// The visits without an outcome that this start found and closed.
    let recovered: [OutcomeRecord]
    private let keeper: LedgerKeeper
    private let writing: Task<Void, Never>

    /// Opens or creates the database. Closes visits that an earlier run left open.
    init(in folder: String, version: String) async throws {
        let stamp: @Sendable () -> RecordStamp = {
            RecordStamp(
                kiosk: "demonstration", boot: "demonstration",
                time: WallTime(utc: Samples.validDate, provenance: .given), monotonic: Clock.system.now())
        }
        let software = Outcome.Software(name: "gatehouse", version: Text(version))
        store = try await Store.open(Self.database(folder), witness: Self.witness(folder))
        try await store.begin(stamp: stamp(), software: software)
        recovered = try await store.recover(stamp: stamp(), software: software)
        await store.updateWitness()
        let keeper = LedgerKeeper(
            store: store, siteKey: try await store.siteKey(), clock: .system, spawner: .system, stamp: stamp,
            onChange: { _ in })
        self.keeper = keeper
        writing = Spawner.system.start("the keeper of the demonstration") { await keeper.run() }
    }

    /// Returns the path of the database.
    static func database(_ folder: String) -> String { folder + "/gatehouse.db" }

    /// Returns the witness and its key in the folder of the database. A demonstration needs no second disk.
    static func witness(_ folder: String) -> WitnessSource {
        WitnessSource(
            path: folder + "/witness", keyPath: folder + "/witness-key", code: Text(ReasonCode.ledgerRewritten.text))
    }

    /// Verifies a closed ledger by its chain, its seal and its witness, and by the heads that an agent confirmed.
    static func verify(_ folder: String, checkpoints: [Checkpoint] = []) async throws -> ChainReport {
        let source = witness(folder)
        let key = try source.key()
        return try await LedgerReader(path: database(folder)).verify(
            checkpoints: checkpoints, proof: Proof(key: key, witness: source.reading(key)))
    }

    /// Writes an intent. Returns nil when the intent is durable, otherwise the reason why it is not. Waits for the
    /// disk.
    func recordIntent(_ intent: IntentID) -> LedgerFailure? {
        let answer = Answer()
        keeper.recordIntent(intent) { answer.give($0) }
        return answer.wait()
    }

    /// Records a decision. Waits at most ten seconds until the decision is on the disk. Meanwhile the gate's time does
    /// not advance.
    func recordDecision(_ record: VisitRecord) {
        keeper.recordDecision(record, names: [])
        let (intent, answer) = (Text(record.intent?.text ?? ""), Answer())
        Spawner.system.start("the wait for a decision on the disk") { [store] in
            for _ in 0..<10_000 where await store.head.open[intent]?.decision == nil {
                try? await Clock.system.sleep(for: .milliseconds(1))
            }
            answer.give(nil)
        }
        _ = answer.wait()
    }

    /// Takes an outcome.
    func recordOutcome(_ record: VisitRecord) { keeper.recordOutcome(record) }

    /// Writes the waiting records, updates the witness and closes the files.
    func close() async {
        keeper.finish()
        await writing.value
        await store.updateWitness()
        await store.close()
    }
}
