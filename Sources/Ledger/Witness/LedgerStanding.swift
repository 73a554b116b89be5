import Encoding

/// What a database says about itself.
package enum StoredLedger: Hashable, Sendable {
    /// There was none; it was made just now.
    case made
    /// It has no seal. Old: a version of the program without seals wrote it last.
    case unsealed(LedgerState, isOld: Bool)
    /// Its seal is right, or cannot be looked at without the key; then `digest` is nil.
    case sealed(LedgerState, digest: [UInt8]?)
    /// It cannot be read, or its seal is not that of its figures; in words.
    case broken(String)
}

/// What comes of comparing a ledger with its witness.
package enum LedgerStanding: Hashable, Sendable {
    /// A new ledger, and nothing speaks of an earlier one.
    case new
    /// A ledger from before there were witnesses; from now on it has one.
    case adopted
    /// The ledger continues what its witness has seen.
    case continued
    /// The ledger's own seal is right, but that it is the newest state nobody can tell; why, in words.
    case unwitnessed(String)
    /// The ledger does not continue what its witness has seen; in words.
    case rewritten(String)
    /// The database was put back from a backup; in words.
    case restored(String)

    /// Whether another ledger has to begin, as something speaks against this one.
    package var isRewritten: Bool { if case .rewritten = self { true } else { false } }

    /// Compares.
    ///
    /// - Parameters:
    ///   - stored: What the database says.
    ///   - witness: What the witness says.
    ///   - keyIsNew: Whether the key was made at this start: then there can be no witness yet.
    ///   - hashAt: The hash of the entry at a position, or of what is before the oldest one; nil where none is.
    package static func judge(
        _ stored: StoredLedger, _ witness: WitnessReading, keyIsNew: Bool, hashAt: (Int) -> ChainHash?
    ) -> LedgerStanding {
        switch (stored, witness) {
        case (.broken(let why), _): .rewritten(why)
        case (.made, .read(let signed, _)):
            .rewritten("the database is gone; its witness knows \(signed.head.state.end.count) entries")
        case (.unsealed, .read): .rewritten("its seal was taken off, or it was written to without the key")
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
                .rewritten("the database's seal was taken off and the witness removed")
            }
        case (.sealed, .absent): .unwitnessed("there is no witness file")
        case (.sealed, .unusable(let why)): .unwitnessed("the witness file cannot be used: \(why)")
        case (.unsealed(let state, _), .unusable(let why)):
            state.end.count == 0
                ? .unwitnessed("the witness file cannot be used: \(why)")
                : .rewritten("the database's seal was taken off")
        case (.made, .unusable(let why)): .rewritten("the database is gone, and its witness cannot be used: \(why)")
        }
    }

    /// What contradicts a statement; nil: nothing.
    private static func compare(
        _ state: LedgerState, _ digest: [UInt8]?, _ head: HeadStatement, isTorn: Bool, _ hashAt: (Int) -> ChainHash?
    ) -> String? {
        let seen = head.state
        if let finding = head.finding { return "the running service had found: \(finding)" }
        if state.ledger != seen.ledger { return "the witness knows another ledger, \(seen.ledger)" }
        if state.revision < seen.revision || state.end.count < seen.end.count {
            return "it is older than its witness: \(state.end.count) entries, where the witness has seen "
                + "\(seen.end.count) (state \(state.revision) of \(seen.revision))"
        }
        if state.revision == seen.revision {
            if state != seen || digest.map({ $0 != head.digest }) == true {
                return "its figures are not those that the witness has seen"
            }
            // A statement is written only after a commit that it is about; one that was interrupted was about a later state than
            // this. Rot in the older place looks the same: better one new ledger too many.
            if isTorn { return "a newer statement of the witness was damaged, and the database is older than that" }
        }
        if state.start.count <= seen.end.count, hashAt(seen.end.count) != seen.end.hash {
            return "entry \(seen.end.count) is not the one that the witness has seen"
        }
        return nil
    }
}
