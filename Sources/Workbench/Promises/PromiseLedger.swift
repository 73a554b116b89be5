import Appliance
import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Store

/// A gate's real database with seal and witness, in one folder, from one start of the program to its end.
final class PromiseLedger: Sendable {
    /// The database.
    let store: Store
    /// Visits that this start found without an outcome, and closed.
    let recovered: [OutcomeRecord]
    private let keeper: LedgerKeeper
    private let writing: Task<Void, Never>

    /// Opens it, or makes it, and closes what an earlier end left open.
    init(in folder: String, version: String) async throws {
        let stamp: @Sendable () -> RecordStamp = {
            RecordStamp(
                kiosk: "demonstration", boot: "demonstration",
                time: WallTime(utc: Samples.validDate, provenance: .given), monotonic: SystemClock.now())
        }
        let software = Outcome.Software(name: "gatehouse", version: Text(version))
        store = try await Store.open(Self.database(folder), witness: Self.witness(folder))
        try await store.begin(stamp: stamp(), software: software)
        recovered = try await store.recover(stamp: stamp(), software: software)
        await store.tellWitness()
        let keeper = LedgerKeeper(store: store, siteKey: try await store.siteKey(), stamp: stamp, onChange: { _ in })
        self.keeper = keeper
        writing = Task { await keeper.run() }
    }

    /// The database's file.
    static func database(_ folder: String) -> String { folder + "/gatehouse.db" }

    /// The witness and its key, beside it: for a demonstration they need no disk of their own.
    static func witness(_ folder: String) -> WitnessSource {
        WitnessSource(
            path: folder + "/witness", keyPath: folder + "/witness-key", code: Text(ReasonCode.ledgerReplaced.text))
    }

    /// Proves a closed ledger: by its chain, its seal and its witness, and by what an agent confirmed.
    static func verify(_ folder: String, checkpoints: [Checkpoint] = []) async throws -> ChainReport {
        let source = witness(folder)
        let key = try source.key()
        return try await LedgerReader(path: database(folder)).verify(
            checkpoints: checkpoints, proof: Proof(key: key, witness: source.reading(key)))
    }

    /// Writes an intent; nil when it is durable, else why not. Waits for the disk.
    func recordIntent(_ intent: IntentID) -> String? {
        let answer = Answer()
        keeper.recordIntent(intent) { answer.give($0) }
        return answer.wait()
    }

    /// Takes over what was decided. Waits until it is on the disk, ten seconds at most; the time of the gate does not
    /// pass meanwhile.
    func recordDecision(_ record: VisitRecord) {
        keeper.recordDecision(record, names: [])
        let (intent, answer) = (Text(record.intent?.text ?? ""), Answer())
        Task { [store] in
            for _ in 0..<10_000 where await store.head.open[intent]?.decision == nil {
                try? await Task.sleep(for: .milliseconds(1))
            }
            answer.give(nil)
        }
        _ = answer.wait()
    }

    /// Takes over an outcome.
    func recordOutcome(_ record: VisitRecord) { keeper.recordOutcome(record) }

    /// Writes what waits, tells the witness and closes the files.
    func close() async {
        keeper.finish()
        await writing.value
        await store.tellWitness()
        await store.close()
    }
}
