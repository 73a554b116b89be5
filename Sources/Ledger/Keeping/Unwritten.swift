package import Encoding

/// An intent that waits to be written.
package struct UnwrittenIntent: Hashable, Sendable {
    /// The id of the intent, a UUID.
    package var intent: Text
    /// The place and time of the intent.
    package var stamp: RecordStamp

    /// Creates an intent that waits to be written.
    package init(intent: Text, stamp: RecordStamp) {
        (self.intent, self.stamp) = (intent, stamp)
    }
}

/// The decision on a visit for which the gate was ordered to open. It waits to be written, together with the
/// names by which the visit's credential is recognised after the next start.
package struct UnwrittenDecision: Hashable, Sendable {
    /// The outcome, with the gate as it was ordered. The outcome that states what the gate did replaces it
    /// later.
    package var decided: UnwrittenOutcome
    /// The names by which the credential is recognised.
    package var names: [ReplayName]

    /// Creates a decision from the decided outcome and the replay names.
    package init(_ decided: UnwrittenOutcome, names: [ReplayName]) { (self.decided, self.names) = (decided, names) }

    /// The date at which the names were remembered. If two dates are possible, it is the later one, so that
    /// the names are kept longer.
    package var at: Timestamp { decided.stamp.time.latest }

    /// Returns the decision with the names of its credentials filled in and the digests removed.
    package func named(under key: SiteKey) -> UnwrittenDecision {
        UnwrittenDecision(decided.named(under: key), names: names)
    }
}

/// An outcome that waits to be written.
package struct UnwrittenOutcome: Hashable, Sendable {
    /// The UUID of the visit.
    package var visit: Text
    /// The UUID of the intent that the visit uses up. For a visit without an intent it is the visit's own
    /// UUID, which no intent has.
    package var intent: Text
    /// The result of the visit.
    package var outcome: Outcome
    /// The place and time of the outcome.
    package var stamp: RecordStamp
    /// The SHA-256 hashes of the signed contents from which the names are still to be computed: first that of
    /// the credential, then those of the first further credentials. Empty: the names are filled in already,
    /// or no name is needed.
    package var signedDigests: [[UInt8]]
    /// The names stored with the visit's decision that are removed when the outcome is written, because the
    /// gate did not open or the result releases the credential.
    package var forgotten: [ReplayName]

    /// Creates an outcome from its parts. `intent`: nil for a visit without an intent, and for visits of
    /// earlier versions, whose intents had the ids of their visits.
    package init(
        visit: Text, intent: Text? = nil, outcome: Outcome, stamp: RecordStamp, signedDigests: [[UInt8]] = [],
        forgotten: [ReplayName] = []
    ) {
        (self.visit, self.intent, self.outcome, self.stamp) = (visit, intent ?? visit, outcome, stamp)
        (self.signedDigests, self.forgotten) = (signedDigests, forgotten)
    }

    /// The number of visits that the outcome covers.
    package var visits: Int { 1 + outcome.repeated }

    /// Returns the outcome with the names of its credentials filled in and the digests removed.
    package func named(under key: SiteKey) -> UnwrittenOutcome {
        var copy = self
        copy.signedDigests = []
        let names = signedDigests.map(key.name(ofSignedContent:))
        if let name = names.first { copy.outcome.credential?.name = name }
        for (index, name) in zip(outcome.others.indices, names.dropFirst()) { copy.outcome.others[index].name = name }
        return copy
    }

    /// The bytes in which the reserve and a decision store the outcome. They are the intent's id, unless it
    /// equals the visit's id, followed by a record without number and position, which the ledger assigns
    /// later. The function may be used only for an outcome whose names are filled in: neither digests nor
    /// forgotten names are kept.
    package func bytes(limits: LedgerLimits = LedgerLimits()) -> [UInt8] {
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 0, visit: visit, intent: nil, stamp: stamp.clipped(to: limits),
                outcome: outcome.clipped(to: limits),
                dropped: 0))
        return (intent == visit ? [] : Array(intent.utf8)) + record.bytes
    }

    /// Parses ``bytes(limits:)``; nil for any other bytes. Bytes of earlier versions contain no intent id.
    package init?(bytes: [UInt8]) {
        let body = bytes.drop { $0 != UInt8(ascii: "{") }
        guard let intent = Text(utf8: bytes.prefix(bytes.count - body.count)),
            case .outcome(let record) = try? LedgerRecord(bytes: Array(body))
        else { return nil }
        self.init(
            visit: record.visit, intent: intent.isEmpty ? nil : intent, outcome: record.outcome, stamp: record.stamp)
    }
}
