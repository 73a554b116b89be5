import Encoding

/// What a database states about its own ledger.
package enum StoredLedger: Hashable, Sendable {
    /// There was no database. This start of the service created it.
    case made
    /// The database has no seal. `isOld`: whether a version without seals has written it last.
    case unsealed(LedgerState, isOld: Bool)
    /// The database has a valid seal. `digest`: the digest of state and cursors; nil if the seal could not be checked,
    /// because there is no key.
    case sealed(LedgerState, digest: [UInt8]?)
    /// The database cannot be read, or its seal does not match its figures. The text is the reason.
    case broken(String)
}

/// The result of comparing a ledger with its witness file.
package enum WitnessComparison: Hashable, Sendable {
    /// The ledger is new, and there is no sign of an earlier ledger.
    case new
    /// A version without witnesses wrote the ledger. From now on the ledger has a witness.
    case adopted
    /// The ledger continues the state that the witness recorded.
    case continued
    /// The seal of the ledger is valid, but nothing proves that this state is the newest. The text is the reason.
    case unwitnessed(String)
    /// The ledger does not continue the state that the witness recorded, or its seal is wrong. The text is the
    /// contradiction.
    case rewritten(String)
    /// An operator restored the database from a backup. The text describes the restore.
    case restored(String)

    /// Whether evidence contradicts the ledger. If so, a new ledger must replace it.
    package var isRewritten: Bool { if case .rewritten = self { true } else { false } }

    /// Returns the result of comparing a ledger with its witness.
    ///
    /// - Parameters:
    ///   - stored: The state in the database.
    ///   - witness: The content of the witness file.
    ///   - keyIsNew: Whether this start of the service made the key. If so, no witness can exist yet.
    ///   - hashAt: Returns the hash of the entry at a position, or of the entry before the oldest entry on disk; nil if
    ///     there is no such entry.
    package static func judge(
        _ stored: StoredLedger, _ witness: WitnessReading, keyIsNew: Bool, hashAt: (Int) -> ChainHash?
    ) -> WitnessComparison {
        switch (stored, witness) {
        case (.broken(let why), _): .rewritten(why)
        case (.made, .read(let signed, _)):
            .rewritten("the database is missing; its witness knows \(signed.head.state.end.count) entries")
        case (.unsealed, .read): .rewritten("its seal was removed, or it was changed without the key")
        case (.sealed(let state, let digest), .read(let signed, let isTorn)):
            compare(state, digest, signed.head, isTorn: isTorn, hashAt).map { .rewritten($0) } ?? .continued
        case (.made, .absent):
            keyIsNew ? .new : .unwitnessed("the key is older than the ledger, and no witness of an earlier one is left")
        case (.unsealed(let state, let isOld), .absent):
            if keyIsNew && (isOld || state.end.count == 0) {
                .adopted
            } else if isOld || state.end.count == 0 {
                .unwitnessed("the ledger has neither seal nor witness")
            } else {
                .rewritten("the database's seal was removed and the witness removed")
            }
        case (.sealed, .absent): .unwitnessed("there is no witness file")
        case (.sealed, .unusable(let why)): .unwitnessed("the witness file cannot be used: \(why)")
        case (.unsealed(let state, _), .unusable(let why)):
            state.end.count == 0
                ? .unwitnessed("the witness file cannot be used: \(why)")
                : .rewritten("the database's seal was removed")
        case (.made, .unusable(let why)): .rewritten("the database is missing, and its witness cannot be used: \(why)")
        }
    }

    /// Returns why the ledger contradicts a statement of the witness; nil if it does not.
    private static func compare(
        _ state: LedgerState, _ digest: [UInt8]?, _ head: HeadStatement, isTorn: Bool, _ hashAt: (Int) -> ChainHash?
    ) -> String? {
        let seen = head.state
        if let finding = head.finding { return "the running service found: \(finding)" }
        if state.ledger != seen.ledger { return "the witness knows another ledger, \(seen.ledger)" }
        if state.revision < seen.revision || state.end.count < seen.end.count {
            return "it is older than its witness: \(state.end.count) entries, where the witness recorded "
                + "\(seen.end.count) (state \(state.revision) of \(seen.revision))"
        }
        if state.revision == seen.revision {
            if state != seen || digest.map({ $0 != head.digest }) == true {
                return "its figures differ from those that the witness recorded"
            }
            // A statement is written after its commit, so a damaged newer statement means that the database is older
            // than it. Corruption of the older slot looks the same; in that case a new ledger begins without need,
            // which is the smaller harm.
            if isTorn { return "a newer statement of the witness was damaged, and the database is older than that" }
        }
        if state.start.count <= seen.end.count, hashAt(seen.end.count) != seen.end.hash {
            return "entry \(seen.end.count) differs from the one that the witness recorded"
        }
        return nil
    }
}
