package import Encoding
import Foundation
import GRDB
package import Ledger

/// What a verification may hold a ledger to besides its own chain.
package struct Proof: Sendable {
    /// The key of the seal; nil: seal and signature are not looked at.
    package var key: WitnessKey?
    /// What the witness says.
    package var witness: WitnessReading

    /// A key and a witness; read before the ledger is, which may grow meanwhile.
    package init(key: WitnessKey?, witness: WitnessReading) {
        (self.key, self.witness) = (key, witness)
    }
}

/// How far the witness has come, and what it still has to hear.
struct Witnessing {
    /// The number of the last statement.
    var number: Int
    /// The revision that it is about; 0: none of this ledger.
    var revision: Int
    /// What was found in this run, in words.
    var finding: Text?
    /// Whether the witness knows of it.
    var isFindingTold = true
    /// Whether a statement is wanted.
    var isDue = false
    var isWriting = false
    /// Whether the idle time runs.
    var isWaiting = false
    var whenWritten: [CheckedContinuation<Void, Never>] = []
}

// The witness hears of each commit that opened a gate as soon as that is durable, of everything else once it is quiet. One write is
// under way at a time; what comes meanwhile shares the next.
extension Store {
    /// The newest statement as it is signed now; nil without a witness.
    package var signedHead: SignedHead? { witness.flatMap { sign($0, number: witnessing.number) } }

    /// Reads the whole ledger, compares it with seal and witness, and tells the witness when something is wrong, so that the
    /// next start begins a new ledger. To be called now and then: it reads ``StoreOptions/auditPiece`` rows at a time and rests
    /// between them for as long as they took, so that it holds neither memory nor lock and leaves half of the processor.
    package func audit() async throws(StoreError) -> ChainReport {
        let report = try await auditInPieces()
        if let first = report.findings.first, witness != nil {
            if witnessing.finding == nil {
                (witnessing.finding, witnessing.isFindingTold) = (Text(first.text), false)
            }
            await tellWitness()
        }
        return report
    }

    private func auditInPieces() async throws(StoreError) -> ChainReport {
        var audit = LedgerAudit(limits: options.limits, proof: await currentProof(), piece: options.auditPiece)
        while true {
            let began = ContinuousClock.now
            let (next, report) = try await read { [audit] db in
                var audit = audit
                let report = try audit.read(db)
                return (audit, report)
            }
            if let report { return report }
            if Task.isCancelled { throw .closed }
            audit = next
            try? await Task.sleep(for: max(options.auditRest, began.duration(to: .now)))
        }
    }

    /// Somebody outside has shown that this ledger is not what it was: the next start begins a new one, and says why. Whether
    /// the witness knows of it, without which a start would not.
    package func contradict(_ finding: Text) async -> Bool {
        guard witness != nil else { return false }
        if witnessing.finding == nil { (witnessing.finding, witnessing.isFindingTold) = (finding, false) }
        if !witnessing.isFindingTold { await tellWitness() }
        return witnessing.isFindingTold
    }

    /// Lets the witness hear of the ledger as it is, and returns once it has been tried.
    package func tellWitness() async {
        guard witness != nil else { return }
        await withCheckedContinuation { continuation in
            witnessing.whenWritten.append(continuation)
            startWitnessing()
        }
    }

    func witnessCommit(openings: Int) {
        guard witness != nil, books.revision > witnessing.revision else { return }
        if openings > 0 { return startWitnessing() }
        guard !witnessing.isWaiting else { return }
        witnessing.isWaiting = true
        Task { [weak self, pause = options.witnessIdle] in
            try? await Task.sleep(for: pause)
            await self?.witnessWhenQuiet()
        }
    }

    /// The last statement, at the end. A command that only looks signs no ledger that the witness does not know: it
    /// would hide that the witness was removed.
    func witnessLast() async {
        guard options.mayMake || standing == .continued else { return }
        if books.revision > witnessing.revision { await tellWitness() }
    }

    private func witnessWhenQuiet() {
        witnessing.isWaiting = false
        if books.revision > witnessing.revision { startWitnessing() }
    }

    private func startWitnessing() {
        witnessing.isDue = true
        guard !witnessing.isWriting else { return }
        witnessing.isWriting = true
        Task { await self.write() }
    }

    private func write() async {
        while witnessing.isDue, let witness {
            witnessing.isDue = false
            let (waiting, number, revision) = (witnessing.whenWritten, witnessing.number + 1, books.revision)
            witnessing.whenWritten = []
            defer { for continuation in waiting { continuation.resume() } }
            // Never two statements about one revision: a torn newest one must mean that the ledger is further than the other.
            if revision == witnessing.revision, witnessing.isFindingTold { continue }
            let tellsFinding = witnessing.finding != nil
            let failure: StoreError?
            if let signed = sign(witness, number: number) {
                failure = await put(signed, witness)
            } else {
                failure = .unexpected(code: 0, detail: "the head could not be signed")
            }
            // After a failure the same slot is tried again: the other one holds the last whole statement.
            if failure == nil {
                (witnessing.number, witnessing.revision) = (number, revision)
                witnessing.isFindingTold = witnessing.isFindingTold || tellsFinding
            }
            witness.onWrite(failure)
        }
        witnessing.isWriting = false
    }

    /// Writes a statement; a disk that does not answer is told meanwhile: the gate goes on, and nobody witnesses it.
    private func put(_ signed: SignedHead, _ witness: Witness) async -> StoreError? {
        let alarm = Task { [limit = options.witnessLimit] in
            do { try await Task.sleep(for: limit) } catch { return }
            witness.onWrite(.silent(path: witness.file.path))
        }
        let failure = await witness.file.write(signed)
        alarm.cancel()
        await alarm.value  // so that what came of it is told last
        return failure
    }

    private func sign(_ witness: Witness, number: Int) -> SignedHead? {
        let state = books.state
        let statement = HeadStatement(
            state: state, digest: witness.key.digest(of: state, books.sum(witness.key)), number: number,
            finding: witnessing.finding)
        return SignedHead(statement, by: witness.key)
    }
}
