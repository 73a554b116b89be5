package import Encoding

/// The report about a visit for the operator's agents. It depends only on the ledger's entry: every attempt sends the
/// same bytes with the same id, and nothing of a report is stored outside the ledger.
package enum Report {
    /// The value of the member `type` in a report that is sent as a basicmessage.
    package static let type: Text = "verification-report/1.0"

    /// Returns the id of the report, which is the id of the visit. It is also the `@id` of the message, so receivers
    /// recognise repetitions.
    package static func id(_ record: OutcomeRecord) -> Text { record.visit }

    /// Returns the report of `entry`, with the entry's position; nil if the entry is not an outcome.
    package static func json(of entry: LedgerEntry, in ledger: Text) -> JSON? {
        guard case .outcome(let record) = try? LedgerRecord(bytes: entry.body) else { return nil }
        return json(record, entry, ledger)
    }

    /// Returns whether the entry records a rejection or a failure. Its report is sent at once, not together with later
    /// ones.
    package static func isUrgent(_ entry: LedgerEntry) -> Bool {
        guard case .outcome(let record) = try? LedgerRecord(bytes: entry.body) else { return false }
        return record.outcome.result != .accepted
    }

    /// Returns the members of the report in their fixed order (`docs/protocols/reports.md`). `clock` is `synced` if the
    /// date is synchronised or given; `clockSource` is the source of the date.
    private static func json(_ record: OutcomeRecord, _ entry: LedgerEntry, _ ledger: Text) -> JSON {
        let stamp = record.stamp
        let synced = stamp.time.provenance >= .synchronised
        let outcome = record.outcome
        return .object(
            JSONObject(optional: [
                ("type", .string(type)),
                ("id", .string(id(record))),
                ("seq", .int(record.seq)),
                ("boot", .string(stamp.boot)),
                ("ledger", .string(ledger)),
                ("position", .int(entry.position)),
                ("hash", .text(entry.hash.hex)),
                ("kiosk", .string(stamp.kiosk)),
                ("time", .text(stamp.time.utc.recordText)),
                ("clock", synced ? "synced" : "unsynced"),
                ("clockSource", .text(stamp.time.provenance.rawValue)),
                ("result", .text(outcome.result.rawValue)),
                ("reasons", .array(outcome.reasons.map(\.json))),
                ("credential", outcome.credential?.json),
                ("others", outcome.others.isEmpty ? nil : .array(outcome.others.map(\.json))),
                ("session", outcome.session?.json),
                ("gate", outcome.gate?.json(pulse: "relayMs") ?? .null),
                ("software", outcome.software.json),
                ("repeated", outcome.repeated > 0 ? .int(outcome.repeated) : nil),
                ("repeatedFrom", outcome.repeatedSpan.map { .text(stamp.date(of: $0.lowerBound).recordText) }),
                ("repeatedTo", outcome.repeatedSpan.map { .text(stamp.date(of: $0.upperBound).recordText) }),
                ("dropped", .int(record.dropped)),
                ("predecessor", outcome.predecessor?.json),
                ("finding", outcome.finding.map(JSON.string)),
            ]))
    }
}
