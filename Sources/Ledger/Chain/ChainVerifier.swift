package import Encoding

/// Reads a hash chain entry by entry, and finds each entry that was removed, changed, inserted or moved. The memory
/// that it needs does not grow with the chain, except for open visits and a limited list of findings.
package struct ChainVerifier: Sendable {
    /// The largest number of findings that are listed. Further findings are only counted.
    package static let findingLimit = 100

    private var report: ChainReport
    /// The hashes after which the next entry may come. Normally there is one. After a changed entry there are the
    /// stored and the computed hash, so that the change causes only one finding. After a gap there is none, because the
    /// hash before the next entry is not known.
    private var previous: [ChainHash]
    /// The intents without an outcome, by their positions.
    private var open: [Int: OpenIntent] = [:]
    private var openLimit: Int
    private var checkpoints: [Checkpoint]

    /// Creates a verifier that begins at `start`: before the first entry, or after the evicted entries. The first
    /// expected entry has the position `start.count + 1`. Each checkpoint of another ledger causes a finding
    /// (``ChainFinding/otherLedger(_:)``).
    package init(ledger: Text, start: ChainPoint, checkpoints: [Checkpoint] = [], limits: LedgerLimits = LedgerLimits())
    {
        report = ChainReport(start: start, end: start)
        previous = [start.hash]
        openLimit = limits.openVisits
        self.checkpoints = checkpoints.sorted { $0.count < $1.count }
        if start.count == 0, start != .genesis(ledger: ledger) { find(.altered(0)) }
        let isOther: (Checkpoint) -> Bool = { $0.ledger != nil && $0.ledger != ledger }
        for checkpoint in checkpoints where isOther(checkpoint) { find(.otherLedger(checkpoint.ledger ?? "")) }
        self.checkpoints.removeAll(where: isOther)
        compareCheckpoints()
    }

    /// The point after the last entry that was read.
    package var end: ChainPoint { report.end }

    /// Reads the next entry.
    package mutating func add(_ entry: LedgerEntry) {
        report.entries += 1
        // `end` may come from a damaged file, so its position is limited to prevent an overflow.
        let expected = min(max(report.end.count, 0), ChainPoint.countLimit - 1) + 1
        guard (expected...ChainPoint.countLimit).contains(entry.position) else {
            return find(.misplaced(entry.position))
        }
        if entry.position > expected {
            find(.missing(expected...entry.position - 1))
            previous = []
        }
        let candidates = previous.map { $0.next(position: entry.position, body: entry.body) }
        if !candidates.isEmpty, !candidates.contains(entry.hash) {
            find(.altered(entry.position))
            previous = [entry.hash] + candidates
        } else {
            previous = [entry.hash]
        }
        let gap = entry.position > expected
        report.end.count = entry.position
        report.end.hash = entry.hash
        do throws(RecordError) {
            follow(try LedgerRecord(bytes: entry.body), at: entry.position, afterGap: gap)
        } catch {
            find(.unreadable(entry.position, member: error.member))
        }
        compareCheckpoints()
    }

    /// Ends the input and returns the report. `end`: the end that the ledger states; nil if it is not known.
    package consuming func finish(end: ChainPoint? = nil) -> ChainReport {
        if let end, end != report.end { find(.wrongEnd(expected: end.count, found: report.end.count)) }
        for checkpoint in checkpoints { find(.checkpoint(count: checkpoint.count)) }
        report.openIntents = open.values.sorted { $0.position < $1.position }
        return report
    }

    /// Checks that the record at `position` agrees with the records before it. `afterGap`: whether entries before it
    /// are missing.
    private mutating func follow(_ record: LedgerRecord, at position: Int, afterGap: Bool) {
        switch record {
        case .intent(let intent):
            takeNumber(intent.seq, at: position, afterGap: afterGap)
            if isOpen(intent.intent) { find(.repeated(position, visit: intent.intent)) }
            if open.count < openLimit {
                open[position] = OpenIntent(intent: intent.intent, seq: intent.seq, position: position)
            } else {
                find(.repeated(position, visit: intent.intent))
            }
        case .outcome(let outcome):
            report.results[outcome.outcome.result, default: 0] += 1
            let intent = outcome.intent.flatMap { open.removeValue(forKey: $0) }
            if position == 1, outcome.outcome.predecessor != nil || outcome.outcome.finding != nil {
                // The first record of a ledger that replaced another one continues the visit numbers of the replaced
                // ledger.
                report.predecessor = outcome.outcome.predecessor
                report.end.nextSeq = max(report.end.nextSeq, outcome.seq)
            }
            if outcome.intent == nil {
                if isOpen(outcome.visit) { find(.wrongNumber(position, seq: outcome.seq)) }
                takeNumber(outcome.seq, at: position, afterGap: afterGap)
                if outcome.outcome.gate?.opened == true, report.opensWithoutIntent.count < Self.findingLimit {
                    report.opensWithoutIntent.append(outcome.visit)
                }
            } else if let intent {
                if intent.seq != outcome.seq { find(.wrongNumber(position, seq: outcome.seq)) }
            } else if !isLost(outcome.intent ?? 0) {
                find(.unknownIntent(position, visit: outcome.visit))
            }
        }
    }

    /// Returns whether an intent with the id `intent` is open: it has no outcome yet.
    private func isOpen(_ intent: Text) -> Bool { open.values.contains { $0.intent == intent } }

    /// Returns whether the entry at `position` was evicted, or is missing and was already found to be missing.
    private func isLost(_ position: Int) -> Bool {
        if position > 0, position <= report.start.count { return true }
        return report.findings.contains {
            if case .missing(let range) = $0 { range.contains(position) } else { false }
        }
    }

    private mutating func takeNumber(_ seq: Int, at position: Int, afterGap: Bool) {
        if seq != report.end.nextSeq, !(afterGap && seq > report.end.nextSeq) { find(.wrongNumber(position, seq: seq)) }
        report.end.nextSeq = (0..<ChainPoint.countLimit).contains(seq) ? seq + 1 : report.end.nextSeq
    }

    private mutating func compareCheckpoints() {
        while let checkpoint = checkpoints.first, checkpoint.count <= report.end.count {
            checkpoints.removeFirst()
            if checkpoint.count < report.start.count {
                report.checkpointsEvicted += 1
            } else if checkpoint.count == report.end.count, checkpoint.hash == report.end.hash {
                report.checkpointsMet += 1
            } else {
                find(.checkpoint(count: checkpoint.count))
            }
        }
    }

    private mutating func find(_ finding: ChainFinding) {
        if report.findings.count < Self.findingLimit {
            report.findings.append(finding)
        } else {
            report.moreFindings += 1
        }
    }
}
