package import Encoding

/// An intent that waits to be written.
package struct UnwrittenIntent: Hashable, Sendable {
    /// Its own UUID.
    package var intent: Text
    /// Where and when.
    package var stamp: RecordStamp

    /// An intent of these parts.
    package init(intent: Text, stamp: RecordStamp) {
        (self.intent, self.stamp) = (intent, stamp)
    }
}

/// What was decided of a visit whose gate was told to open, waiting to be written: with the decision the names by which
/// its credential is known again at the start after this one.
package struct UnwrittenDecision: Hashable, Sendable {
    /// The outcome, its gate as it was ordered; kept until the outcome with what the gate did takes its place.
    package var decided: UnwrittenOutcome
    /// What the credential is known again by.
    package var names: [ReplayName]

    /// A decision of these parts.
    package init(_ decided: UnwrittenOutcome, names: [ReplayName]) { (self.decided, self.names) = (decided, names) }

    /// The date at which the names were remembered: of two possible ones the later, which keeps them longer.
    package var at: Timestamp { decided.stamp.time.latest }

    /// The decision under the names of its credentials, without the digests.
    package func named(under key: SiteKey) -> UnwrittenDecision {
        UnwrittenDecision(decided.named(under: key), names: names)
    }
}

/// An outcome that waits to be written.
package struct UnwrittenOutcome: Hashable, Sendable {
    /// The visit's UUID.
    package var visit: Text
    /// The UUID of the intent that it uses up; the visit's own, which is no intent's, where it had none.
    package var intent: Text
    /// How it ended.
    package var outcome: Outcome
    /// Where and when.
    package var stamp: RecordStamp
    /// SHA-256 of the signed contents by which the credential, and after it the first of the others, are still to be named. Empty:
    /// they have their names, or need none.
    package var signedDigests: [[UInt8]]
    /// Names of its decision that are removed with it: the gate did not open, or that releases the credential.
    package var forgotten: [ReplayName]

    /// An outcome of these parts. `intent`: nil for a visit without one, and of earlier versions, whose intents had
    /// their visits' ids.
    package init(
        visit: Text, intent: Text? = nil, outcome: Outcome, stamp: RecordStamp, signedDigests: [[UInt8]] = [],
        forgotten: [ReplayName] = []
    ) {
        (self.visit, self.intent, self.outcome, self.stamp) = (visit, intent ?? visit, outcome, stamp)
        (self.signedDigests, self.forgotten) = (signedDigests, forgotten)
    }

    /// The visits that it tells of.
    package var visits: Int { 1 + outcome.repeated }

    /// The outcome under the names of its credentials, without the digests.
    package func named(under key: SiteKey) -> UnwrittenOutcome {
        var copy = self
        copy.signedDigests = []
        let names = signedDigests.map(key.name(ofSignedContent:))
        if let name = names.first { copy.outcome.credential?.name = name }
        for (index, name) in zip(outcome.others.indices, names.dropFirst()) { copy.outcome.others[index].name = name }
        return copy
    }

    /// The bytes under which the reserve and a decision are kept: the intent's id, unless it is the visit's, then a
    /// record without number and place, which it gets from the ledger later. Only for one that is named: neither
    /// digests nor names are kept.
    package func bytes(limits: LedgerLimits = LedgerLimits()) -> [UInt8] {
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 0, visit: visit, intent: nil, stamp: stamp.clipped(to: limits),
                outcome: outcome.clipped(to: limits),
                dropped: 0))
        return (intent == visit ? [] : Array(intent.utf8)) + record.bytes
    }

    /// Reads ``bytes(limits:)`` back; nil for anything else. Those of earlier versions have no intent's id.
    package init?(bytes: [UInt8]) {
        let body = bytes.drop { $0 != UInt8(ascii: "{") }
        guard let intent = Text(utf8: bytes.prefix(bytes.count - body.count)),
            case .outcome(let record) = try? LedgerRecord(bytes: Array(body))
        else { return nil }
        self.init(
            visit: record.visit, intent: intent.isEmpty ? nil : intent, outcome: record.outcome, stamp: record.stamp)
    }
}
