import Clocks
package import Encoding
import Foundation
import GRDB
package import Ledger

/// The evidence, in addition to the chain, with which a verification compares a ledger.
package struct Proof: Sendable {
    /// The key of the seal; nil: seal and signature are not checked.
    package var key: WitnessKey?
    /// The content of the witness file.
    package var witness: WitnessReading

    /// Creates a proof from a key and the reading of a witness. Read both before the ledger, because the ledger grows.
    package init(key: WitnessKey?, witness: WitnessReading) {
        (self.key, self.witness) = (key, witness)
    }
}

/// The state of the witness: the last statement, and the changes to be written.
struct Witnessing {
    /// The number of the last statement.
    var number: Int
    /// The revision in the last statement; 0 without a statement about this ledger.
    var revision: Int
    /// A fault of the ledger that this run found, in words.
    var finding: Text?
    /// Whether the witness has recorded the finding.
    var isFindingReported = true
    /// Whether a statement must be written.
    var isDue = false
    var isWriting = false
    /// Whether the time ``StoreOptions/witnessIdle`` is running.
    var isWaiting = false
    var whenWritten: [CheckedContinuation<Void, Never>] = []
}

// The witness records a commit with an opened gate as soon as it is durable, and any other commit within
// ``StoreOptions/witnessIdle``. One write is in progress at a time. Commits during a write share the next write.
extension Store {
    /// The newest statement, signed for the present state; nil without a witness.
    package var signedHead: SignedHead? { witness.flatMap { sign($0, number: witnessing.number) } }

    /// Reads the whole ledger and compares it with seal and witness. The witness records a finding, so that the next
    /// start begins a new ledger. Call this function regularly. The function reads ``StoreOptions/auditPiece`` rows at
    /// a time and then pauses for at least as long as the reading took. It therefore uses little memory, holds no lock
    /// for long, and leaves half of the processor free.
    package func audit() async throws(StoreError) -> ChainReport {
        let report = try await auditInPieces()
        if let first = report.findings.first, witness != nil {
            if witnessing.finding == nil {
                (witnessing.finding, witnessing.isFindingReported) = (Text(first.text), false)
            }
            await updateWitness()
        }
        return report
    }

    private func auditInPieces() async throws(StoreError) -> ChainReport {
        var audit = LedgerAudit(limits: options.limits, proof: await currentProof(), piece: options.auditPiece)
        while true {
            let began = options.clock.now()
            let (next, report) = try await read { [audit] db in
                var audit = audit
                let report = try audit.read(db)
                return (audit, report)
            }
            if let report { return report }
            if Task.isCancelled { throw .closed }
            audit = next
            try? await options.clock.sleep(for: max(options.auditRest, began.duration(to: options.clock.now())))
        }
    }

    /// Records outside evidence that this ledger was changed, so that the next start begins a new ledger and states the
    /// reason. Returns whether the witness has recorded the evidence. Without that record, the next start does not know
    /// of it.
    package func contradict(_ finding: Text) async -> Bool {
        guard witness != nil else { return false }
        if witnessing.finding == nil { (witnessing.finding, witnessing.isFindingReported) = (finding, false) }
        if !witnessing.isFindingReported { await updateWitness() }
        return witnessing.isFindingReported
    }

    /// Writes a statement about the present state of the ledger. Returns after the attempt.
    package func updateWitness() async {
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
        Task { [weak self, options] in
            try? await options.clock.sleep(for: options.witnessIdle)
            await self?.witnessWhenQuiet()
        }
    }

    /// Writes the last statement of the witness at the closing of the store. A read-only command does not sign a ledger
    /// that the witness does not know, because a signature would hide the removal of the witness.
    func witnessLast() async {
        guard options.mayMake || standing == .continued else { return }
        if books.revision > witnessing.revision { await updateWitness() }
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
            // Never write two statements about one revision: a torn newest statement must mean that the ledger is newer
            // than the older statement.
            if revision == witnessing.revision, witnessing.isFindingReported { continue }
            let tellsFinding = witnessing.finding != nil
            let failure: StoreError?
            if let signed = sign(witness, number: number) {
                failure = await put(signed, witness)
            } else {
                failure = .unexpected(code: 0, detail: "the head could not be signed")
            }
            // After a failure use the same slot again, because the other slot has the last complete statement.
            if failure == nil {
                (witnessing.number, witnessing.revision) = (number, revision)
                witnessing.isFindingReported = witnessing.isFindingReported || tellsFinding
            }
            witness.onWrite(failure)
        }
        witnessing.isWriting = false
    }

    /// Writes a statement. Reports a disk that does not respond in time; meanwhile the gate continues without a
    /// witness.
    private func put(_ signed: SignedHead, _ witness: Witness) async -> StoreError? {
        let limit = options.clock.now().advanced(by: options.witnessLimit)
        let silent: @Sendable () -> Void = { witness.onWrite(.silent(path: witness.file.path)) }
        return await options.clock.alarm(at: limit, ring: silent) { await witness.file.write(signed) }
    }

    private func sign(_ witness: Witness, number: Int) -> SignedHead? {
        let state = books.state
        let statement = HeadStatement(
            state: state, digest: witness.key.digest(of: state, books.sum(witness.key)), number: number,
            finding: witnessing.finding)
        return SignedHead(statement, by: witness.key)
    }
}
