import Encoding

/// What a database states about itself.
package enum StoredLedger: Hashable, Sendable {
    /// No database existed. The database was created at this start.
    case made
    /// The database has no seal. `isOld`: the last program version that wrote it had no seals.
    case unsealed(LedgerState, isOld: Bool)
    /// The seal of the database is valid, or cannot be checked without the key. In the second case `digest`
    /// is nil.
    case sealed(LedgerState, digest: [UInt8]?)
    /// The database cannot be read, or its seal does not match its figures; the text is the reason.
    case broken(String)
}

/// The result of comparing a ledger with its witness.
package enum WitnessComparison: Hashable, Sendable {
    /// The ledger is new, and there is no sign of an earlier ledger.
    case new
    /// The ledger comes from a version without witnesses. From now on it has a witness.
    case adopted
    /// The ledger continues the state that its witness recorded.
    case continued
    /// The ledger's own seal is valid, but nothing proves that this is its newest state; the text is the
    /// reason.
    case unwitnessed(String)
    /// The ledger does not continue the state that its witness recorded; the text is the contradiction.
    case rewritten(String)
    /// The database was restored from a backup; the text describes the restore.
    case restored(String)

    /// Whether this ledger must be replaced by a new one because evidence contradicts it.
    package var isRewritten: Bool { if case .rewritten = self { true } else { false } }

    /// Compares a ledger with its witness.
    ///
    /// - Parameters:
    ///   - stored: The state that the database contains.
    ///   - witness: The content of the witness file.
    ///   - keyIsNew: Whether the key was made at this start; in that case no witness can exist yet.
    ///   - hashAt: Returns the hash of the entry at a position, or of the entry before the oldest one; nil if
    ///     no such entry exists.
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

    /// Returns the contradiction between the ledger and a statement of the witness; nil if there is none.
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
            // A statement is written only after the commit that it describes, so an interrupted statement
            // described a later state than the present one. Corruption of the older slot looks the same. In
            // that case an unnecessary new ledger is the smaller harm.
            if isTorn { return "a newer statement of the witness was damaged, and the database is older than that" }
        }
        if state.start.count <= seen.end.count, hashAt(seen.end.count) != seen.end.hash {
            return "entry \(seen.end.count) differs from the one that the witness recorded"
        }
        return nil
    }
}
