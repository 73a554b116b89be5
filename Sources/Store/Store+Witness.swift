import Clocks
package import Encoding
import Foundation
import GRDB
package import Ledger

/// The data with which a verification compares a ledger, in addition to its hash chain.
package struct Proof: Sendable {
    /// The key of the seal; nil: seals and signatures are not checked.
    package var key: WitnessKey?
    /// The content of the witness file.
    package var witness: WitnessReading

    /// Creates the evidence from a key and the reading of a witness. Read the key and the witness before the ledger,
    /// because the ledger grows.
    package init(key: WitnessKey?, witness: WitnessReading) {
        (self.key, self.witness) = (key, witness)
    }
}

/// The state of the witness in a running store: the last statement, and what a further statement must contain.
struct Witnessing {
    /// The number of the last statement that was written.
    var number: Int
    /// The revision of the ledger in the last statement; 0 if there is no statement about this ledger.
    var revision: Int
    /// The fault of the ledger that this run found, in words; nil if none was found.
    var finding: Text?
    /// Whether a statement with the fault has been written.
    var isFindingReported = true
    /// Whether a further statement is to be written.
    var isDue = false
    var isWriting = false
    /// Whether a statement follows when ``StoreOptions/witnessIdle`` has passed.
    var isWaiting = false
    var whenWritten: [CheckedContinuation<Void, Never>] = []
}

// The statements of the witness. A commit that records an opened gate is followed by a statement at once, any other
// commit within ``StoreOptions/witnessIdle``. Only one statement is written at a time. All commits during a write
// share the next statement.
extension Store {
    /// The newest statement, signed for the present state of the ledger; nil without a witness.
    package var signedHead: SignedHead? { witness.flatMap { sign($0, number: witnessing.number) } }

    /// Reads the whole ledger and compares it with its seal and its witness. If the comparison finds a fault, the
    /// witness records it, so that the next start begins a new ledger. Call this function regularly. It reads
    /// ``StoreOptions/auditPiece`` entries at a time and then pauses for at least as long as the reading took. It
    /// therefore uses little memory, has no lock for long, and uses at most half of the processor.
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

    /// Records evidence from outside that this ledger was changed, so that the next start begins a new ledger and
    /// states the reason. Returns whether the witness has recorded the evidence. If it has not, the next start does
    /// not know of the evidence.
    package func contradict(_ finding: Text) async -> Bool {
        guard witness != nil else { return false }
        if witnessing.finding == nil { (witnessing.finding, witnessing.isFindingReported) = (finding, false) }
        if !witnessing.isFindingReported { await updateWitness() }
        return witnessing.isFindingReported
    }

    /// Writes a statement about the present state of the ledger. Returns after the attempt, whether or not it
    /// succeeded.
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

    /// Writes the last statement before the store closes. A read-only command does not write a statement about a
    /// ledger that the witness does not know: the statement would hide that the witness file was removed.
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
            // Never write two statements about one revision: a start that finds the newest statement torn assumes
            // that the ledger is newer than the older statement.
            if revision == witnessing.revision, witnessing.isFindingReported { continue }
            let tellsFinding = witnessing.finding != nil
            let failure: StoreError?
            if let signed = sign(witness, number: number) {
                failure = await put(signed, witness)
            } else {
                failure = .unexpected(code: 0, detail: "the head could not be signed")
            }
            // After a failure write to the same slot again, because the other slot contains the last complete
            // statement.
            if failure == nil {
                (witnessing.number, witnessing.revision) = (number, revision)
                witnessing.isFindingReported = witnessing.isFindingReported || tellsFinding
            }
            witness.onWrite(failure)
        }
        witnessing.isWriting = false
    }

    /// Writes a statement and returns the error, or nil. Reports a disk that does not respond within
    /// ``StoreOptions/witnessLimit``; the gate continues meanwhile.
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
