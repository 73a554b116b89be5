package import Encoding

/// An intent that is not written yet.
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

/// The decision on a visit for which the gate was ordered to open, not written yet. It includes the names by which the
/// credential is recognised after the next start.
package struct UnwrittenDecision: Hashable, Sendable {
    /// The decided outcome, with the gate as ordered. The final outcome, which states what the gate did, replaces it.
    package var decided: UnwrittenOutcome
    /// The names by which the credential is recognised.
    package var names: [ReplayName]

    /// Creates a decision from the decided outcome and the replay names.
    package init(_ decided: UnwrittenOutcome, names: [ReplayName]) { (self.decided, self.names) = (decided, names) }

    /// The date at which the names were stored. If two dates are possible, it is the later date, so that the names are
    /// kept longer.
    package var at: Timestamp { decided.stamp.time.latest }

    /// Returns the decision with the names of its credentials filled in and the digests removed.
    package func named(under key: SiteKey) -> UnwrittenDecision {
        UnwrittenDecision(decided.named(under: key), names: names)
    }
}

/// An outcome that is not written yet.
package struct UnwrittenOutcome: Hashable, Sendable {
    /// The UUID of the visit.
    package var visit: Text
    /// The UUID of the visit's intent. For a visit without an intent it is the UUID of the visit, which no intent has.
    package var intent: Text
    /// The result of the visit.
    package var outcome: Outcome
    /// The place and time of the outcome.
    package var stamp: RecordStamp
    /// The SHA-256 hashes of the signed contents whose names are still to be computed: that of the credential, then
    /// those of the first further credentials. The array is empty if the names are filled in or not needed.
    package var signedDigests: [[UInt8]]
    /// The names, stored with the visit's decision, that are removed when the outcome is written: the gate did not
    /// open, or the result releases the credential.
    package var forgotten: [ReplayName]

    /// Creates an outcome from its parts. `intent`: nil for a visit without an intent, and for visits of earlier
    /// versions, whose intents had the ids of their visits.
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

    /// The bytes in which the reserve and a decision store the outcome: the intent's id, unless it equals the visit's
    /// id, followed by a record without number and position, which the ledger assigns later. The names must be filled
    /// in before: the bytes contain neither digests nor forgotten names.
    package func bytes(limits: LedgerLimits = LedgerLimits()) -> [UInt8] {
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 0, visit: visit, intent: nil, stamp: stamp.clipped(to: limits),
                outcome: outcome.clipped(to: limits),
                dropped: 0))
        return (intent == visit ? [] : Array(intent.utf8)) + record.bytes
    }

    /// Parses ``bytes(limits:)``; nil for any other bytes. Bytes of earlier versions have no intent id.
    package init?(bytes: [UInt8]) {
        let body = bytes.drop { $0 != UInt8(ascii: "{") }
        guard let intent = Text(utf8: bytes.prefix(bytes.count - body.count)),
            case .outcome(let record) = try? LedgerRecord(bytes: Array(body))
        else { return nil }
        self.init(
            visit: record.visit, intent: intent.isEmpty ? nil : intent, outcome: record.outcome, stamp: record.stamp)
    }
}
