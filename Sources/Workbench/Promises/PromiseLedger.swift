import Clocks
import Encoding
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Store

/// The real database of a gate, with its seal and witness, in one folder, for one run of the program.
final class PromiseLedger: Sendable {
    /// The database of the ledger.
    let store: Store
    /// The outcomes that this start recorded for visits without an outcome.
    let recovered: [OutcomeRecord]
    private let keeper: LedgerKeeper
    private let writing: Task<Void, Never>

    /// Opens or creates the database in `folder`. Closes the visits that an earlier run left without an outcome.
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

    /// Returns the path of the database in a folder.
    static func database(_ folder: String) -> String { folder + "/gatehouse.db" }

    /// Returns the witness and its key in the folder of the database. The demonstration needs no second disk for them.
    static func witness(_ folder: String) -> WitnessSource {
        WitnessSource(
            path: folder + "/witness", keyPath: folder + "/witness-key", code: Text(ReasonCode.ledgerRewritten.text))
    }

    /// Verifies a closed ledger by its chain, its seal, its witness, and the heads `checkpoints` that an agent has
    /// confirmed.
    static func verify(_ folder: String, checkpoints: [Checkpoint] = []) async throws -> ChainReport {
        let source = witness(folder)
        let key = try source.key()
        return try await LedgerReader(path: database(folder)).verify(
            checkpoints: checkpoints, proof: Proof(key: key, witness: source.reading(key)))
    }

    /// Records an intent and waits for the disk. Returns nil when the intent is durable, otherwise the failure.
    func recordIntent(_ intent: IntentID) -> LedgerFailure? {
        let answer = Answer()
        keeper.recordIntent(intent) { answer.give($0) }
        return answer.wait()
    }

    /// Records a decision. Waits until the decision is on the disk, at most ten seconds. The gate's virtual time does
    /// not advance meanwhile.
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

    /// Records an outcome, without waiting for the disk.
    func recordOutcome(_ record: VisitRecord) { keeper.recordOutcome(record) }

    /// Writes the waiting records, updates the witness and closes the files.
    func close() async {
        keeper.finish()
        await writing.value
        await store.updateWitness()
        await store.close()
    }
}
