package import Encoding

extension ChainReport {
    /// The text output of `gatehouse ledger verify`, in lines: the result, the figures, the remedy.
    package var lines: [String] {
        var lines: [String] = []
        if isIntact {
            lines.append("intact: \(entries) entries, nothing removed, altered, inserted or moved")
        } else {
            lines.append("NOT INTACT: \(findings.count + moreFindings) findings in \(entries) entries")
            lines += findings.map { "  " + $0.text }
            if moreFindings > 0 { lines.append("  and \(moreFindings) more") }
        }
        if start.count > 0 {
            lines.append("entries 1 to \(start.count) were evicted by retention; their last hash is \(start.hash.hex)")
        }
        lines.append(
            "visits: " + Outcome.Result.allCases.map { "\(results[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", "))
        if !openIntents.isEmpty {
            let numbers = openIntents.prefix(10).map { String($0.seq) }.joined(separator: ", ")
            lines.append(
                "open visits: \(openIntents.count) (number \(numbers)); "
                    + "in progress, or closed as interrupted at the next start"
            )
        }
        if !opensWithoutIntent.isEmpty {
            lines.append(
                "gate opened without a recorded intent: \(opensWithoutIntent.count) visits; "
                    + "permitted only with gate.whenLedgerFails = \"open\"")
        }
        if checkpointsMet + checkpointsEvicted > 0 {
            lines.append("checkpoints: \(checkpointsMet) met, \(checkpointsEvicted) about evicted entries")
        }
        if let predecessor {
            lines.append("follows ledger \(predecessor.ledger), which had \(predecessor.count) entries")
        }
        if let witness { lines.append("witness: \(witness)") }
        lines.append("head: \(end.count):\(end.hash.hex)")
        if !isIntact { lines.append(Self.remedy) }
        return lines
    }

    /// The output of `gatehouse ledger verify` for programs: one JSON object.
    package var json: JSON {
        [
            "intact": .bool(isIntact), "entries": .int(entries), "evicted": .int(start.count),
            "findings": .array(findings.map { .text($0.text) }), "moreFindings": .int(moreFindings),
            "results": .object(
                JSONObject(Outcome.Result.allCases.map { .init(Text($0.rawValue), .int(results[$0] ?? 0)) })),
            "openVisits": .array(openIntents.map { .string($0.intent) }),
            "opensWithoutIntent": .array(opensWithoutIntent.map(JSON.string)),
            "witness": witness.map { .text($0) } ?? .null, "head": end.json,
        ]
    }

    private static let remedy = """
        remedy: keep this file as evidence (copy it first), compare the numbers with the reports at the cloud agent, \
        and restart the service: it renames a ledger that its witness contradicts and begins a new ledger that refers \
        to it.
        """
}
