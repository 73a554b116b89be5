package import Encoding

/// An intent that is not written yet.
package struct UnwrittenIntent: Hashable, Sendable {
    /// The id of the intent, a UUID.
    package var intent: Text
    /// The gate, the boot and the time of the intent.
    package var stamp: RecordStamp

    /// Creates an intent that must be written.
    package init(intent: Text, stamp: RecordStamp) {
        (self.intent, self.stamp) = (intent, stamp)
    }
}

/// A decision that is not written yet: the gate was ordered to open for a visit. It contains the names by which the
/// gate recognises the credentials after the next start.
package struct UnwrittenDecision: Hashable, Sendable {
    /// The decided outcome; its `gate` states what the gate was ordered to do. Later the final outcome, which states
    /// what the gate did, replaces it.
    package var decided: UnwrittenOutcome
    /// The names by which the gate recognises the credentials, to detect replays.
    package var names: [ReplayName]

    /// Creates a decision from the decided outcome and the replay names.
    package init(_ decided: UnwrittenOutcome, names: [ReplayName]) { (self.decided, self.names) = (decided, names) }

    /// The date with which the names are stored. If two dates are possible, it is the later one, so that the names are
    /// kept longer.
    package var at: Timestamp { decided.stamp.time.latest }

    /// Returns the decision with the names of the credentials computed with `key`, and without the digests.
    package func named(under key: SiteKey) -> UnwrittenDecision {
        UnwrittenDecision(decided.named(under: key), names: names)
    }
}

/// An outcome that is not written yet.
package struct UnwrittenOutcome: Hashable, Sendable {
    /// The UUID of the visit.
    package var visit: Text
    /// The UUID of the visit's intent. A visit without an intent has its own UUID here, which no intent has.
    package var intent: Text
    /// The result of the visit.
    package var outcome: Outcome
    /// The gate, the boot and the time of the outcome.
    package var stamp: RecordStamp
    /// The SHA-256 hashes of the signed contents, from which the names of the credentials are computed: first that of
    /// the credential, then those of further credentials. Empty if the names are already computed or not needed.
    package var signedDigests: [[UInt8]]
    /// The replay names that are removed when the outcome is written, because the gate did not open or because the
    /// result permits the credential again. They were stored with the visit's decision.
    package var forgotten: [ReplayName]

    /// Creates an outcome that must be written. `intent`: nil for a visit without an intent, and for visits of earlier
    /// versions, whose intents had the ids of their visits.
    package init(
        visit: Text, intent: Text? = nil, outcome: Outcome, stamp: RecordStamp, signedDigests: [[UInt8]] = [],
        forgotten: [ReplayName] = []
    ) {
        (self.visit, self.intent, self.outcome, self.stamp) = (visit, intent ?? visit, outcome, stamp)
        (self.signedDigests, self.forgotten) = (signedDigests, forgotten)
    }

    /// The number of visits that the outcome records: one, and those that ended in the same way (``Outcome/repeated``).
    package var visits: Int { 1 + outcome.repeated }

    /// Returns the outcome with the names of the credentials computed with `key`, and without the digests.
    package func named(under key: SiteKey) -> UnwrittenOutcome {
        var copy = self
        copy.signedDigests = []
        let names = signedDigests.map(key.name(ofSignedContent:))
        if let name = names.first { copy.outcome.credential?.name = name }
        for (index, name) in zip(outcome.others.indices, names.dropFirst()) { copy.outcome.others[index].name = name }
        return copy
    }

    /// The bytes in which the reserve, or a decision, stores the outcome: the intent's id, unless it equals the visit's
    /// id, and then a record without number and position, which the ledger assigns later. Compute the names of the
    /// credentials before: the bytes contain neither the digests nor ``forgotten``.
    package func bytes(limits: LedgerLimits = LedgerLimits()) -> [UInt8] {
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 0, visit: visit, intent: nil, stamp: stamp.clipped(to: limits),
                outcome: outcome.clipped(to: limits),
                dropped: 0))
        return (intent == visit ? [] : Array(intent.utf8)) + record.bytes
    }

    /// Reads an outcome from its bytes (``bytes(limits:)``); nil for any other bytes. In bytes of earlier versions
    /// there is no intent id.
    package init?(bytes: [UInt8]) {
        let body = bytes.drop { $0 != UInt8(ascii: "{") }
        guard let intent = Text(utf8: bytes.prefix(bytes.count - body.count)),
            case .outcome(let record) = try? LedgerRecord(bytes: Array(body))
        else { return nil }
        self.init(
            visit: record.visit, intent: intent.isEmpty ? nil : intent, outcome: record.outcome, stamp: record.stamp)
    }
}
