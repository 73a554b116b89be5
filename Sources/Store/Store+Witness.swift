import Clocks
package import Encoding
import Foundation
import GRDB
package import Ledger

/// The evidence with which a verification compares a ledger in addition to its own chain.
package struct Proof: Sendable {
    /// The key of the seal; nil: seal and signature are not checked.
    package var key: WitnessKey?
    /// The content of the witness file.
    package var witness: WitnessReading

    /// Creates a proof from a key and the reading of a witness. Read them before the ledger, because the
    /// ledger may grow meanwhile.
    package init(key: WitnessKey?, witness: WitnessReading) {
        (self.key, self.witness) = (key, witness)
    }
}

/// The state of the witness: the last statement, and what is still to be written.
struct Witnessing {
    /// The number of the last statement.
    var number: Int
    /// The revision that the last statement describes; 0: no statement of this ledger exists.
    var revision: Int
    /// A fault of the ledger found in this run, in words.
    var finding: Text?
    /// Whether the witness has recorded the finding.
    var isFindingReported = true
    /// Whether a statement is to be written.
    var isDue = false
    var isWriting = false
    /// Whether the time ``StoreOptions/witnessIdle`` is running.
    var isWaiting = false
    var whenWritten: [CheckedContinuation<Void, Never>] = []
}

// The witness records each commit with an opened gate as soon as the commit is durable, and other commits
// within ``StoreOptions/witnessIdle``. One write is in progress at a time; commits during a write share the
// next one.
extension Store {
    /// The newest statement, signed for the present state; nil without a witness.
    package var signedHead: SignedHead? { witness.flatMap { sign($0, number: witnessing.number) } }

    /// Reads the whole ledger and compares it with seal and witness. Records a finding with the witness, so
    /// that the next start begins a new ledger. Call this function from time to time. It reads
    /// ``StoreOptions/auditPiece`` rows at a time and pauses after each piece for at least as long as the
    /// piece took. So it uses little memory, holds no lock for long and leaves half of the processor free.
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

    /// Records evidence from outside that this ledger was changed, so that the next start begins a new one
    /// and states the reason. Returns whether the witness has recorded it; otherwise the next start does not
    /// know.
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

    /// Writes the last statement of the witness, when the store is closed. A read-only command does not sign
    /// a ledger that the witness does not know, because that would hide the removal of the witness.
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
            // Never write two statements about one revision: a torn newest statement must mean that the
            // ledger is newer than the older statement.
            if revision == witnessing.revision, witnessing.isFindingReported { continue }
            let tellsFinding = witnessing.finding != nil
            let failure: StoreError?
            if let signed = sign(witness, number: number) {
                failure = await put(signed, witness)
            } else {
                failure = .unexpected(code: 0, detail: "the head could not be signed")
            }
            // After a failure try the same slot again, because the other slot holds the last complete
            // statement.
            if failure == nil {
                (witnessing.number, witnessing.revision) = (number, revision)
                witnessing.isFindingReported = witnessing.isFindingReported || tellsFinding
            }
            witness.onWrite(failure)
        }
        witnessing.isWriting = false
    }

    /// Writes a statement. A disk that does not answer in time is reported meanwhile; the gate continues
    /// without a witness.
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
