package import Encoding

/// An intent that waits to be written.
package struct UnwrittenIntent: Hashable, Sendable {
    /// The visit's UUID.
    package var visit: Text
    /// Where and when.
    package var stamp: RecordStamp

    /// An intent of these parts.
    package init(visit: Text, stamp: RecordStamp) {
        (self.visit, self.stamp) = (visit, stamp)
    }
}

/// Who was let in, by name, waiting to be written: for the start after this one.
package struct UnwrittenNames: Hashable, Sendable {
    /// The names of one visit.
    package var names: [ReplayName]
    /// When the gate was told to open; nil: it did not open, and the newest entry of each name is to be removed.
    package var at: Timestamp?

    /// Names of these parts.
    package init(_ names: [ReplayName], at: Timestamp) {
        (self.names, self.at) = (names, at)
    }

    /// Names whose newest entry is to be removed.
    package init(forgotten names: [ReplayName]) {
        (self.names, at) = (names, nil)
    }
}

/// An outcome that waits to be written.
package struct UnwrittenOutcome: Hashable, Sendable {
    /// The visit's UUID.
    package var visit: Text
    /// How it ended.
    package var outcome: Outcome
    /// Where and when.
    package var stamp: RecordStamp
    /// SHA-256 of the signed contents by which the credential, and after it the first of the others, are still to be named. Empty:
    /// they have their names, or need none.
    package var signedDigests: [[UInt8]]

    /// An outcome of these parts.
    package init(visit: Text, outcome: Outcome, stamp: RecordStamp, signedDigests: [[UInt8]] = []) {
        (self.visit, self.outcome, self.stamp, self.signedDigests) = (visit, outcome, stamp, signedDigests)
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

    /// The bytes for the reserve: a record without number and place, which it gets from the ledger later. Only for one that is
    /// named; a digest is not kept.
    package func reserveBytes(limits: LedgerLimits = LedgerLimits()) -> [UInt8] {
        LedgerRecord.outcome(
            OutcomeRecord(
                seq: 0, visit: visit, intent: nil, stamp: stamp.clipped(to: limits),
                outcome: outcome.clipped(to: limits),
                dropped: 0)
        ).bytes
    }

    /// Reads ``reserveBytes(limits:)`` back; nil for anything else.
    package init?(reserveBytes bytes: [UInt8]) {
        guard case .outcome(let record) = try? LedgerRecord(bytes: bytes) else { return nil }
        self.init(visit: record.visit, outcome: record.outcome, stamp: record.stamp)
    }
}
