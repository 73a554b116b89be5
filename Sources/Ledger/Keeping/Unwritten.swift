package import Encoding

/// An intent that waits to be written.
package struct UnwrittenIntent: Hashable, Sendable {
    /// Its own UUID.
    package var intent: Text
    /// The place and time.
    package var stamp: RecordStamp

    /// An intent of these parts.
    package init(intent: Text, stamp: RecordStamp) {
        (self.intent, self.stamp) = (intent, stamp)
    }
}

/// The decision about a visit whose gate was ordered to open, waiting to be written, with the names by which
/// its credential is recognised after the next start.
package struct UnwrittenDecision: Hashable, Sendable {
    /// The outcome, with the gate as it was ordered. The outcome that states what the gate did replaces it
    /// later.
    package var decided: UnwrittenOutcome
    /// The names by which the credential is recognised.
    package var names: [ReplayName]

    /// A decision of these parts.
    package init(_ decided: UnwrittenOutcome, names: [ReplayName]) { (self.decided, self.names) = (decided, names) }

    /// The date at which the names were remembered. Of two possible dates it is the later one, which keeps
    /// the names longer.
    package var at: Timestamp { decided.stamp.time.latest }

    /// Returns the decision with the names of its credentials filled in and the digests removed.
    package func named(under key: SiteKey) -> UnwrittenDecision {
        UnwrittenDecision(decided.named(under: key), names: names)
    }
}

/// An outcome that waits to be written.
package struct UnwrittenOutcome: Hashable, Sendable {
    /// The visit's UUID.
    package var visit: Text
    /// The UUID of the intent that the visit uses up. For a visit without an intent it is the visit's own
    /// UUID, which no intent has.
    package var intent: Text
    /// The visit's result.
    package var outcome: Outcome
    /// The place and time.
    package var stamp: RecordStamp
    /// SHA-256 of the signed contents from which the names are still to be computed: of the credential, then
    /// of the first of the others. Empty: the names are filled in already, or none is needed.
    package var signedDigests: [[UInt8]]
    /// Names stored with its decision that are removed when it is written, because the gate did not open or
    /// its result releases the credential.
    package var forgotten: [ReplayName]

    /// An outcome of these parts. `intent`: nil for a visit without one, and for visits of earlier versions,
    /// whose intents had the ids of their visits.
    package init(
        visit: Text, intent: Text? = nil, outcome: Outcome, stamp: RecordStamp, signedDigests: [[UInt8]] = [],
        forgotten: [ReplayName] = []
    ) {
        (self.visit, self.intent, self.outcome, self.stamp) = (visit, intent ?? visit, outcome, stamp)
        (self.signedDigests, self.forgotten) = (signedDigests, forgotten)
    }

    /// The number of visits that it covers.
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

    /// The bytes in which the reserve and a decision keep it: the intent's id, unless it equals the visit's;
    /// then a record without number and position, which the ledger assigns later. Valid only for an outcome
    /// with its names filled in: neither digests nor forgotten names are kept.
    package func bytes(limits: LedgerLimits = LedgerLimits()) -> [UInt8] {
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 0, visit: visit, intent: nil, stamp: stamp.clipped(to: limits),
                outcome: outcome.clipped(to: limits),
                dropped: 0))
        return (intent == visit ? [] : Array(intent.utf8)) + record.bytes
    }

    /// Parses ``bytes(limits:)``; nil for anything else. Bytes of earlier versions contain no intent id.
    package init?(bytes: [UInt8]) {
        let body = bytes.drop { $0 != UInt8(ascii: "{") }
        guard let intent = Text(utf8: bytes.prefix(bytes.count - body.count)),
            case .outcome(let record) = try? LedgerRecord(bytes: Array(body))
        else { return nil }
        self.init(
            visit: record.visit, intent: intent.isEmpty ? nil : intent, outcome: record.outcome, stamp: record.stamp)
    }
}
